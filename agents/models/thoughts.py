"""The marks that models put round their thoughts, and the text of an answer without them.

One table for all models. The marks are tokens of formats, no words of a language: a sentence about thinking has none.
A server's own field for thoughts is better than marks; `StreamBuffer` makes both alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO

BEGINS, ENDS = "<think>", "</think>\n"
NEVER = r"(?!)"


@dataclass(frozen=True)
class ThoughtMarks:
    """The marks of a format, as regular expressions.

    `opens` begins a thought. `closes` ends it; without a beginning, all before it is a thought that the prompt began.
    `ends` closes a thought as well, and means nothing by itself. `pairs` begins a thought if `ends` follows. `nests` is
    whether a beginning within a thought may have an end of its own.
    """

    opens: str
    closes: str = NEVER
    ends: str = NEVER
    pairs: str = NEVER
    nests: bool = True


_PART = r"(?:[a-z]{1,12}[:_-]){0,2}"
_TAG = (
    rf"{_PART}(?:(?:ant)?think(?:ing)?|thoughts?|reason(?:ing)?|reflect(?:ion)?|analysis|scratchpad|monologue|cot)"
    r"(?:[:_-][a-z]{1,12}){0,2}"
)
_TOKEN = r"(?:think(?:ing)?|thoughts?|reasoning)"
_CHANNEL = r"(?:<\|start\|>\s*)?(?:assistant\s*)?<\|channel\|>\s*"
_TO_MESSAGE = r"(?:[^<\n]{0,80}(?:<\|constrain\|>\s*\w*)?\s*<\|message\|>)?"
_END_OF_MESSAGE = r"<\|(?:end|call|return)\|>"
_HERE_IS = r"(?-i:Here(?: is|['’]s) my"
_DOTS = r"(?:\.{3}|…)"

FORMATS = (
    # DeepSeek, Qwen, GLM, Hunyuan, Nemotron, Phi, MiniMax, EXAONE, Reka, Seed ("seed:think") and most others
    ThoughtMarks(rf"<{_TAG}(?:\s[^<>]{{0,80}})?>", rf"</{_TAG}\s?>"),
    ThoughtMarks(r"\[(?:THINK|REASONING)\]", r"\[/(?:THINK|REASONING)\]"),  # Magistral; Apriel
    ThoughtMarks(r"◁think▷", r"◁/think▷"),  # Kimi
    # Cohere ("START_THINKING"), Sky-T1 and OpenThinker ("begin_of_thought")
    ThoughtMarks(rf"<[|｜](?:START|BEGIN)_(?:OF_)?{_TOKEN}[|｜]>", rf"<[|｜]END_(?:OF_)?{_TOKEN}[|｜]>"),
    ThoughtMarks(r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),  # Apertus
    ThoughtMarks(r"<unused94>(?:thought)?", r"<unused95>"),  # MedGemma
    ThoughtMarks(r"<\|channel>[ \t]*(?:thought)?", r"<channel\|>"),  # Gemma
    ThoughtMarks(r"<\|im_start\|>think", r"<\|im_start\|>answer"),  # s1
    # Solar: a message of thoughts, then one of content
    ThoughtMarks(
        r"(?:<\|begin\|>\s*assistant\s*)?<\|think\|>",
        r"(?:<\|end\|>\s*)?(?:<\|begin\|>\s*assistant\s*)?<\|content\|>",
    ),
    # gpt-oss: channels of messages, also with the special tokens left out ("analysisWe...assistantfinalGood day")
    ThoughtMarks(
        rf"{_CHANNEL}(?:analysis|commentary){_TO_MESSAGE}"
        r"|\A\s*(?:analysis|commentary)[^<\n]{0,80}<\|message\|>"
        r"|(?-i:\A\s*(?:analysis|commentary)(?=[^\W\d_]))"
        r"|(?-i:assistant(?:analysis|commentary)(?=[^\W\d_]| to=))",
        rf"(?:{_END_OF_MESSAGE}\s*)?{_CHANNEL}final{_TO_MESSAGE}"
        r"|\A\s*final\s*<\|message\|>"
        r"|(?-i:\A\s*final(?=[^\W\d_a-z]))"
        r"|(?-i:assistantfinal)(?:\s*json(?=\s*[{\[]))?",
        ends=rf"{_END_OF_MESSAGE}(?:\s*<\|start\|>\s*(?:assistant)?)?(?:\s*<\|message\|>)?",
        nests=False,
    ),
    # Granite 3.2
    ThoughtMarks(
        rf"\A[\s*#]*{_HERE_IS} thought process:)\**",
        ends=rf"(?:\*\*)?{_HERE_IS} response:)(?:\*\*)?",
        pairs=rf"^{_HERE_IS} thought process:)",
    ),
    # The text that `ollama run` prints
    ThoughtMarks(
        rf"(?-i:\A\s*Thinking{_DOTS}[ \t]*\n)",
        ends=rf"(?-i:{_DOTS}\s?done thinking\.)",
        pairs=rf"(?-i:^Thinking{_DOTS})",
    ),
)
"""The formats. Those whose marks are words begin at the beginning of an answer, or need both marks."""

_ANSWER = r"<(?:answer|response|solution)>|<[|｜](?:START|BEGIN)_(?:OF_)?(?:RESPONSE|ANSWER|SOLUTION|BOX|TEXT)[|｜]>"
"""What begins an answer, and so ends a thought that nothing else ends."""

_CONTROL = rf"</(?:answer|response|solution)>|<{_TAG}\s?/>|<[|｜][\w▁]{{1,40}}[|｜]?>|<\w{{1,40}}\|>"
"""Other tokens of formats, which nobody says."""

_KINDS = ("opens", "closes", "ends", "pairs")
_MARK = re.compile(
    "|".join(
        [
            *(rf"(?P<{kind}_{row}>{getattr(marks, kind)})" for row, marks in enumerate(FORMATS) for kind in _KINDS),
            rf"(?P<answer>{_ANSWER})",
            rf"(?P<control>{_CONTROL})",
        ]
    ),
    re.IGNORECASE | re.MULTILINE,
)


_MAYBE = re.compile(
    r"<[^<>\n]{3,120}>|\[/?(?i:THINK|REASONING)\]|◁/?think▷|assistant(?=analysis|commentary|final|\s*<)"
    rf"|(?:\*\*)?{_HERE_IS} (?:thought process|response):)|Thinking{_DOTS}|{_DOTS}\s?done thinking\."
)
"""Where a mark may be, apart from the beginning: much faster than to look for each everywhere."""


def _marks(text: str) -> Iterator[re.Match[str]]:
    end = 0
    for start in (0, *(maybe.start() for maybe in _MAYBE.finditer(text))):
        if start >= end and (mark := _MARK.match(text, start)):
            end = mark.end()
            yield mark


class _Reading:
    """A text read from mark to mark.

    `kept` are the parts outside thoughts. `row` is the format of an open thought, or empty; `inner` are other tags
    opened in it. `owed` is how many beginnings have had no end, those of the same tag in a thought included.
    """

    def __init__(self, text: str) -> None:
        self.kept: list[str] = []
        self.row = self._tag = ""
        self.inner: list[str] = []
        self.owed = 0
        self.is_marked = False
        self._text, self._start = text, 0
        marks = [(*(mark.lastgroup or "").partition("_")[::2], mark) for mark in _marks(text)]
        self._last_end = {row: mark.start() for kind, row, mark in marks if kind in ("closes", "ends")}
        for kind, row, mark in marks:
            if self.row:
                self._take_inside(kind, row, mark)
            else:
                self._take_outside(kind, row, mark)
        if not self.row:
            self.kept.append(text[self._start :])

    def _take_outside(self, kind: str, row: str, mark: re.Match[str]) -> None:
        is_ended = self._last_end.get(row, -1) > mark.start()
        if kind == "opens" or (kind == "pairs" and is_ended):
            self._cut(mark)
            self.row, self._tag, self.inner = row, _tag(mark), []
            self.owed += 1
            self.is_marked = True
        elif kind == "closes":
            self.kept.clear()  # it was opened in the prompt, or opened twice
            self._start = mark.end()
            self.owed = max(0, self.owed - 1)
            self.is_marked = True
        elif kind in ("answer", "control") or mark[0].startswith("<"):
            self._cut(mark)

    def _take_inside(self, kind: str, row: str, mark: re.Match[str]) -> None:
        is_last = kind == "answer" and self._last_end.get(self.row, -1) < mark.start()
        if not is_last and row != self.row:
            return
        if kind in ("opens", "pairs"):
            if FORMATS[int(row)].nests:
                self.owed += 1
                self.inner += [_tag(mark)] if _tag(mark) != self._tag else []
            return
        self.owed = 0 if is_last else self.owed - 1
        if _tag(mark) in self.inner:
            self.inner.remove(_tag(mark))
        else:
            self.row, self._start = "", mark.end()

    def _cut(self, mark: re.Match[str]) -> None:
        self.kept.append(self._text[self._start : mark.start()])
        self._start = mark.end()


def _tag(mark: re.Match[str]) -> str:
    """Return the name of a tag."""
    return mark[0].strip("</> ").partition(" ")[0].lower()


def without_thoughts(text: str) -> str:
    """Return the text outside thoughts, be they open, closed or both, and without the other tokens of formats."""
    return "\n".join(_Reading(text).kept)


def shows_thoughts(text: str) -> bool:
    """Return whether a reply has marks of a reasoning model's thoughts, be they open, closed or both."""
    return _Reading(text).is_marked


def has_thought(text: str) -> bool:
    """Return whether thoughts were shown in a reply and have come to an end, those within others too."""
    reading = _Reading(text)
    return reading.is_marked and not reading.row and not reading.owed


class StreamBuffer:
    """Collects a streamed answer in `text`. Thoughts that a server sends in a separate field become inline tags.

    Readers of an answer then meet one form of thoughts only.
    """

    def __init__(self) -> None:
        self._pieces = StringIO()  # a text that grows piece by piece may be copied for each
        self._thinks = False

    @property
    def text(self) -> str:
        return self._pieces.getvalue()

    def think(self, piece: str) -> None:
        """Add a piece of a thought; a closing tag in it is escaped."""
        if piece and not self._thinks:
            self._pieces.write(BEGINS)
            self._thinks = True
        self._pieces.write(piece.replace("<", "‹"))

    def say(self, piece: str) -> None:
        """Add a piece of the answer itself."""
        if piece and self._thinks:
            self._pieces.write(ENDS)
            self._thinks = False
        self._pieces.write(piece)
