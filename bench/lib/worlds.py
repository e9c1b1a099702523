"""Worlds that are written in bulk: agents, accounts, people, journals, settings; and one opened without sockets."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from agents.commands.memory_commands import fact_commands, memory_commands
from agents.commands.self_commands import own_commands
from agents.memory.strategy import loaded_strategies
from agents.population import Population
from server.accounts.database import AccountDatabase, default_folder
from server.accounts.passwords import Argon2
from server.accounts.schema import Account
from vault.entities.load import load_world
from vault.entities.schema import save_entity
from vault.memory.segment import MAX_ENTRIES_PER_FILE, header, segment_name
from vault.message_notes import load_command_texts
from vault.vault import Vault
from world.commands.table import world_commands
from world.entities import Character
from world.game import Game

SECRET = "a long secret"
SECONDS_APART = 20
NOW_MS = 1_795_248_000_000  # 2026-11-21 08:00 UTC

_LETTERS = "abdefghkopstuyz"
"""The letters of generated names, chosen so that no two names look alike."""

_WORDS = [f"{head}{tail}" for head in "br cl dr fl gr m p st t w".split() for tail in "ane ick oat ummer ilt".split()]


def open_population(vault: Vault, rng: random.Random, now_ms: Callable[[], int]) -> tuple[Game, Population]:
    """Open a world as the server does, without its sockets and with its agents asleep."""
    world = load_world(vault, loaded_strategies().load_settings(vault).world)
    chances = random.Random(rng.getrandbits(64))
    game = Game(world, world_commands(), chance=lambda times: chances.randrange(times) == 0)
    return game, populate(vault, game, rng, now_ms)


def populate(vault: Vault, game: Game, rng: random.Random, now_ms: Callable[[], int]) -> Population:
    """Return the agents of a game, asleep, with all the commands that the server adds for them."""
    agents = Population(vault, loaded_strategies().load_settings(vault), game, rng, now_ms)
    dreams = random.Random(rng.getrandbits(64))
    game.commands.add(memory_commands(agents, game.tell, now_ms))
    game.commands.add(fact_commands(agents, game.publish))
    game.commands.add(own_commands(agents, vault, game.publish, lambda: None, dreams, now_ms, 60.0))
    game.commands.texts = load_command_texts(vault, game.commands)
    return agents


def speech(rng: random.Random) -> str:
    """Return a sentence of a dozen words."""
    return f"Have you heard of the {' '.join(rng.choices(_WORDS, k=8))} yet?"


def change_settings(note: Path, settings: Mapping[str, object]) -> None:
    """Change those settings of a note that it has."""
    text = note.read_text("utf-8")
    for name, value in settings.items():
        text = re.sub(rf"^\*\*{name}\*\*: .*$", f"**{name}**: {value}", text, flags=re.MULTILINE)
    note.write_text(text, "utf-8")


def agent_name(number: int) -> str:
    """Return the name of an agent by its number, from 0 to 675."""
    return f"Agent{chr(97 + number // 26)}{chr(97 + number % 26)}"


def add_agent(vault: Path, name: str, room: str, settings: str = "") -> None:
    """Write the note of an agent; `settings` are lines of its front matter, each with its end."""
    folder = vault / "agents" / name
    folder.mkdir(parents=True)
    note = f"---\nroom: '[[{room}]]'\n{settings}---\nYou live here and like company.\n"
    (folder / "agent.md").write_text(note, "utf-8")


def caller_name(number: int) -> str:
    """Return the name of an account by its number, from 0 to 50,624."""
    base = len(_LETTERS)
    return "Ca" + "".join(_LETTERS[number // base**place % base] for place in range(4))


def add_people(vault: Path, count: int, room_id: str, role: str = "player") -> None:
    """Give a number of people an account and a note, as if they had been here before."""
    add_accounts(vault, count, role)
    for number in range(count):
        save_entity(Vault(vault), Character(caller_name(number), room_id))


def add_accounts(vault: Path, count: int, role: str = "player") -> None:
    """Put so many accounts into the database of a vault, straight and in one transaction.

    All have the password SECRET and one hash of it, at its real cost: to check it takes a login as long as any.
    """
    kept, created = Argon2().hash(SECRET), "2026-11-22T00:00:00+00:00"
    with closing(AccountDatabase(default_folder(vault))) as database, database.transaction():
        for number in range(count):
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
            _write_segment(folder, opened, lines)
            lines, opened = [header(agent.name, name[:10], seq).rstrip("\n")], name
        text = f'Moss says, "This is stone {seq} of my wall, and the river is {seq % 90} inches high."'
        lines.append(f"- {moment:%H:%M:%S}.{at_ms % 1000:03} observed · The Landing · {text} [with:: Moss] ^m{seq}")
    _write_segment(folder, opened, lines)


def _write_segment(folder: Path, name: str, lines: list[str]) -> None:
    if lines:
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
