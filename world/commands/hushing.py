"""Hearing less: not what agents say among themselves, or what somebody says who talks too much."""

from __future__ import annotations

from world.command import command
from world.errors import CommandError
from world.events import Altered, Event, Saw
from world.hush import AGENTS, HUSH, hushed_by
from world.model import Character, World
from world.people import anyone as meant

MOST_HUSHED = 50
"""How many names somebody can have hushed."""


@command("hush [<anyone>]", "quiet", category="comfort", for_agents=False)
def hush(world: World, actor: Character, anyone: str = "") -> list[Event]:
    """Notice somebody no more, unless it is for you, names you or answers you; `unhush` ends it.

    hush Moss       one of them
    hush agents     every agent
    hush            who is hushed
    Kept from you is what they say and pose, how they come and go, and what they do with things.
    What they say or give to you is not, and the words that you did not hear stand in history.
    """
    names = hushed_by(actor)
    if not anyone:
        return [Saw(actor.character_id, _listed(world, names))]
    name = AGENTS if _is_every_agent(world, anyone) else meant(world, actor, anyone).name
    if name == actor.name:
        raise CommandError(world.wording("hushing.not_yourself"))
    if len(names) >= MOST_HUSHED:
        raise CommandError(world.wording("hushing.too_many", count=MOST_HUSHED))
    return _set(world, actor, [*(one for one in names if one != name), name])


@command("unhush [<text>]", category="comfort", for_agents=False)
def unhush(world: World, actor: Character, text: str = "") -> list[Event]:
    """Hear somebody again, or everybody: unhush Moss, unhush agents, unhush."""
    names = hushed_by(actor)
    wanted = AGENTS if _is_every_agent(world, text) else text.lower()
    left = [name for name in names if wanted and name.lower() != wanted]
    if not names or left == names:
        raise CommandError(_listed(world, names))
    return _set(world, actor, left)


def _is_every_agent(world: World, wanted: str) -> bool:
    return wanted.lower() in (AGENTS, world.wording("hushing.agents").lower())


def _listed(world: World, names: list[str]) -> str:
    say = world.wording
    called = [say("hushing.agents") if name == AGENTS else name for name in names]
    return say("hushing.hushed", names=say.all_of(called)) if names else say("hushing.nobody")


def _set(world: World, actor: Character, names: list[str]) -> list[Event]:
    """Let these be hushed from now on, and save it."""
    if names:
        actor.preferences[HUSH] = ", ".join(names)
    else:
        actor.preferences.pop(HUSH, None)
    actor.doings.asked_ids.clear()
    me = actor.character_id
    return [Saw(me, _listed(world, names)), Altered(me, "character", me)]


COMMANDS = (hush, unhush)
