"""Whatever is thrown at it, a cleaned line is one line and holds nothing that acts or hides."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.vault import check_name
from world.sanitize import (
    FORBIDDEN,
    MAX_COMBINING_MARKS,
    MAX_FILE_NAME_BYTES,
    clean_block,
    clean_line,
    file_name_for,
    name_key,
)

ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text("a\x1b[]P;1m\x07\x9c\x9b\\\n\r\t\u200d\u0301é")


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[31m",
        "\x1b[?1049h",
        "\x1b[2 q",
        "\x9b1;31m",
        "\x1b]0;a new title\x07",
        "\x1b]8;;http://example.test\x1b\\",
        "\x9d0;title\x9c",
        "\x1bP$q\x1b\\",
        "\x1b_application\x1b\\",
        "\x1b^privacy\x1b\\",
        "\x1bXstring\x1b\\",
        "\x1b(B",
        "\x1bc",
        "\x1b7",
    ],
)
def test_an_escape_sequence_leaves_nothing_behind(sequence):
    assert clean_line(f"red{sequence}der") == "redder"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("hello\x1b]0;never closed", "hello"),
        ("hello\x1b[31", "hello"),
        ("hello\x1b", "hello"),
        ("\x1b\x1b[0m[31mhello", "[31mhello"),
        ("a \x1b[1mbold\x1b[0m word", "a bold word"),
        ("a\u00a0b\u3000c\u202fd", "a b c d"),
        ("Z" + "\u0301" * 50 + "a", "Z" + "\u0301" * MAX_COMBINING_MARKS + "a"),
        ("  say hi  ", "  say hi  "),
    ],
)
def test_a_line_keeps_its_words_and_nothing_that_acts(text, line):
    assert clean_line(text) == line


@pytest.mark.parametrize(
    "mark",
    "\u202e\u2066\u200e\u061c\u200b\u200d\ufeff\u00ad\u2060\u3164\ufe0f\U000e0041"
    "\x00\x07\x08\x0e\x1f\x7f\x80\x9c\ud800\udfff\ufdd0\uffff\U0010ffff",
)
def test_what_cannot_be_seen_controls_surrogates_and_noncharacters_are_removed(mark):
    assert clean_line(f"Al{mark}ice") == "Alice"


@pytest.mark.parametrize("separator", "\n \r \r\n \x0b \x0c \x1c \x1d \x1e \x85 \u2028 \u2029 \t".split(" "))
def test_a_line_break_or_a_tab_keeps_the_words_apart(separator):
    assert clean_line(f"one{separator}two") == "one two"


def test_ordinary_text_in_any_script_is_untouched():
    text = "Ça va? Привет, 世界! שָׁלוֹם, नमस्ते, ภาษาไทยที่นี่, Việt — “quoted” ✓ 🌧"
    assert clean_line(text) == text


@pytest.mark.parametrize(
    "text",
    ["می\u200cخواهم", "क\u094d\u200dष", "👩\u200d👧", "👩🏽\u200d🚀"],
    ids=["Persian", "Hindi", "family", "astronaut"],
)
def test_a_joiner_stays_where_it_is_spelling(text):
    assert clean_line(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "\u200dاب\u200c",
        "ا\u200c\u200cب",
        "👩\u200c👧",
        "👩\u200d\u200d👧",
        "a\u200d👧",
        "क\u094d\u200d\u094d",
        "آ\u200da",
    ],
)
def test_a_joiner_that_would_only_hide_is_removed(text):
    assert clean_line(text) == text.replace("\u200c", "").replace("\u200d", "")


def test_a_block_keeps_its_lines_and_its_indent():
    assert clean_block("# Hall\r\n\r\n  - a\x1b[1mb\u2028\tc\x85d\n") == "# Hall\n\n  - ab\n    c\nd\n"


@given(ANY_TEXT)
def test_a_clean_line_holds_no_control_format_or_second_line(text):
    cleaned = clean_line(text)
    assert {unicodedata.category(c) for c in cleaned}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})
    assert len(cleaned.splitlines()) <= 1
    assert not any("\u200b" <= c <= "\u200f" or "\u202a" <= c <= "\u202e" or "\u2060" <= c <= "\u206f" for c in cleaned)


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text):
    assert clean_line(clean_line(text)) == clean_line(text)
    assert clean_block(clean_block(text)) == clean_block(text)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("The Kettle House", "The Kettle House"),
        ("Ångström's Café", "Ångström's Café"),
        ("A\u030angstro\u0308m", "Ångström"),
        ("水車小屋", "水車小屋"),
        ("Who's there?", "Who's there"),
        ("Room #5 [old] | attic", "Room 5 old attic"),
        ("../../etc/passwd", "etc passwd"),
        (".hidden", "hidden"),
        ("ends with a point.", "ends with a point"),
        ("  wide   spaces ", "wide spaces"),
        ("CON", "CON 1"),
        ("nul.txt", "unnamed nul.txt"),
        ("Conrad", "Conrad"),
        ("", "unnamed"),
        ("???", "unnamed"),
        ("...", "unnamed"),
        ("x" * 300, "x" * MAX_FILE_NAME_BYTES),
        ("é" * 99, "é" * (MAX_FILE_NAME_BYTES // 2)),
    ],
)
def test_a_name_becomes_a_stem_that_every_system_and_link_can_hold(name, stem):
    assert file_name_for(name) == stem


def test_a_name_that_is_taken_in_another_case_or_encoding_gets_a_number():
    assert file_name_for("Hall", ["hall"]) == "Hall 2"
    assert file_name_for("HALL", ["hall", "Hall 2"]) == "HALL 3"
    assert file_name_for("Café", ["Cafe\u0301"]) == "Café 2"
    assert file_name_for("x" * 300, ["x" * MAX_FILE_NAME_BYTES]) == "x" * (MAX_FILE_NAME_BYTES - 2) + " 2"


@given(st.lists(st.text(max_size=120), max_size=6))
def test_any_names_get_stems_that_are_safe_and_differ(names):
    stems: list[str] = []
    for name in names:
        stems.append(file_name_for(name, stems))
    assert len({name_key(stem) for stem in stems}) == len(stems)
    for stem in stems:
        assert check_name(stem) == stem == unicodedata.normalize("NFC", stem)
        assert (
            not set(stem) & set(FORBIDDEN)
            and not stem.endswith((".", " "))
            and len(stem.encode()) <= MAX_FILE_NAME_BYTES
        )
        assert file_name_for(stem) == stem
