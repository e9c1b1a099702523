"""What a vault says of commands is checked against the table, and what is wrong is named with its line."""

from __future__ import annotations

import pytest

from tests.vault.vault_of import vault_of
from vault.command_texts import load_command_texts
from vault.folder import STARTER, Vault
from vault.notes import NoteError
from world.commands.table import world_commands

TABLE = world_commands()


def test_help_and_names_of_commands_are_read_line_by_line(tmp_path):
    notes = {
        "text/help.md": "Hilfe.\n\n**go**: Geh.\\nIrgendwohin.\n",
        "text/verbs.md": "Namen.\n\n**go**: Gehe, lauf\n**@dig**: @grabe\n",
    }
    texts = load_command_texts(vault_of(tmp_path, notes), TABLE)
    assert texts.help == {"go": "Geh.\nIrgendwohin."}
    assert texts.names == {"go": ("gehe", "lauf"), "@dig": ("@grabe",)}
    assert texts.verb_by_name == {"gehe": "go", "lauf": "go", "@grabe": "@dig"}


def test_a_vault_without_these_notes_says_nothing_of_commands_and_has_the_topics_of_the_starter(tmp_path):
    texts = load_command_texts(vault_of(tmp_path, {}), TABLE)
    assert (texts.help, texts.names, sorted(texts.topics)) == ({}, {}, ["agents", "building", "memory"])


def test_a_topic_is_a_note_and_takes_the_place_of_the_starters(tmp_path):
    notes = {"text/topics/Agents.md": "Die denken.\n", "text/topics/River.md": "Wet.\n"}
    topics = load_command_texts(vault_of(tmp_path, notes), TABLE).topics
    assert (topics["agents"], topics["river"]) == ("Die denken.", "Wet.")


def test_the_starter_vaults_own_notes_are_in_order():
    texts = load_command_texts(Vault(STARTER), TABLE)
    assert (texts.help, texts.names) == ({}, {})


@pytest.mark.parametrize(
    ("note", "text", "complaint"),
    [
        ("help", "\n**goo**: x", "text/help.md:2: there is no command 'goo'; did you mean 'go'?"),
        ("help", "**zzzz**: x", "text/help.md:1: there is no command 'zzzz'; `commands` lists them all."),
        ("help", "**go**: x\n**go**: y", "text/help.md:2: 'go' stands twice in this note; remove one."),
        ("verbs", "**go**: look", "text/verbs.md:1: 'look' is the name of 'look' already; give 'go' another."),
        ("verbs", "**go**: a\n**say**: a", "text/verbs.md:2: 'a' is the name of 'go' already; give 'say' another."),
        (
            "verbs",
            "**go**: geh hin",
            "text/verbs.md:1: 'geh hin' cannot be the name of a command; take one word that begins with a letter.",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(tmp_path, note, text, complaint):
    with pytest.raises(NoteError) as refused:
        load_command_texts(vault_of(tmp_path, {f"text/{note}.md": text}), TABLE)
    assert str(refused.value) == complaint
