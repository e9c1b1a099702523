"""A stream of text with a prompt at its end: how somebody sees it and in how many colours."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import ColorSettings
from server.connection.connection import MARKED, SCENE, Capabilities, ColorDepth
from server.connection.text_screen import TextScreen, TurnContent, lay_out, preferred
from server.telnet.options import ClientInfo, Mtts, capabilities_of
from tests.server.fake_connection import entered
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game

SPEECH = "Moss says, 'The river is high today, and it will be higher tomorrow.'"

PALETTE = ColorSettings(room="bold", exits="cyan", speech="rgb-ff8800", highlight="underline bright-red")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
KINDS = ["", "speech", "private", "notice", "ambience", "refusal", SCENE, MARKED]


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
        return self.screen.lines([(text, kind)]).decode()

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


def test_what_a_turn_showed_to_many_who_see_alike_is_put_together_once(ana):
    ben = TextScreen(ana._encode, lambda: ana.client, lambda: ana.palette)
    turn = [(SPEECH, "speech"), ("Rain.", "")]
    assert ana.screen.lines(turn).count(b"\n") == 3
    assert ben.lines([*turn]) is ana.screen.lines([*turn])
    assert ben.lines(turn[1:]) == b"Rain.\n"


@pytest.mark.parametrize(
    ("change", "start", "lines"),
    [
        (lambda one: one.tells(width=25), "\x1b[36mMoss", 3),
        (lambda one: one.preferences.update(color="off"), "Moss", 2),
        (lambda one: one.preferences.update(screenreader="on"), "Moss", 1),
        (lambda one: one.tells(screen_reader=True), "Moss", 1),
        (lambda one: one.tells(colors=ColorDepth.NONE), "Moss", 2),
        (lambda one: (one.tells(screen_reader=True), one.preferences.update(screenreader="off")), "\x1b[36mMoss", 2),
        (lambda one: setattr(one, "palette", ColorSettings(speech="red")), "\x1b[31mMoss", 2),
    ],
)
def test_a_change_counts_from_the_next_turn_on(ana, change: Callable[[Onlooker], object], start: str, lines: int):
    change(ana)
    assert ana.sees().startswith(start)
    assert ana.sees().count("\n") == lines


def test_what_a_player_sets_by_a_line_counts_for_its_answer(ana):
    ana.screen.line_typed()
    ana.preferences["color"] = "off"
    assert ana.screen.lines([(SPEECH, "speech")]).startswith(b"Moss")


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


READER = 271 | Mtts.SCREEN_READER


@pytest.mark.parametrize(
    ("mtts", "types", "chosen", "expected"),
    [
        (0, "", "", ColorDepth.NONE),
        (0, "XTERM-256COLOR", "", ColorDepth.MANY),
        (0, "XTERM", "", ColorDepth.SIXTEEN),
        (0, "TINYFUGUE ANSI-ATTR ANSI UNKNOWN", "", ColorDepth.SIXTEEN),
        (0, "MUDLET ANSI-TRUECOLOR", "", ColorDepth.TRUE),
        (0, "KBtin hardcopy unknown", "", ColorDepth.NONE),
        (0, "dumb", "", ColorDepth.NONE),
        (271, "TINTIN++ xterm-256color", "", ColorDepth.TRUE),
        (13, "x xterm", "", ColorDepth.MANY),
        (1, "x xterm-256color", "", ColorDepth.SIXTEEN),
        (4, "x xterm-256color", "", ColorDepth.NONE),
        # What somebody has chosen counts more than what the client says.
        (271, "", "off", ColorDepth.NONE),
        (0, "", "on", ColorDepth.SIXTEEN),
        (271, "", "on", ColorDepth.TRUE),
        (0, "", "256", ColorDepth.MANY),
        (271, "", "16", ColorDepth.SIXTEEN),
        # Who listens is sent no colours unless they want them.
        (READER, "", "", ColorDepth.NONE),
        (READER, "", "on", ColorDepth.TRUE),
    ],
)
def test_a_client_is_shown_as_many_colours_as_it_says_once_it_has_told_all(mtts, types, chosen, expected):
    preferences = {"color": chosen} if chosen else {}
    client = ClientInfo(terminal_types=types.split(), mtts=Mtts(mtts))
    assert capabilities_of(client).colors is ColorDepth.NONE
    client.is_identified = True
    assert preferred(capabilities_of(client), preferences).colors is expected


def shown(text: str, kind: str, depth: ColorDepth = ColorDepth.SIXTEEN, width: int = 80, *, links: bool = False) -> str:
    screen = TurnContent(Capabilities(width, depth, links=links), PALETTE, lambda text, charset: text.encode(charset))
    return screen.render(text, kind).decode().removesuffix("\n")


MARKS = "Type ==look==, or ==exits: north==; 1 == 1, ==nothing: else=="
COLOURED: dict[str, tuple[str, str, ColorDepth, str]] = {
    "a scene has its first and last line in colour": (
        "The Hall\nIt is cold.\nExits: north.",
        SCENE,
        ColorDepth.SIXTEEN,
        "\x1b[1mThe Hall\x1b[0m\nIt is cold.\n\x1b[36mExits: north.\x1b[0m",
    ),
    "a colour of its own becomes the nearest of 256": ("Hi", "speech", ColorDepth.MANY, "\x1b[38;5;208mHi\x1b[0m"),
    "or of sixteen": ("Hi", "speech", ColorDepth.SIXTEEN, "\x1b[33mHi\x1b[0m"),
    "marks count in the world's own texts": (
        MARKS,
        MARKED,
        ColorDepth.SIXTEEN,
        "Type \x1b[4;91mlook\x1b[0m, or \x1b[36mnorth\x1b[0m; 1 == 1, else",
    ),
    "and are seen by nobody": (MARKS, MARKED, ColorDepth.NONE, "Type look, or north; 1 == 1, else"),
    "what somebody says is no mark": ("==look==", "speech", ColorDepth.SIXTEEN, "\x1b[33m==look==\x1b[0m"),
}


@pytest.mark.parametrize(("text", "kind", "depth", "expected"), COLOURED.values(), ids=COLOURED)
def test_a_text_has_the_colours_of_its_kind_and_its_marks(text, kind, depth, expected):
    assert shown(text, kind, depth) == expected


def test_each_line_on_the_screen_ends_its_own_colour():
    lines = shown("Ana says, " + "word " * 60, "speech", ColorDepth.TRUE).split("\n")
    assert len(lines) > 2
    assert all(line.startswith("\x1b[38;2;255;136;0m") and line.endswith("\x1b[0m") for line in lines)


def test_a_second_column_stays_where_it_is_beside_a_mark():
    plain = "  look            " + "what is around you " * 5
    assert ESCAPE.sub("", shown(plain.replace("look", "==look=="), MARKED)) == lay_out(plain, 80)


def test_links_can_be_clicked_by_who_asked_for_it_and_end_on_their_own_line():
    text = "See [the long page of the town and its weir](https://example.org/page) or [this](javascript:x)."
    assert shown(text, MARKED, ColorDepth.NONE, 40) == (
        "See the long page of the town and its\nweir (https://example.org/page) or\n[this](javascript:x)."
    )
    lines = shown(text, MARKED, ColorDepth.NONE, 40, links=True).split("\n")
    assert len(lines) == 2
    assert all(line.count("https://example.org/page\x1b\\") == line.count("\x1b]8;;\x1b\\") == 1 for line in lines)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=200), st.sampled_from(KINDS[:-1]))
def test_without_its_colours_a_text_is_what_it_is_without_any(text, kind):
    text = f"The Hall\n{text}\nExits: none."
    assert ESCAPE.sub("", shown(text, kind, ColorDepth.TRUE)) == lay_out(text, 80) == shown(text, kind, ColorDepth.NONE)


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game())


def test_a_player_sees_colours_and_neither_history_nor_others_get_any(registry):
    ana, ben = entered(registry, "Ana"), entered(registry, "Ben")
    ana.types("color on")
    ben.screen()
    assert '\x1b[32mYou say, "Good morning"\x1b[0m\n' in ana.types("say Good morning")
    assert ben.screen() == '\nAna says, "Good morning"\n> '
    assert 'You say, "Good morning"' in ana.types("history")
    assert "\x1b[1mThe Common Room\x1b[0m\n" in ana.types("look")
    assert "\x1b" not in ana.types("color off")
    assert all("\x1b" not in line for line in registry.game.world.characters["Ana"].transient.speech_history)
