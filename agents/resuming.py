"""What agents have not answered yet, kept across a restart, so that a conversation goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.agent import Agent
from agents.attending.awareness import Owed
from agents.attending.perceiving import CHANNELS, Address
from world.world import World

Row = dict[str, int | str]


def owed_by(agents: Mapping[str, Agent]) -> dict[str, Row]:
    """Return by name what each agent owes an answer to, as numbers and texts by name; nothing of those who owe none."""
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
        "by_id": owed.address.by_id,
        "channel": owed.address.channel,
        "is_gift": int(owed.address.is_gift),
        "text": owed.address.text,
        "unseen": owed.unseen,
        "has_floor": int(owed.has_floor),
        "stirred": int(owed.stirred),
    }


def _owed(row: Mapping[str, Any]) -> Owed:
    counts = {key: value for key, value in row.items() if isinstance(value, int) and value >= 0}
    texts = {key: value for key, value in row.items() if isinstance(value, str)}
    channel = texts.get("channel", "say")
    return Owed(
        Address(
            spoken=bool(counts.get("spoken")),
            by_person=bool(counts.get("by_person")),
            from_afar=bool(counts.get("from_afar")),
            by_id=texts.get("by_id", ""),
            channel=channel if channel in CHANNELS else "say",
            is_gift=bool(counts.get("is_gift")),
            text=texts.get("text", ""),
        ),
        counts.get("unseen", 0),
        bool(counts.get("has_floor")),
        bool(counts.get("stirred")),
    )
