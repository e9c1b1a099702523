"""The sub-command `chronicle`: a day or an hour of a world as one HTML file, or as Markdown."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from server.chronicle.html import html_page
from server.chronicle.reading import Reader, Reading, Whole, Window, format_clock, index_of
from server.chronicle.rooms import room_map
from server.chronicle.text import markdown
from server.options import existing_vault
from vault.chronicle.period import Period, period_of
from vault.entities.store import load_world
from vault.errors import NoteError
from vault.message_notes import load_wording
from vault.vault import Vault
from world.errors import WorldError
from world.world import World

MAX_DAYS_NAMED = 10


def add_chronicle_command(commands: Any) -> None:
    """Declare the sub-command; `commands` is what `add_subparsers` returned."""
    chronicle = commands.add_parser("chronicle", help="write what happened on a day into one HTML file, or as text")
    chronicle.add_argument("vault", type=Path, nargs="?", metavar="VAULT", help="the folder of the world (./world)")
    chronicle.add_argument("--day", metavar="DAY", help="a day or an hour: 2026-11-22, 2026-11-22T20 (the newest day)")
    chronicle.add_argument("--out", type=Path, metavar="FILE", help="the file to write (chronicle-DAY.html)")
    chronicle.add_argument("--text", action="store_true", help="Markdown instead of HTML, on the screen without --out")
    chronicle.add_argument("--private", action="store_true", help="with private reasons and whispers")


def run_chronicle(options: argparse.Namespace, echo: Callable[[str], None]) -> int:
    """Do the sub-command and return the exit code. Raises: NoteError."""
    vault = existing_vault(options)
    settings = loaded_strategies().load_settings(vault).world
    say = load_wording(vault, is_strict=False)
    reader = Reader(vault, index_of(vault, settings, say), lambda: say)
    try:
        reader.index.update()
    except NoteError:  # the folder may not be ours to write to
        reader = Reader(vault, index_of(vault, settings, say, in_memory=True), lambda: say)
    try:
        reading = reader.read(_period(options.day, reader), Whole() if options.private else Window())
        problems = reader.index.problems()
    finally:
        reader.index.close()
    if options.text:
        text = markdown(reading, settings.name, say)
    else:
        rooms = {one.event.room for one in reading.events if one.event.room} | set(reading.before.values())
        text = html_page(reading, settings.name, room_map(_world(vault), rooms), say)
    _write(text, reading, options, echo)
    for problem in problems if options.out or not options.text else []:
        echo(problem)
    return 0


def _period(wanted: str | None, reader: Reader) -> Period:
    """Return the period that is asked for, or the newest day. Raises: NoteError naming the days there are."""
    reader.index.update()
    days = list(dict.fromkeys(format_clock(start_ms, "%Y-%m-%d") for start_ms, _ in reader.index.hours()))
    if not days:
        raise NoteError("There is no chronicle in this vault yet. A world writes it while it runs.")
    period = period_of(wanted or days[-1])
    if period is None:
        raise NoteError(f"--day is {wanted}; expected a day or an hour, as 2026-11-22 or 2026-11-22T20.")
    if period.name[:10] not in days:
        known = ", ".join(days[-MAX_DAYS_NAMED:])
        raise NoteError(f"The chronicle has nothing of {period.name[:10]}. The newest days are {known}.")
    return period


def _world(vault: Vault) -> World | None:
    try:
        return load_world(vault, loaded_strategies().load_settings(vault).world)
    except (NoteError, WorldError):
        return None  # the events are told without a map of the place


def _write(text: str, reading: Reading, options: argparse.Namespace, echo: Callable[[str], None]) -> None:
    if options.text and options.out is None:
        echo(text.rstrip("\n"))
        return
    path = options.out or Path(f"chronicle-{reading.period.name}.html")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise NoteError(f"{path}: cannot be written: {error.strerror}.") from error
    private = " It has private reasons and whispers." if reading.has_private else ""
    echo(f"{len(reading.events)} events and {len(reading.moments)} top moments are in {path}.{private}")
