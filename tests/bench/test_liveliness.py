"""The bench of liveliness counts what it says it counts."""

from __future__ import annotations

import asyncio
from pathlib import Path

from agents.metrics.statistics import Share
from bench.lib.models import ScriptedModel
from bench.liveliness import VISIT_EVERY, VISITOR, Done, Liveliness, Town, liveliness_of


def test_every_share_is_of_what_it_says():
    turns = [
        Done("Moss", "acted", "say Good morning, Ana. | to be kind", "Garden"),
        Done("Eliza", "acted", "say Good morning, Ana.", "Garden"),  # what Moss has said
        Done("Moss", "refused", "get moon", "Garden"),
        Done("Eliza", "speechless", "", "Garden"),
        Done("Moss", "acted", "go north", "Weir"),
        Done("Eliza", "acted", "say What is that?", "Garden"),
        Done("Eliza", "acted", "look", "Garden"),
    ]
    asked = [("Eliza", 0), ("Moss", 1), ("Eliza", 3), ("Eliza", 6)]  # the last has not had two turns since
    assert liveliness_of(turns, asked) == Liveliness(
        turns=7, valid=Share(5, 7), duplicate=Share(1, 3), loops=0, answered=Share(2, 3)
    )


def lived(root: Path, turns: int = 2 * VISIT_EVERY + 4) -> Town:
    """Return a town after so many turns in which everybody only says hello, and looks."""
    model = ScriptedModel("polite", lambda request: "say Hello, all." if len(request.prompt) % 2 else "look")
    town = Town(root / "vault", model, 1, {"steering": "off"})

    asyncio.run(town.run_turns(turns))
    return town


def test_three_agents_live_and_are_visited(tmp_path):
    town = lived(tmp_path)
    assert {turn.name for turn in town.turns} == {"Eliza", "Moss", "Odile"}
    assert len(town.turns) >= 2 * VISIT_EVERY + 4
    assert [when for _, when in town.asked] == [VISIT_EVERY, 2 * VISIT_EVERY]
    name, _ = town.asked[-1]
    assert town.game.world.characters[VISITOR].room_id == town.game.world.characters[name].room_id


def test_the_same_seed_is_the_same_life(tmp_path):
    one, other = lived(tmp_path / "one"), lived(tmp_path / "other")
    assert one.turns == other.turns
