"""The audit log: every use of a command of builders and admins, done or refused, by whomever; and every change that an
agent, who may have been talked into it, makes of what it is.

It lies beside the accounts, out of the vault and out of reach of everything in the world, a file a month:

    {"at": "2026-11-22T09:30:00Z", "who": "Ana", "host": "127.0.0.1", "line": "@dig up to The Attic", "result": "done"}
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from vault.notes import NoteError
from world.command import Command
from world.game import Game, Performed
from world.model import Character, Role
from world.parsing import split_reason

log = logging.getLogger(__name__)

DONE = "done"

_FILE = "????-??.jsonl"
_BECOMING = ("@set-profile", "@undo-profile", "@set-description", "@undo-description")


@dataclass(frozen=True)
class Use:
    """One use of a command: when (ISO 8601, UTC), by whom and from where, the line as typed, and what came of it.

    A private reason is no part of that.
    `result` is `done`, or why it was refused; `through` is the agent by which it was done, or empty.
    """

    at: str
    who: str
    host: str
    line: str
    result: str
    through: str = ""


class Audit:
    """Appends to the folder `audit`, and reads from it.

    `host_of` tells from where somebody plays, empty for whoever is no connection.
    """

    def __init__(self, folder: Path, game: Game, host_of: Callable[[str], str], now_ms: Callable[[], int]) -> None:
        self._folder = folder
        self._game = game
        self._host_of = host_of
        self._now_ms = now_ms
        self._failing = False

    def __call__(self, character_id: str, text: str, performed: Performed) -> None:
        """Note a line, if it is one of builders or admins."""
        found = self._game.commands.get(performed.verb)
        actor = self._game.world.characters[character_id]
        if found and _is_noted(found, actor):
            self.note(character_id, text, performed.refusal or DONE)

    def note(self, who: str, line: str, result: str, through: str = "") -> None:
        """Append one use; a failure is logged once, and the next use tries again."""
        at = datetime.fromtimestamp(self._now_ms() / 1000, UTC)
        use = Use(f"{at:%Y-%m-%dT%H:%M:%SZ}", who, self._host_of(who), split_reason(line)[0], result, through)
        try:
            self._append(self._folder / f"{at:%Y-%m}.jsonl", use)
        except OSError as error:
            if not self._failing:
                log.error("%s: the audit log cannot be written: %s", self._folder, error.strerror)
            self._failing = True
        else:
            self._failing = False

    def last(self, count: int, who: str = "") -> list[Use]:
        """Return the last uses, of one name or of all, oldest first. Raises: NoteError if they cannot be read."""
        found: list[Use] = []
        try:
            for use in self._newest_first():
                if not who or who.casefold() in (use.who.casefold(), use.through.casefold()):
                    found.append(use)
                if len(found) == count:
                    break
        except OSError as error:
            raise NoteError(f"{self._folder}: the audit log cannot be read: {error.strerror}.") from error
        return found[::-1]

    def _append(self, path: Path, use: Use) -> None:
        values = {key: value for key, value in vars(use).items() if value or key != "through"}
        line = json.dumps(values, ensure_ascii=True) + "\n"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        try:
            os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)

    def _newest_first(self) -> Iterator[Use]:
        for path in sorted(self._folder.glob(_FILE), reverse=True):
            for line in reversed(path.read_bytes().split(b"\n")):
                use = _use_of(line)
                if use:
                    yield use


def _is_noted(command: Command, actor: Character) -> bool:
    """Return whether a use is noted: above players, by an admin with an @, or an agent that becomes another."""
    others = command.verb.startswith("@") and command.category != "self" and actor.role >= Role.ADMIN
    becomes = actor.is_agent and command.verb.startswith(_BECOMING)
    return command.role >= Role.BUILDER or others or becomes


def _use_of(line: bytes) -> Use | None:
    """Return the use that a line tells of, or None if it tells of none, as one torn by a crash."""
    try:
        found: Any = json.loads(line)
        return Use(**found) if isinstance(found, dict) else None
    except (ValueError, TypeError):
        return None
