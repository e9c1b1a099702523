"""What somebody can be called, and what nobody can because it looks like somebody else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.accounts.accounts import NameIndex, well_formed


def alike(name: str, *others: str) -> list[str]:
    """Return those of the others for which somebody could take a name."""
    index = NameIndex()
    for other in others:
        index.add(other)
    return index.alike(name)


@pytest.mark.parametrize("name", ["Jean-Luc", "O'Brien", "Zoë", "Ærøskøbing", "Bo", "A" + "b" * 19, "Łukasz", "Þór"])
def test_names_of_latin_letters_hyphens_and_apostrophes_will_do(name):
    assert well_formed(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "A", "A" * 21, "../x", "---", "-Ana", "Ana-", "Ana Bo", "Ana7", "C:", "a|b", "Анна", "Ana\u202e", "\x1b[2J"],
)
def test_other_names_will_not(name):
    assert well_formed(name) is None


@pytest.mark.parametrize("name", ["An\u200ba", "Anɑ", "Eʟiza", "E1iza", "Odi\ufb02e", "Mo\u017fs", "Ⅰvan", "\ufb01ona"])
def test_letters_that_only_look_like_letters_will_not_do(name):
    assert well_formed(name) is None


def test_a_name_begins_with_a_capital_letter_and_is_in_one_form():
    assert well_formed("  zoe\u0308 ") == "Zoë"


@pytest.mark.parametrize(
    "name",
    ["Éliza", "Elïza", "ELIZÁ", "EIiza", "Elizą", "E-liza", "Eli'za", "Ｅliza", "Ełiza", "Elızа".replace("а", "a")],
)
def test_a_name_that_could_be_taken_for_another_is_found(name):
    assert alike(name, "Moss", "Eliza") == ["Eliza"]


@pytest.mark.parametrize(("name", "other"), [("VVarden", "Warden"), ("Tirn", "Tim"), ("EVve", "Ewe")])
def test_two_letters_that_are_read_as_one_are_that_one(name, other):
    assert alike(name, other) == [other]
    assert alike(other, name) == [name]


@pytest.mark.parametrize(("name", "other"), [("Lia", "Ila"), ("Ana", "Anna"), ("Elisa", "Eliza"), ("Moss", "Ross")])
def test_a_name_that_is_only_near_another_will_do(name, other):
    assert alike(name, other) == []


@given(st.text(max_size=25))
def test_a_name_that_will_do_is_found_to_look_like_itself(given_name):
    name = well_formed(given_name)
    if name:
        assert alike(name, name) == [name]
        assert well_formed(name) == name
