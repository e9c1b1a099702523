"""The command `@chronicle`: a day, an hour or a person as text, within the permissions of the reader."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.threads import deferToThread

from server.chronicle.reading import Own, Reader, Scope, Whole, format_clock
from server.chronicle.text import event_line, plain_lines
from server.clock import InThread
from vault.chronicle.period import Period, period_of
from world.command import command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Output
from world.game import Game
from world.message_catalog import Wording
from world.parsing import is_number
from world.preferences import ignore_list
from world.world import World

PAGE_LINES = 40
MAX_LINES = 4_000
"""How many events of a period or of a person are looked through for one who asks."""

SHOWN_DAYS = 14


class ChronicleCommands:
    """Reads in another thread, one question of each character at a time."""

    def __init__(self, reader: Callable[[], Reader], game: Game, in_thread: InThread = deferToThread) -> None:
        self._reader = reader
        self._game = game
        self._in_thread = in_thread
        self._asking: set[str] = set()

    @command("@chronicle [<text>]", category="memory", role=Role.PLAYER, for_agents=False)
    def chronicle(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show past events: top moments, and every event that you could perceive, in UTC.

        @chronicle                   the newest day, and a list of days
        @chronicle 2026-11-22        a day
        @chronicle 2026-11-22T20     an hour
        @chronicle Eliza             her newest events
        @chronicle 2026-11-22 2      the second page
        Observers and admins see everything, with private reasons and whispers.
        People whom you have hushed are left out, except for words to you.
        """
        words, who = text.split(), actor.character_id
        page = int(words.pop()) if words and is_number(words[-1]) else 1
        wanted = " ".join(words)
        if who in self._asking:
            raise CommandError(world.wording("chronicle.working"))
        self._asking.add(who)
        hushed, is_whole = ignore_list(actor), actor.role.includes(Role.OBSERVER)
        scope_of = (lambda reader: Whole()) if is_whole else (lambda reader: reader.own_scope(who, hushed))
        self._in_thread(self._told, scope_of, wanted, page).addCallbacks(
            lambda told: self._answer(who, told), lambda failure: self._answer(who, failure.getErrorMessage())
        )
        return [Output(who, world.wording("chronicle.working"))] if who in self._asking else []

    def _answer(self, who: str, told: str) -> None:
        self._asking.discard(who)
        if who in self._game.world.characters:
            self._game.tell(who, told)

    def _told(self, scope_of: Callable[[Reader], Scope], wanted: str, page: int) -> str:
        """Return the answer. Raises: NoteError if the log or its index cannot be read."""
        reader, say = self._reader(), self._game.world.wording
        scope = scope_of(reader)
        days = _days(reader, scope)
        if not days:
            return say("chronicle.no_log")
        period = period_of(wanted or list(days)[-1])
        if period:
            head, lines = _of_period(reader, period, scope, say)
            lines += _listed(days, say) if not wanted else []
        else:
            name = next((one for one in reader.index.people() if one.casefold() == wanted.casefold()), "")
            if not name:
                return say("chronicle.usage", wanted=wanted)
            shown = reader.of_person(name, scope, MAX_LINES)
            head = _heading(name, scope, say)
            lines = [f"{format_clock(one.event.at_ms, '%Y-%m-%d')} {event_line(one)}" for one in shown[::-1]]
        asked = wanted or list(days)[-1]
        return "\n".join([*head, *_paged(lines or [say("chronicle.no_events", period=asked)], page, asked, say)])


def _days(reader: Reader, scope: Scope) -> dict[str, int]:
    """Return how many events each day has, for one who is not told all those that everybody there perceived."""
    reader.index.update()
    days: dict[str, int] = {}
    for start_ms, count in reader.index.hours(not scope.has_private):
        day = format_clock(start_ms, "%Y-%m-%d")
        days[day] = days.get(day, 0) + count
    return days


def _of_period(reader: Reader, period: Period, scope: Scope, say: Wording) -> tuple[list[str], list[str]]:
    reading = reader.read(period, scope, MAX_LINES)
    return _heading(period.name, scope, say), list(plain_lines(reading, say)) if reading.events else []


def _heading(name: str, scope: Scope, say: Wording) -> list[str]:
    who = say("chronicle.as_seen", who=scope.name) if isinstance(scope, Own) else say("chronicle.with_private")
    return [f"{name}. {who}"]


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
