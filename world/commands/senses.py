"""Commands of perception: look, map, time, who, where; and quit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from world.command import command
from world.commands.items import contents_of, find_container
from world.entities import Character, Exit, Room, Thing
from world.errors import CommandError
from world.events import Event, LookedAt, Output, QuitRequested
from world.find import Target, find_character, visible_targets
from world.narration import list_things, room_name
from world.navigation import STEPS, automap_of, draw_automap
from world.parsing import candidates, find
from world.preferences import uses_screen_reader
from world.room_view import afk_text, exits_line, idle_text, location_text, render_room, time_line
from world.world import World

MAP_DEPTH = 3
"""Number of steps from here that a map reaches; when it is read aloud it is two."""

MAX_ROOMS_LISTED = 100
"""Maximum number of places that are listed at once."""


@command("look [<sight>]", "l", category="senses", visible_to="named", also=("look in <container>",))
def look(world: World, actor: Character, sight: str = "", container: str = "") -> list[Event]:
    """Look at what is around you, or at something.

    look            the room, what is in it, who is here and the ways out
    look lamp       a thing, a person, a detail of the room or an exit
    look in basket  what is in something that holds things
    """
    if container:
        return [Output(actor.character_id, _inside(world, find_container(world, actor, container)))]
    wanted = sight.removeprefix("at ").strip()
    if not wanted:
        return [Output(actor.character_id, render_room(world, actor))]
    return _view(world, actor, _find_target(world, actor, wanted))


@command("examine <sight>", "x", "inspect", category="senses", visible_to="named")
def examine(world: World, actor: Character, sight: str) -> list[Event]:
    """Look at something closely, and see all that there is to know about it.

    examine lamp    a thing: also what is in it, and whether there is something to read
    examine Eliza   a person: also what they carry, and whom they follow
    examine here    the room: also what is worth a closer look
    """
    seen = _find_target(world, actor, sight)
    events = _view(world, actor, seen)
    more = "\n".join(line for line in _details(world, actor, seen) if line)
    return [*events, Output(actor.character_id, more)] if more else events


@command("exits", "ex", category="senses", for_agents=False)
def exits(world: World, actor: Character) -> list[Event]:
    """List the ways out of here and where they lead."""
    return [Output(actor.character_id, exits_line(world, actor))]


def _find_target(world: World, actor: Character, wanted: str) -> Target:
    if wanted.lower() in ("me", "myself", "self"):
        return actor
    if wanted.lower() in ("here", "room"):
        return world.room_of(actor)
    return find(wanted, visible_targets(world, actor), world.wording("looking.no_such", wanted=wanted), world.wording)


def _view(world: World, actor: Character, seen: Target) -> list[Event]:
    me = actor.character_id
    match seen:
        case Room():
            return [Output(me, render_room(world, actor))]
        case Exit(name=name, room_id=room_id):
            leads = world.wording("looking.leads", exit=name.capitalize(), room=room_name(room_id, world))
            return [Output(me, leads)]
        case Character() if seen is not actor:
            return [
                Output(me, seen.description or world.wording("looking.somebody", who=seen.name)),
                LookedAt(me, actor.room_id, seen.character_id),
            ]
        case _:
            return [Output(me, seen.description or world.wording("looking.nothing_special", what=seen.name))]


def _details(world: World, actor: Character, seen: Target) -> Iterator[str]:
    """Yield what else is to be seen of something, a line each."""
    say = world.wording
    match seen:
        case Room(details=details):
            yield say("looking.worth_a_look", details=say.join_and(list(details))) if details else ""
        case Character(name=name):
            yield say("presence.is_agent", who=name) if seen.is_agent and not actor.is_agent else ""
            key = "looking.you_carry" if seen is actor else "looking.carries"
            yield say(key, who=name, things=_carried(world, seen))
            leader = world.characters.get(seen.transient.following_id)
            key = "you_follow" if seen is actor else "follows_you" if leader is actor else "follows"
            yield say(f"looking.{key}", who=name, leader=leader.name) if leader else ""
            yield afk_text(world, seen)
        case Thing(name=name):
            yield _inside(world, seen) if seen.is_container else ""
            yield say("looking.readable", thing=name) if seen.writing else ""
            yield say("looking.fixed", thing=name) if seen.fixed else ""


def _inside(world: World, container: Thing) -> str:
    found = "\n".join(contents_of(world, [container], 0))
    return found or world.wording("looking.empty", container=container.name)


def _carried(world: World, character: Character) -> str:
    return list_things(world.things_at(character.character_id), world) or world.wording("lists.nothing")


@command("map", category="senses", for_agents=False)
def map_(world: World, actor: Character) -> list[Event]:
    """Draw the rooms up to three steps from here; `@` is where you are.

    For a screen reader (`screenreader on`) the ways are described in sentences.
    """
    directions = directions_of(world)
    lines = (
        map_sentences(world, actor.room_id)
        if uses_screen_reader(actor)
        else _map_lines(world, actor.room_id, directions)
    )
    return [Output(actor.character_id, "\n".join(lines))]


@command("rooms [<room>]", "places", category="senses", for_agents=False)
def rooms(world: World, actor: Character, room: str = "") -> list[Event]:
    """List the places of this world, or those with such a name: `rooms mill`. `go` finds the way to each."""
    names = sorted((one.name for one in world.rooms.values()), key=str.casefold)
    found = [name for name in names if room.casefold() in name.casefold()]
    if not found:
        raise CommandError(world.wording("mapping.no_such_place", wanted=room))
    if len(found) > MAX_ROOMS_LISTED:
        raise CommandError(world.wording("mapping.too_many_places", count=len(found)))
    key = "mapping.one_place" if len(found) == 1 else "mapping.places"
    return [Output(actor.character_id, world.wording(key, count=len(found), names=", ".join(found)))]


def directions_of(world: World) -> dict[str, str]:
    """Return the directions by every name that they have in this world."""
    names = {direction: world.wording(f"mapping.{direction}").split(",") for direction in STEPS}
    return {name.strip().lower(): direction for direction, called in names.items() for name in called}


def _map_lines(world: World, room_id: str, directions: Mapping[str, str]) -> list[str]:
    plan = automap_of(world, room_id, MAP_DEPTH, directions)
    signs = plan.signs()
    lines = draw_automap(world, plan, directions)
    lines += ["", *(world.wording("mapping.sign", sign=signs[one], room=room_name(one, world)) for one in plan.places)]
    for here, exit in plan.not_drawn:
        there = room_name(exit.room_id, world)
        lines.append(world.wording("mapping.undrawn", exit=exit.name, sign=signs[here], room=there))
    return lines


def map_sentences(world: World, room_id: str) -> list[str]:
    """Return the rooms near by in sentences, one an exit; each room once, where it is nearest."""
    say, ways = world.wording, list(world.rooms[room_id].exits.values())
    told = {room_id} | {exit.room_id for exit in ways}
    lines = [say("mapping.here", room=room_name(room_id, world))]
    for exit in ways:
        further = [one for one in world.rooms[exit.room_id].exits.values() if one.room_id not in told]
        told |= {one.room_id for one in further}
        way = say("mapping.way", exit=exit.name, room=room_name(exit.room_id, world))
        rest = ", ".join(say("mapping.way", exit=one.name, room=room_name(one.room_id, world)) for one in further)
        line = say("mapping.from_there", way=way, rest=rest) if rest else say("mapping.only", way=way)
        lines.append(f"{line[:1].upper()}{line[1:]}")
    return lines


@command("time", category="senses", for_agents=False)
def time(world: World, actor: Character) -> list[Event]:
    """Tell the day and the time in this world."""
    return [Output(actor.character_id, time_line(world))]


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
