"""Writing an agent's `facts.md`: one version after the other, the journal first, at once or while the world goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from agents.aside import Aside
from vault.errors import NoteError
from vault.memory.facts_note import NAME, FactsNote, Stamp
from vault.memory.journal import Journal

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Version:
    """A text of the file, up to which memory all is told in it, and the goals of the profile that it names."""

    text: str = ""
    upto: int = 0
    goals: tuple[str, ...] = ()


class FactsWriting:
    """At most one version is on its way to the disk; who wants to write another has it settled first.

    `taken` is given each version with its stamp, or with None if somebody else has written the file meanwhile, and
    returns whether it is written; `failed` is told why one could not be. Both are called where the world goes on.
    """

    def __init__(
        self,
        note: FactsNote,
        journal: Journal,
        aside: Aside,
        taken: Callable[[Version, Stamp | None], bool],
        failed: Callable[[NoteError], None],
    ) -> None:
        self._note = note
        self._journal = journal
        self._aside = aside
        self._taken = taken
        self._failed = failed
        self._on_its_way: tuple[Version, Future[Stamp | None]] | None = None

    @property
    def is_under_way(self) -> bool:
        """Whether a version is being written: the file may be it by now, and is not to be looked at."""
        return self._on_its_way is not None

    def write(self, version: Version, expected: Stamp) -> bool:
        """Write a version over the file with that stamp, and return whether it is written."""
        return self._take(version, lambda: self._work(version, expected)())

    def write_aside(self, version: Version, expected: Stamp) -> None:
        """Begin to write a version; where nothing goes on meanwhile, it is written at once."""
        try:
            work = self._work(version, expected)
        except NoteError as error:
            self._failed(error)
            return
        if written := self._aside.begin(work, self.hear):
            self._on_its_way = version, written
        else:
            self._take(version, work)

    def hear(self) -> None:
        """Take in how the version on its way has fared, if that is known."""
        if self._on_its_way and self._on_its_way[1].done():
            self.settle()

    def settle(self) -> None:
        """Wait until nothing is on its way, and take in how it has fared."""
        if self._on_its_way:
            (version, written), self._on_its_way = self._on_its_way, None
            self._take(version, written.result)

    def _work(self, version: Version, expected: Stamp) -> Callable[[], Stamp | None]:
        """Return what writes a version, in any thread. Raises: NoteError, and so does what is returned."""
        force = self._journal.forcing()

        def work() -> Stamp | None:
            force()  # or a power cut could leave facts of memories that are not there
            return self._note.write(version.text, expected)

        return work

    def _take(self, version: Version, outcome: Callable[[], Stamp | None]) -> bool:
        try:
            return self._taken(version, outcome())
        except NoteError as error:
            self._failed(error)
        except Exception as error:  # in a thread, where nobody else hears of it
            source = f"agents/{self._journal.agent_id}/{NAME}"
            log.exception("%s could not be written", source)
            self._failed(NoteError(f"{source}: cannot be written: {error!r}."))
        return False
