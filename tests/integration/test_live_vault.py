"""A vault is edited by others while its world runs: all of it comes into force, and nothing is lost."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.line_player import LinePlayer
from tests.integration.running import ADMIN, RunningServer, eventually, new_vault, running
from tests.integration.two_writers import edit_a_lived_in_world
from vault.watch import MISSING_SECONDS

pytestmark = pytest.mark.integration

SOON = 1.0  # seconds; what is edited is in force by then


@pytest.fixture
def admin(server: RunningServer) -> Iterator[LinePlayer]:
    """An admin in the world of this module."""
    admin = server.player(ADMIN)
    yield admin
    admin.close()


def whole(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


def truncated(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.flush()
        time.sleep(0.1)
        file.write(text)


def renamed(path: Path, text: str) -> None:
    draft = path.with_name("sedXYZ123")
    draft.write_text(text, "utf-8")
    os.replace(draft, path)


def with_backup(path: Path, text: str) -> None:
    path.rename(path.with_name(f"{path.name}~"))
    path.with_name(f".{path.name}.swp").write_bytes(b"swap")
    path.write_text(text, "utf-8")


@pytest.mark.parametrize("save", [whole, truncated, renamed, with_backup])
def test_an_edit_is_in_force_and_told_within_a_second(server, admin, save: Callable[[Path, str], None]):
    note, seen = server.vault / "rooms" / "The Landing.md", f"A kite hangs in the rigging, {save.__name__}."
    save(note, note.read_text("utf-8").replace("## Exits", f"{seen}\n\n## Exits", 1))
    admin.expects("rooms/The Landing.md: reloaded.", within=SOON)
    assert seen in admin.asks("look")


def test_a_folder_that_is_new_is_watched_and_one_that_is_gone_is_let_go(server, admin):
    folder = server.vault / "agents" / "Pim"
    folder.mkdir()
    whole(folder / "agent.md", "---\nroom: '[[The Mill]]'\n---\nYou are Pim.\n")
    admin.expects("agents/Pim/agent.md: loaded, as it is new.", within=SOON)
    whole(folder / "agent.md", "---\nroom: '[[The Mill]]'\n---\nYou are Pim, a boy.\n")
    admin.expects("agents/Pim/agent.md: reloaded.", within=SOON)
    (folder / "agent.md").unlink()
    admin.expects("agents/Pim/agent.md: is gone, and Pim sleeps", within=MISSING_SECONDS + 2 * SOON)


def test_a_broken_note_is_told_with_its_line_and_changes_nothing(server, admin):
    note = server.vault / "rooms" / "The Mill.md"
    whole(note, note.read_text("utf-8").replace("tags:", "tags: [", 1))
    admin.expects("rooms/The Mill.md:", within=SOON)
    admin.expects("What it said before still counts.", within=SOON)
    server.says("the front matter is not valid YAML")
    assert "Exits: " in admin.asks("look")


BOARD = "```\n## Rules\n- **no**: [[Swords]]\n```"
LANDING = f"""\
---
number: 1 # of the maps
tags: [room]
---
%% drawn from the old quay; ask Ana %%
Green planks.

{BOARD}

<!--
## Exits
- **moon**: [[The Moon]]
-->

## exits

- **north**, n, pump: [[Pump Yard]] %% mended in May %%
* **east**, e, stage: [[Eel Stage]]

## Details
- **bell**: It hangs
  from a post.

