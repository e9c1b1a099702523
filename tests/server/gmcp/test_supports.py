"""The list of packages that a client takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gmcp.supports import MOST_PACKAGES, Supports


def supports(*names: str) -> Supports:
    found = Supports()
    found.replace(list(names))
    return found


@pytest.mark.parametrize(
    ("names", "package", "held"),
    [
        (["Room 1"], "Room.Info", True),
        (["room 1"], "Room.Info", True),
        (["ROOM.INFO"], "Room.Info", True),
        (["Room.Players 1"], "Room.Info", False),
        (["Roo 1"], "Room.Info", False),
        (["Char 1"], "Char.Items.List", True),
        (["Char.Items 1"], "Char.Name", False),
        ([], "Room.Info", False),
    ],
)
def test_a_package_is_held_by_its_name_or_one_above_it_in_whatever_case(names, package, held):
    assert supports(*names).holds(package) is held


def test_packages_come_and_go():
    found = supports("Char 1", "Room 1")
    found.add(["Comm 1"])
    found.remove(["room"])
    assert [found.holds(one) for one in ("Char.Name", "Room.Info", "Comm.Channel.Text")] == [True, False, True]
    found.replace(["Room 1"])
    assert [found.holds(one) for one in ("Char.Name", "Room.Info", "Comm.Channel.Text")] == [False, True, False]


def test_a_list_without_end_is_cut():
    found = supports(*(f"Package{number}" for number in range(MOST_PACKAGES + 10)))
    assert found.holds(f"Package{MOST_PACKAGES - 1}")
    assert not found.holds(f"Package{MOST_PACKAGES}")


@given(
    st.recursive(st.none() | st.text() | st.integers(), st.lists, max_leaves=6) | st.dictionaries(st.text(), st.text())
)
def test_anything_may_stand_for_a_list(payload):
    found = supports("Room 1")
    found.add(payload)
    assert found.holds("Room.Info")
    found.remove(payload)
    found.replace(payload)
