"""Resolves names to entities, the nearest first, and validates new names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise

from world.command import NamesOf
from world.entities import Character, Detail, Entity, Exit, Role, Room, Thing
from world.errors import CommandError
from world.parsing import ARTICLES, UNSPACED_SCRIPTS, Named, candidates, collapse_whitespace, find, is_called
from world.sanitize import FORBIDDEN, clean_block, clean_line, file_name_for, name_key
from world.world import World

MAX_CALL_LENGTH = 200
"""Maximum number of characters of a speech in which the name of somebody absent is looked for."""

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_CALL_MARK = re.compile(r"[,!?:…]")
"""Without one of these, words call nobody, as in `is_called`; every agent that hears them looks for a call."""


def find_entity(world: World, actor: Character, wanted: str) -> Entity:
    """Return the room, thing or character that an actor means.

    `here` is its room, `me` itself; a full name counts wherever it is, part of one near by first. Raises: CommandError.
    """
    found = _find_entity(world, actor, wanted)
    if found is None:
        raise CommandError(world.wording("building.no_such", wanted=wanted))
    return found


def find_room(world: World, actor: Character, wanted: str) -> Room:
    """Return the room that an actor means. Raises: CommandError."""
    if wanted.lower() == "here":
        return world.room_of(actor)
    missing = world.wording("building.no_such_room", wanted=wanted)
    return find(wanted, world.rooms.values(), missing, world.wording)


def find_detail(world: World, actor: Character, wanted: str) -> tuple[Room, Detail] | None:
    """Return the detail that `here/hearth`, or `hearth` where nothing else is called so, means, and its room.

    None if it is no detail that is meant. Raises: CommandError if the room has no such detail.
    """
    place, slash, name = (part.strip() for part in wanted.partition("/"))
    if slash and _is_name(world, wanted):
        return None
    if not slash and _find_entity(world, actor, wanted) is None:
        found = candidates(wanted, world.room_of(actor).details.values())
        return (world.room_of(actor), found[0]) if len(found) == 1 else None
    if not slash:
        return None
    room = find_room(world, actor, place)
    missing = world.wording("building.no_detail", wanted=name, room=room.name)
    return room, find(name, room.details.values(), missing, world.wording)


def check_may_change(world: World, actor: Character, subject: Entity) -> None:
    """Raises: CommandError if it is somebody else, or what somebody else carries, and the actor is no admin."""
    if actor.role >= Role.ADMIN:
        return
    owner = subject if isinstance(subject, Character) else None
    if isinstance(subject, Thing):
        owner = carrier(world, subject)
    if owner is not None and owner is not actor:
        raise CommandError(world.wording("building.not_yours", who=owner.name))


def carrier(world: World, thing: Thing) -> Character | None:
    """Return who carries a thing, or the container that it is in; None if nobody does."""
    around = world.containers_around(thing.thing_id)
    return world.characters.get(world.things[around[-1]].place_id) if around else None


def _is_name(world: World, wanted: str) -> bool:
    """Return whether a room or thing is called just that, as in `The Court / Yard`."""
    every: list[Room | Thing] = [*world.rooms.values(), *world.things.values()]
    return any(name_key(one.name) == name_key(wanted) for one in every)


def _find_entity(world: World, actor: Character, wanted: str) -> Entity | None:
    """Raises: CommandError if several can be meant."""
    key = name_key(wanted)
    if key in ("me", "myself", "self"):
        return actor
    if key in ("here", "room"):
        return world.room_of(actor)
    tables: tuple[Mapping[str, Entity], ...] = (world.rooms, world.things, world.characters)
    rows = [row for table in tables for row in table.items()]
    exact = [one for entity_id, one in rows if key in (name_key(entity_id), name_key(one.name))]
    if len(exact) == 1:
        return exact[0]
    near: list[Entity] = [*world.occupants(actor.room_id), *world.things_at(actor.room_id)]
    near += [*world.things_at(actor.character_id), world.room_of(actor)]
    for among in (near, [one for _, one in rows]):
        if candidates(wanted, among):
            return find(wanted, among, "", world.wording)
    try:
        return find(wanted, near, "", world.wording)  # it may be numbered, as in lamp 2
    except CommandError:
        return None


MAX_NAME_LENGTH = 60
MAX_NAME_BYTES = 120
MAX_TEXT_LENGTH = 4000
MAX_NAMES = 12
"""Maximum length of a name, in characters and in bytes of UTF-8, and of a description, in characters.

`MAX_NAMES` is the maximum number of other names of something."""

_RESERVED = frozenset("here me myself self room everything all nothing none".split())


def validate_name(world: World, text: str, besides: str = "") -> str:
    """Return a text as what a room or thing is called, that nothing else is called: it may have any characters.

    `besides` is the id of what is given the name now. Raises: CommandError saying what would do.
    """
    name = _clean_name(world, text)
    folded = name_key(name)
    for other_id, other in _names(world):
        if folded == name_key(other) and other_id != besides:
            raise CommandError(world.wording("building.name_taken", name=name))
    return name


def new_id(world: World, name: str) -> str:
    """Return the id of something new of a name: the name itself, or what of it a note's file name can hold."""
    return file_name_for(name, [*world.rooms, *world.things, *world.characters, *world.hidden.places])


def title_for(name: str, entity_id: str) -> str:
    """Return the title of what is called `name`: none if that is its id."""
    return "" if name == entity_id else name


