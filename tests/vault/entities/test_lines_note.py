"""The lines of an agent's author: what a line of the note may be, and what is wrong with one that is none."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import pytest

from tests.vault.vault_of import vault_of
from vault.check_world import check_settings
from vault.entities.agent_notes import load_agent
from vault.entities.lines_note import (
    MAX_ENTRIES,
    MAX_LINE_CHARACTERS,
    MAX_LISTED,
    MAX_WORDINGS,
    Entry,
    Heading,
    Lines,
    read_lines,
)
from vault.vault import STARTER, Vault, agent_names

NOTE = "agents/Rook/lines.md"
AGENT = {"agents/Rook/agent.md": "---\nroom: '[[Inn]]'\n---\nA rook.\n"}
GOOD = "For readers.\n\n**how are you**: Dry.\n"
WORDS = "damp Ärger καλά 你好 don't yes|no 7 a*b é ಕನ್ನಡ".split()


def _text(rng: random.Random, without: str) -> str:
    words = [word for word in WORDS if not set(word) & set(without)]
    return " ".join(rng.choice(words) for _ in range(rng.randint(1, 6)))


def _random_lines(rng: random.Random) -> Lines:
    entries = tuple(
        Entry(
            tuple(_text(rng, "*;") for _ in range(rng.randint(1, 4))),
            tuple(_text(rng, "") for _ in range(rng.randint(1, 4))),
        )
        for _ in range(rng.randint(0, 8))
    )
    return Lines(entries, *(tuple(_text(rng, "") for _ in range(rng.randint(0, 4))) for _ in Heading))


def _note_of(lines: Lines, rng: random.Random) -> str:
    """Return the note of some lines, with other text between them."""
    parts = ["For readers: ** and | and - are *text* here."]
    parts += [f"**{'; '.join(entry.heard)}**: {' | '.join(entry.answers)}" for entry in lines.entries]
    for heading in rng.sample([*Heading], len(Heading)):
        parts += [
            f"## {rng.choice([heading, heading.upper()])}",
            "Text.",
            *(f"- {one}" for one in lines.below(heading)),
        ]
    return "\n".join([*parts, "## Ideas", "- not a line to say", "```", "**in code**: No.", "```", ""])


@pytest.mark.parametrize("seed", range(50))
def test_every_entry_is_read_back(seed: int, tmp_path: Path):
    rng = random.Random(seed)
    lines = _random_lines(rng)
    vault = vault_of(tmp_path, {NOTE: _note_of(lines, rng)})
    assert read_lines(vault, "Rook") == (lines, [])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("**how are you**", "expected what somebody says and what is answered, as **how are you; how do you do**:"),
        ("** ; **: Dry.", "expected what somebody says"),
        ("**how are you**: |", "expected what somebody says"),
        ("**how are you; …my hat**: Dry.", "'…my hat' is no whole wording; expected what somebody says"),
        ("**?!**: Dry.", "'?!' is no whole wording"),
        ("**my hat**: Is your {word} wet?", "nothing is filled in for {word}"),
        (f"**a**: {'x' * (MAX_LINE_CHARACTERS + 1)}", f"a line has {MAX_LINE_CHARACTERS + 1} characters; expected at"),
        (f"**{'x' * (MAX_LINE_CHARACTERS + 1)}**: a", f"a wording has {MAX_LINE_CHARACTERS + 1} characters"),
        (
            f"**{'; '.join('a' * (MAX_WORDINGS + 1))}**: b",
            f"{MAX_WORDINGS + 1} wordings and 1 answers; expected at most",
        ),
        ("## On meting", "the heading 'On meting' is none of this note; did you mean 'On meeting'?"),
    ],
)
def test_fault_is_named_with_its_line(line: str, why: str, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    vault = vault_of(tmp_path, AGENT | {NOTE: f"{GOOD}{line}\n**who are you**: Rook.\n"})
    with caplog.at_level(logging.WARNING):
        assert [entry.answers for entry in load_agent(vault, "Rook").lines.entries] == [("Dry.",), ("Rook.",)]
    assert f"left out: {NOTE}:4: {why}" in caplog.text
    found = [one for one in check_settings(vault) if one.source == NOTE]
    assert [one.line for one in found] == [4] and found[0].text.startswith(why)


def test_too_many_lines_are_left_out(tmp_path: Path):
    entries = [f"**how are you {n}**: Dry." for n in range(MAX_ENTRIES + 2)]
    listed = ["## Unasked", *(f"- Rain {n}." for n in range(MAX_LISTED + 1))]
    lines, faults = read_lines(vault_of(tmp_path, {NOTE: "\n".join((*entries, *listed))}), "Rook")
    assert (len(lines.entries), len(lines.unasked)) == (MAX_ENTRIES, MAX_LISTED)
    places = (MAX_ENTRIES + 1, MAX_ENTRIES + 2, MAX_ENTRIES + 2 + len(listed))
    assert [str(fault).partition(": ")[0] for fault in faults] == [f"{NOTE}:{line}" for line in places]


def test_no_line_holds_a_private_reason(tmp_path: Path):
    vault = vault_of(tmp_path, {NOTE: "**yes**: A| B |C ｜ D\n\n## Parting\n- Go. | Well.\n"})
    assert read_lines(vault, "Rook") == (
        Lines((Entry(("yes",), ("A", "B", "C", "D")),), parting=("Go.", "Well.")),
        [],
    )


def test_agent_without_lines_says_none(tmp_path: Path):
    assert load_agent(vault_of(tmp_path, AGENT), "Rook").lines == Lines()


def test_note_that_is_no_text_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    vault = vault_of(tmp_path, AGENT)
    (tmp_path / NOTE).write_bytes(b"**a**: \xff\xfe")
    with caplog.at_level(logging.WARNING):
        assert load_agent(vault, "Rook").lines == Lines()
    assert f"{NOTE}: not UTF-8 text" in caplog.text


def test_old_voice_note_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    old = "agents/Rook/voice.md"
    vault = vault_of(tmp_path, AGENT | {old: "**how are you**: Dry.\n"})
    with caplog.at_level(logging.WARNING):
        load_agent(vault, "Rook")
    why = "this note is not read any more; its lines belong into lines.md"
    assert f"{old}:1: {why}" in caplog.text
    assert [one.text[: len(why)] for one in check_settings(vault) if one.source == old] == [why]


@pytest.mark.parametrize("name", agent_names(Vault(STARTER)))
def test_starter_lines_are_valid(name: str):
    lines, faults = read_lines(Vault(STARTER), name)
    assert faults == []
    assert len(lines.entries) >= 60
