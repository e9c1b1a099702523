"""What goes on by itself, read from a note."""

from __future__ import annotations

import pytest

from vault.entities.agent_notes import load_agent
from vault.entities.schema import room_of
from vault.entities.trigger_notes import descriptions_in, triggers_in
from vault.errors import NoteError
from vault.note import parse_note
from vault.vault import STARTER, Vault, agent_names
from world.game_time import DAY_PARTS
from world.triggers import parse_trigger

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


def test_the_starter_vault_speaks_of_nothing_that_it_does_not_have():
    vault = Vault(STARTER)
    names = {*vault.names("rooms"), *vault.names("things"), *agent_names(vault)}
    notes = [vault.read(folder, f"{name}.md") for folder in ("rooms", "things") for name in vault.names(folder)]
    notes += [vault.read("agents", name, "agent.md") for name in agent_names(vault)]
    rows = [(note.source, line, row) for note in notes for row, line in triggers_in(note)]
    assert len(rows) >= 10
    assert [(source, line) for source, line, row in rows if set(row.names) - {*names, "self"}] == []
    assert {part for note in notes for part in descriptions_in(note)} <= {*DAY_PARTS}


@pytest.mark.parametrize("name", agent_names(Vault(STARTER)))
def test_a_table_of_reactions_is_no_part_of_a_profile(name):
    note = load_agent(Vault(STARTER), name)
    assert "Reactions" not in note.profile
    assert "|" not in note.profile
    assert note.character.triggers
