"""The trash keeper: deletes notes that were in the trash for `trash_days`, and what belongs to hidden entities."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from itertools import islice

from config.settings import WorldSettings
from server.clock import DelayedCall, ReactorClock, RepeatingCall, cancel
from vault.trash import days_in_trash, expired_notes
from vault.vault import Vault
from world.edits import missing_entities, prune
from world.game import Game

log = logging.getLogger(__name__)

PERIOD_SECONDS = 3600.0
FILES_PER_STEP = 100
NAMES_PER_STEP = 5


class TrashKeeper:
    """Looks at the trash once an hour, a few files at a time. With `trash_days` 0, everything stays."""

    def __init__(
        self,
        vault: Vault,
        game: Game,
        settings: Callable[[], WorldSettings],
        now_ms: Callable[[], int],
        clock: ReactorClock,
    ) -> None:
        self._vault = vault
        self._game = game
        self._settings = settings
        self._now_ms = now_ms
        self._clock = clock
        self._calls = RepeatingCall(clock, PERIOD_SECONDS, self.empty, "emptying the trash")
        self._next: DelayedCall | None = None

    def start(self) -> None:
        """Begin; the first look comes after an hour."""
        self._calls.start()

    def stop(self) -> None:
        """Stop."""
        self._calls.stop()
        cancel(self._next)

    def empty(self) -> None:
        """Let go of what has been hidden for too long, then delete old notes, between other work."""
        days, now = self._settings().trash_days, self._now_ms() / 1000
        if not days:
            return
        self._let_go(iter(missing_entities(self._game.world)), days, now)

    def _let_go(self, names: Iterator[str], days: int, now: float) -> None:
        step = list(islice(names, NAMES_PER_STEP))
        for name in step:
            notes = *((folder, name) for folder in ("rooms", "things", "people")), (f"agents/{name}", "agent")
            ages = [age for note in notes if (age := days_in_trash(self._vault, *note, now)) is not None]
            if ages and min(ages) > days and name in missing_entities(self._game.world):
                self._game.publish(tuple(prune(self._game.world, name)))
                log.info("the note of %s has been gone for %d days; nothing belongs in it any more", name, min(ages))
        if step:
            self._next = self._clock.callLater(0, self._let_go, names, days, now)
        else:
            self._delete(expired_notes(self._vault, days, now))

    def _delete(self, files: Iterator[str]) -> None:
        step = list(islice(files, FILES_PER_STEP))
        for source in filter(None, step):
            log.info("%s was deleted after %d days in the trash", source, self._settings().trash_days)
        if step:
            self._next = self._clock.callLater(0, self._delete, files)
