"""What rooms and things are like and what they are called."""

from __future__ import annotations

from dataclasses import replace

from world.building.altering import Alteration
from world.building.naming import new_name, new_names, new_text, title_for
from world.building.subjects import Subject, check_may_change, detail_meant, id_of, kind_of, subject_meant
from world.command import command
from world.errors import CommandError
from world.events import Built, Event
from world.model import Character, Detail, Role, Room, World
from world.narration import named

MOST_DETAILS = 64
"""How many details a room may have."""


@command(
    "@describe <object> -> <text>", "@desc", category="building", role=Role.BUILDER, for_agents=False, noticed="room"
)
def describe(world: World, actor: Character, object: str, text: str) -> list[Event]:
    r"""Say what something looks like: @describe here -> A long, low room.

    @describe lamp -> …           a thing; me, or a room by its name, likewise
    @describe here/hearth -> …    a detail of the room; @detail makes a new one
    \n in the text is a new line.
    """
    found, described = detail_meant(world, actor, object), new_text(world, text)
    if found:
        room, detail = found
        return _with_detail(world, actor, room, replace(detail, description=described))
    subject = subject_meant(world, actor, object)
    check_may_change(world, actor, subject)
    alteration = Alteration(world, actor, [(kind_of(subject), id_of(subject))])
    subject.description = described
    return _changed(world, actor, subject, alteration)


@command("@detail <name> -> [<text>]", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def detail(world: World, actor: Character, name: str, text: str = "") -> list[Event]:
    """Add something to look at in this room, or change it: @detail hearth, fire -> Bricks black with winters.

    Without a text the detail is taken away.
    """
    here, names = world.room_of(actor), new_names(world, name)
    known = here.details.get(names[0])
    if not text:
        if known is None:
            raise CommandError(world.wording("building.no_detail", wanted=names[0], room=here.name))
        alteration = Alteration(world, actor, [("room", here.room_id)])
        del here.details[names[0]]
        return _changed(world, actor, known, alteration)
    if known is None and len(here.details) >= MOST_DETAILS:
        raise CommandError(world.wording("building.too_many_details", room=here.name, most=MOST_DETAILS))
    aliases = names[1:] or (known.aliases if known else ())
    return _with_detail(world, actor, here, Detail(names[0], new_text(world, text), aliases))


@command("@rename <object> -> <name>", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def rename(world: World, actor: Character, object: str, name: str) -> list[Event]:
    """Give a room or a thing another name. Its note, and what links to it, keep the old one.

    Nobody can be renamed: not people, and not agents.
    """
    subject = subject_meant(world, actor, object)
    if isinstance(subject, Character):
        raise CommandError(world.wording("building.no_renaming", who=subject.name))
    check_may_change(world, actor, subject)
    called = new_name(world, name, id_of(subject))
    before = named(subject, world)
    alteration = Alteration(world, actor, [(kind_of(subject), id_of(subject))])
    subject.title = title_for(called, id_of(subject))
    return [
        Built(actor.character_id, actor.room_id, "renames", before, called),
        *alteration.done(named(subject, world)),
    ]


@command("@alias <object> -> [<text>]", category="building", role=Role.BUILDER, for_agents=False, noticed="room")
def alias(world: World, actor: Character, object: str, text: str = "") -> list[Event]:
    """Say by what other names something goes: @alias brass lamp -> lamp, light. Without any, it has none.

    @alias here/hearth -> fire    for a detail of the room
    """
    names, found = (new_names(world, text) if text else ()), detail_meant(world, actor, object)
    if found:
        room, detail = found
        return _with_detail(world, actor, room, replace(detail, aliases=names))
    subject = subject_meant(world, actor, object)
    check_may_change(world, actor, subject)
    for one in world.characters.values():
        if one is not subject and one.name.lower() in names:  # nothing and nobody answers to somebody else's name
            raise CommandError(world.wording("building.name_taken", name=one.name))
    alteration = Alteration(world, actor, [(kind_of(subject), id_of(subject))])
    subject.aliases = names
    return _changed(world, actor, subject, alteration)


def _with_detail(world: World, actor: Character, room: Room, detail: Detail) -> list[Event]:
    alteration = Alteration(world, actor, [("room", room.room_id)])
    room.details[detail.name] = detail
    return _changed(world, actor, detail, alteration)


def _changed(world: World, actor: Character, what: Subject | Detail, alteration: Alteration) -> list[Event]:
    name = named(what, world)
    return [Built(actor.character_id, actor.room_id, "changes", name), *alteration.done(name)]


COMMANDS = (describe, detail, rename, alias)
