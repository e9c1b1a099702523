"""A text as a page is given it: words apart from what they look like, and never markup."""

from __future__ import annotations

import json

import pytest

from server.connection.connection import MARKED, SCENE, Capabilities, ColorDepth
from server.web.rendering import page_line, runs_of

SIGHTED = Capabilities(colors=ColorDepth.TRUE, links=True)
PLAIN = Capabilities(colors=ColorDepth.NONE)
LISTENING = Capabilities(screen_reader=True)


def shown(text, kind, capabilities=SIGHTED):
    return json.loads(b"{%b}" % page_line(text, kind, capabilities))


def test_speech_is_text_of_its_kind():
    assert shown('Ana says, "<b>hi</b>"', "speech") == {"kind": "speech", "text": 'Ana says, "<b>hi</b>"'}


def test_of_a_scene_the_name_and_the_exits_have_styles_of_their_own():
    assert shown("The Hall\nCold.\nA lamp.\nExits: out.", SCENE)["runs"] == [
        ["The Hall\n", "room"],
        ["Cold.\nA lamp.\n"],
        ["Exits: out.", "exits"],
    ]
    assert shown("The Hall\nExits: out.", SCENE)["runs"] == [["The Hall\n", "room"], ["Exits: out.", "exits"]]


def test_marks_count_in_the_world_s_own_texts_alone():
    text = "Say ==hello==, ==exits: out== or [read](https://e.example/a) on."
    assert runs_of(text, SIGHTED) == [
        ("Say ",),
        ("hello", "highlight"),
        (", ",),
        ("out", "exits"),
        (" or ",),
        ("read", "link", "https://e.example/a"),
        (" on.",),
    ]
    assert shown(text, "speech") == {"kind": "speech", "text": text}


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", "//e.example", "ftp://e.example"])
def test_a_link_leads_to_a_page_of_the_web_and_nowhere_else(address):
    assert runs_of(f"[here]({address})", SIGHTED) == [(f"[here]({address})",)]


def test_without_colours_and_links_there_are_words_alone():
    assert shown("Warden shouts.", "notice", PLAIN) == {"text": "Warden shouts."}
    assert shown("The Hall\nExits: out.", SCENE, PLAIN) == {"text": "The Hall\nExits: out."}
    assert runs_of("==a== [b](https://e.example)", PLAIN) == [("a",), (" ",), ("b (https://e.example)",)]


def test_columns_are_told_one_after_the_other_to_who_listens():
    assert runs_of("  look   what is here\n  who    who is here", LISTENING) == [
        ("look: what is here\nwho: who is here",)
    ]


def test_what_no_json_can_say_is_replaced():
    assert shown("a\ud800b", "") == {"text": "a?b"}


def test_a_text_is_put_into_bytes_once_for_all_who_see_it_alike():
    text, other = "Ana waves.", Capabilities(colors=ColorDepth.TRUE, links=True)
    assert page_line(text, MARKED, SIGHTED) is page_line(text, MARKED, other)
