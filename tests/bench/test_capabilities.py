"""The table of capabilities believes no test that asserts nothing, and misses none."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.capabilities import CAPABILITIES, Found, Outcomes, found_in, named_in, table

HERE = Path(__file__)


def asserted(body: str, more: str = "") -> bool:
    (found,) = named_in(f"def test_3_8_it_is_so():\n    {body}\n{more}", HERE)
    return found.asserts


@pytest.mark.parametrize(
    "body",
    ["assert x == 1", "with pytest.raises(ValueError):\n        x()", "check(x)", "for y in x:\n        assert y"],
)
def test_a_test_that_asserts_something_counts(body):
    assert asserted(body, "def check(x):\n    assert x\n")


@pytest.mark.parametrize("body", ["pass", "print(1)", "assert True", "again()", "elsewhere()"])
def test_a_test_that_asserts_nothing_does_not_count(body):
    assert not asserted(body, "def again():\n    again()\n")


def test_a_capability_without_a_test_and_a_number_that_is_none_are_told():
    there = [Found(number, HERE, "test", True) for number in CAPABILITIES if number != "3.8"]
    _, missing = table([*there, Found("9.9", HERE, "test", True)], None)
    assert missing == ["3.8 an archive that only grows: there is no test.", "9.9 is no capability, but tests carry it."]


def test_a_test_that_did_not_pass_and_one_that_asserts_nothing_are_told():
    outcomes = Outcomes()
    outcomes.passed = {(HERE, "good"), (HERE, "empty"), (HERE, "partly")}
    outcomes.not_passed = {(HERE, "partly")}
    there = [Found(number, HERE, "good", True) for number in CAPABILITIES]
    lines, missing = table([*there, Found("3.8", HERE, "partly", True), Found("3.9", HERE, "empty", False)], outcomes)
    assert missing == ["3.8: partly did not pass.", "3.9: empty asserts nothing."]
    assert [line.endswith("1 of 2") for line in lines if line.startswith("3.8 ")] == [True]


def test_every_capability_has_a_test_that_asserts_something():
    _, missing = table(found_in(HERE.parent.parent), None)
    assert missing == []
