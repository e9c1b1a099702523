"""Which paths the running world reads, and that changes of just these are noticed."""

from __future__ import annotations

import errno
import threading

import pytest

from tests.vault.vault_of import vault_of
from vault.watch import Watcher, is_watched


@pytest.mark.parametrize(
    "source",
    [
        "rooms/The Mill.md",
        "things/iron key.md",
        "people/Ana.md",
        "config/world.md",
        "text/topics/roles.md",
        "agents/Moss/agent.md",
        "agents/Moss/yesterday.md",
        "agents/Moss/lines.md",
        "agents/Moss/templates/own.md",
        "rooms",
        "agents",
        "agents/Moss",
    ],
)
def test_what_the_world_reads_is_watched(source):
    assert is_watched(source)


@pytest.mark.parametrize(
    "source",
    [
        "rooms/.The Mill.md.swp",
        "rooms/.The Mill.md.123.draft",
        "rooms/The Mill.md~",
        "rooms/4913",
        "rooms/.The Mill.md",
        "world/whereabouts.md",
        "agents/Moss/facts.md",
        "agents/Moss/journal/2026-03-01.md",
        "agents/Moss/summaries/recent.md",
        ".trash/rooms/The Mill.md",
        ".obsidian/workspace.json",
        ".git/index",
    ],
)
def test_what_editors_and_the_world_itself_leave_is_not(source):
    assert not is_watched(source)


def test_one_call_is_made_until_what_changed_is_taken(tmp_path):
    calls: list[str] = []
    watch = Watcher(vault_of(tmp_path, {"rooms/Hall.md": ""}), lambda: calls.append("changed"))
    root = tmp_path.resolve()
    for path in ("rooms/Hall.md", "rooms/.Hall.md.1.draft", "things/lamp.md", "agents/Moss/facts.md"):
        watch._record([str(root / path)])
    assert calls == ["changed"]
    assert watch.drain_changes() == {"rooms/Hall.md", "things/lamp.md"}
    watch._record([str(root / "rooms/Hall.md")])
    assert (calls, watch.drain_changes()) == (["changed", "changed"], {"rooms/Hall.md"})


def test_nothing_is_taken_from_the_system_before_the_watch_begins(tmp_path, monkeypatch):
    def none_left() -> None:
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    monkeypatch.setattr("vault.watch.Observer", none_left)
    watch = Watcher(vault_of(tmp_path, {}), lambda: None)
    with pytest.raises(OSError, match="limit reached"):
        watch.start()
    watch.stop()


def test_what_lies_outside_the_vault_is_nobody_s_business(tmp_path):
    watch = Watcher(vault_of(tmp_path / "world", {}), lambda: pytest.fail("called"))
    watch._record([str(tmp_path / "rooms" / "Hall.md")])
    assert watch.drain_changes() == set()


def test_many_threads_lose_no_path(tmp_path):
    watch = Watcher(vault_of(tmp_path, {}), lambda: None)
    root = tmp_path.resolve()

    def note(first: int) -> None:
        for number in range(first, first + 200):
            watch._record([str(root / f"rooms/{number}.md")])

    threads = [threading.Thread(target=note, args=(first,)) for first in range(0, 800, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert watch.drain_changes() == {f"rooms/{number}.md" for number in range(800)}
