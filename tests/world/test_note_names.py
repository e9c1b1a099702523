"""A file name for any name."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vault.folder import check_name
from world.note_names import FORBIDDEN, LONGEST_BYTES, file_name_for, name_key


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
        ("x" * 300, "x" * LONGEST_BYTES),
        ("é" * 99, "é" * (LONGEST_BYTES // 2)),
    ],
)
def test_a_name_becomes_a_stem_that_every_system_and_link_can_hold(name, stem):
    assert file_name_for(name) == stem


def test_a_name_that_is_taken_in_another_case_or_encoding_gets_a_number():
    assert file_name_for("Hall", ["hall"]) == "Hall 2"
    assert file_name_for("HALL", ["hall", "Hall 2"]) == "HALL 3"
    assert file_name_for("Café", ["Cafe\u0301"]) == "Café 2"
    assert file_name_for("x" * 300, ["x" * LONGEST_BYTES]) == "x" * (LONGEST_BYTES - 2) + " 2"


@given(st.lists(st.text(max_size=120), max_size=6))
def test_any_names_get_stems_that_are_safe_and_differ(names):
    stems: list[str] = []
    for name in names:
        stems.append(file_name_for(name, stems))
    assert len({name_key(stem) for stem in stems}) == len(stems)
    for stem in stems:
        assert check_name(stem) == stem == unicodedata.normalize("NFC", stem)
        assert not set(stem) & set(FORBIDDEN) and not stem.endswith((".", " ")) and len(stem.encode()) <= LONGEST_BYTES
        assert file_name_for(stem) == stem
