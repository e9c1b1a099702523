"""The view `chronicle`: hours with their moments for those who see all, and what one room perceived for the others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from config.settings import WorldSettings
from server.chronicle.reading import reader_of
from server.chronicle.scope import EVERYTHING, PastAccess
from server.observatory import chronicle
from server.observatory.chronicle import ChronicleView, chronicle_text
from tests.english import ENGLISH
from tests.server.chronicle.lived_day import DAY, REASON, SECRET, lived_vault
from tests.server.front_door import at_once
from vault.entities.load import load_world
from vault.vault import Vault
from world.errors import CommandError


@pytest.fixture(scope="module")
def view(tmp_path_factory) -> ChronicleView:
    vault = Vault(lived_vault(tmp_path_factory.mktemp("lived") / "w"))
    reader = reader_of(vault, WorldSettings(), lambda: ENGLISH)
    return ChronicleView(reader, load_world(vault, WorldSettings()), at_once)


def outcome(deferred: object) -> dict[str, Any]:
    """Return what a view is, as the page gets it."""
    assert isinstance(deferred, Deferred)
    found: list[Any] = []
    deferred.addBoth(found.append)
    if isinstance(found[0], dict):
        told: dict[str, Any] = json.loads(json.dumps(found[0]))
        return told
    found[0].raiseException()
    raise AssertionError


def whole(view: ChronicleView, **asked: str) -> dict[str, Any]:
    return shown_to(view, EVERYTHING, **asked)


def shown_to(view: ChronicleView, access: PastAccess, **asked: str) -> dict[str, Any]:
    assert view.view.past
    return outcome(view.view.past(asked, access))


def test_those_who_see_all_are_shown_the_newest_day_with_secrets_and_places(view):
    shown = whole(view)
    assert (shown["period"], shown["is_whole"]) == (DAY, True)
    assert shown["hours"][-1] == [f"{DAY}T20", 4]
    text = json.dumps(shown)
    assert SECRET in text
    assert REASON in text
    (secret,) = [one for one in shown["moments"] if one["rule"] == "secret_passed_on"]
    assert secret["quotes"][0]["places"][1] == f"agents/Eliza/journal/{DAY}.md:6"


def test_an_hour_can_be_replayed_where_the_rooms_lie(view):
    shown = whole(view, period=f"{DAY}T20")
    assert shown["before"] == {"Eliza": "The Landing", "Moss": "The Landing", "Robin": "The Landing"}
    assert [(one["who"], one["to"]) for one in shown["events"] if "to" in one] == [("Robin", "Pump Yard")] * 2
    assert {"The Landing", "Pump Yard"} <= {room for room, *_ in shown["map"]["rooms"]}


def test_players_see_what_they_perceived_and_nothing_private(view):
    moss, robin = (shown_to(view, PastAccess(name), period=DAY) for name in ("Moss", "Robin"))
    for private in (REASON, "a good soul", "agents/", "passes on"):
        assert private not in json.dumps([moss, robin])
    assert SECRET in json.dumps(robin), "it was whispered to Robin"
    assert "As I promised" not in json.dumps(robin), "Robin was in the next room"
    assert {count for _, count in robin["days"]} == {0}
    evening = shown_to(view, PastAccess("Robin"), period=f"{DAY}T20")
    assert evening["before"] == dict.fromkeys(("Eliza", "Moss", "Robin"), "The Landing")


def test_what_is_too_much_comes_piece_by_piece(view, monkeypatch):
    monkeypatch.setattr(chronicle, "MAX_SENT", 4)
    numbers, after = list[int](), ""
    while True:
        shown = whole(view, period=DAY, after=after)
        numbers += [one["n"] for one in shown["events"]]
        after = shown["last"]
        if not shown["left_out"]:
            break
    assert numbers == [one["n"] for one in whole_of(view, monkeypatch)["events"]]


def whole_of(view: ChronicleView, monkeypatch) -> dict[str, Any]:
    monkeypatch.setattr(chronicle, "MAX_SENT", 500)
    return whole(view, period=DAY)


@pytest.mark.parametrize("after", ["x", "1", "1,x", "-5,9999999999999999999", ","])
def test_an_odd_place_to_go_on_from_is_the_beginning(view, after):
    assert whole(view, period=DAY, after=after)["events"][0]["text"] == "Robin wakes up here."


def test_what_is_no_period_is_refused_and_an_empty_one_is_shown(view):
    with pytest.raises(CommandError, match="'yesterday' is no day"):
        whole(view, period="yesterday")
    assert whole(view, period="2020-01-01")["events"] == []


def test_the_text_tells_what_the_page_shows(view):
    shown = whole(view, period=DAY)
    text = chronicle_text(shown, ENGLISH)
    for part in ("Robin passes on to Moss what was whispered.", SECRET, REASON, f"{DAY}: 15 events"):
        assert part in text
    assert REASON not in chronicle_text(shown_to(view, PastAccess("Moss"), period=DAY), ENGLISH)
