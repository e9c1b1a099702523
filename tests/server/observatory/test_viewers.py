"""What viewers are sent, and when: together, in slices, and nothing for those who do not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from server.observatory.viewers import MIND_SECONDS, POLL_SECONDS, SLICE_SECONDS
from server.observatory.views import View
from tests.server.observatory.town_of import Watched
from world.entities import Role


def test_who_looks_already_is_not_left_behind_by_one_who_comes(tmp_path: Path):
    life = Watched(tmp_path, "look")
    life.turns()
    first, seen = life.looks("Ana", Role.ADMIN)
    first.message_received({"view": "mind", "agent": "Rook"})
    life.goes_on(MIND_SECONDS)
    life.game.perform("Ana", "@memory-pin Rook The key is under the step.")
    second, also_seen = life.looks("Ben", Role.ADMIN)
    second.message_received({"view": "mind", "agent": "Rook"})
    life.goes_on(2 * POLL_SECONDS)
    last = [outlet.taken()[-1]["seen"]["pins"] for outlet in (seen, also_seen)]
    assert [[pin["text"] for pin in pins] for pins in last] == [["The key is under the step."]] * 2


def test_many_views_are_made_in_slices_between_which_others_go_on(tmp_path: Path):
    life = Watched(tmp_path)
    calls: list[str] = []

    def takes_long(asked: Any) -> dict[str, str]:
        calls.append(asked["agent"])
        life.clock.rightNow += SLICE_SECONDS
        return {"at": str(life.clock.rightNow)}

    life.observatory.views.add(View("slow", takes_long, lambda shown, say: "", is_live=True))
    for number in range(3):
        viewer, _ = life.looks("Ben", Role.OBSERVER)
        viewer.message_received({"view": "slow", "agent": str(number)})
    calls.clear()
    life.clock.rightNow += MIND_SECONDS
    life.observatory.viewers.changed()
    life.clock.callLater(SLICE_SECONDS / 2, calls.append, "somebody else")
    life.clock.advance(0)
    assert sorted(calls) == ["0", "1", "2", "somebody else"]
    assert calls.index("somebody else") == 1


def test_for_one_who_stops_reading_nothing_is_made_again(tmp_path: Path):
    life = Watched(tmp_path, "look")
    life.turns()
    viewer, outlet = life.looks("Ben", Role.OBSERVER)
    viewer.message_received({"view": "mind", "agent": "Rook"})
    outlet.is_congested = True
    life.game.perform("Ana", "say hello")
    life.goes_on(3 * MIND_SECONDS)
    made = life.count_made()
    life.goes_on(5 * MIND_SECONDS)
    assert made == []
    outlet.taken()
    outlet.is_congested = False
    life.goes_on(2 * MIND_SECONDS)
    assert len(outlet.taken()) == 1
