"""What is saved comes back to the letter, and what nobody changed is not touched."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.validation import closest_name, current_name
from tests.vault import nasty
from tests.vault.vault_of import load_person, load_thing
from vault.entities.agent_notes import KEYS as AGENT_KEYS
from vault.entities.agent_notes import load_agent
from vault.entities.schema import known_keys, load_room, save_entity
from vault.errors import NoteError
from vault.vault import STARTER, Vault
from world.entities import Character, Detail, Exit, Role

REMARKED = """\
---
# who found it
mood:   dusty # as ever
nested: {a: [1, 2]}
aliases:
  - old
  # and more
  - hall

number: 007
title: >
  A folded
  title
---

Dust.

## To do
- sweep, - and **dust**

## Exits
Ways out.
* **south**, s: [[Hall|the hall]]
- **up**:   [[Attic]]
  by the ladder

Those are all.

## Details

- **clock**: It has
  stopped.
"""


def fresh() -> tuple[tempfile.TemporaryDirectory[str], Vault]:
    """Return a vault with nothing in it, and what to keep as long as it is used."""
    folder = tempfile.TemporaryDirectory()
    return folder, Vault(Path(folder.name))


KNOWN = {kind: known_keys(kind) for kind in ("room", "thing", "character")}
MADE = {
    "room": (nasty.rooms(KNOWN["room"]), lambda vault: load_room(vault, "Hall")),
    "thing": (nasty.things(KNOWN["thing"]), lambda vault: load_thing(vault, "lamp")),
    "person": (nasty.people(KNOWN["character"]), lambda vault: load_person(vault, "Ana", "Hall")),
}


@pytest.mark.parametrize("kind", MADE)
@given(data=st.data())
def test_an_entity_comes_back_as_it_was_saved_and_as_it_was_changed(kind, data):
    strategy, load = MADE[kind]
    first, other = data.draw(strategy), data.draw(strategy)
    if kind == "thing":
        other.place_id = first.place_id  # where it starts out is not what changes
    folder, vault = fresh()
    with folder:
        for one in (first, other, first):
            save_entity(vault, one)
            assert load(vault) == one
            assert not save_entity(vault, one)


@given(nasty.agents(AGENT_KEYS), nasty.agents(AGENT_KEYS))
def test_an_agent_comes_back_as_it_was_saved_with_what_it_may_do(agent, other):
    folder, vault = fresh()
    for one in (agent, other):  # a property that looks like a misspelt setting is refused at loading
        kept = {key: text for key, text in one.properties.items() if not closest_name(key, AGENT_KEYS)}
        one.properties = {key: text for key, text in kept.items() if current_name(key) not in AGENT_KEYS}
    with folder:
        for one in (agent, other, agent):
            save_entity(vault, one)
            assert load_agent(vault, "Ana").character == one
            assert not save_entity(vault, one)


@given(nasty.notes, nasty.rooms(known_keys("room")))
def test_a_room_is_saved_into_whatever_stands_in_its_note(text, room):
    folder, vault = fresh()
    with folder:
        vault.write_text(text, "rooms", "Hall.md")
        try:
            before = load_room(vault, "Hall")
        except NoteError:
            return
        assert not save_entity(vault, before)
        assert vault.read_exact("rooms", "Hall.md") == text
        room.descriptions_by_day_part, room.ambient, room.triggers = (
            before.descriptions_by_day_part,
            before.ambient,
            before.triggers,
        )
        save_entity(vault, room)
        assert load_room(vault, "Hall") == room


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_only_what_differs_is_written(line_end, tmp_path):
    vault = Vault(tmp_path)
    vault.write_text(REMARKED.replace("\n", line_end), "rooms", "Hall.md")
    room = load_room(vault, "Hall")
    assert not save_entity(vault, room)
    room.properties["mood"] = "bright"
    room.exits["south"] = replace(room.exits["south"], aliases=("s", "so"))
    room.exits["west"] = Exit("west", "Den")
    room.details["clock"] = Detail("clock", "It goes:\n- tick\n\n- tock")
    room.description = "One.\n\n## Exits\n---"
    assert save_entity(vault, room)
    assert load_room(vault, "Hall") == room
    changes = {
        "mood:   dusty #": "mood: bright #",
        "Dust.": "One.\n\n\\## Exits\n\\---",
        "* **south**, s:": "- **south**, s, so:",
        "  by the ladder\n": "  by the ladder\n- **west**: [[Den]]\n",
        "It has\n  stopped.": "It goes:\n  \\- tick\n\n  \\- tock",
    }
    expected = REMARKED
    for before, after in changes.items():
        assert expected.count(before) == 1
        expected = expected.replace(before, after)
    assert vault.read_exact("rooms", "Hall.md") == expected.replace("\n", line_end)


def test_a_person_s_note_gives_no_rights(tmp_path):
    vault = Vault(tmp_path)
    vault.write_text("---\nrole: admin\ngrants: ['@dig']\n---\n", "people", "Ana.md")
    assert load_person(vault, "Ana", "Hall") == Character("Ana", "Hall")


def test_an_agent_s_note_says_what_it_may_do(tmp_path):
    vault = Vault(tmp_path)
    vault.write_text(
        "---\nrole: Builder\ngrants: ['@Recall', '@dig']\n---\nYou are Ana.\n", "agents", "Ana", "agent.md"
    )
    character = load_agent(vault, "Ana").character
    assert (character.role, character.grants) == (Role.BUILDER, frozenset({"@recall", "@dig"}))


def test_a_role_that_does_not_exist_is_refused_with_its_line(tmp_path):
    vault = Vault(tmp_path)
    vault.write_text("---\nroom: Hall\nrole: king\n---\nYou are Ana.\n", "agents", "Ana", "agent.md")
    expected = "agents/Ana/agent.md:3: role is 'king'; expected one of guest, player, observer, builder, admin."
    with pytest.raises(NoteError) as refused:
        load_agent(vault, "Ana")
    assert str(refused.value) == expected


@pytest.mark.parametrize("folder", ["rooms", "things", "agents"])
def test_the_starter_notes_are_not_written_again(folder, tmp_path):
    vault = Vault(tmp_path)
    for path in sorted((STARTER / folder).rglob("*.md")):
        vault.write_text(path.read_text(), str(path.relative_to(STARTER)))
    for name in vault.names(folder) or vault.folders(folder):
        match folder:
            case "rooms":
                assert not save_entity(vault, load_room(vault, name))
            case "things":
                assert not save_entity(vault, load_thing(vault, name))
            case _:
                assert not save_entity(vault, load_agent(vault, name).character)