def validate_names(world: World, text: str) -> tuple[str, ...]:
    """Return a list with commas as names in lower case, each once and in its order; there is at least one.

    Raises: CommandError if a name is not valid, or there are none or too many.
    """
    names = tuple(dict.fromkeys(_validate_line_name(world, part).lower() for part in text.split(",") if part.strip()))
    if not names or len(names) > MAX_NAMES:
        raise CommandError(world.wording("building.names_wanted", most=MAX_NAMES))
    return names


def validate_text(world: World, text: str) -> str:
    r"""Return a description as it is stored; a typed `\n` becomes a new line. Raises: CommandError."""
    found = clean_block(text.replace("\\n", "\n")).strip()
    if len(found) > MAX_TEXT_LENGTH:
        raise CommandError(world.wording("building.text_too_long", most=MAX_TEXT_LENGTH, length=len(found)))
    return found


def exit_name_for(name: str) -> str:
    """Return the name of a place as the name of an exit that leads there."""
    return collapse_whitespace("".join(" " if char in f"{FORBIDDEN}," else char for char in name)).lower()


def _validate_line_name(world: World, text: str) -> str:
    """Return a text as a name that fits into a line of a note."""
    name = _clean_name(world, text)
    unfit = sorted({char for char in name if char in FORBIDDEN})
    if unfit:
        raise CommandError(world.wording("building.name_unfit", name=name, characters=world.wording.join_or(unfit)))
    return name


def _clean_name(world: World, text: str) -> str:
    name = collapse_whitespace(unicodedata.normalize("NFC", clean_line(text)))
    if len(name) > MAX_NAME_LENGTH or len(name.encode()) > MAX_NAME_BYTES:
        raise CommandError(world.wording("building.name_too_long", most=MAX_NAME_LENGTH, name=f"{name[:40]}…"))
    if not any(map(str.isalnum, name)) or name.lower() in _RESERVED:
        raise CommandError(world.wording("building.no_name", name=name))
    return name


def _names(world: World) -> Iterator[tuple[str, str]]:
    """Yield every id with each name that its bearer goes by, other than aliases."""
    for entity in world.entities():
        yield entity.id, entity.id
        yield entity.id, entity.name


def names_known_to(world: World, actor: Character) -> NamesOf:
    """Return a function from a placeholder of a usage to its possible names: for `<person>`, those who are here."""

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


def find_character(world: World, actor: Character, wanted: str) -> Character:
    """Return the character that is meant, awake before asleep. Raises: CommandError if there is none, or several."""
    name = wanted.rstrip(",:")
    if name.lower() in ("me", "myself"):
        return actor
    awake = world.awake()
    among = awake if candidates(name, awake) else list(world.characters.values())
    return find(name, among, world.wording("presence.nobody_called", wanted=wanted), world.wording)


def called_elsewhere(world: World, room_id: str, text: str, is_any_name_a_call: bool = False) -> Character | None:
    """Return whom a text said in a room calls by name, if they are awake in another room."""
    if not (is_any_name_a_call or _CALL_MARK.search(text)):
        return None
    words = _WORD.findall(text[:MAX_CALL_LENGTH])
    characters = world.characters
    for name in (*map(" ".join, pairwise(words)), *words):
        one_id = characters.id_ignoring_case(name)
        one = characters[one_id] if one_id else None
        if one is None or not one.awake or one.room_id == room_id:
            continue
        if is_any_name_a_call or is_called(one.name, text):
            return one
    return None


MAX_NAME_IN_TEXT = 4
"""Maximum number of words of a name that is looked for in a text."""


def names_in(world: World, text: str) -> list[str]:
    """Return the ids of the rooms, things and characters whose names stand in a text, in its order, longer ones first.

    The work grows with the text, not with the world. A room is found without the article of its name, too.
    """
    text = text[:MAX_CALL_LENGTH]
    spans, found = _word_spans(text), dict[str, None]()
    for at, (start, _) in enumerate(spans):
        ends = [end for _, end in reversed(spans[at : at + MAX_NAME_IN_TEXT])]
        for name in (text[start:end] for end in ends):
            forms = (world.id_ignoring_case(one) for one in (name, *(f"{article} {name}" for article in ARTICLES)))
            if id_ := next(filter(None, forms), None):
                found[id_] = None
                break
    return list(found)


def _word_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of a text stand; in scripts without blanks, every character is one."""
    spans, start = list[tuple[int, int]](), -1
    for place, one in enumerate(f"{text} "):
        is_inside = unicodedata.category(one)[0] in "LMN" or (one in "-'’" and start >= 0)
        if any(first <= ord(one) <= last for first, last in UNSPACED_SCRIPTS):
            spans += [(start, place)] if start >= 0 else []
            spans.append((place, place + 1))
            start = -1
        elif is_inside and start < 0:
            start = place
        elif not is_inside and start >= 0:
            spans.append((start, place))
            start = -1
    return spans


Target = Room | Detail | Thing | Character | Exit


def visible_targets(world: World, actor: Character) -> list[Target]:
    """Return all that an actor can look at here: people, things, its own things, details, exits, the room."""
    room = world.room_of(actor)
    return list(
        chain(
            world.occupants(actor.room_id),
            world.things_at(actor.room_id),
            world.things_at(actor.character_id),
            room.details.values(),
            room.exits.values(),
            [room],
        )
    )
