"""Each field of a room, thing or character is declared once: by that it is read, written, merged and undone."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields

import pytest

from tests.vault.vault_of import vault_of
from vault.entities.schema import FORMS, agent_character, entity_of, note_path, save_entity
from world.edits import merge, same_content
from world.entities import FIELDS, Character, Detail, Entity, Exit, Property, Role, Room, Thing, copy_entity
from world.undo import restore, snapshot

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


@pytest.mark.parametrize("kind", FIELDS)
def test_the_table_has_every_field(kind):
    assert list(FIELDS[kind]) == [one.name for one in fields(one_of(kind, False))]


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
