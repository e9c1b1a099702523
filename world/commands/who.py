"""Who is in the world, where, since when, and leaving it."""

from __future__ import annotations

from world.character_status import afk_text, idle_text, location_text
from world.command import command
from world.entities import Character
from world.errors import CommandError
from world.events import Event, Output, QuitRequested
from world.find import find_character
from world.matching import candidates, find
from world.narration import room_name
from world.world import World


@command("who [<text>]", category="people", for_agents=False)
def who(world: World, actor: Character, text: str = "") -> list[Event]:
    """List everyone who is in the world now, and who of them is away or still.

    who here    only those in this room, all of them: in a crowd `look` names but a few
    who Mo      only those with such a name
    """
    found, key = world.awake(), "presence.who"
    if text.lower() == "here":
        found, key = world.occupants(actor.room_id), "presence.who_here"
    elif text:
        found = candidates(text, found)
        if not found:
            raise CommandError(world.wording("presence.nobody", wanted=text))
    lines = [f"  {_who_line(world, actor, one)}" for one in found]
    return [Output(actor.character_id, "\n".join([world.wording(key, count=len(lines)), *lines]))]


@command("where [<text>]", category="people")
def where(world: World, actor: Character, text: str = "") -> list[Event]:
    """Say where you are, and where everybody or somebody else is."""
    awake = world.awake()
    if text:
        wanted = text.removeprefix("is ").rstrip("?").strip()
        awake = [find(wanted, awake, world.wording("presence.nobody", wanted=wanted), world.wording)]
    lines = [world.wording("presence.awake", who=c.name, room=room_name(c.room_id, world)) for c in awake]
    return [Output(actor.character_id, "\n".join(lines))]


@command("lastseen <anyone>", "finger", "whois", category="people", for_agents=False)
def lastseen(world: World, actor: Character, anyone: str) -> list[Event]:
    """Tell where somebody is, or when they were last seen."""
    one = find_character(world, actor, anyone)
    still = idle_text(world, one)
    lines = [
        location_text(world, one),
        world.wording("presence.is_agent", who=one.name) if one.is_agent else "",
        world.wording("presence.still", who=one.name, span=still) if still else "",
        afk_text(world, one),
    ]
    return [Output(actor.character_id, "\n".join(line for line in lines if line))]


@command("quit", "logout", "exit", category="general", for_agents=False, visible_to="room")
def quit_world(world: World, actor: Character) -> list[Event]:
    """Leave the world; you wake where you fell asleep."""
    return [QuitRequested(actor.character_id)]


def _who_line(world: World, actor: Character, one: Character) -> str:
    """Return somebody as a line of `who`."""
    line, away, still = world.wording(_kind(one, actor), who=one.name), one.transient.afk_message, idle_text(world, one)
    if one.transient.is_linkdead:
        return world.wording("presence.absent", who=line)
    if away is not None:
        return world.wording("presence.away" if away else "presence.away_plainly", who=line, why=away)
    return world.wording("presence.idle", who=line, span=still) if still else line


def _kind(one: Character, actor: Character) -> str:
    return f"presence.{'you' if one is actor else 'agent' if one.is_agent else 'person'}"
