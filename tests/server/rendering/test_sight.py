"""What is remembered of how somebody sees is found out again as soon as anything about it changes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from twisted.internet.task import Clock

from config.color_settings import ColorSettings
from server.rendering.ansi import MARKED
from server.rendering.sight import Sight
from server.telnet.options import Mtts
from tests.server.fake_terminal import FakeTerminal
from world.model import Character

PALETTE = ColorSettings(speech="cyan")
SPEECH = "Moss says, 'The river is high today, and it will be higher tomorrow.'"


class Onlooker:
    """Ana at a terminal of 40 columns and 16 colours, who has been shown something already."""

    def __init__(self) -> None:
        self.terminal, self.ana = FakeTerminal(Clock(), width=40), Character("Ana", "Hall")
        self.terminal.mtts = Mtts.ANSI
        self.sight = Sight(self.terminal)
        self.shown = self.sees()

    def sees(self, text: str = SPEECH, kind: str = "speech", palette: ColorSettings = PALETTE) -> str:
        return self.sight.rendered(text, kind, self.ana, palette)


@pytest.fixture
def ana():
    return Onlooker()


def test_what_nothing_has_changed_is_shown_the_same(ana):
    assert ana.shown.startswith("\x1b[36mMoss says")
    assert ana.shown.count("\n") == 1
    assert ana.sees() == ana.shown


@pytest.mark.parametrize(
    ("change", "start", "lines"),
    [
        (lambda one: setattr(one.terminal, "width", 25), "\x1b[36mMoss", 3),
        (lambda one: one.ana.preferences.update(color="off"), "Moss", 2),
        (lambda one: one.ana.preferences.update(screenreader="on"), "Moss", 1),
        (lambda one: setattr(one.ana.doings, "client_reads_aloud", True), "Moss", 1),
        (lambda one: setattr(one.terminal, "is_identified", False), "Moss", 2),
    ],
)
def test_a_change_counts_from_the_next_text_on(ana, change: Callable[[Onlooker], None], start: str, lines: int):
    change(ana)
    assert ana.sees().startswith(start)
    assert len(ana.sees().split("\n")) == lines


def test_a_preference_that_is_taken_back_counts_no_more(ana):
    ana.ana.preferences["color"] = "off"
    ana.sees()
    del ana.ana.preferences["color"]
    assert ana.sees() == ana.shown


def test_other_colours_of_the_world_count_at_once(ana):
    assert ana.sees(palette=ColorSettings(speech="red")).startswith("\x1b[31mMoss")


def test_links_are_for_who_has_asked_for_them(ana):
    text = "Read [the rules](https://example.org)."
    before = ana.sees(text, MARKED)
    ana.ana.preferences["links"] = "on"
    assert ("\x1b]8;;" in before, "\x1b]8;;" in ana.sees(text, MARKED)) == (False, True)


def test_at_the_door_the_client_alone_says_how_it_is_read(ana):
    ana.terminal.screen_reader = True
    assert "\n" not in ana.sight.rendered(SPEECH, "speech", None, PALETTE)
    assert ana.sees() == ana.shown  # who has come in has been asked


def test_what_becomes_longer_in_ascii_is_broken_into_lines_as_it_will_be_read(ana):
    ana.terminal.encoding = "ascii"
    ana.ana.preferences["color"] = "off"
    shown = ana.sees("Мосс говорит: «Щука в щели, щука в пруду, щука в щах.»")
    assert shown == "Moss govorit: <<Shchuka v shcheli,\nshchuka v prudu, shchuka v shchakh.>>"
