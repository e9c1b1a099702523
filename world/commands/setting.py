"""What else can be said of rooms and things: whether one can be taken, what is written on it, and properties."""

from __future__ import annotations

import re

from world.building.altering import Alteration
from world.building.naming import new_text
from world.building.subjects import Subject, check_may_change, id_of, kind_of, subject_meant
from world.building.workbench import CHANGED_BY, MADE_BY
from world.command import command
from world.errors import CommandError
from world.events import Built, Event
from world.model import Character, Role, Room, Thing, World
from world.narration import named

MOST_PROPERTIES = 32
LONGEST_PROPERTY = 200
"""How many properties something may have, and how long the text of one may be, in characters."""

_RESERVED = frozenset(
    f"{MADE_BY} {CHANGED_BY} id name title number aliases description room at role roles grants password "
    "place exits details tags article writing fixed container".split()
)
"""What a note has other places for. Roles above all are nobody's to write."""

_PROPERTY = re.compile(r"[a-z][a-z0-9_]{0,39}")


@command(
    "@set <object> <property> = [<text>]", category="building", role=Role.BUILDER, for_agents=False, noticed="room"
)
def set_property(world: World, actor: Character, object: str, property: str, text: str = "") -> list[Event]:
    """Set a property of a room or thing: @set brass lamp fixed = yes. Without a text it is unset.

    fixed, container    yes or no: whether a thing can be taken, whether it holds others
    article             what stands before a thing's name, such as some
    writing             what can be read on a thing
    tags                of a room, with commas between them
    Any other name is a property of your own, such as season = winter.
    """
    # A name of several words: all but the last of them are still of the object.
    *words, key = f"{object} {property}".lower().split()
    subject = subject_meant(world, actor, f"{object} {property}"[: -len(key)].strip() if words else object)
    if isinstance(subject, Character):
        raise CommandError(world.wording("building.no_properties", who=subject.name))
    check_may_change(world, actor, subject)
    value = new_text(world, text)
    alteration = Alteration(world, actor, [(kind_of(subject), id_of(subject))])
    _set(world, subject, key, value)
    name = named(subject, world)
    return [Built(actor.character_id, actor.room_id, "changes", name), *alteration.done(name)]


def _set(world: World, subject: Subject, key: str, value: str) -> None:
    match subject, key:
        case Thing(), "fixed":
            subject.fixed = _yes_or_no(world, key, value)
        case Thing(), "container":
            holds = _yes_or_no(world, key, value)
            if not holds and world.things_at(subject.thing_id):
                raise CommandError(world.wording("building.not_empty", name=subject.name))
            subject.is_container = holds
        case Thing(), "article":
            subject.article = _short(world, key, value)
        case Thing(), "writing":
            subject.writing = value
        case Room(), "tags":
            parts = [part.strip() for part in _short(world, key, value).split(",")]
            subject.tags = tuple(dict.fromkeys(part for part in parts if part))
        case _:
            _set_own(world, subject, key, value)


def _set_own(world: World, subject: Subject, key: str, value: str) -> None:
    properties = subject.properties
    if key in _RESERVED or not _PROPERTY.fullmatch(key):
        raise CommandError(world.wording("building.no_such_property", property=key, name=subject.name))
    if not value:
        properties.pop(key, None)
    elif key not in properties and len(properties) >= MOST_PROPERTIES:
        raise CommandError(world.wording("building.too_many_properties", name=subject.name, most=MOST_PROPERTIES))
    else:
        properties[key] = _short(world, key, value)


def _short(world: World, key: str, value: str) -> str:
    if "\n" in value or len(value) > LONGEST_PROPERTY:
        raise CommandError(world.wording("building.property_too_long", property=key, most=LONGEST_PROPERTY))
    return value


def _yes_or_no(world: World, key: str, value: str) -> bool:
    say, given = world.wording, value.lower()
    if given in ("yes", "true", "on", say("building.yes")):
        return True
    if given in ("", "no", "false", "off", say("building.no")):
        return False
    wanted = say.any_of([say("building.yes"), say("building.no")])
    raise CommandError(say("building.yes_or_no", property=key, value=value, wanted=wanted))


COMMANDS = (set_property,)
