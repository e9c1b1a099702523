"""Each field of a room, thing or character is declared once: by that it is read, written, merged and undone."""

from __future__ import annotations

from copy import deepcopy

import pytest

from tests.vault.vault_of import vault_of
from vault.entities.schema import (
    FORMS,
    agent_character,
    descriptions_in,
    entity_of,
    note_path,
    room_of,
    save_entity,
    triggers_in,
)
from vault.errors import NoteError
from vault.note import parse_note
from vault.vault import STARTER, Vault, agent_names
from world.edits import merge, same_content
from world.entities import FIELDS, Character, Detail, Entity, Exit, Property, Role, Room, Thing, copy_entity
from world.game_time import DAY_PARTS
from world.triggers import Trigger, parse_trigger
from world.world import restore, snapshot

ROWS = [(kind, name, is_agent) for kind, table in FIELDS.items() for name in table for is_agent in (False, True)]
SAVED = [
    (kind, name, is_agent)
    for kind, name, is_agent in ROWS
    if FIELDS[kind][name].is_saved and FIELDS[kind][name].codec_of(is_agent) and (kind == "character" or not is_agent)
]
OTHER = {
    "description": "Tall.\n\nAnd thin.",
    "exits": {"out": Exit("out", "Hall", ("o",))},
    "details": {"beam": Detail("beam", "Oak.", ("wood",))},
    "number": 7,
    "tags": ("room", "domain/market"),
    "title": "The Other",
    "article": "some",
    "aliases": ("other", "another"),
    "properties": {"season": "winter"},
    "writing": "I owe Moss a bun.",
    "is_container": True,
    "fixed": True,
    "role": Role.BUILDER,
    "grants": frozenset({"@dig"}),
    "preferences": {"brief": "on"},
}
"""Another value of each field that is saved."""


def one_of(kind: str, is_agent: bool) -> Entity:
    match kind:
        case "room":
            return Room("Hall")
        case "thing":
            return Thing("lamp", "Hall")
        case _:
            return Character("Moss", "Hall", is_agent=is_agent)


@pytest.mark.parametrize(("kind", "name", "is_agent"), SAVED)
def test_a_saved_field_comes_back_from_its_note(tmp_path, kind, name, is_agent):
    vault, changed = vault_of(tmp_path, {}), one_of(kind, is_agent)
    assert getattr(changed, name) != OTHER[name]
    setattr(changed, name, deepcopy(OTHER[name]))
    save_entity(vault, changed)
    note = vault.read(*note_path(changed))
    found = agent_character(note, "Moss") if is_agent else entity_of(note, changed.ref)
    assert getattr(found, name) == OTHER[name]
    assert same_content(found, changed)


@pytest.mark.parametrize(("kind", "name", "is_agent"), SAVED)
def test_a_field_is_merged_and_undone_as_it_is_declared(kind, name, is_agent):
    stored, was, now = FIELDS[kind][name], one_of(kind, is_agent), one_of(kind, is_agent)
    setattr(now, name, deepcopy(OTHER[name]))
    current = copy_entity(was)
    assert merge(current, was, now) is stored.is_merged
    assert getattr(current, name) == getattr(now if stored.is_merged else was, name)
    before, after = snapshot(was), snapshot(now)
    assert (before != after) is stored.is_undone
    restore(now, before, {**after, **before})
    assert (getattr(now, name) == getattr(was, name)) is stored.is_undone


def test_every_form_of_a_property_is_known():
    codecs = [codec for table in FIELDS.values() for one in table.values() for codec in (one.codec, one.agent_codec)]
    assert {codec.form for codec in codecs if isinstance(codec, Property) and codec.key != "*"} == {*FORMS}


MILL = """\
---
tags: [room]
---
A mill.

## Night
The wheel is asleep.

It snores.

## Ambient
- A creak.
* A sigh.
Not a line.

## Reactions
| on | when | do |
| --- | :---: | --- |
| use wheel | night | show It groans \\| and stops. |
| every 30 | | emote turns |

Prose between tables counts for nothing.
"""


def test_a_note_tells_moods_ambience_and_reactions():
    life = room_of(parse_note(MILL, "rooms/Mill.md"), "Mill")
    assert life.descriptions_by_day_part == {"night": "The wheel is asleep.\n\nIt snores."}
    assert life.ambient == ("A creak.", "A sigh.")
    assert life.triggers == (
        parse_trigger("use wheel", "night", "show It groans | and stops."),
        parse_trigger("every 30", "", "emote turns"),
    )


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("| dance | | show x |", "rooms/Mill.md:4: 'dance' is nothing that happens; write"),
        ("| use | show x |", "rooms/Mill.md:4: '| use | show x |' has 2 cells; it needs three: on, when, do."),
    ],
)
def test_a_row_that_will_not_do_is_refused_with_its_line(row, complaint):
    note = parse_note(f"A mill.\n\n## Reactions\n{row}\n", "rooms/Mill.md")
    with pytest.raises(NoteError) as refused:
        room_of(note, "Mill")
    assert str(refused.value).startswith(complaint)


def spoken_of(row: Trigger) -> set[str]:
    """Return the rooms and things that a row speaks of by name."""
    acts = [name for act in row.do if act.verb in ("move", "give") for name in (act.text, act.target)]
    carried = [one.name for one in row.when if one.kind == "carries"]
    return {name for name in (*acts, *carried) if not name.startswith("{")}


def test_the_starter_vault_speaks_of_nothing_that_it_does_not_have():
    vault = Vault(STARTER)
    names = {*vault.names("rooms"), *vault.names("things"), *agent_names(vault)}
    notes = [vault.read(folder, f"{name}.md") for folder in ("rooms", "things") for name in vault.names(folder)]
    notes += [vault.read("agents", name, "agent.md") for name in agent_names(vault)]
    rows = [(note.source, line, row) for note in notes for row, line in triggers_in(note)]
    assert len(rows) >= 10
    assert [(source, line) for source, line, row in rows if spoken_of(row) - {*names, "self"}] == []
    assert {part for note in notes for part in descriptions_in(note)} <= {*DAY_PARTS}
