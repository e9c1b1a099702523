"""Who perceives an event, and the one sentence that both screens and memories get of it."""

from __future__ import annotations

from world.events import (
    PRIVATE,
    Arrived,
    Dropped,
    Emoted,
    Event,
    Gave,
    Left,
    LookedAt,
    Recalled,
    Refused,
    Said,
    Saw,
    Shared,
    Thought,
    Told,
    Took,
    Whispered,
)
from world.matching import listed
from world.model import Character, Exit, World

_ENDINGS = (".", "!", "?", "…", '"', "'", ")")


def perceivers(event: Event, world: World) -> list[Character]:
    """Return everyone who perceives an event: those in its room, or its actor alone."""
    actor = world.characters[event.actor_id]
    if isinstance(event, PRIVATE):
        return [actor]
    present = world.occupants(event.room_id)  # type: ignore[attr-defined]
    if isinstance(event, Left) and event.exit and actor.awake:
        return [*present, actor]
    return present


def narrate(event: Event, viewer: Character, world: World) -> str:
    """Return what one viewer perceives of an event; an empty string if it perceives nothing.

    A result of a command may have several lines; everything that others do is one.
    """
    own = event.actor_id == viewer.character_id
    return _own(event, world) if own else _of_another(event, viewer, world)


def _own(event: Event, world: World) -> str:
    match event:
        case Saw(text=text) | Recalled(text=text) | Refused(text=text) | Told(text=text):
            return text
        case Said(text=text):
            return f'You say, "{text}"'
        case Whispered(text=text, to_id=to):
            return f'You whisper to {_name(to, world)}, "{text}"'
        case Emoted(actor_id=actor, text=text):
            return _pose(_name(actor, world), text)
        case Thought(text=text):
            return f"You think: {text}"
        case Left(exit=exit, to_room_id=room_id) if exit:
            return f"You go {exit} to {room_id}."
        case Shared(label=label, content=content, scope=scope):
            return f'You share {label}{" with everyone" if scope == "world" else ""}: "{content}"'
        case Took(thing_id=thing):
            return f"You take the {thing}."
        case Dropped(thing_id=thing):
            return f"You put down the {thing}."
        case Gave(thing_id=thing, to_id=to):
            return f"You give the {thing} to {_name(to, world)}."
        case _:
            return ""


def _of_another(event: Event, viewer: Character, world: World) -> str:
    who, me = _name(event.actor_id, world), viewer.character_id
    match event:
        case Said(text=text):
            return f'{who} says, "{text}"'
        case Whispered(text=text, to_id=to):
            return (
                f'{who} whispers to you, "{text}"' if to == me else f"{who} whispers something to {_name(to, world)}."
            )
        case Emoted(text=text):
            return _pose(who, text)
        case Left(exit=exit, to_room_id=room_id):
            return f"{who} leaves {exit} to {room_id}." if exit else f"{who} falls asleep and is gone."
        case Arrived(from_room_id=room_id):
            return f"{who} arrives from {room_id}." if room_id else f"{who} wakes up here."
        case Shared(label=label, content=content, scope=scope):
            return f'{who} shares {label}{" with everyone" if scope == "world" else ""}: "{content}"'
        case Took(thing_id=thing):
            return f"{who} takes the {thing}."
        case Dropped(thing_id=thing):
            return f"{who} puts down the {thing}."
        case Gave(thing_id=thing, to_id=to):
            return f"{who} gives {'you' if to == me else _name(to, world)} the {thing}."
        case LookedAt(to_id=to):
            return f"{who} looks at you." if to == me else ""
        case _:
            return ""


def scene(world: World, viewer: Character) -> str:
    """Return what a viewer sees around it: title, description, things, people, exits, a line each."""
    room = world.room_of(viewer)
    lines = [room.name, room.description, lying_here(world, viewer), company(world, viewer), ways_out(world, viewer)]
    return "\n".join(line for line in lines if line)


def company(world: World, viewer: Character) -> str:
    """Return who else is here as a sentence, or an empty string."""
    names = [c.name for c in world.occupants(viewer.room_id) if c is not viewer]
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} here." if names else ""


def ways_out(world: World, viewer: Character) -> str:
    """Return the exits as a line: each one's name and where it leads."""
    exits = world.room_of(viewer).exits.values()
    return f"Exits: {', '.join(f'{exit.name} ({exit.room_id})' for exit in exits) or 'none'}."


def exit_names(exits: dict[str, Exit]) -> str:
    """Return the names of some exits, or `none`."""
    return ", ".join(exits) or "none"


def with_article(name: str) -> str:
    """Return a thing's name with its article: `a lamp`, `an oar`, `some keys`."""
    if name.endswith("s") and not name.endswith(("ss", "us")):
        return f"some {name}"
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def lying_here(world: World, viewer: Character) -> str:
    """Return which things lie here as a sentence, or an empty string."""
    names = [with_article(thing.name) for thing in world.things_at(viewer.room_id)]
    return f"You see {listed(names)} here." if names else ""


def _name(character_id: str, world: World) -> str:
    return world.characters[character_id].name


def _pose(name: str, text: str) -> str:
    joined = f"{name}{text}" if text.startswith(("'", ",")) else f"{name} {text}"
    return joined if joined.endswith(_ENDINGS) else f"{joined}."
