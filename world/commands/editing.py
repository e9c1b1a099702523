"""Editing commands: descriptions, names and properties of rooms and things, and inspecting them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from world.command import command
from world.commands.building import building_command
from world.edits import Edit
from world.entities import Character, Detail, Entity, Role, Room, Thing, names_in_notes
from world.errors import CommandError
from world.events import Built, Event, Output
from world.find import (
    check_may_change,
    find_detail,
    find_entity,
    title_for,
    validate_name,
    validate_names,
    validate_text,
)
from world.narration import noun_phrase, room_name
from world.world import CHANGED_BY, MADE_BY, World

MAX_DETAILS = 64
"""Maximum number of details of a room."""


@building_command("@describe <object> -> <text>", "@desc")
def describe(world: World, actor: Character, object: str, text: str) -> list[Event]:
    r"""Describe something: @describe here -> A long, low room.

    @describe lamp -> …           a thing; me, or a room by its name, likewise
    @describe here/hearth -> …    a detail of the room; @detail makes a new one
    \n in the text is a new line.
    """
    found, described = find_detail(world, actor, object), validate_text(world, text)
    if found:
        room, detail = found
        return _with_detail(world, actor, room, replace(detail, description=described))
    subject = find_entity(world, actor, object)
    check_may_change(world, actor, subject)
    alteration = Edit(world, actor, [(subject.kind, subject.id)])
    subject.description = described
    return _finish_edit(world, actor, subject, alteration)


@building_command("@detail <name> -> [<text>]")
def detail(world: World, actor: Character, name: str, text: str = "") -> list[Event]:
    """Add or change a detail of this room: @detail hearth, fire -> Bricks black with winters.

    Without a text the detail is removed.
    """
    here, names = world.room_of(actor), validate_names(world, name)
    known = here.details.get(names[0])
    if not text:
        if known is None:
            raise CommandError(world.wording("building.no_detail", wanted=names[0], room=here.name))
        alteration = Edit(world, actor, [("room", here.room_id)])
        del here.details[names[0]]
        return _finish_edit(world, actor, known, alteration)
    if known is None and len(here.details) >= MAX_DETAILS:
        raise CommandError(world.wording("building.too_many_details", room=here.name, most=MAX_DETAILS))
    aliases = names[1:] or (known.aliases if known else ())
    return _with_detail(world, actor, here, Detail(names[0], validate_text(world, text), aliases))


@building_command("@rename <object> -> <name>")
def rename(world: World, actor: Character, object: str, name: str) -> list[Event]:
    """Give a room or a thing another name. Its note, and what links to it, keep the old one.

    Nobody can be renamed: not people, and not agents.
    """
    subject = find_entity(world, actor, object)
    if isinstance(subject, Character):
        raise CommandError(world.wording("building.no_renaming", who=subject.name))
    check_may_change(world, actor, subject)
    called = validate_name(world, name, subject.id)
    before = noun_phrase(subject, world)
    alteration = Edit(world, actor, [(subject.kind, subject.id)])
    subject.title = title_for(called, subject.id)
    return [
        Built(actor.character_id, actor.room_id, "renames", before, called),
        *alteration.done(noun_phrase(subject, world)),
    ]


@building_command("@alias <object> -> [<text>]")
def alias(world: World, actor: Character, object: str, text: str = "") -> list[Event]:
    """Set other names of something: @alias brass lamp -> lamp, light. Without names, remove them.

    @alias here/hearth -> fire    for a detail of the room
    """
    names, found = (validate_names(world, text) if text else ()), find_detail(world, actor, object)
    if found:
        room, detail = found
        return _with_detail(world, actor, room, replace(detail, aliases=names))
    subject = find_entity(world, actor, object)
    check_may_change(world, actor, subject)
    for one in world.characters.values():
        if one is not subject and one.name.lower() in names:  # nothing and nobody answers to somebody else's name
            raise CommandError(world.wording("building.name_taken", name=one.name))
    alteration = Edit(world, actor, [(subject.kind, subject.id)])
    subject.aliases = names
    return _finish_edit(world, actor, subject, alteration)


def _with_detail(world: World, actor: Character, room: Room, detail: Detail) -> list[Event]:
    alteration = Edit(world, actor, [("room", room.room_id)])
    room.details[detail.name] = detail
    return _finish_edit(world, actor, detail, alteration)


def _finish_edit(world: World, actor: Character, what: Entity | Detail, alteration: Edit) -> list[Event]:
    name = noun_phrase(what, world)
    return [Built(actor.character_id, actor.room_id, "changes", name), *alteration.done(name)]


MAX_PROPERTIES = 32
MAX_PROPERTY_LENGTH = 200
"""Maximum number of properties, and maximum length of the text of one, in characters."""

_RESERVED = frozenset(
    [MADE_BY, CHANGED_BY, *"id name description room role roles grants password place".split()]
    + [name for kind in ("room", "thing") for name in names_in_notes(kind)]
)
"""Names that have other places in a note. Roles above all are for nobody to write."""

_PROPERTY = re.compile(r"[a-z][a-z0-9_]{0,39}")


@building_command("@set <object> <property> = [<text>]")
def set_property(world: World, actor: Character, object: str, property: str, text: str = "") -> list[Event]:
    """Set a property of a room or thing: @set brass lamp fixed = yes. Without a text, remove it.

    fixed, container    yes or no: whether a thing can be taken, whether it holds others
    article             the article before a thing's name, such as some
    writing             the text on a thing
    tags                of a room, with commas between them
    Any other name is a property of your own, such as season = winter.
    """
    # A name of several words: all words except the last still belong to the object.
    *words, key = f"{object} {property}".lower().split()
    subject = find_entity(world, actor, f"{object} {property}"[: -len(key)].strip() if words else object)
    if isinstance(subject, Character):
        raise CommandError(world.wording("building.no_properties", who=subject.name))
    check_may_change(world, actor, subject)
    value = validate_text(world, text)
    alteration = Edit(world, actor, [(subject.kind, subject.id)])
    _set_field(world, subject, key, value)
    return _finish_edit(world, actor, subject, alteration)


def _set_field(world: World, subject: Entity, key: str, value: str) -> None:
    match subject, key:
        case Thing(), "fixed":
            subject.fixed = _yes_or_no(world, key, value)
        case Thing(), "container":
            holds = _yes_or_no(world, key, value)
            if not holds and world.things_at(subject.thing_id):
                raise CommandError(world.wording("building.not_empty", name=subject.name))
            subject.is_container = holds
        case Thing(), "article":
            subject.article = _validate_short(world, key, value)
        case Thing(), "writing":
            subject.writing = value
        case Room(), "tags":
            parts = [part.strip() for part in _validate_short(world, key, value).split(",")]
            subject.tags = tuple(dict.fromkeys(part for part in parts if part))
        case _:
            _set_property(world, subject, key, value)


def _set_property(world: World, subject: Entity, key: str, value: str) -> None:
    properties = subject.properties
    if key in _RESERVED or not _PROPERTY.fullmatch(key):
        raise CommandError(world.wording("building.no_such_property", property=key, name=subject.name))
    if not value:
        properties.pop(key, None)
    elif key not in properties and len(properties) >= MAX_PROPERTIES:
        raise CommandError(world.wording("building.too_many_properties", name=subject.name, most=MAX_PROPERTIES))
    else:
        properties[key] = _validate_short(world, key, value)


def _validate_short(world: World, key: str, value: str) -> str:
    if "\n" in value or len(value) > MAX_PROPERTY_LENGTH:
        raise CommandError(world.wording("building.property_too_long", property=key, most=MAX_PROPERTY_LENGTH))
    return value


def _yes_or_no(world: World, key: str, value: str) -> bool:
    say, given = world.wording, value.lower()
    if given in ("yes", "true", "on", say("building.yes")):
        return True
    if given in ("", "no", "false", "off", say("building.no")):
        return False
    wanted = say.join_or([say("building.yes"), say("building.no")])
    raise CommandError(say("building.yes_or_no", property=key, value=value, wanted=wanted))


@command("@examine <object>", "@ex", category="building", role=Role.BUILDER, for_agents=False)
def inspect(world: World, actor: Character, object: str = "here") -> list[Event]:
    """Show everything about a room, a thing or a character, wherever it is: @examine here.

    Its id and names, where it is, what is in it, the ways in and out, its properties, who made and who changed it.
    """
    subject = find_entity(world, actor, object)
    match subject:
        case Room():
            lines = _of_room(world, subject)
        case Thing():
            lines = _of_thing(world, subject)
        case _:
            lines = _of_character(world, subject)
    own = [world.wording("inspecting.property", property=key, value=text) for key, text in subject.properties.items()]
    return [Output(actor.character_id, "\n".join([*lines, *own]))]


def _of_room(world: World, room: Room) -> Iterator[str]:
    say = world.wording
    yield say("inspecting.room", name=room.name, number=room.number)
    yield from _names(world, room.room_id, room.aliases)
    yield from _description(world, room.description)
    for exit in room.exits.values():
        names = ", ".join((exit.name, *exit.aliases))
        yield say("inspecting.way_out", exit=names, room=room_name(exit.room_id, world))
    for other in world.rooms.values():
        for exit in other.exits.values():
            if exit.room_id == room.room_id and other is not room:
                yield say("inspecting.way_in", exit=", ".join((exit.name, *exit.aliases)), room=other.name)
    for detail in room.details.values():
        names = ", ".join((detail.name, *detail.aliases))
        yield say("inspecting.detail", detail=names, description=detail.description)
    if room.tags:
        yield say("inspecting.tags", tags=", ".join(room.tags))
    inside = [one for one in world.characters.values() if one.room_id == room.room_id]
    yield from _names_line(world, "inspecting.people", (one.name for one in inside if one.awake))
    yield from _names_line(world, "inspecting.asleep", (one.name for one in inside if not one.awake))
    yield from _names_line(world, "inspecting.contents", (thing.name for thing in world.things_at(room.room_id)))


def _of_thing(world: World, thing: Thing) -> Iterator[str]:
    say = world.wording
    yield say("inspecting.thing", name=thing.name)
    yield from _names(world, thing.thing_id, thing.aliases)
    yield from _description(world, thing.description)
    owner = world.things.get(thing.place_id)
    yield say("inspecting.place", place=owner.name if owner else room_name(thing.place_id, world))
    if thing.article:
        yield say("inspecting.article", article=thing.article)
    if thing.writing:
        yield say("inspecting.writing", writing=thing.writing)
    if thing.fixed:
        yield say("inspecting.fixed")
    if thing.is_container:
        yield say("inspecting.container")
    yield from _names_line(world, "inspecting.contents", (one.name for one in world.things_at(thing.thing_id)))


def _of_character(world: World, who: Character) -> Iterator[str]:
    say = world.wording
    role = say(f"roles.{who.role.name.lower()}")
    yield say("inspecting.agent" if who.is_agent else "inspecting.person", name=who.name, role=role)
    yield from _names(world, who.character_id, who.aliases)
    yield from _description(world, who.description)
    yield say("inspecting.place" if who.awake else "inspecting.asleep_in", place=room_name(who.room_id, world))
    yield from _names_line(world, "inspecting.grants", sorted(who.grants))
    yield from _names_line(world, "inspecting.carries", (thing.name for thing in world.things_at(who.character_id)))


def _names(world: World, entity_id: str, aliases: Iterable[str]) -> Iterator[str]:
    yield world.wording("inspecting.note", id=entity_id)
    yield from _names_line(world, "inspecting.aliases", aliases)


def _description(world: World, text: str) -> Iterator[str]:
    yield text or world.wording("inspecting.no_description")


def _names_line(world: World, key: str, names: Iterable[str]) -> Iterator[str]:
    found = list(names)
    if found:
        yield world.wording(key, names=", ".join(found))
