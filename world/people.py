"""Somebody, wherever they are, and what others may know of it."""

from __future__ import annotations

from collections.abc import Iterable

from world.matching import Named, candidates, find
from world.model import Character, World
from world.narration import place
from world.presence import MINUTE, span
from world.usage import NamesOf


def names_known_to(world: World, actor: Character) -> NamesOf:
    """Return what tells who or what a placeholder of a usage can mean: for `<person>` those who are here."""

    def names_of(kind: str) -> Iterable[Named]:
        match kind:
            case "person":
                return (one for one in world.occupants(actor.room_id) if one is not actor)
            case "agent":
                return (one for one in world.characters.values() if one.is_agent)
            case "object":
                return (*world.rooms.values(), *world.things.values(), *world.characters.values())
            case _:
                return world.characters.values()

    return names_of


def anyone(world: World, actor: Character, wanted: str) -> Character:
    """Return the character that is meant, awake before asleep. Raises: CommandError if there is none, or several."""
    name = wanted.rstrip(",:")
    if name.lower() in ("me", "myself"):
        return actor
    awake = world.awake()
    among = awake if candidates(name, awake) else list(world.characters.values())
    return find(name, among, world.wording("presence.nobody_called", wanted=wanted), world.wording)


def whereabouts(world: World, one: Character) -> str:
    """Return where somebody is; of who sleeps, since when."""
    away_seconds = world.presence(one.character_id).away_seconds
    if one.awake:
        return world.wording("presence.awake", who=one.name, room=place(one.room_id, world))
    if away_seconds is None:
        return world.wording("presence.asleep", who=one.name)
    return world.wording("presence.asleep_since", who=one.name, span=span(away_seconds, world.wording))


def absence(world: World, one: Character) -> str:
    """Return why somebody awake may not answer, as a sentence: what it has said of being away; empty if nothing."""
    away = one.doings.away
    if one.awake and one.doings.is_absent:
        return world.wording("presence.is_absent", who=one.name)
    if away is None or not one.awake:
        return ""
    key = "presence.is_away" if away else "presence.is_away_plainly"
    return world.wording(key, who=one.name, why=away)


def stillness(world: World, one: Character) -> str:
    """Return for how long somebody awake has typed nothing, such as `5 minutes`; empty if not for long."""
    seconds = world.presence(one.character_id).idle_seconds
    return span(seconds, world.wording) if one.awake and seconds is not None and seconds >= MINUTE else ""
