"""Writes one agent's archive: each turn, and each compaction."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from agents.memory.view import ResultLimits, result_texts, truncate
from config.settings import MemorySettings
from vault.errors import NoteError
from vault.memory.archive import Archive
from vault.memory.archive_file import ArchiveEntry, EventName
from vault.memory.memory_line import Memory
from vault.memory.summaries import Summary
from vault.vault import Vault

log = logging.getLogger(__name__)

MAX_WAITING = 256


class ArchiveWriter:
    """Collects the entries of a turn and writes them in one step; the setting `archive` turns it off.

    `problem` is empty while the archive can be written; else it says why not. An agent goes on all the same, but
    nothing is compacted. Of what cannot be written the newest entries wait, and `lost` counts the others.
    """

    def __init__(
        self, vault: Vault, name: str, settings: Callable[[], MemorySettings], now_ms: Callable[[], int]
    ) -> None:
        self.archive = Archive(vault, name)
        self.problem = ""
        self.on_trouble: Callable[[str], None] = lambda text: None
        self.lost = 0
        self._name = name
        self._settings = settings
        self._now_ms = now_ms
        self._waiting: deque[ArchiveEntry] = deque()
        self._command = Memory(0, 0, "acted", "", "")
        self._long: list[Memory] = []

    @property
    def limits(self) -> ResultLimits:
        """The limits on results in the prompt, by the settings as they are now."""
        return ResultLimits(self._settings().micro_result_characters, self._settings().result_cap_characters)

    def add(self, event: EventName, seq: int, **fields: Any) -> None:
        """Queue an entry for the end of the turn; nothing touches the disk yet."""
        if not self._settings().archive:
            return
        self._waiting.append(ArchiveEntry(event, self._now_ms(), seq, fields))
        if len(self._waiting) > MAX_WAITING:
            self._waiting.popleft()
            self.lost += 1

    def follow(self, memory: Memory, whole: str | None) -> None:
        """Queue the entries of a new memory: a command line, or a result.

        `whole` is the result as it came, or None if `hold` has archived it.
        """
        if memory.kind == "acted":
            for result in self._long:  # the turn that they belong to is over now
                told = result_texts((self._command, result), 2, self.limits)[1]
                self.add("micro_compact", result.seq, command=self._command.text, told=told)
            self._command, self._long = memory, []
            self.add("tool_call", memory.seq, command=memory.text)
        elif memory.kind == "result":
            if whole is not None:
                self.add("tool_result", memory.seq, text=whole, refused=memory.refused)
            if self.limits.is_long(memory):
                self._long.append(memory)

    def explain(self, cause: str) -> None:
        """Say why the last command line queued was chosen by the engine; empty if somebody else had the agent do it."""
        if self._waiting and self._waiting[-1].event == "tool_call":
            entry = self._waiting.pop()
            self._waiting.append(replace(entry, fields={**entry.fields, "cause": cause}))

    def is_held(self, text: str) -> bool:
        """Return whether a result is longer than `hold` keeps; then only its beginning is stored."""
        return len(text) > self._settings().result_cap_characters and self._settings().archive

    def hold(self, text: str, seq: int, refused: bool) -> str:
        """Put a result beyond the cap into the archive; return its beginning, which is to be remembered.

        `seq` is the number that it will have. What cannot be archived is returned whole, so that nothing is lost.
        """
        try:
            reference = self.keep("tool_result", seq, text=text, refused=refused)
        except NoteError:
            return text
        return truncate(text, self._settings().result_cap_characters, reference)

    def write(self) -> bool:
        """Write the queued entries; return whether all are written. Never raises."""
        try:
            self.archive.append_all(self._waiting)
        except NoteError as error:
            self._fail(error)
            return False
        if self._waiting:
            self._recover()
        self._waiting.clear()
        return True

    def keep(self, event: EventName, seq: int, **fields: Any) -> str:
        """Write an entry now, force it to disk and return its reference; an empty one if nothing is to be archived.

        Raises: NoteError if it cannot be written.
        """
        if not self._settings().archive:
            return ""
        try:
            reference = self.archive.append(event, self._now_ms(), seq, **fields)
            self.archive.sync()
        except NoteError as error:
            self._fail(error)
            raise
        self._recover()
        return reference

    def keep_rebuilt(self, seq: int, tier: str, made: Summary, replaced: Summary) -> Summary:
        """Keep a summary that was made again of the same memories; return it with its reference. Raises: as `keep`."""
        fields = {tier: summary_fields(made), "replaced": summary_fields(replaced)}
        return with_archive_reference(made, self.keep("rebuild", seq, outcome="accepted", **fields))

    def check(self) -> None:
        """Write the queued entries. Raises: NoteError if the archive cannot be written."""
        if not self.write():
            raise NoteError(f"Nothing is summarised that cannot be archived. {self.problem}")

    def close(self) -> None:
        """Write the queued entries, force them to disk and close the file; failures are logged."""
        self.write()
        try:
            self.archive.close()
        except NoteError as error:
            self._fail(error)

    def _fail(self, error: NoteError) -> None:
        if not self.problem:
            log.error("[Memory] %s: %s", self._name, error)
            self.on_trouble(f"{error} Until then nothing of {self._name} is summarised.")
        self.problem = str(error)

    def _recover(self) -> None:
        if self.problem:
            log.warning("[Memory] %s: the archive is written again", self._name)
            self.on_trouble(f"The archive of {self._name} is written again.")
        self.problem = ""


def with_archive_reference(summary: Summary, reference: str) -> Summary:
    """Return a summary with the reference to its archive entry among its sources; as it is if there is none."""
    return replace(summary, sources=(*summary.sources, f"archive {reference}")) if reference else summary


def summary_fields(summary: Summary | None) -> dict[str, Any] | None:
    """Return the fields of a summary for the archive: all of it."""
    if summary is None:
        return None
    return {
        "covers": [summary.first, summary.last],
        "text": summary.text,
        "tokens": summary.tokens,
        "generation": summary.generation,
        "quality": summary.quality,
        "model": summary.model,
        "sources": list(summary.sources),
    }
