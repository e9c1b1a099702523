"""What others may know of somebody: where they are, since when, whether they are away or idle."""

from __future__ import annotations

from world.entities import Character
from world.message_catalog import Wording
from world.narration import room_name
from world.world import World


def location_text(world: World, one: Character) -> str:
    """Return where somebody is; of who sleeps, since when."""
    away_seconds = world.presence(one.character_id).away_seconds
    if one.awake:
        return world.wording("presence.awake", who=one.name, room=room_name(one.room_id, world))
    if away_seconds is None:
        return world.wording("presence.asleep", who=one.name)
    return world.wording("presence.asleep_since", who=one.name, span=format_duration(away_seconds, world.wording))


def afk_text(world: World, one: Character) -> str:
    """Return why somebody awake may not answer, as a sentence: what it has said of being away; empty if nothing."""
    away = one.transient.afk_message
    if one.awake and one.transient.is_linkdead:
        return world.wording("presence.is_absent", who=one.name)
    if away is None or not one.awake:
        return ""
    key = "presence.is_away" if away else "presence.is_away_plainly"
    return world.wording(key, who=one.name, why=away)


def idle_text(world: World, one: Character) -> str:
    """Return for how long somebody awake has typed nothing, such as `5 minutes`; empty if not for long."""
    seconds = world.presence(one.character_id).idle_seconds
    return format_duration(seconds, world.wording) if one.awake and seconds is not None and seconds >= MINUTE else ""


MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


def format_duration(seconds: int, wording: Wording) -> str:
    """Return a span of time as it is said: `5 minutes`, `an hour`; by its largest unit."""
    for unit, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")):
        count = seconds // unit
        if count == 1:
            return wording(f"presence.one_{name}")
        if count:
            return wording(f"presence.some_{name}s", count=count)
    return wording("presence.a_moment")
