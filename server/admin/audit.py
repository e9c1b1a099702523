"""The audit log: every use of a command above players, done or refused, by whomever; every look at a mind through the
page; and every change that an agent makes of what it is, for it may have been talked into that.

It lies beside the accounts, out of the vault and out of reach of everything in the world. A file holds a month, or
of a month as much as it may hold:

    {"at": "2026-11-22T09:30:00Z", "who": "Ana", "host": "127.0.0.1", "line": "@dig up to The Attic", "result": "done"}
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vault.atomic_write import Disk
from vault.chronicle.event_log import second_name
from vault.errors import NoteError
from world.command import Command
from world.entities import Character, Role
from world.game import CommandResult, Game
from world.parsing import split_reason

log = logging.getLogger(__name__)

DONE = "done"
REFUSED = "refused"
OTHERS = "others"
DISK = Disk()

MAX_CHARACTERS = 300
"""Maximum length of a line and of its result, in characters; the rest is cut."""

MAX_REFUSALS_A_MINUTE = 5
MAX_NAMED = 5
"""Maximum refusals logged in a minute for people without the role, and maximum names listed for the rest."""

MAX_READ_BYTES = 1_048_576
"""Number of bytes that `@audit` reads, from the newest use on: a hundredth of a second of everybody's time."""

DEFAULT_MAX_BYTES = 10 * 1_048_576

_FILE = re.compile(r"\d{4}-\d\d(?:-\d{1,6})?\.jsonl")
_BECOMING = ("@set-profile", "@undo-profile", "@set-description", "@undo-description")


@dataclass(frozen=True)
class AuditEntry:
    """One use of a command: when (ISO 8601, UTC), by whom and from where, the line as typed, and its result.

    A private reason is no part of that, and a long line is cut.
    `result` is `done`, or why it was refused; `through` is the agent by which it was done, or empty.
    """

    at: str
    who: str
    host: str
    line: str
    result: str
    through: str = ""


@dataclass
class _Refusals:
    """The refusals in one minute of people who may not use a command at all."""

    minute: int = 0
    written: int = 0
    unwritten: Counter[str] = field(default_factory=Counter)


