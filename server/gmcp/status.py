"""`Char.Name` and `Char.Status`: who one is here, and how one stands."""

from __future__ import annotations

from server.connection.connection import Message
from world.model import Character, World
from world.narration import place
from world.wording import Wording

_VARIABLES = ("role", "room", "state", "following")


def name_of(character: Character) -> Message:
    """Return who somebody is."""
    return Message("Char.Name", {"name": character.name, "fullname": character.name})


def variables(say: Wording) -> Message:
    """Return what `Char.Status` tells, each with a caption."""
    return Message("Char.StatusVars", {name: say(f"gmcp.status_{name}") for name in _VARIABLES})


def status(character: Character, world: World) -> dict[str, str]:
    """Return how somebody stands: the role, the room, whether it is away, and whom it follows if anybody."""
    say, doings = world.wording, character.doings
    state = "asleep" if not character.awake else "awake" if doings.away is None else "away"
    leader = world.characters.get(doings.following_id)
    return {
        "role": say(f"roles.{character.role.name.lower()}"),
        "room": place(character.room_id, world),
        "state": say(f"gmcp.{state}"),
        "following": leader.name if leader else "",
    }
