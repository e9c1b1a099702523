"""Taking in what is edited in the vault while the world runs; what is not valid changes nothing and is told."""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.telnet.interface import DelayedCall, ReactorClock
from vault.folder import Vault
from vault.watch import Watch

log = logging.getLogger(__name__)

SETTLE_SECONDS = 0.3


class Reload:
    """Calls `take_in` soon after an edit, once for many; `tell` is given what it says, to be told to admins.

    `in_reactor` is how another thread has something called in the reactor's.
    """

    def __init__(
        self,
        vault: Vault,
        take_in: Callable[[], list[str]],
        tell: Callable[[str], None],
        clock: ReactorClock,
        in_reactor: Callable[[Callable[[], None]], None],
    ) -> None:
        self._take_in = take_in
        self._tell = tell
        self._clock = clock
        self._soon: DelayedCall | None = None
        self._last: list[str] = []
        self._watch = Watch(vault, lambda: in_reactor(self.note_change))

    def start(self) -> None:
        """Begin; if the system cannot watch, edits count from the next start, and the log says so."""
        try:
            self._watch.start()
        except OSError as error:
            log.warning("the vault cannot be watched, so edits count from the next start: %s", error)

    def stop(self) -> None:
        """Stop."""
        self._watch.stop()
        if self._soon and self._soon.active():
            self._soon.cancel()

    def note_change(self) -> None:
        """Wait until whoever is editing has finished writing, then take it in."""
        if self._soon and self._soon.active():
            self._soon.cancel()
        self._soon = self._clock.callLater(SETTLE_SECONDS, self._now)

    def _now(self) -> None:
        said = self._take_in()
        for sentence in said:
            if sentence not in self._last:
                log.warning("%s", sentence)
                self._tell(sentence)
        self._last = said
