"""Colour: who sees how much of it, in whole lines, and never because of what somebody typed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import ColorSettings
from server.connection.connection import KIND_OF, MARKED, SCENE, ColorDepth, shown_of
from server.rendering.layout import wrapped
from server.rendering.text_screen import preferred, rendered
from server.telnet.options import ClientInfo, Mtts, capabilities_of
from tests.server.fake_connection import entered
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game
from world.events import Output, Said

PALETTE = ColorSettings(room="bold", exits="cyan", speech="rgb-ff8800", highlight="underline bright-red")
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
KINDS = ["", "speech", "private", "notice", "ambience", "refusal", SCENE, MARKED]


def depth(mtts: int = 0, *types: str, chosen: str = "") -> ColorDepth:
    client = ClientInfo(terminal_types=list(types), mtts=Mtts(mtts), is_identified=True)
    preferences = {"color": chosen} if chosen else {}
    return preferred(capabilities_of(client), preferences).colors


def shown(text: str, kind: str, depth: ColorDepth = ColorDepth.SIXTEEN) -> str:
    return rendered(text, kind, 80, depth, PALETTE)


@pytest.mark.parametrize(
    ("mtts", "types", "expected"),
    [
        (0, (), ColorDepth.NONE),
        (0, ("XTERM-256COLOR",), ColorDepth.MANY),
        (0, ("XTERM",), ColorDepth.SIXTEEN),
        (0, ("TINYFUGUE", "ANSI-ATTR", "ANSI", "UNKNOWN"), ColorDepth.SIXTEEN),
        (0, ("MUDLET", "ANSI-TRUECOLOR"), ColorDepth.TRUE),
        (0, ("KBtin", "hardcopy", "unknown"), ColorDepth.NONE),
        (0, ("dumb",), ColorDepth.NONE),
        (271, ("TINTIN++", "xterm-256color"), ColorDepth.TRUE),
        (13, ("x", "xterm"), ColorDepth.MANY),
        (1, ("x", "xterm-256color"), ColorDepth.SIXTEEN),
        (4, ("x", "xterm-256color"), ColorDepth.NONE),
    ],
)
def test_a_client_is_shown_as_many_colours_as_it_says(mtts, types, expected):
    assert depth(mtts, *types) is expected


def test_what_somebody_has_chosen_counts_more_than_what_the_client_says():
    assert depth(271, chosen="off") is ColorDepth.NONE
    assert depth(0, chosen="on") is ColorDepth.SIXTEEN
    assert depth(271, chosen="on") is ColorDepth.TRUE
    assert depth(0, chosen="256") is ColorDepth.MANY
    assert depth(271, chosen="16") is ColorDepth.SIXTEEN


def test_who_listens_is_sent_no_colours_unless_they_want_them():
    assert depth(271 | Mtts.SCREEN_READER) is ColorDepth.NONE
    assert depth(271 | Mtts.SCREEN_READER, chosen="on") is ColorDepth.TRUE


def test_a_scene_has_its_first_and_last_line_in_colour():
    assert shown("The Hall\nIt is cold.\nExits: north.", SCENE) == (
        "\x1b[1mThe Hall\x1b[0m\nIt is cold.\n\x1b[36mExits: north.\x1b[0m"
    )


def test_each_line_on_the_screen_ends_its_own_colour():
    lines = shown("Ana says, " + "word " * 60, "speech", ColorDepth.TRUE).split("\n")
    assert len(lines) > 2
    assert all(line.startswith("\x1b[38;2;255;136;0m") and line.endswith("\x1b[0m") for line in lines)


def test_a_colour_of_its_own_becomes_the_nearest_that_a_terminal_has():
    assert shown("Hi", "speech", ColorDepth.MANY) == "\x1b[38;5;208mHi\x1b[0m"
    assert shown("Hi", "speech", ColorDepth.SIXTEEN) == "\x1b[33mHi\x1b[0m"


def test_marks_count_in_the_worlds_own_texts_and_are_seen_by_nobody():
    text = "Type ==look==, or ==exits: north==; 1 == 1, ==nothing: else=="
    assert shown(text, MARKED) == ("Type \x1b[4;91mlook\x1b[0m, or \x1b[36mnorth\x1b[0m; 1 == 1, else")
    assert shown(text, MARKED, ColorDepth.NONE) == "Type look, or north; 1 == 1, else"


def test_a_second_column_stays_where_it_is_beside_a_mark():
    plain = "  look            " + "what is around you " * 5
    assert ESCAPE.sub("", shown(plain.replace("look", "==look=="), MARKED)) == wrapped(plain, 80)


def test_links_can_be_clicked_by_who_asked_for_it_and_end_on_their_own_line():
    text = "See [the long page of the town and its weir](https://example.org/page) or [this](javascript:x)."
    assert rendered(text, MARKED, 40, ColorDepth.NONE, PALETTE) == (
        "See the long page of the town and its\nweir (https://example.org/page) or\n[this](javascript:x)."
    )
    lines = rendered(text, MARKED, 40, ColorDepth.NONE, PALETTE, links=True).split("\n")
    assert len(lines) == 2
    assert all(line.count("https://example.org/page\x1b\\") == line.count("\x1b]8;;\x1b\\") == 1 for line in lines)


def test_a_client_that_has_not_told_all_yet_is_sent_no_colour():
    client = ClientInfo(terminal_types=["MUDLET", "ANSI-TRUECOLOR"])
    assert capabilities_of(client).colors is ColorDepth.NONE


def test_what_somebody_says_is_no_mark():
    assert "==look==" in shown('Ana says, "==look=="', "speech")


def test_a_look_is_a_scene_and_a_note_that_is_read_is_not():
    assert shown_of(Output("Ana", "The Hall\nCold."), "The Hall\nCold.", "The Hall")[1] == SCENE
    assert shown_of(Output("Ana", "A letter."), "A letter.", "The Hall")[1] == ""
    assert KIND_OF[Said] == "speech"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=200), st.sampled_from(KINDS[:-1]))
def test_without_its_colours_a_text_is_what_it_is_without_any(text, kind):
    text = f"The Hall\n{text}\nExits: none."
    assert ESCAPE.sub("", shown(text, kind, ColorDepth.TRUE)) == wrapped(text, 80) == shown(text, kind, ColorDepth.NONE)


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


def test_help_has_marks_for_the_eye_only(registry):
    ana = entered(registry, "Ana")
    registry.game.commands.texts = replace(registry.game.commands.texts, topics={"weir": "The ==weir== talks."})
    assert "The weir talks." in ana.types("help weir")
    ana.types("color on")
    assert "The \x1b[1mweir\x1b[0m talks." in ana.types("help weir")


def test_another_palette_counts_at_once(registry):
    ana = entered(registry, "Ana")
    ana.types("color 16")
    ana.connection.palette = ColorSettings(speech="none", room="red")
    assert "\x1b[31mThe Common Room\x1b[0m\n" in ana.types("look")
    assert "\x1b" not in ana.types("say Hi")
