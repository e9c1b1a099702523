"""The measured servers, and their players.

Fallwater runs in a process of its own, and so does a bare broadcast over Twisted; the town is in each. Accounts, people
who type, and long journals are prepared in bulk.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.lib.broadcast_server import GREETING
from bench.lib.town import DESCRIPTION, SEEN, SQUARE, room, rooms_for, town
from server.accounts.database import AccountDatabase, default_folder
from server.accounts.passwords import Argon2
from server.accounts.schema import Account
from vault.entities.schema import save_entity
from vault.memory.segment import MAX_ENTRIES_PER_FILE, header, segment_name
from vault.vault import STARTER, Vault
from world.entities import Character

TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")
OPEN = re.compile(r"is open on ([\d.]+):(\d+)")

WIDE_OPEN: Mapping[str, object] = {
    # Nothing of this is what is measured, and one address is everybody's here.
    "max_connections": 20000,
    "connections_per_address": 0,
    "connects_per_minute": 0,
    "lines_per_second": 0,
    "login_seconds": 3600,
}
AGENTS = 50
MODEL = "scripted"
ANSWER_SECONDS = 1.5

BARE = "bare Twisted"


@dataclass(frozen=True)
class Served:
    """A server as a client needs to know it. `greeting` is the first text of a connection.

    `comes_in` returns the lines that a client types to stand in the square, by its number. `vault` is the world's, None
    where there is none.
    """

    name: str
    port: int
    pids: tuple[int, ...]
    greeting: bytes
    comes_in: Callable[[int], Sequence[tuple[bytes, bytes]]]
    vault: Path | None = None


@dataclass(frozen=True)
class Running:
    """A server that accepts connections. `seconds` is the time from starting the process to that moment."""

    process: subprocess.Popen[str]
    port: int
    seconds: float

    def rss_megabytes(self) -> float:
        """Return the resident memory of the process (Linux)."""
        return resident_kib([self.process.pid]) / 1024


def resident_kib(pids: Sequence[int]) -> int:
    """Return the resident memory of some processes, in KiB (Linux)."""
    texts = [Path(f"/proc/{pid}/status").read_text("utf-8") for pid in pids]
    return sum(int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) for text in texts)


def cpu_seconds(pids: Sequence[int]) -> float:
    """Return the processor time that some processes have used, in seconds (Linux)."""
    fields = [Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in fields) / TICKS_A_SECOND


@contextmanager
def run_server(model: str, vault: Path | None = None) -> Iterator[Running]:
    """Start a server on a free port, in a vault that is thrown away unless one is given, and end it afterwards.

    Raises: RuntimeError with what it printed if it does not open.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "server", "serve", "--port", "0", "--model", model]
        started = time.perf_counter()
        log = Path(folder) / "log"
        with log.open("w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [*command, "--vault", str(vault or Path(folder) / "world")],
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        try:
            try:
                port = _port_of(process)
            except RuntimeError as error:
                raise RuntimeError(f"{error}{log.read_text('utf-8')}") from None
            yield Running(process, port, time.perf_counter() - started)
        finally:
            process.terminate()
            process.wait(timeout=60)


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Return the next line that the server prints with a text in it. Raises: RuntimeError if it ends before."""
    assert process.stdout is not None
    printed = []
    for line in process.stdout:
        printed.append(line)
        if text in line:
            return line
    raise RuntimeError(f"The server ended without saying {text!r}. It printed:\n{''.join(printed)}")


def _port_of(process: subprocess.Popen[str]) -> int:
    found = OPEN.search(wait_for(process, "is open on"))
    assert found is not None
    return int(found[2])


@contextmanager
def fallwater(
    people: int,
    agents: int = 0,
    settings: Mapping[str, object] | None = None,
    role: str = "player",
    answer_seconds: float = ANSWER_SECONDS,
) -> Iterator[Served]:
    """Open a world in which so many people have an account, all with a role.

    Agents, if any, think every 20 seconds with a scripted model that answers one after the other.
    """
    model = scripted_model(answer_seconds) if agents else nullcontext("")
    with tempfile.TemporaryDirectory() as folder, model as host:
        vault = Path(folder) / "world"
        _write(vault, people, agents)
        _set(vault / "config" / "server.md", {**WIDE_OPEN, **(settings or {})})
        _set(vault / "config" / "world.md", {"start_room": SQUARE, "ambient_minutes": 0})
        prepare_people(vault, people, SQUARE, role)
        if host:
            _set(vault / "config" / "models.md", {"ollama_host": host})
        with run_server(f"ollama:{MODEL}" if agents else "none", vault) as server:
            yield Served("Fallwater", server.port, (server.process.pid,), b"name shall we", _comes_in, vault)


def _comes_in(number: int) -> Sequence[tuple[bytes, bytes]]:
    return (caller_name(number).encode(), b"Password: "), (SECRET.encode(), SEEN)


def _write(vault: Path, people: int, agents: int) -> None:
    shutil.copytree(STARTER, vault, ignore=shutil.ignore_patterns("rooms", "things", "agents"))
    for name, exits in town(people).items():
        _room(vault, name, exits)
    for number in range(agents):
        home = room(number % rooms_for(people))
        note = f"---\nroom: '[[{home}]]'\nthink_seconds: 20\nbreak_loops: false\n---\nYou live here and like company.\n"
        path = vault / "agents" / f"Agent{chr(97 + number // 26)}{chr(97 + number % 26)}" / "agent.md"
        path.parent.mkdir(parents=True)
        path.write_text(note, "utf-8")


def _room(vault: Path, name: str, exits: Mapping[str, str]) -> None:
    ways = "\n".join(f"- **{way}**: [[{goal}]]" for way, goal in exits.items())
    (vault / "rooms").mkdir(exist_ok=True)
    (vault / "rooms" / f"{name}.md").write_text(f"{DESCRIPTION}\n\n## Exits\n{ways}\n", "utf-8")


def _set(note: Path, settings: Mapping[str, object]) -> None:
    """Change those settings of a note that it has."""
    text = note.read_text("utf-8")
    for name, value in settings.items():
        text = re.sub(rf"^\*\*{name}\*\*: .*$", f"**{name}**: {value}", text, flags=re.MULTILINE)
    note.write_text(text, "utf-8")


@contextmanager
def scripted_model(seconds: float = 0.0) -> Iterator[str]:
    """Serve a model that looks, nods and summarises by rule, in a process of its own; yield its address."""
    command = [sys.executable, "-m", "tests.integration.scripted_ollama", "--seconds", str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(timeout=60)


@contextmanager
def broadcast() -> Iterator[Served]:
    """Start it in a process of its own, and end it."""
    command = [sys.executable, "-m", "bench.lib.broadcast_server"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        yield Served(BARE, port, (process.pid,), GREETING, _needs_no_login)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _needs_no_login(number: int) -> Sequence[tuple[bytes, bytes]]:
    return ()


HOST = "127.0.0.1"
SECRET = "a long secret"

_LETTERS = "abdefghkopstuyz"
"""The letters of generated names, chosen so that no two names look alike."""

SECONDS_APART = 20


def caller_name(number: int) -> str:
    """Return the name of an account by its number, from 0 to 50,624."""
    base = len(_LETTERS)
    return "Ca" + "".join(_LETTERS[number // base**place % base] for place in range(4))


def prepare_people(vault: Path, count: int, room_id: str, role: str = "player") -> None:
    """Give a number of people an account and a note, as if they had been here before."""
    prepare_accounts(vault, count, role)
    for number in range(count):
        save_entity(Vault(vault), Character(caller_name(number), room_id))


def prepare_accounts(vault: Path, count: int, role: str = "player") -> None:
    """Put so many accounts into the database of a vault, straight and in one transaction.

    All have the password SECRET and one hash of it, at its real cost: to check it takes a login as long as any.
    """
    kept = Argon2().hash(SECRET)
    with closing(AccountDatabase(default_folder(vault))) as database, database.transaction():
        for number in range(count):
            created = "2026-11-22T00:00:00+00:00"
            database.put_account(Account(caller_name(number), role, kept, created=created, last_seen=created))


def write_journal(agent: Path, memories: int, newest_ms: int) -> None:
    """Write `memories` memories, 20 seconds apart; the newest is from `newest_ms`."""
    folder = agent / "journal"
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    opened, part = "", 1
    for seq in range(1, memories + 1):
        at_ms = newest_ms - (memories - seq) * SECONDS_APART * 1000
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
        day = f"{moment:%Y-%m-%d}"
        part = 1 if day != opened[:10] else part + (len(lines) > MAX_ENTRIES_PER_FILE)
        name = segment_name(day, part)
        if name != opened:
            _close(folder, opened, lines)
            lines, opened = [header(agent.name, name[:10], seq).rstrip("\n")], name
        text = f'Moss says, "This is stone {seq} of my wall, and the river is {seq % 90} inches high."'
        lines.append(f"- {moment:%H:%M:%S}.{at_ms % 1000:03} observed · The Landing · {text} [with:: Moss] ^m{seq}")
    _close(folder, opened, lines)


def _close(folder: Path, name: str, lines: list[str]) -> None:
    if lines:
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
