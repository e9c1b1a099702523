"""A line that is typed at the page is done once, however often the process is killed."""

from __future__ import annotations

import random
import re
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from bench.lib.pages import Door, Page
from bench.lib.servers import WIDE_OPEN
from server.web.play import UNFINISHED
from tests.integration.line_player import SECRET
from tests.integration.running import (
    RunningServer,
    free_port,
    journal_lines,
    new_vault,
    running,
    serve_command,
    started,
)
from tests.integration.scripted_ollama import MODEL, scripted_ollama

pytestmark = pytest.mark.integration

KILLS = 6
AT_ONCE = 8
"""How many lines are sent without waiting for what comes of them."""


class Speaker:
    """A page that says numbers as fast as it can, and sends again what is not known to have arrived."""

    def __init__(self, door: Door) -> None:
        self.door = door
        self.cookie = ""
        self.typed: list[str] = []
        self.page = Page(socket.socket())

    def comes_in(self) -> None:
        """Open a socket, at first or again."""
        if not self.cookie:
            given = {"name": "Otto", "password": SECRET, "chosen": SECRET}
            self.cookie = self.door.ask("/enter", given)[1]
        ticket = self.door.ask("/ticket", {}, self.cookie)[0]["ticket"]
        self.page = self.door.resume(ticket, self.page, self.typed)

    def says(self) -> None:
        """Say the next number."""
        self.typed.append(f"say number {len(self.typed) + 1}")
        self.page.type(self.typed[-1])

    def speaks_until_cut(self) -> None:
        """Say number after number until the connection is lost."""
        try:
            while True:
                if self.page.typed - self.page.took < AT_ONCE:
                    self.says()
                elif not self.page.read():
                    return
        except OSError:
            return


def kill_when_heard(server: RunningServer, seconds: float) -> None:
    """Kill the process so many seconds from now, at the very moment at which Eliza has heard something more."""
    time.sleep(seconds)
    before = size_of_journal(server.vault)
    until = time.monotonic() + 2
    while size_of_journal(server.vault) == before and time.monotonic() < until:
        pass
    server.signal(signal.SIGKILL)


def size_of_journal(vault: Path) -> int:
    """Return how many bytes Eliza's journal has."""
    return sum(path.stat().st_size for path in vault.glob("agents/Eliza/journal/*.md"))


def speak_through_kills(vault: Path, port: int) -> Speaker:
    """Let somebody say numbers while the process is killed again and again; return who that was, at the end."""
    rng, speaker = random.Random(7), Speaker(Door(port))
    for _ in range(KILLS):
        with running(vault, model=f"ollama:{MODEL}") as server:
            speaker.comes_in()
            killing = threading.Thread(target=kill_when_heard, args=(server, rng.uniform(0.05, 0.6)))
            killing.start()
            speaker.speaks_until_cut()
            killing.join()
            server.exit_code()
    with running(vault):
        speaker.comes_in()
        speaker.page.type("say the end")
        until = time.monotonic() + 30
        while 'You say, "the end"' not in speaker.page.texts and time.monotonic() < until:
            speaker.page.read()
    return speaker


def numbers_in_journal(vault: Path) -> list[int]:
    """Return the numbers that Eliza has heard, as her journal has them."""
    text = "\n".join(journal_lines(vault)["Eliza"])
    return [int(found) for found in re.findall(r'Otto says, "number (\d+)"', text)]


def test_whenever_the_process_is_killed_no_line_is_done_twice_and_none_is_lost_in_silence(tmp_path):
    port = free_port()
    with scripted_ollama() as model:
        settings: dict[str, dict[str, Any]] = {
            "config/server.md": {**WIDE_OPEN, "web_port": port, "return_seconds": 600},
            "config/models.md": {"ollama_host": model.host},
        }
        vault = new_vault(tmp_path / "w", settings)
        speaker = speak_through_kills(vault, port)
    texts = speaker.page.texts
    shown = [int(found) for text in texts for found in re.findall(r'You say, "number (\d+)"', text)]
    assert len(speaker.typed) > KILLS * AT_ONCE
    echoed = [text for text in texts if text.startswith("say number")]
    heard = numbers_in_journal(vault)
    assert echoed == speaker.typed  # each was taken once, in order
    assert len(shown) == len(set(shown))
    assert len(heard) == len(set(heard)) > KILLS
    # What is not known to be done stands right before the word that says so.
    missing = set(range(1, len(speaker.typed) + 1)) - set(shown)
    told = [at for at, text in enumerate(texts) if text == UNFINISHED]
    excused = set()
    for at in told:
        while (at := at - 1) >= 0 and texts[at].startswith("say number"):
            excused.add(int(texts[at].split()[-1]))
    assert missing <= excused


@pytest.mark.parametrize(("when", "times"), [("after", 1), ("before", 0)])
def test_a_line_in_which_the_process_is_killed_is_not_done_again_and_the_page_says_so(tmp_path, when, times):
    port, noted = free_port(), tmp_path / "performed"
    vault = new_vault(tmp_path / "w", {"config/server.md": {"web_port": port, "return_seconds": 600}})
    serving = serve_command("--vault", str(vault), "--port", "0", "--model", "none")
    at = serving.index("server")
    command = [
        *serving[:at],
        "tests.integration.killed_in_a_line",
        when,
        "say number 2",
        str(noted),
        *serving[at + 1 :],
    ]
    speaker = Speaker(Door(port))
    with started(command, vault) as server:
        speaker.comes_in()
        speaker.says()
        while 'You say, "number 1"' not in speaker.page.texts:
            speaker.page.read()
        speaker.says()
        assert server.exit_code() == -signal.SIGKILL
    with started(command, vault):
        speaker.comes_in()  # which sends again what is not known to have arrived
        speaker.says()
        while 'You say, "number 3"' not in speaker.page.texts:
            speaker.page.read()
    performed = noted.read_text("utf-8").split("\n")
    assert [performed.count(f"say number {number}") for number in (1, 2, 3)] == [1, times, 1]
    assert [text for text in speaker.page.texts if text.startswith("say ")] == speaker.typed
    assert speaker.page.texts.count(UNFINISHED) == 1
