"""The sentences in `text/`: read, checked against what the code offers, and all of them used."""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.syntax import nodes_of
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings
from vault.errors import NoteError
from vault.lore import load_lore
from vault.message_notes import load_command_texts, load_wording, starter_sentences
from vault.vault import STARTER, Vault, open_vault
from world.commands.table import world_commands
from world.message_catalog import variables

ROOT = Path(__file__).parents[2]
PACKAGES = ("world", "vault", "agents", "server")
TABLES = "|".join(sorted({key.partition(".")[0] for key in starter_sentences()}))
KEY = re.compile(rf"(?:{TABLES})\.(?!md\b)[a-z][a-z0-9_]*")
A_KEY_BEGINS = re.compile(rf"""["'](?:{TABLES})\.""")


Said = tuple[str, str, set[str] | None]
"""Place, key and the names of the values given, None where the key stands by itself."""


@cache
def calls_and_keys() -> tuple[tuple[Said, ...], tuple[str, ...]]:
    """Return what the code says, and how the keys begin that it puts together: `f"roles.{name}"`."""
    said, starts = list[Said](), set[str]()
    for path in (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))):
        source = path.read_text(encoding="utf-8")
        if not A_KEY_BEGINS.search(source):
            continue  # to parse it would take most of the time
        nodes = nodes_of(source)
        said += _said(str(path.relative_to(ROOT)), nodes)
        first = (node.values[0] for node in nodes if isinstance(node, ast.JoinedStr))
        starts |= {str(part.value) for part in first if isinstance(part, ast.Constant)}
    return tuple(said), tuple(start for start in starts if re.fullmatch(r"[a-z]+\.[a-z_]*", start))


def _said(path: str, nodes: list[ast.AST]) -> Iterator[Said]:
    begun = {id(one) for node in nodes if isinstance(node, ast.JoinedStr) for one in node.values}
    for node in nodes:
        if id(node) in begun:
            continue
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant | ast.IfExp):
            given = {keyword.arg or "**" for keyword in node.keywords}
            for key in keys_in(node.args[0]):
                yield f"{path}:{node.lineno}", key, given
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and KEY.fullmatch(node.value):
            yield f"{path}:{node.lineno}", node.value, None


def keys_in(node: ast.AST) -> list[str]:
    """Return the keys among the constants of an expression."""
    texts = [one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    return [text for text in texts if KEY.fullmatch(text)]


def test_what_the_code_says_stands_in_the_starter_vault():
    known = starter_sentences()
    assert [f"{place}: {key}" for place, key, _ in calls_and_keys()[0] if key not in known] == []


def test_each_sentence_is_given_all_of_its_variables():
    known, lacking = starter_sentences(), []
    for place, key, given in calls_and_keys()[0]:
        if given is not None and "**" not in given and variables(known[key]) - given:
            lacking.append(f"{place}: {key} lacks {sorted(variables(known[key]) - given)}")
    assert lacking == []


def test_every_sentence_of_the_starter_vault_is_said_somewhere():
    found, begun = calls_and_keys()
    said = {key for _, key, _ in found}
    assert [key for key in starter_sentences() if key not in said and not key.startswith(begun)] == []


def test_a_vault_says_it_in_its_own_words_and_the_rest_as_the_starter_does(tmp_path):
    vault = vault_of(tmp_path, {"text/narration.md": "# Deutsch\n\n**says**: {who} sagt: »{text}«\n"})
    wording = load_wording(vault)
    assert wording("narration.says", who="Ana", text="Ja.") == "Ana sagt: »Ja.«"
    assert wording("narration.you_say", text="Yes.") == 'You say, "Yes."'


def test_a_sentence_can_have_several_lines(tmp_path):
    vault = vault_of(tmp_path, {"text/lists.md": "**none**: eins\\nzwei"})
    assert load_wording(vault)("lists.none") == "eins\nzwei"


def test_a_vault_of_another_version_opens_without_the_sentences_that_are_not_said_here(tmp_path, caplog):
    note = "**sayz**: x\n**says**: {whom} x\n**you_say**: Du: {text}\n"
    with caplog.at_level(logging.WARNING):
        wording = load_wording(vault_of(tmp_path, {"text/narration.md": note}), is_strict=False)
    assert wording("narration.you_say", text="Ja.") == "Du: Ja."
    assert wording("narration.says", who="Ana", text="Yes.") == 'Ana says, "Yes."'
    assert [one.message.partition(";")[0] for one in caplog.records] == [
        "left out: text/narration.md:1: nothing in the world says 'sayz'",
        "left out: text/narration.md:2: 'says' is not given {whom}",
    ]


def test_the_notes_that_are_one_text_are_no_sentences(tmp_path):
    load_wording(vault_of(tmp_path, {"text/welcome.md": "**hello**: this is no sentence {at all}"}))


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


def test_a_vault_of_another_version_opens_without_the_commands_that_are_not_here(tmp_path):
    vault = vault_of(
        tmp_path, {"text/help.md": "**goo**: Geh.\n**say**: Sag.\n", "text/verbs.md": "**dance**: tanze\n"}
    )
    texts = load_command_texts(vault, TABLE, is_strict=False)
    assert (texts.help, texts.names) == ({"say": "Sag."}, {})


def test_a_vault_without_these_notes_says_nothing_of_commands_and_has_the_topics_of_the_starter(tmp_path):
    texts = load_command_texts(vault_of(tmp_path, {}), TABLE)
    assert (texts.help, texts.names, sorted(texts.topics)) == ({}, {}, ["agents", "building", "memory", "observatory"])


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


@pytest.mark.parametrize("name", ["%s 2", "%s (copy)", "Copy of %s"])
def test_copies_of_lore_settings_and_sentences_are_left_out_and_the_world_opens(tmp_path, caplog, name):
    vault = open_vault(tmp_path / "world")[0]
    lore, settings = list(load_lore(vault)), load_settings(vault)
    for folder in ("lore", "config", "text", "text/topics"):
        original = vault.names(folder)[0]
        vault.write_text(vault.read_exact(folder, f"{original}.md"), folder, f"{name % original}.md")
    assert (list(load_lore(vault)), load_settings(vault)) == (lore, settings)
    load_wording(vault)
    assert len(caplog.records) == 3
    assert all("is named like a sync copy of" in record.getMessage() for record in caplog.records)
