"""The command `@chronicle` and the sub-command `chronicle`: a day, an hour or what somebody did, as text or HTML."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from config.settings import WorldSettings
from server.chronicle.reading import Reader, Reading, format_clock, reader_of
from server.chronicle.rendering import event_line, html_page, markdown, plain_lines, room_map
from server.chronicle.scope import Own, PastAccess, Public, Whole, past_access
from server.options import existing_vault
from server.questions import Questions
from vault.chronicle.event_log import Period, period_of
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.message_notes import load_wording
from vault.vault import Vault
from world.command import command
from world.entities import Character, Role
from world.errors import WorldError
from world.events import Event, Output
from world.game import Game
from world.message_catalog import Wording
from world.parsing import is_number
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
    reader = reader_of(vault, settings, lambda: say)
    try:
        reader.index.update()
    except NoteError:  # the folder may not be ours to write to
        reader = reader_of(vault, settings, lambda: say, in_memory=True)
    try:
        reading = reader.read(_period(options.day, reader), Whole() if options.private else Public())
        problems = reader.index.problems()
    finally:
        reader.index.close()
    if options.text:
        text = markdown(reading, settings.name, say)
    else:
        rooms = {one.event.room for one in reading.events if one.event.room} | set(reading.before.values())
        text = html_page(reading, settings.name, room_map(_world(vault, settings), rooms), say)
    _write(text, reading, options, echo)
    for problem in problems if options.out or not options.text else []:
        echo(problem)
    return 0


def _period(wanted: str | None, reader: Reader) -> Period:
    """Return the period that is asked for, or the newest day. Raises: NoteError naming the days there are."""
    days = list(reader.days())
    if not days:
        raise NoteError("There is no chronicle in this vault yet. A world writes it while it runs.")
    period = period_of(wanted or days[-1])
    if period is None:
        raise NoteError(f"--day is {wanted}; expected a day or an hour, as 2026-11-22 or 2026-11-22T20.")
    if period.name[:10] not in days:
        known = ", ".join(days[-MAX_DAYS_NAMED:])
        raise NoteError(f"The chronicle has nothing of {period.name[:10]}. The newest days are {known}.")
    return period


def _world(vault: Vault, settings: WorldSettings) -> World | None:
    try:
        return load_world(vault, settings)
    except (NoteError, WorldError):
        return None  # the events are shown without a map of the rooms


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


PAGE_LINES = 40
MAX_LINES = 4_000
"""Maximum number of events of a period or of a person that are searched for one question."""

SHOWN_DAYS = 14


class ChronicleCommands:
    """Reads in another thread, one question of each character at a time."""

    def __init__(self, reader: Reader, game: Game, questions: Questions) -> None:
        self._reader = reader
        self._game = game
        self._questions = questions

    @command("@chronicle [<text>]", category="memory", role=Role.PLAYER, for_agents=False)
    def chronicle(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show past events: top moments, and every event that you could perceive, in UTC.

        @chronicle                   the newest day, and a list of days
        @chronicle 2026-11-22        a day
        @chronicle 2026-11-22T20     an hour
        @chronicle Eliza             what she did, and what was done to her, newest
        @chronicle 2026-11-22 2      the second page
        Observers and admins see everything, with private reasons and whispers.
        People whom you ignore (`hush`) are left out, except for words to you.
        """
        words, who = text.split(), actor.character_id
        page = int(words.pop()) if words and is_number(words[-1]) else 1
        wanted = " ".join(words)
        answer = self._questions.read(who, self._told, past_access(actor), wanted, page)
        answer.addErrback(lambda failure: failure.getErrorMessage()).addCallback(lambda told: self._answer(who, told))
        return [] if answer.called else [Output(who, world.wording("chronicle.working"))]

    def _answer(self, who: str, told: str) -> None:
        if who in self._game.world.characters:
            self._game.tell(who, told)

    def _told(self, access: PastAccess, wanted: str, page: int) -> str:
        """Return the answer. Raises: NoteError if the log or its index cannot be read."""
        reader, say = self._reader, self._game.world.wording
        scope = reader.scope_of(access)
        if not reader.days():
            return say("chronicle.no_log")
        days = reader.days(scope)
        asked = wanted or next(reversed(days), format_clock(0, "%Y-%m-%d"))
        if period := period_of(asked):
            reading, name = reader.read(period, scope, MAX_LINES), period.name
            lines = list(plain_lines(reading, say)) if reading.events else []
            lines += _listed(days, say) if days and not wanted else []
        else:
            name = next((one for one in reader.index.people() if one.casefold() == wanted.casefold()), "")
            if not name:
                return say("chronicle.usage", wanted=wanted)
            shown = reader.of_person(name, scope, MAX_LINES)
            lines = [f"{format_clock(one.event.at_ms, '%Y-%m-%d')} {event_line(one)}" for one in shown[::-1]]
        who = say("chronicle.as_seen", who=scope.name) if isinstance(scope, Own) else say("chronicle.with_private")
        lines = lines or [say("chronicle.no_events", period=asked)]
        return "\n".join([f"{name}. {who}", *_paged(lines, page, asked, say)])


def _listed(days: dict[str, int], say: Wording) -> list[str]:
    newest = list(days.items())[-SHOWN_DAYS:]
    return ["", say("chronicle.days"), *(say("chronicle.day", day=day, count=count) for day, count in newest)]


def _paged(lines: list[str], page: int, asked: str, say: Wording) -> list[str]:
    """Return one page of lines, and below it how to ask for the next."""
    pages = -(-len(lines) // PAGE_LINES)
    page = min(max(page, 1), pages)
    shown = lines[(page - 1) * PAGE_LINES : page * PAGE_LINES]
    if pages > 1:
        command = f"@chronicle {asked} {page % pages + 1}"
        shown.append(say("chronicle.page", page=page, pages=pages, command=command))
    return shown
