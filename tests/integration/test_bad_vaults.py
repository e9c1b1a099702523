"""Vaults, notes and options with which a world cannot start, or only in part: a line says what, where and why.

What each refusal says is in tests/server/test_cli.py; here a process ends with it.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.integration.line_player import HOST
from tests.integration.running import ADMIN, fallwater, free_port, new_vault, running

pytestmark = pytest.mark.integration


def is_refused(vault: Path, *parts: str, port: int = 0) -> None:
    """Check that a start ends with code 1 and one line of `fallwater: ...` that holds all the parts."""
    done = fallwater("serve", "--vault", str(vault), "--port", str(port), "--model", "none")
    text = (done.stdout + done.stderr).strip()
    assert (done.returncode, text.count("\n"), text.partition(": ")[0]) == (1, 0, "fallwater"), text
    assert [part for part in parts if part not in text] == [], text


def change(path, old, new):
    """Replace text in a note, which must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# The folder


def test_a_vault_is_made_with_the_folders_above_it(tmp_path):
    with running(tmp_path / "not" / "yet" / "there") as server:
        server.says(", made just now")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["not"]
    assert sorted(path.name for path in (tmp_path / "not" / "yet").iterdir()) == ["there", "there.accounts"]


def test_a_vault_that_cannot_be_written_to_is_told(tmp_path):
    with running(new_vault(tmp_path / "world")) as server:
        server.player("Ana").asks("north")
    whereabouts = tmp_path / "world" / "world"
    for path in sorted(whereabouts.rglob("*"), reverse=True):
        path.unlink()
    whereabouts.rmdir()
    whereabouts.write_text("in the way")
    with running(tmp_path / "world") as server:
        ana = server.player("Ana")
        ana.asks("north")
        assert "Pump Yard" in ana.asks("look")
        server.says("whereabouts could not be saved: world/whereabouts.md")
        assert not server.failure


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere; run this as anybody else")
def test_a_vault_without_permission_is_told(tmp_path):
    vault = new_vault(tmp_path / "world")
    vault.chmod(0o500)
    is_refused(vault, "the vault cannot be written to", "Mend its permissions.")


# The options


def test_a_port_that_is_taken_is_told_with_what_else_to_do(tmp_path):
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        is_refused(new_vault(tmp_path / "world"), f"{HOST}:{port} cannot be opened", "--port, or 0", port=port)


def test_an_ollama_that_nobody_serves_leaves_the_world_open_and_says_how_to_start_it(tmp_path):
    port = free_port()
    vault = new_vault(tmp_path / "world", {"config/models.md": {"ollama_host": f"http://{HOST}:{port}"}})
    with running(vault, "ollama:nothing") as server:
        told = server.says("The agents sleep: ")
        assert f"http://{HOST}:{port}" in told
        assert "ollama serve" in told
        assert "In the world now: 1" in server.player("Ana").asks("who")
        assert not server.failure


# The notes


def test_an_unknown_setting_is_told_with_its_line_and_what_may_be_meant(tmp_path):
    vault = new_vault(tmp_path / "world")
    change(vault / "config" / "server.md", "**port**: 4000", "**prot**: 4000")
    line = (vault / "config" / "server.md").read_text().split("\n").index("**prot**: 4000") + 1
    is_refused(vault, f"config/server.md:{line}: unknown setting 'prot'", "did you mean 'port'?")


def test_rooms_with_broken_notes_open_in_part_and_admins_are_told(tmp_path):
    vault = new_vault(tmp_path / "world")
    change(vault / "rooms" / "The Mill.md", "tags: [room]", "tags: [room")
    (vault / "rooms" / "Pump Yard.md").write_bytes(b"caf\xe9")
    (vault / "rooms" / "Eel Stage.md").unlink()
    told = (
        "rooms/The Mill.md:4: the front matter is not valid YAML",
        "rooms/Pump Yard.md: not UTF-8 text (byte 3); save it as UTF-8.",
        "rooms/The Landing.md: the exit 'east' leads to 'Eel Stage', which has no note in rooms; it is closed",
    )
    with running(vault) as server:
        admin = server.player(ADMIN)
        seen = admin.asks("look")
        for sentence in told:
            server.says(sentence)
            assert sentence in " ".join(admin.text.split())
        assert " ERROR " not in server.log
        assert "north (Pump Yard)" in seen and "east" not in seen
        assert "caf\ufffd" in admin.asks("north")
        assert not server.failure
    assert (vault / "rooms" / "Pump Yard.md").read_bytes() == b"caf\xe9"


def test_a_thing_and_a_person_with_broken_notes_are_left_out_and_the_world_opens(tmp_path):
    vault = new_vault(tmp_path / "world")
    change(vault / "things" / "sealed letter.md", "---", "---\nat: {")
    (vault / "people").mkdir()
    (vault / "people" / "Zoe.md").write_text("---\nnever: ended\n")
    with running(vault) as server:
        server.says("left out: things/sealed letter.md:")
        server.says("left out: people/Zoe.md:1: the front matter begins with '---' but no second '---' ends it.")
        assert "letter" not in server.player("Ana").asks("look")
        assert not server.failure


@pytest.mark.embedded
def test_an_agent_with_a_broken_note_stays_asleep_and_the_others_live(tmp_path):
    vault = new_vault(tmp_path / "world")
    change(vault / "agents" / "Moss" / "agent.md", "think_seconds: 45", "think_seconds: soon")
    change(vault / "agents" / "Odile" / "agent.md", "room: '", "room: ['")
    with running(vault, "embedded") as server:
        server.says("Moss stays asleep: agents/Moss/agent.md:3: think_seconds is 'soon'; expected a number from 0.5")
        server.says("left out: agents/Odile/agent.md:")
        server.says("The agents think with the embedded model")
        ana = server.player("Ana")
        ana.types("who")
        ana.expects("In the world now: 2\n")
        assert "Eliza (agent)" in ana.expects("\n> ")
        assert not server.failure


def test_a_torn_journal_and_a_strange_whereabouts_are_mended_and_told(tmp_path):
    vault = new_vault(tmp_path / "world")
    journal = vault / "agents" / "Eliza" / "journal"
    journal.mkdir()
    kept = "- 20:35:01.123 observed · The Landing · Moss nods. ^m1"
    (journal / "2026-01-02.md").write_text(f"# Eliza\n\n{kept}\n- 20:35:02.000 observed · The Lan")
    (vault / "world").mkdir()
    (vault / "world" / "whereabouts.md").write_text(
        "## Characters\n- [[Moss]]: [[Atlantis]]\n- nonsense\n- [[Odile]]: \n## Things\n- [[tin cup]]: [[Nobody]]\n"
    )
    with running(vault) as server:
        assert "Memory of Eliza: 1 memories." in server.player(ADMIN).asks("@memory-status Eliza")
        assert not server.failure
    assert kept in (journal / "2026-01-02.md").read_text().split("\n")
    assert "20:35:02.000 observed · The Lan" in (journal / "quarantine.md").read_text()
