"""The page's colours, readable on every paper, and its texts: words apart from what they look like, never markup."""

from __future__ import annotations

import colorsys
import json
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import ColorSettings
from server.connection.connection import MARKED, SCENE, Capabilities, ColorDepth
from server.web.rendering import PAPERS, contrast, luminance, page_line, readable, runs_of, style_sheet
from tests.server.web.browsing import Browser, House

PARTS = st.floats(0, 1)


def tone_of(text: str) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(text)
    return red / 255, green / 255, blue / 255


def looks_of(sheet: str) -> dict[str, dict[str, str]]:
    """Return the colours by look and style."""
    return {look: dict(re.findall(r"--(\w+):#(\w+)", body)) for look, body in re.findall(r"(:root\S*)\{(.*?)\}", sheet)}


@pytest.mark.parametrize(
    ("one", "other", "ratio"), [("ffffff", "000000", 21.0), ("777777", "ffffff", 4.48), ("ff0000", "ffffff", 4.0)]
)
def test_contrast_is_that_of_wcag(one, other, ratio):
    assert contrast(luminance(tone_of(one)), luminance(tone_of(other))) == pytest.approx(ratio, abs=0.01)


@given(PARTS, PARTS, PARTS, st.sampled_from(list(PAPERS.values())))
def test_every_colour_becomes_readable_and_keeps_its_hue(red, green, blue, on):
    paper, ratio = on
    made = readable((red, green, blue), paper, ratio)
    assert contrast(luminance(made), luminance(tone_of(paper[1:]))) >= ratio - 0.05
    hue, lightness, saturation = colorsys.rgb_to_hls(*made)
    if 0.05 < lightness < 0.95 and saturation > 0.05:
        assert hue == pytest.approx(colorsys.rgb_to_hls(red, green, blue)[0], abs=0.01)


def test_a_colour_that_is_readable_stays_as_it_is():
    assert readable(tone_of("16506a"), "#f7f2e7", 4.5) == pytest.approx(tone_of("16506a"))


def test_the_palette_of_the_note_is_that_of_the_page_in_each_look():
    palette = ColorSettings(speech="rgb-00ff00", room="bold red", ambience="italic", notice="none", refusal="dim")
    sheet = style_sheet(palette)
    looks = looks_of(sheet)
    assert set(looks) == set(PAPERS)
    for look, (paper, ratio) in PAPERS.items():
        assert set(looks[look]) == {"room", "exits", "speech", "private"}  # what names no colour has the page's own
        for tone in looks[look].values():
            assert contrast(luminance(tone_of(tone)), luminance(tone_of(paper[1:]))) >= ratio
    assert looks[":root.dark.contrast"]["speech"] == "00ff00"
    assert ".room{font-weight:600}" in sheet and ".ambience{font-style:italic}" in sheet
    assert ".notice{}" in sheet and ".refusal{color:var(--quiet)}" in sheet


def test_the_papers_are_those_of_the_style_sheet():
    text = files("server.web").joinpath("static/style.css").read_text()
    for look, (paper, _) in PAPERS.items():
        short = f"#{paper[1]}{paper[3]}{paper[5]}"
        assert re.search(rf"^{re.escape(look)} \{{\s*--paper: ({paper}|{short});", text, flags=re.MULTILINE)


def test_the_page_gets_the_colours_that_hold_now(tmp_path):
    house = House(tmp_path)
    status, headers, body = Browser(house).request("/colors.css")
    assert (status, headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert body.decode() == style_sheet(ColorSettings())


# Texts


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