## Notes for builders
~~~
**port**: 9
~~~
"""


def test_a_note_with_code_and_comments_is_edited_from_both_sides(tmp_path):
    vault = new_vault(tmp_path / "world")
    note, shared = vault / "rooms" / "The Landing.md", vault / "shared" / "the quay.txt"
    shared.parent.mkdir()
    shared.write_bytes(LANDING.encode().replace(b"\n", b"\r\n"))
    shared.chmod(0o640)
    note.unlink()
    note.symlink_to("../shared/the quay.txt")
    with running(vault) as server:
        admin = server.player(ADMIN)
        seen = admin.asks("look")
        assert "## Rules" in seen and "moon" not in seen and "ask Ana" not in seen
        assert "Exits: north (Pump Yard), east (Eel Stage)." in seen
        assert "bell" in admin.asks("@detail bell -> Cracked.")
        edited = shared.read_bytes().replace(b"Green planks.", b"Grey planks.")
        shared.write_bytes(edited)
        admin.asks("@reload")
        assert "Grey planks." in admin.asks("look")
        admin.asks("@describe here -> Wet stones.\\n```\\n## Exits")
        admin.asks("@dig down to Low Tide")
        shared.write_bytes(shared.read_bytes().replace(b"mended in May", b"mended in June"))
        admin.asks("@reload")
        assert "Wet stones." in admin.asks("look")
        assert not server.failure
    assert note.is_symlink() and shared.stat().st_mode & 0o777 == 0o640
    text = shared.read_bytes().decode()
    assert text.replace("\r\n", "\n").count("\r") == 0 and text.count("\n") == text.count("\r\n")
    expected = (
        LANDING.replace(f"Green planks.\n\n{BOARD}\n", "Wet stones.\n\\```\n\\## Exits\n")
        .replace("May", "June")
        .replace("It hangs\n  from a post.", "Cracked.")
        .replace("[[Eel Stage]]\n", "[[Eel Stage]]\n- **down**, d: [[Low Tide]]\n")
    )
    head, body = text.replace("\r\n", "\n").split("\n---\n", 1)
    assert head.startswith("---\nnumber: 1 # of the maps\ntags: [room]\n")
    assert body == expected.split("\n---\n", 1)[1]
    with running(vault) as server:
        seen = server.player(ADMIN).asks("look")
    assert "## Exits" in seen and "Exits: north (Pump Yard), east (Eel Stage), down (Low Tide)." in seen


def test_a_world_with_a_bad_start_room_lets_people_in_and_tells_admins(tmp_path):
    vault = new_vault(tmp_path / "world")
    note = vault / "rooms" / "The Landing.md"
    good = note.read_text("utf-8")
    note.write_text(good.replace("tags: [room]", "tags: [room", 1).replace("[[Eel Stage]]", "[[Heel Stage]]"), "utf-8")
    with running(vault) as server:
        ana, admin = server.player("Ana"), server.player(ADMIN)
        assert "rooms/The Landing.md:4: the front matter is not valid YAML" in admin.text + admin.asks("look")
        seen = ana.asks("look")
        assert "Green planks" in seen and "north" in seen and "east" not in seen
        note.write_text(good, "utf-8")
        admin.expects("rooms/The Landing.md: reloaded.", within=2 * SOON)
        assert "east" in ana.asks("look")
        assert note.read_text("utf-8") == good
        assert not server.failure


def test_folders_and_notes_that_are_away_come_back_as_they_were(tmp_path):
    vault, away = new_vault(tmp_path / "world"), tmp_path / "away"
    away.mkdir()
    folders = ("agents", "people", "rooms", "things")
    with running(vault) as server:
        admin = server.player(ADMIN)
        for line in ("@create crate", "@set crate container = yes", "@create coin", "put coin in crate"):
            admin.asks(line)
        for name in folders:
            (vault / name).rename(away / name)
        assert "the folder rooms is away; bring it back" in " ".join(admin.asks("@dig down to Low Tide").split())
        admin.asks("@create pin")
        assert [name for name in folders if (vault / name).exists()] == []
        for name in folders:
            (away / name).rename(vault / name)
        assert eventually(lambda: "down" in admin.asks("look") and (vault / "rooms/Low Tide.md").exists())
        assert eventually(lambda: "pin" in admin.asks("inventory") and (vault / "things/pin.md").exists())
        assert not server.failure
        server.kill()
    notes = [*(f"things/{name}.md" for name in ("crate", "coin")), "agents/Moss/agent.md", f"people/{ADMIN}.md"]
    for note in notes:
        (away / note).parent.mkdir(parents=True, exist_ok=True)
        (vault / note).rename(away / note)
    with running(vault) as server:
        server.kill()
    for note in (*notes[2:], notes[0]):
        (away / note).rename(vault / note)
    with running(vault) as server:
        admin = server.player(ADMIN)
        assert "a crate and a pin" in " ".join(admin.asks("inventory").split())
        (away / notes[1]).rename(vault / notes[1])
        admin.expects("things/coin.md: is back", within=2 * SOON)
        assert "In the crate: a coin." in admin.asks("inventory")
        assert "Spray Garden" in admin.asks("@examine Moss")
        assert not server.failure


def test_two_hundred_random_edits_of_a_lived_in_world_lose_no_word(tmp_path):
    outcome = edit_a_lived_in_world(tmp_path, seed=1, edits=200)
    assert outcome.faults == []
    assert min(outcome.editor_words, outcome.world_words) > 20
