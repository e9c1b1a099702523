"""Words and notes that try to be more: they stand in the world and the vault as they were written, and do nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.hostile import CONTROLS, INJECTIONS, MARKUP
from tests.integration import attacking
from tests.integration.attacking import INDEX, attack
from tests.integration.running import ADMIN, CLEAN, ROOT, running
from world.parsing import collapse_whitespace
from world.sanitize import clean_line

pytestmark = pytest.mark.integration

WORDS = [text for text in (*MARKUP, *INJECTIONS[::3], *CONTROLS[:-1]) if "\n" not in text and text.strip()]
VERBS = (
    *("say", "emote", "shout", "whisper Bystander", "tell Bystander", "share plan ->", "think", "goal", "reply"),
    *("note", "note Words ->", "alias", "alias w =", "afk", "give", "look", "help", "@my-description", "lastseen"),
)
BUILDING = (
    *("@create", "@dig", "@dig north to", "@describe here ->", "@detail", "@detail crack ->", "@set here mood ="),
    *("@set here tags =", "@alias slip ->", "@rename slip ->", "@describe me ->", "@teleport me to", "@destroy"),
    *("@rename", "@exit", "@create-agent", "@set-profile Eliza ->", "@set-description Eliza ->", "@audit", "@ban"),
    *("@announce", "@narrative", "@show-config", "@memory-find Eliza", "@memory-pin Eliza", "@kick"),
)


def test_what_is_written_stands_there_as_it_was_written_after_a_restart(tmp_path):
    with attacking.target(tmp_path) as target:
        before = attacking.files_of(target.server)
        with attack(target, f"{len(VERBS) * len(WORDS)} hostile texts of a player", new_files=(".md", *INDEX)):
            target.plays("Writer", *(f"{verb} {text}" for verb in VERBS for text in WORDS))
        with attack(target, f"{len(BUILDING) * len(WORDS)} hostile texts of a builder", new_files=(".md", *INDEX)):
            builder = target.plays(ADMIN, *(f"{verb} {text}" for verb in BUILDING for text in WORDS))
        builder = target.plays(ADMIN, "@teleport me to The Landing", *WRITING)
        builder.expects("\n> ")
        shown = told_by(builder)
        builder.types("@save")
        builder.expects("\n> ")
        builder.close()
        new = attacking.files_of(target.server) - before
        assert {path for path in new if not path.startswith(KNOWN_FOLDERS)} == set()
    assert shown == [f"{text}\n" for text in KEPT]
    with running(tmp_path / "world") as again:
        assert not again.failure
        assert "not valid" not in again.log, again.log
        assert told_by(again.player(ADMIN)) == shown


KNOWN_FOLDERS = (
    *(
        f"world/{name}/"
        for name in ("rooms", "things", "agents", "people", "world", "config", "chronicle", ".index", ".trash")
    ),
    "world.accounts/",
)
EDITED = (*(f"{folder}*" for folder in KNOWN_FOLDERS), "away/*", ".ledger")
KEPT = [
    text for text in map(collapse_whitespace, map(clean_line, WORDS)) if text and "|" not in text and "\\" not in text
]
WRITING = [f"@detail kept{number} -> {text}" for number, text in enumerate(KEPT)]


def told_by(builder):
    """Return what is seen of each detail that was written, as it is on a screen that is wide enough."""
    told = []
    for number in range(len(KEPT)):
        builder.types(f"look kept{number}")
        told.append(builder.expects("\n> ").removeprefix("\n").removesuffix("> "))
    return told


def test_two_editors_and_a_sync_tool_hold_nobody_up(tmp_path):
    """Three processes edit, break, take away and restore the same notes, those of people and agents too."""
    with attacking.target(tmp_path) as target:
        target.logs = attacking.LOGS[:1]  # an agent whose note is away remembers nothing
        command = [sys.executable, "-m", "tests.integration.random_editor", str(target.server.vault)]
        with attack(target, "two editors and a sync tool", new_files=EDITED):
            editors = [
                subprocess.Popen([*command, seed, "40", str(tmp_path / f"{seed}.ledger")], cwd=ROOT, env=CLEAN)
                for seed in ("1", "2", "3")
            ]
            for editor in editors:
                editor.wait(120)
