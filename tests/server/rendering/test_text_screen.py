"""A stream of text with a prompt at its end, and how somebody sees it: found out again as soon as that changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from config.settings import ColorSettings
from server.connection.connection import MARKED, Capabilities, ColorDepth
from server.rendering.text_screen import TextScreen

SPEECH = "Moss says, 'The river is high today, and it will be higher tomorrow.'"


class Onlooker:
    """Somebody at a screen of 40 columns and 16 colours, who has been shown something already."""

    def __init__(self) -> None:
        self.client = Capabilities(40, ColorDepth.SIXTEEN)
        self.palette = ColorSettings(speech="cyan")
        self.preferences: dict[str, str] = {}
        self.encoded: list[str] = []
        self.screen = TextScreen(self._encode, lambda: self.client, lambda: self.palette)
        self.encoded.clear()
        self.screen.prefer(lambda: self.preferences)
        self.shown = self.sees()

    def sees(self, text: str = SPEECH, kind: str = "speech") -> str:
        """Return a text as it is shown in a turn of its own."""
        self.screen.forget()
        return self.screen.lines(text, kind).decode()

    def asks(self, prompt: str) -> str:
        """Return what is shown of a prompt."""
        return self.screen.prompt(lambda is_answer: prompt)

    def tells(self, **capabilities: object) -> None:
        self.client = replace(self.client, **capabilities)  # type: ignore[arg-type]

    def _encode(self, text: str, charset: str) -> bytes:
        self.encoded.append(text)
        return text.encode(charset)


@pytest.fixture
def ana():
    return Onlooker()


def test_what_nothing_has_changed_is_shown_the_same_and_rendered_once(ana):
    assert ana.shown.startswith("\x1b[36mMoss says")
    assert ana.shown.count("\n") == 2
    assert ana.sees() == ana.shown
    assert len(ana.encoded) == 1


@pytest.mark.parametrize(
    ("change", "start", "lines"),
    [
        (lambda one: one.tells(width=25), "\x1b[36mMoss", 3),
        (lambda one: one.preferences.update(color="off"), "Moss", 2),
        (lambda one: one.preferences.update(screenreader="on"), "Moss", 1),
        (lambda one: one.tells(screen_reader=True), "Moss", 1),
        (lambda one: one.tells(colors=ColorDepth.NONE), "Moss", 2),
    ],
)
def test_a_change_counts_from_the_next_turn_on(ana, change: Callable[[Onlooker], None], start: str, lines: int):
    change(ana)
    assert ana.sees().startswith(start)
    assert ana.sees().count("\n") == lines


def test_what_a_player_sets_by_a_line_counts_for_its_answer(ana):
    ana.screen.line_typed()
    ana.preferences["color"] = "off"
    assert ana.screen.lines(SPEECH, "speech").startswith(b"Moss")


def test_preferences_that_others_take_the_place_of_count_no_more(ana):
    ana.preferences = {"color": "off"}
    assert ana.sees().startswith("Moss")
    ana.preferences = {}
    assert ana.sees() == ana.shown


def test_a_preference_counts_more_than_what_the_client_tells(ana):
    ana.tells(screen_reader=True)
    ana.preferences["screenreader"] = "off"
    assert ana.sees() == ana.shown


def test_other_colours_of_the_world_count_at_once(ana):
    ana.palette = ColorSettings(speech="red")
    assert ana.sees().startswith("\x1b[31mMoss")


def test_links_are_for_who_has_asked_for_them_or_whose_client_has_them(ana):
    text = "Read [the rules](https://example.org)."
    before = ana.sees(text, MARKED)
    ana.preferences["links"] = "on"
    asked = ana.sees(text, MARKED)
    del ana.preferences["links"]
    ana.tells(links=True)
    assert ["\x1b]8;;" in shown for shown in (before, asked, ana.sees(text, MARKED))] == [False, True, True]


def test_what_becomes_longer_in_ascii_is_broken_into_lines_as_it_will_be_read(ana):
    ana.tells(charset="ascii", colors=ColorDepth.NONE)
    shown = ana.sees("Мосс говорит: «Щука в щели, щука в пруду, щука в щах.»")
    assert shown == "Moss govorit: <<Shchuka v shcheli,\nshchuka v prudu, shchuka v shchakh.>>\n"


def test_a_prompt_stands_once_behind_what_was_shown_and_what_comes_stands_below_it(ana):
    assert (ana.asks("> "), ana.asks("> ")) == ("> ", "")
    assert ana.sees("Rain.", "") == "\nRain.\n"
    assert ana.sees("Wind.", "") == "Wind.\n"
    assert ana.asks("> ") == "> "
    ana.screen.line_typed()
    assert ana.sees("Rain.", "") == "Rain.\n"


def test_the_line_end_of_what_is_typed_unseen_is_shown(ana):
    assert ana.screen.line_typed() == b""
    ana.screen.is_typing_hidden = True
    assert ana.screen.line_typed() == b"\n"
