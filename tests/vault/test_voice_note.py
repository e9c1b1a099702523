"""The examples of how an agent talks: what a line may be, and what is wrong with one that is none."""

from __future__ import annotations

import logging

import pytest

from tests.vault.vault_of import vault_of
from vault.check_world import check_settings
from vault.entities.agent_notes import load_agent
from vault.entities.voice_note import MAX_ANSWER_CHARACTERS, MAX_EXCHANGES, Exchange, load_voice, read_voice
from vault.vault import STARTER, Vault

VOICE = "agents/Rook/voice.md"
GOOD = "How Rook talks.\n\n**how are you; what's up**: Dry.\n"


def test_a_line_is_what_is_said_in_several_wordings_and_the_answer_and_others_are_for_readers(tmp_path):
    vault = vault_of(tmp_path, {VOICE: GOOD})
    assert load_voice(vault, "Rook") == (Exchange(("how are you", "what's up"), ("Dry.",)),)
    assert load_voice(vault, "Wren") == ()


def test_a_line_may_have_subjects_several_answers_and_what_is_said_to_anything(tmp_path):
    lines = (
        "**... my hat; …my coat**: Was the {word} wet? | Is it warm?",
        "**I am cold; …freezing**: Come in.",
        "**…**: Go on. | And then? |",
        "**…?**: Ask the cook.",
    )
    vault = vault_of(tmp_path, {VOICE: "\n".join(lines)})
    assert load_voice(vault, "Rook") == (
        Exchange((), ("Was the {word} wet?", "Is it warm?"), ("my hat", "my coat")),
        Exchange(("I am cold",), ("Come in.",), ("freezing",)),
        Exchange((), ("Go on.", "And then?"), (), "told"),
        Exchange((), ("Ask the cook.",), (), "asked"),
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("**how are you**", "expected what somebody says and what is answered"),
        ("** ; **: Dry.", "expected what somebody says and what is answered"),
        ("**how are you**: |", "expected what somebody says and what is answered"),
        ("**how are you; …**: Dry.", "stand in a line of their own"),
        ("**my hat; …my coat**: Was the {word} wet?", "expected all that somebody says to begin with …"),
        (f"**how are you**: {'x' * (MAX_ANSWER_CHARACTERS + 1)}", f"{MAX_ANSWER_CHARACTERS + 1} characters"),
    ],
)
def test_a_line_that_is_not_valid_is_named_and_the_others_count(line, why, tmp_path, caplog):
    vault = vault_of(
        tmp_path, {VOICE: f"{GOOD}{line}\n", "agents/Rook/agent.md": "---\nroom: '[[Inn]]'\n---\nA rook.\n"}
    )
    with caplog.at_level(logging.WARNING):
        assert [one.answers for one in load_agent(vault, "Rook").voice] == [("Dry.",)]
    assert f"{VOICE}:4: " in caplog.text
    assert why in caplog.text
    assert any(one.source == VOICE and one.line == 4 and why in one.text for one in check_settings(vault))


def test_of_an_endless_note_the_beginning_counts(tmp_path):
    lines = [f"**what is {number}**: It is {number}." for number in range(MAX_EXCHANGES + 1)]
    found, faults = read_voice(vault_of(tmp_path, {VOICE: "\n".join(lines)}), "Rook")
    assert (len(found), found[-1].answers) == (MAX_EXCHANGES, (f"It is {MAX_EXCHANGES - 1}.",))
    assert [str(one) for one in faults] == [f"{VOICE}:{MAX_EXCHANGES + 1}: only {MAX_EXCHANGES} lines are read."]


def test_a_note_that_is_no_text_leaves_the_agent_without_examples(tmp_path, caplog):
    vault = vault_of(tmp_path, {VOICE: GOOD, "agents/Rook/agent.md": "---\nroom: '[[Inn]]'\n---\nA rook.\n"})
    vault.path(*VOICE.split("/")).write_bytes(b"caf\xe9")
    assert load_agent(vault, "Rook").voice == ()
    assert "voice.md: not UTF-8 text" in caplog.text


@pytest.mark.parametrize("name", ["Eliza", "Moss", "Odile"])
def test_the_agents_of_the_starter_have_examples_each_of_its_own(name):
    found = load_voice(Vault(STARTER), name)
    answers = [answer for one in found for answer in one.answers]
    assert len(found) >= 40
    assert len(set(answers)) == len(answers)
    assert {one.to_any for one in found} == {"", "told", "asked", "pressing"}
    phrases = [phrase for one in found for phrase in one.subjects]
    assert len(set(phrases)) == len(phrases)