class AuditLog:
    """Appends to the folder `audit`, and reads from it.

    `host_of` returns the address from which somebody plays, or an empty text. `max_bytes` and `files_kept` return
    how large a file may become and how many there may be, 0 for any number.
    """

    def __init__(
        self,
        folder: Path,
        game: Game,
        host_of: Callable[[str], str],
        now_ms: Callable[[], int],
        max_bytes: Callable[[], int] = lambda: DEFAULT_MAX_BYTES,
        files_kept: Callable[[], int] = lambda: 0,
    ) -> None:
        self._folder = folder
        self._game = game
        self._host_of = host_of
        self._now_ms = now_ms
        self._max_bytes = max_bytes
        self._files_kept = files_kept
        self._refusals = _Refusals()
        self._failing = False

    def record_line(self, character_id: str, text: str, performed: CommandResult) -> None:
        """Note a line of a builder or an admin; of people without the role, only a few a minute."""
        found = self._game.commands.get(performed.verb)
        actor = self._game.world.characters.get(character_id)
        if not (found and actor and _is_noted(found, actor)):
            return
        if performed.accepted or found.allows(actor) or self._is_worth_a_line(character_id):
            self.note(character_id, text, performed.refusal or DONE)

    def record_possessed_line(self, who: str, line: str, refusal: str, agent: str) -> None:
        """Record a line that an agent did for the player who possesses it."""
        self.note(who, line, refusal or DONE, agent)

    def record_look(self, who: str, what: str) -> None:
        """Append that somebody looked at what is private through the page, as `why Eliza 123`."""
        self.note(who, f"observatory {what}", DONE)

    def record_reset(self, admin: str, name: str) -> None:
        """Append that an admin has given somebody a password for one time."""
        self.note(admin, f"@password {name}", DONE)

    def note(self, who: str, line: str, result: str, through: str = "") -> None:
        """Append one use; a failure is logged once, and the next use tries again."""
        self._count_up()
        self._write(who, _cut(split_reason(line)[0]), _cut(result), through)

    def last(self, count: int, who: str = "") -> list[AuditEntry]:
        """Return the last uses, of one name or of all, oldest first, from the newest `MAX_READ_BYTES`.

        Raises: NoteError if they cannot be read.
        """
        self._count_up()
        found: list[AuditEntry] = []
        try:
            for use in self._newest_first():
                if not who or who.casefold() in (use.who.casefold(), use.through.casefold()):
                    found.append(use)
                if len(found) == count:
                    break
        except OSError as error:
            raise NoteError(f"{self._folder}: the audit log cannot be read: {error.strerror}.") from error
        return found[::-1]

    def _is_worth_a_line(self, who: str) -> bool:
        """Return whether one more refusal in this minute is written, and count it."""
        self._count_up()
        refusals = self._refusals
        refusals.minute = self._minute()
        if refusals.written < MAX_REFUSALS_A_MINUTE:
            refusals.written += 1
            return True
        refusals.unwritten[who if who in refusals.unwritten or len(refusals.unwritten) < MAX_NAMED else OTHERS] += 1
        return False

    def _count_up(self) -> None:
        """Write how many refusals of a minute that is over were not written one by one."""
        refusals = self._refusals
        if refusals.minute == self._minute():
            return
        self._refusals = _Refusals()
        if refusals.unwritten:
            counts = ", ".join(f"{who} {count}" for who, count in refusals.unwritten.most_common())
            self._write("", f"{refusals.unwritten.total()} more refusals in a minute: {counts}", REFUSED)

    def _minute(self) -> int:
        return self._now_ms() // 60_000

    def _write(self, who: str, line: str, result: str, through: str = "") -> None:
        at = second_name(self._now_ms())
        use = AuditEntry(f"{at}Z", who, self._host_of(who) if who else "", line, result, through)
        try:
            self._append(at[:7], use)
        except OSError as error:
            if not self._failing:
                log.error("%s: the audit log cannot be written: %s", self._folder, error.strerror)
            self._failing = True
        else:
            self._failing = False

    def _append(self, month: str, use: AuditEntry) -> None:
        values = {key: value for key, value in vars(use).items() if value or key != "through"}
        line = (json.dumps(values, ensure_ascii=True) + "\n").encode("ascii")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self._file_of(month, len(line)), os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        try:
            DISK.append(descriptor, line)
        finally:
            os.close(descriptor)

    def _file_of(self, month: str, size: int) -> Path:
        """Return the file of a month with room for a number of bytes; with a new one the oldest go."""
        files = self._files()
        last = next((path for path in reversed(files) if path.name.startswith(month)), None)
        if last is not None and last.stat().st_size + size <= self._max_bytes():
            return last
        kept = self._files_kept()
        for path in files[: max(len(files) + 1 - kept, 0)] if kept else []:
            path.unlink()
        number = _key_of(last)[1] + 1 if last else 1
        return self._folder / (f"{month}.jsonl" if number == 1 else f"{month}-{number}.jsonl")

    def _files(self) -> list[Path]:
        """Return the files there are, oldest first."""
        found = (path for path in self._folder.iterdir() if _FILE.fullmatch(path.name)) if self._folder.is_dir() else ()
        return sorted(found, key=_key_of)

    def _newest_first(self) -> Iterator[AuditEntry]:
        left = MAX_READ_BYTES
        for path in reversed(self._files()):
            with path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - left))
                lines = file.read(left).split(b"\n")
            for line in reversed(lines):  # the first of a part of a file is torn, as by a crash
                use = _use_of(line)
                if use:
                    yield use
            left -= size
            if left <= 0:
                return


def _key_of(path: Path) -> tuple[str, int]:
    """Return the month of a file and its number in that month."""
    return path.name[:7], int(path.stem[8:] or 1)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[: MAX_CHARACTERS - 1]}…"


def _is_noted(command: Command, actor: Character) -> bool:
    """Return whether a use is noted: above players, with an @ by who sees minds, or an agent's that becomes another."""
    others = command.verb.startswith("@") and command.category != "self" and actor.role.includes(Role.OBSERVER)
    becomes = actor.is_agent and command.verb.startswith(_BECOMING)
    return command.role > Role.PLAYER or others or becomes


def _use_of(line: bytes) -> AuditEntry | None:
    """Return the use that a line tells of, or None if it tells of none, as one torn by a crash."""
    try:
        found: Any = json.loads(line)
        return AuditEntry(**found) if isinstance(found, dict) else None
    except (ValueError, TypeError):
        return None
