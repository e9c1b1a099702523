"""One agent's memory: records memories, builds the view, and publishes summaries."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agents.memory.archive_writer import ArchiveWriter
from agents.memory.coverage import Coverage, Plan, ResolvedRanges, resolve_ranges
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.strategy import ChosenStrategy, MemoryStrategy, StrategyRegistry, loaded_strategies
from agents.memory.view import CompactionProvider, Tier, View, failed_rounds, summary_tiers, tail_tier
from config.settings import MemorySettings
from vault.errors import NoteError
from vault.legacy_import.memories import import_old_memories
from vault.markdown import one_line
from vault.memory.facts_note import FactsNote
from vault.memory.journal import Journal, add_warning
from vault.memory.memory_line import DEFAULT_IMPORTANCE, Memory
from vault.memory.summaries import LONGTERM, RECENT, PendingPublication, Summary, SummaryFolder, covered_by_name
from vault.vault import Vault

log = logging.getLogger(__name__)

VIEW_STEP = 64
ROUND_MEMORIES = 16
"""Number of memories within which the result of a command comes."""


class AgentMemory:
    """The journal and the summaries of one agent.

    `problem` is empty while memories can be written; otherwise it says why not, and new memories wait. `on_trouble` is
    called with the texts for admins: that something cannot be written, and that it can again. `reading` parses
    narration. `provider` replaces the agent's own compactor, if there is one; the summaries on disk are then unused.
    `strategies` are the ones that the settings may name. `withhold` returns a memory as it may stand in views and in
    the sources of summaries, without what was whispered.
    """

    def __init__(
        self,
        vault: Vault,
        name: str,
        settings: MemorySettings,
        now_ms: Callable[[], int],
        reading: NarrationParser = ENGLISH,
        strategies: StrategyRegistry | None = None,
    ) -> None:
        self.name = name
        self.reading = reading
        self.settings = settings
        self.problem = ""
        self.warnings: list[str] = []
        self.on_trouble: Callable[[str], None] = lambda text: None
        self.journal = Journal(vault, name, fsync_each=settings.journal_fsync_ms == 0)
        self.summaries = SummaryFolder(vault, name)
        self.archive_writer = ArchiveWriter(vault, name, lambda: self.settings, now_ms)
        self.archive_writer.on_trouble = lambda text: self.on_trouble(text)
        self.chosen = ChosenStrategy(strategies or loaded_strategies(), lambda: self.settings, self._strategy_failed)
        self.provider: CompactionProvider | None = None
        self.withhold: Callable[[Memory], Memory] = lambda memory: memory
        self._listeners: list[Callable[[Memory], None]] = []
        self._now_ms = now_ms
        self._unwritten: deque[tuple[Memory, str | None]] = deque()  # the second is a result as it came
        self._settled = ResolvedRanges(None, None)
        self._stamp: tuple[tuple[int, int], ...] = ()
        self._unfit: dict[str, str] = {}
        self._unread = False

    def load(self) -> None:
        """Read the files and repair what a crash left. Raises: NoteError if the journal cannot be read."""
        known = self._highest_known()
        self.journal.load(known)
        if self.journal.last > max(known, self.journal.last_line):  # which the index alone knew, and has told us once
            with suppress(NoteError):
                self.archive_writer.keep("lines_deleted", self.journal.last, last_line=self.journal.last_line)
        import_old_memories(self.journal.vault, self.name, self.journal)
        self._read_summaries(starting=True)

    def _highest_known(self) -> int:
        """Return the highest number outside the journal: a person may have deleted the line itself."""
        try:
            archived = self.archive_writer.archive.last_seq()
            facts = FactsNote(self.journal.vault, self.name).read() if archived is None else None
            return max(archived or 0, self.summaries.last_seq(), facts.upto if facts else 0)
        except NoteError as error:
            log.warning("[Memory] %s: %s", self.name, error)
            return 0

    def subscribe(self, listener: Callable[[Memory], None]) -> None:
        """Call a listener with each recorded memory once it has its number, in order of subscription."""
        self._listeners.append(listener)

    def record(
        self,
        kind: str,
        text: str,
        room: str = "",
        people: tuple[str, ...] = (),
        importance: int = DEFAULT_IMPORTANCE,
        refused: bool = False,
        **fields: Any,
    ) -> Memory:
        """Remember one thing, and return it with its number.

        A memory that cannot be written waits in order, and `problem` says why. `refused` marks the result of a command
        that was not done. `fields` are `by`, `to`, `event` and `parties` as in `Memory`.
        """
        memory = Memory(0, self._now_ms(), kind, room, one_line(text), people, importance, refused=refused, **fields)
        self._unwritten.append((memory, text))
        self.write_pending()
        return replace(memory, seq=self.journal.last + self.waiting)

    def write_pending(self) -> bool:
        """Write the memories that could not be written before; return whether everything is written."""
        try:
            while self._unwritten:
                self._write_next()
        except NoteError as error:
            if not self.problem:
                log.error("[Memory] %s: %s", self.name, error)
                self.on_trouble(f"{error} {self.name} pauses, and what it perceives waits until it can be written.")
            self.problem = str(error)
            return False
        if self.problem:
            log.warning("[Memory] %s: memories are written again", self.name)
            self.on_trouble(f"The memories of {self.name} are written again; none was lost.")
        self.problem = ""
        return True

    def _write_next(self) -> None:
        """Write the memory that waits first. Its number is certain only once its line is written."""
        memory, whole = self._unwritten[0]
        if whole and memory.kind == "result" and self.archive_writer.is_held(whole):
            self.journal.catch_up(memory)  # lines typed by hand are numbered first
            held = self.archive_writer.hold(whole, self.journal.last + 1, memory.refused)
            memory, whole = replace(memory, text=one_line(held)), whole if held is whole else None
            self._unwritten[0] = memory, whole
        written = self.journal.append(memory)
        self._unwritten.popleft()
        self.archive_writer.follow(written, whole)
        for listener in self._listeners:
            listener(written)

    @property
    def waiting(self) -> int:
        """The number of memories that could not be written yet."""
        return len(self._unwritten)

    @property
    def strategy(self) -> MemoryStrategy:
        """The strategy of the settings; one that summarises nothing if that has failed."""
        return self.chosen.strategy

    def plan(self, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return the next plan of what to summarise, or None; see `MemoryStrategy.plan`."""
        return self.chosen.plan(self.coverage, forced, sizes)

    @property
    def coverage(self) -> Coverage:
        """The present partition of the memories."""
        return self._settled.coverage(self.journal.last)

    @property
    def longterm(self) -> Summary | None:
        return self._settled.longterm

    @property
    def recent(self) -> Summary | None:
        return self._settled.recent

    def view(self) -> View:
        """Return the present view. Raises: NoteError if the journal cannot be read."""
        self.poll_edits()
        n, most = self._n, self.strategy.max_tail
        tiers = self._compacted_by(self.provider) if self.provider else self.tiers(self.longterm, self.recent)
        covered = tiers[-1].memories.first - 1 if tiers[-1].memories else n
        first = covered + 1
        if n - covered > most:
            # In steps, so that the text of a long tail goes on beginning with the same line for a while.
            step = min(VIEW_STEP, max(1, most // 4))
            first = -(-(n - most + 1) // step) * step
        tail = tail_tier(covered, n, tuple(map(self.withhold, self.journal.read(first, n))))
        return View(self.name, (*tiers[:-1], tail), self.archive_writer.limits)

    def tiers(self, longterm: Summary | None, recent: Summary | None) -> list[Tier]:
        """Return the tiers of a view with these summaries; the tail without its lines."""
        return self.chosen.tiers(longterm, recent, self._n)

    @property
    def _n(self) -> int:
        return self.coverage.n

    def _compacted_by(self, provider: CompactionProvider) -> list[Tier]:
        """Return the tiers of a provider's summary; all is verbatim if it does not begin at memory 1."""
        message = provider.get_compaction()
        if message is None:
            return [tail_tier(0, self._n)]
        if message.start != 1 or not 1 <= message.end <= self.journal.last:
            self._warn(f"a compaction of memories {message.start}–{message.end} of {self.journal.last} is left out")
            return [tail_tier(0, self._n)]
        summary = Summary(1, message.end, message.summary)
        return [*summary_tiers(summary, "longterm", self.strategy.as_messages), tail_tier(message.end, self._n)]

    def memory(self, seq: int) -> Memory | None:
        """Return the memory with a number, or None if there is none. Raises: NoteError."""
        return next(iter(self.journal.read(seq, seq)), None)

    def to_summarise(self, first: int, last: int) -> list[Memory]:
        """Return the memories of a range for a summary, without failed rounds.

        The summary covers these all the same. Raises: NoteError if the journal cannot be read.
        """
        near = self.journal.read(first - ROUND_MEMORIES, last + ROUND_MEMORIES)
        failed = failed_rounds(near)
        wanted = (one for one in near if first <= one.seq <= last and one.seq not in failed)
        return [self.withhold(one) for one in wanted]

    def poll_edits(self, thorough: bool = False) -> bool:
        """Take in lines and summaries edited by hand and return whether there were any.

        Files that look as we left them are read only if it is to be `thorough`.
        """
        typed, before = self._take_in_lines(), self._settled
        if self.summaries.stamp() == self._stamp:
            if thorough:
                self._read_summaries()
            return typed or self._settled != before
        self._read_summaries()
        log.info("[Memory] %s: summaries were edited by hand and read again", self.name)
        return True

    def _take_in_lines(self) -> bool:
        try:
            found = bool(self.journal.poll_edits())
        except NoteError as error:
            if not self._unread:
                self._warn(f"lines typed by hand are not taken in yet: {error}")
            self._unread = True
            return False
        self._unread = False
        return found

    def ahead(
        self, longterm: Summary | None, recent: Summary | None, has_leaf: bool = True
    ) -> tuple[PendingPublication, Callable[[], None]] | None:
        """Prepare a publication: return the drafts and the slow disk work, which may run in any thread.

        It is None if everything has to be written at once. Raises: NoteError, and so does what writes.
        """
        if self._unfit:
            return None
        ahead = self.summaries.prepare(longterm, recent, self._now_ms(), has_leaf)
        force = self.journal.fsync_later()  # last: it has to be called, as it holds the file open

        def write() -> None:
            force()
            ahead.drafts.write()

        return ahead, write

    def publish(self, longterm: Summary | None, recent: Summary | None, ahead: PendingPublication | None = None) -> str:
        """Publish new summaries in one step; return the leaf's name, which is empty without a `recent`.

        Without `recent`, the new long-term summary replaces both in force, and the short-term one is set aside. Drafts
        written `ahead` are renamed into place, unless somebody has touched the summaries in force since.
        Raises: NoteError if they cannot be written, Edited if somebody edits one of them meanwhile, ValueError if they
        would not leave a partition; nothing has changed then.
        """
        settled = self._partition(longterm or self.longterm, recent)
        if LONGTERM in self._unfit:  # its file goes, and the last good one, which is in force, takes its name again
            longterm = settled.longterm
        leaf = self._put_in_place(longterm, recent, ahead, has_leaf=True)
        if recent is None and self.recent:
            self.summaries.set_aside(RECENT, "folded", self._now_ms())
        self._settled = settled
        self._stamp = self.summaries.stamp()
        return leaf

    def replace(
        self, longterm: Summary | None, recent: Summary | None, ahead: PendingPublication | None = None
    ) -> None:
        """Publish summaries without a leaf, as a rebuild or a rollback does. Raises: as `publish`."""
        settled = self._partition(longterm, recent)
        self._put_in_place(longterm, recent, ahead, has_leaf=False)
        self._settled = settled
        self._stamp = self.summaries.stamp()

    def _put_in_place(
        self, longterm: Summary | None, recent: Summary | None, ahead: PendingPublication | None, has_leaf: bool
    ) -> str:
        if ahead and ahead.stamp == self.summaries.stamp() and not self._unfit:
            ahead.drafts.commit()  # what it tells of is on disk
            return ahead.leaf
        self.journal.sync()
        if LONGTERM in self._unfit and self.longterm and longterm not in (None, self.longterm):
            self.summaries.add_former(self.longterm)  # the last good one, which no file has any more
        self._set_aside_unfit()
        return self.summaries.publish(longterm, recent, self._now_ms(), has_leaf)

    def roll_back(self, leaf: str) -> Summary:
        """Put a leaf back in force, with the long-term summary that came before it; return the leaf.

        What came after is verbatim again, and every file stays. Raises: NoteError if there is no such leaf or no
        long-term summary that ends where it begins.
        """
        name = f"{leaf.removesuffix('.md')}.md"
        names = self.summaries.leaf_names()
        recent = self.summaries.leaf(name) if name in names else None
        if recent is None:
            known = ", ".join(one.removesuffix(".md") for one in names[-5:])
            raise NoteError(f"{self.name} has no leaf {leaf!r}; the last are {known or 'none'}.")
        longterm = self._longterm_before(recent)
        if recent.first > 1 and longterm is None:
            raise NoteError(f"There is no long-term summary of memories 1–{recent.first - 1} to go with {leaf}.")
        self.archive_writer.keep("rollback", self.journal.last, leaf=name, covers=[recent.first, recent.last])
        if longterm is None and self.longterm:
            self._unfit[LONGTERM] = "rolled back"
        self.replace(longterm, recent)
        return recent

    def _longterm_before(self, recent: Summary) -> Summary | None:
        names = (one for one in self.summaries.former_names() if covered_by_name(one) == recent.first - 1)
        former = map(self.summaries.leaf, names)
        fitting = [s for s in (*former, self.longterm) if s and s.first == 1 and s.last == recent.first - 1]
        return max(fitting, key=lambda summary: (summary.generation, summary.made_ms), default=None)

    def close(self) -> None:
        """Force everything to disk and close the files. Raises: NoteError, which counts what cannot be written."""
        is_written = self.write_pending()
        lost = "" if is_written else f"{self.waiting} of {self.name}'s memories could not be written and are lost. "
        self.archive_writer.close()
        try:
            self.journal.close()
        except NoteError as error:
            raise NoteError(f"{lost}{error}") from error
        if lost:
            raise NoteError(f"{lost}{self.problem}")

    def _partition(self, longterm: Summary | None, recent: Summary | None) -> ResolvedRanges:
        settled = resolve_ranges(longterm, recent)
        objections = list(settled.objections)
        covered = settled.coverage(0).b
        if covered > self.journal.last:  # memories to come would be taken for summarised
            objections.append((RECENT, f"it goes to {covered}, and the journal to {self.journal.last}"))
        if objections:
            raise ValueError("; ".join(f"{name}: {why}" for name, why in objections))
        return settled

    def _read_summaries(self, starting: bool = False) -> None:
        self._unfit = {}
        self._stamp = self.summaries.stamp()  # before reading, so that an edit in between is seen next time
        longterm, recent = (
            self._read_summary(LONGTERM, self.longterm, starting),
            self._read_summary(RECENT, self.recent, starting),
        )
        self._settled = resolve_ranges(longterm, recent)
        for name, why in self._settled.objections:
            self._unfit[name] = "does not fit"
            self._warn(f"{name} does not fit: {why}. Its memories are told word for word")
        known = self._settled.coverage(self.journal.last)
        if known.b > self.journal.last:
            self._warn(
                f"the journal ends at memory {self.journal.last}, but summaries go to {known.b}; going on from there"
            )
            self.journal.last = known.b

    def _read_summary(self, name: str, last_good: Summary | None, starting: bool) -> Summary | None:
        try:
            found = self.summaries.read(name)
            # At a start the journal may have been cut short by hand; else somebody has mistyped the range.
            if found and found.last > self.journal.last and not (starting and found.is_as_made):
                raise NoteError(f"{name} goes to memory {found.last}, but the journal to {self.journal.last}.")
            return found
        except NoteError as error:
            self._unfit[name] = "not valid"
            self._warn(f"{error} {'The last good one stays in force.' if last_good else 'It is left out.'}")
            return last_good

    def _set_aside_unfit(self) -> None:
        """Rename summaries that do not hold before others take their names: nothing is written over unread."""
        while self._unfit:
            name, why = next(iter(self._unfit.items()))
            aside = self.summaries.set_aside(name, why, self._now_ms())
            del self._unfit[name]
            self._warn(f"{name} was kept as {aside!r}" if aside else f"{name} was taken away meanwhile")

    def _strategy_failed(self, name: str, error: Exception) -> None:
        log.error("[Memory] %s: the strategy %s failed", self.name, name, exc_info=error)
        text = f"The memory strategy {name!r} of {self.name} failed and is off: {error}. Nothing is lost."
        add_warning(self.warnings, text)
        self.on_trouble(text)

    def _warn(self, text: str) -> None:
        add_warning(self.warnings, text)
        log.warning("[Memory] %s: %s", self.name, text)
