"""What agents have not answered yet, kept across a restart, so that a conversation goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.agent import Agent
from agents.attending.awareness import Owed
from agents.attending.perceiving import Address
from world.model import World

Row = dict[str, int]


def owed_by(agents: Mapping[str, Agent]) -> dict[str, Row]:
    """Return by name what each agent owes an answer to, as numbers by name; nothing of those who owe none."""
    found = {name: agent.awareness.owed for name, agent in agents.items()}
    return {name: _row(owed) for name, owed in found.items() if owed != Owed()}


def owe_again(agents: Mapping[str, Agent], rows: Mapping[str, Mapping[str, Any]], world: World) -> None:
    """Let the agents owe what these rows say; what they say otherwise does not count."""
    for name, row in rows.items():
        if name in agents and name in world.characters:
            agents[name].awareness.owe(_owed(row), world)


def _row(owed: Owed) -> Row:
    return {
        "spoken": int(owed.address.spoken),
        "by_person": int(owed.address.by_person),
        "from_afar": int(owed.address.from_afar),
        "unseen": owed.unseen,
        "has_floor": int(owed.has_floor),
        "stirred": int(owed.stirred),
    }


def _owed(row: Mapping[str, Any]) -> Owed:
    found = {key: value for key, value in row.items() if isinstance(value, int) and value >= 0}
    return Owed(
        Address(*(bool(found.get(key)) for key in ("spoken", "by_person", "from_afar"))),
        found.get("unseen", 0),
        bool(found.get("has_floor")),
        bool(found.get("stirred")),
    )
