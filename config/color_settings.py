"""The settings of colours: in what style which kind of line is shown to those who see colours."""

from __future__ import annotations

from dataclasses import dataclass

from config.declaring import setting

COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
WEIGHTS = ("bold", "dim", "italic", "underline")

_WORD = rf"(?:{'|'.join(WEIGHTS)}|(?:bright-)?(?:{'|'.join(COLORS)})|rgb-[0-9a-f]{{6}})"
STYLE_FORM = rf"none|{_WORD}(?: {_WORD})*"


@dataclass(frozen=True)
class ColorSettings:
    """config/colors.md"""

    room: str = setting("bold", "the name of a room, above what it looks like", form=STYLE_FORM)
    exits: str = setting("cyan", "the line of exits", form=STYLE_FORM)
    speech: str = setting("green", "what is said and shouted", form=STYLE_FORM)
    private: str = setting("magenta", "what is whispered, or told from afar", form=STYLE_FORM)
    notice: str = setting("bold", "what is announced to everyone", form=STYLE_FORM)
    ambience: str = setting("italic", "what happens by itself", form=STYLE_FORM)
    refusal: str = setting("yellow", "why something cannot be done", form=STYLE_FORM)
    highlight: str = setting(
        "bold", "==words== in help and in text/welcome.md, first-steps.md and farewell.md", form=STYLE_FORM
    )
