"""A lived-in world whose notes are edited at random meanwhile, and what must be true of it afterwards.

Both sides leave words that stand nowhere else: the editor in its notes, three players by `@set`, `@detail` and `@exit`.
At the end each word of either side stands in a note, or in a file that the log names, unless its own side removed it.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.integration.line_player import LinePlayer
from tests.integration.random_editor import words_in
from tests.integration.running import ADMIN, CLEAN, ROOT, RunningServer, new_vault, running
from tests.integration.scripted_ollama import MODEL, scripted_ollama
from vault.note import parse_note
from vault.vault import Vault

ROOMS = ("The Landing", "Pump Yard", "Kettle House", "The Mill", "Eel Stage", "Dry Room", "Ink Yard", "The Weir")
BUILDERS = ("Ana", "Ben", "Cat")
QUIET_SECONDS = 4.0
DONE = re.compile(r"You (?:change|open a way)")


@dataclass
class Outcome:
    """What was found at the end.

    `lost` are words that are nowhere, `bodiless` notes without their body, `alive` copies that came alive, `differing`
    what the notes say otherwise than the world that ran.
    """

    seed: int
    edits: int
    editor_words: int = 0
    world_words: int = 0
    lost: list[str] = field(default_factory=list)
    bodiless: list[str] = field(default_factory=list)
    alive: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)
    failure: str = ""

    @property
    def faults(self) -> list[str]:
        """All that is wrong, a sentence each."""
        return [*self.lost, *self.bodiless, *self.alive, *self.differing, *([self.failure] if self.failure else [])]


class Builder:
    """A player who writes words into rooms; `words` are those that count, by room and field."""

    def __init__(self, server: RunningServer, name: str, rng: random.Random) -> None:
        self._player: LinePlayer = server.player(name)
        self._name = name
        self._rng = rng
        self.words: dict[tuple[str, str], str] = {}

    def acts(self) -> None:
        """Do one thing, and note its word if the world says that it is done."""
        word, room, number = f"qw{self._rng.getrandbits(40):010x}", self._rng.choice(ROOMS), self._rng.randrange(4)
        key = f"{self._name.lower()}{number}"
        act = self._rng.choice(["set", "set", "detail", "move"])
        if act == "set" and DONE.search(self._player.asks(f"@set {room} {key} = {word}")):
            self.words[room, key] = word
        elif act == "detail":
            where = self._player.asks("@examine here")
            here = next((name for name in ROOMS if f"Note: {name}\n" in where.replace("\r", "")), "")
            if here and DONE.search(self._player.asks(f"@detail {key} -> {word}")):
                self.words[here, f"detail {key}"] = word
        else:
            self._player.asks(f"@teleport me to {room}")

    def leaves(self) -> None:
        """Go."""
        self._player.types("quit")
        self._player.is_shown_out()


def edit_a_lived_in_world(folder: Path, seed: int, edits: int) -> Outcome:
    """Let an editor, three builders and three agents at a new vault; return what is found at the end."""
    ledger, rng, outcome = folder / "ledger.json", random.Random(seed), Outcome(seed, edits)
    with scripted_ollama() as ollama:
        vault = new_vault(folder / "world", {"config/models.md": {"ollama_host": ollama.host}})
        with running(vault, f"ollama:{MODEL}") as server:
            builders = _builders(server, rng)
            arguments = [str(vault), str(seed), str(edits), str(ledger)]
            command = [sys.executable, "-m", "tests.integration.random_editor", *arguments]
            editor = subprocess.Popen(command, cwd=ROOT, env=CLEAN)
            try:
                while editor.poll() is None:
                    rng.choice(builders).acts()
                    time.sleep(0.02)
            finally:
                editor.kill()
                editor.wait()
            assert editor.returncode == 0
            _settle(server)
            for builder in builders:
                builder.leaves()
            seen = _examined(server, vault)
            server.signal(15)
            assert server.exit_code() == 0
            outcome.failure = server.failure
            (folder / "server.log").write_text(server.log, "utf-8")
            _judge(outcome, vault, json.loads(ledger.read_text("utf-8")), builders, server.log)
    with running(vault) as server:
        again = _examined(server, vault)
    differing = [name for name, words in seen.items() if words != again.get(name)]
    outcome.differing = [f"{name}: {set(seen[name]) ^ set(again.get(name, []))}" for name in differing]
    return outcome


def _examined(server: RunningServer, vault: Path) -> dict[str, list[str]]:
    """Return the words that an admin is shown of every room, thing and person, whatever the order of its lists."""
    admin, folder = server.player(ADMIN), Vault(vault)
    seen = {}
    for name in [*folder.names("rooms"), *folder.names("things")]:
        shown = re.sub(r"(?m)^(?:Here|Asleep here): .*$", "", admin.asks(f"@examine {name}"))
        seen[name] = sorted(re.split(r"[\s,.>]+", shown))
    admin.types("quit")
    admin.is_shown_out()
    return seen


def _builders(server: RunningServer, rng: random.Random) -> list[Builder]:
    builders = [Builder(server, name, random.Random(rng.getrandbits(64))) for name in BUILDERS]
    admin = server.player(ADMIN)
    for name in BUILDERS:
        admin.asks(f"@grant {name} builder")
    admin.types("quit")
    admin.is_shown_out()
    return builders


def _settle(server: RunningServer) -> None:
    """Wait until no edit has been taken in for a while, and longer than a note may be gone."""
    quiet_since, seen, begun = time.monotonic(), len(server.lines), time.monotonic()
    while time.monotonic() - quiet_since < QUIET_SECONDS or time.monotonic() - begun < 15:
        time.sleep(0.2)
        edits = sum(".md" in line for line in server.lines)
        if edits != seen:
            quiet_since, seen = time.monotonic(), edits


def _judge(outcome: Outcome, vault: Path, saved: dict[str, str], builders: list[Builder], log: str) -> None:
    texts = {path.relative_to(vault).as_posix(): path.read_text("utf-8", "replace") for path in vault.rglob("*.md")}
    notes = {source: text for source, text in texts.items() if not source.startswith(".")}
    named = "\n".join(text for source, text in texts.items() if source.startswith(".") and source in log)
    folders = ("rooms", "things", "people")
    entities = "\n".join(text for source, text in notes.items() if source.split("/")[0] in folders)
    for source, text in saved.items():
        for word in words_in(text):
            outcome.editor_words += 1
            if word not in notes.get(source, "") and word not in named and word not in entities:
                outcome.lost.append(f"{source}: the editor's {word}")
        if _has_body(text, source) and source in notes and not _has_body(notes[source], source):
            outcome.bodiless.append(f"{source}: has no body")
    for builder in builders:
        for (room, key), word in builder.words.items():
            outcome.world_words += 1
            if word not in entities and word not in named:
                outcome.lost.append(f"{room}: {key} = {word}")
    outcome.alive = re.findall(r"\S.*onflict.*loaded, as it is new", log)


def _has_body(text: str, source: str) -> bool:
    return bool(parse_note(text, source).body.strip())
