"""One agent's facts and pins, its core memory: from the journal, kept in `facts.md`, where a person's edit wins."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import zip_longest

from agents.memory.facts.extraction import awaits_outcome, extract_facts
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.facts.store import FactStore, in_order
from agents.memory.summaries.formats import picked_words
from agents.write_pool import WritePool
from vault.atomic_write import Stamp
from vault.errors import NoteError
from vault.markdown import LINE_BREAK, one_line
from vault.memory.facts_note import NAME, Fact, FactsFile, FactsNote, Pin
from vault.memory.journal import Journal, add_warning
from vault.vault import Vault
from world.errors import CommandError
from world.message_catalog import Wording

log = logging.getLogger(__name__)

CATCH_UP = 256
"""Maximum number of memories that one call extracts from, so that a long journal blocks nobody."""

EXTRACT_EVERY = 8
"""Number of new memories after which facts are extracted: all at once they would delay the next prompt."""

WRITE_EVERY = 64
WRITE_MS = 30_000
"""The file is written after `WRITE_EVERY` memories or `WRITE_MS` milliseconds, and whenever a pin has changed."""

_GONE = (-1, -1)
_SEQ = re.compile(r"\[*(?:[\d-]+#)?\^m(\d{1,16})\]*|(\d{1,16})")


@dataclass(frozen=True)
class FactsVersion:
    """A text of the file, the last memory that it covers, and the goals of the profile that it names."""

    text: str = ""
    upto: int = 0
    goals: tuple[str, ...] = ()


class BackgroundSave:
    """Writes the facts file in a thread. At most one write is in flight; call `settle` before another.

    `taken` is called with each version and its stamp, or with None if somebody else has written the file meanwhile; it
    returns whether the version is written. `failed` is called with the reason of a failure. Both are called where the
    world goes on.
    """

    def __init__(
        self,
        note: FactsNote,
        journal: Journal,
        pool: WritePool,
        taken: Callable[[FactsVersion, Stamp | None], bool],
        failed: Callable[[NoteError], None],
    ) -> None:
        self._note = note
        self._journal = journal
        self._pool = pool
        self._taken = taken
        self._failed = failed
        self._on_its_way: tuple[FactsVersion, Future[Stamp | None]] | None = None

    @property
    def is_under_way(self) -> bool:
        """True while a version is being written: the file may hold that version, so reading it must wait."""
        return self._on_its_way is not None

    def write(self, version: FactsVersion, expected: Stamp) -> bool:
        """Write a version over the file with that stamp, and return whether it is written."""
        return self._take(version, lambda: self._work(version, expected)())

    def write_in_background(self, version: FactsVersion, expected: Stamp) -> None:
        """Begin to write a version; where nothing goes on meanwhile, it is written at once."""
        try:
            work = self._work(version, expected)
        except NoteError as error:
            self._failed(error)
            return
        if written := self._pool.submit(work, self.hear):
            self._on_its_way = version, written
        else:
            self._take(version, work)

    def hear(self) -> None:
        """Take in the outcome of the version on its way, if that is known."""
        if self._on_its_way and self._on_its_way[1].done():
            self.settle()

    def settle(self) -> None:
        """Wait until nothing is on its way, and take in the outcome."""
        if self._on_its_way:
            (version, written), self._on_its_way = self._on_its_way, None
            self._take(version, written.result)

    def _work(self, version: FactsVersion, expected: Stamp) -> Callable[[], Stamp | None]:
        """Return a function that writes a version, in any thread. Raises: NoteError, both now and in the function."""
        force = self._journal.fsync_later()

        def work() -> Stamp | None:
            force()  # or a power cut could leave facts of memories that are not there
            return self._note.write(version.text, expected)

        return work

    def _take(self, version: FactsVersion, outcome: Callable[[], Stamp | None]) -> bool:
        try:
            return self._taken(version, outcome())
        except NoteError as error:
            self._failed(error)
        except Exception as error:  # in a thread, where nobody else hears of it
            source = f"agents/{self._journal.agent_id}/{NAME}"
            log.exception("%s could not be written", source)
            self._failed(NoteError(f"{source}: cannot be written: {error!r}."))
        return False


class FactRegistry:
    """The facts and pins of one agent. All of it can be learnt again from the journal but pins and a person's words.

    `version` grows when a pin or a person has changed something; `on_trouble` gets messages for admins.
    What is learnt is written in `pool`; a pin, which somebody waits for, and the last word are written at once.
    """

    def __init__(
        self,
        vault: Vault,
        name: str,
        journal: Journal,
        now_ms: Callable[[], int],
        reading: NarrationParser = ENGLISH,
        pool: WritePool | None = None,
    ) -> None:
        self.name = name
        self.version = 0
        self.warnings: list[str] = []
        self.on_trouble: Callable[[str], None] = lambda text: None
        self.profile_goals: tuple[str, ...] = ()
        self._note = FactsNote(vault, name)
        self._journal = journal
        self._now_ms = now_ms
        self._reading = reading
        self._known = FactStore()
        self._file = FactsFile()
        self._stamp = _GONE
        self._written = FactsVersion()
        self._invalid = ""
        self._unwritten = ""
        self._next_write_ms = 0
        self._writing = BackgroundSave(self._note, journal, pool or WritePool(), self._take_written, self._fail)

    @property
    def problem(self) -> str:
        """The reason why the file does not count or cannot be written; empty if all is well."""
        return self._invalid or self._unwritten

    @property
    def pins(self) -> tuple[Pin, ...]:
        return self._file.pins

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, section by section, each oldest first."""
        return in_order(self._known.facts.values())

    @property
    def goals(self) -> tuple[str, ...]:
        """The goals of the profile and those written into the file."""
        return tuple(dict.fromkeys((*self.profile_goals, *self._file.goals)))

    @property
    def upto(self) -> int:
        """The last memory that facts were extracted from."""
        return self._known.upto

    @property
    def is_behind(self) -> bool:
        """True if there are memories that no facts were extracted from yet."""
        return self._known.upto + 1 < self._journal.last  # the last command may wait for its outcome

    def take_in(self) -> None:
        """Take in the edits of a person and the new memories of the journal. Raises: NoteError if it cannot be read."""
        self._writing.hear()
        if not self._writing.is_under_way:
            self._take_in_edits()
        self._take_in_marks()
        self._learn()
        behind = self._known.upto - self._written.upto
        is_due = behind >= WRITE_EVERY or (self._has_news and self._now_ms() >= self._next_write_ms)
        if is_due and not (self._writing.is_under_way or self._invalid):
            self._writing.write_in_background(self._next_version(), self._stamp)

    def keep_up(self) -> None:
        """Learn from the last few memories once they are enough; more than a few, or an edit, waits for `take_in`."""
        if EXTRACT_EVERY <= self._journal.last - self._known.upto <= 2 * EXTRACT_EVERY:
            with suppress(NoteError):  # which `take_in` raises again
                self._learn()

    def _learn(self) -> None:
        """Learn from what is new; a last command that may yet be refused waits for the memory that says so."""
        first, last = self._known.upto + 1, min(self._journal.last, self._known.upto + CATCH_UP)
        memories = self._journal.read(first, last) if first <= last else []
        if memories and memories[-1].seq == last and awaits_outcome(memories[-1]):
            last = memories.pop().seq - 1
        for memory, after in zip_longest(memories, memories[1:]):
            is_refused = bool(after and after.kind == "result" and after.refused)
            extract_facts(self._known, memory, is_refused, self._reading)
        self._known.upto = max(self._known.upto, last)

    def close(self) -> None:
        """Write the file if there is anything new. Raises: NoteError if the journal cannot be read."""
        self.settle()
        self.take_in()
        self.settle()
        if self._has_news:
            self._save()

    def settle(self) -> None:
        """Wait for a write in the background, if there is one."""
        self._writing.settle()

    def pin(self, wanted: str, say: Wording, fits: Callable[[str], bool] = lambda text: True) -> Pin:
        """Pin the memory of a number, or a text, and return it.

        `fits` is asked whether all pins together may be so long. Raises: CommandError that says why it cannot be.
        """
        pin = self._meant(wanted, say)
        if pin in self.pins or (pin.seq and pin.seq in {one.seq for one in self.pins}):
            raise CommandError(say("memory.pinned_already", text=pin.text))
        if not fits("\n".join(one.text for one in (*self.pins, pin))):
            raise CommandError(say("memory.pins_full"))
        self._change(lambda file: replace(file, pins=(*file.pins, pin)), say)
        return pin

    def unpin(self, wanted: str, say: Wording) -> Pin:
        """Take off the pin of a memory's number, or the one with these words. Raises: CommandError if there is none."""
        self.take_in()
        number = _SEQ.fullmatch(wanted.strip())
        seq = int(number[1] or number[2]) if number else 0
        words = one_line(wanted).casefold()
        found = [pin for pin in self.pins if (seq and pin.seq == seq) or pin.text.casefold() == words]
        found = found or [pin for pin in self.pins if words and words in pin.text.casefold()]
        if len(found) != 1:
            known = "; ".join(f"{pin.seq or '-'}: {pin.text}" for pin in self.pins) or say("lists.none")
            raise CommandError(say("memory.which_pin" if found else "memory.no_such_pin", wanted=wanted, pins=known))
        self._change(lambda file: replace(file, pins=tuple(pin for pin in file.pins if pin != found[0])), say)
        return found[0]

    def add_goal(self, text: str, say: Wording) -> None:
        """Write down a goal of one's own. Raises: CommandError if it cannot be written now."""
        self.take_in()
        self._change(lambda file: replace(file, goals=(*file.goals, one_line(text))), say)

    def end_goal(self, goal: str, say: Wording) -> None:
        """Take a goal of one's own off the list. Raises: CommandError if that cannot be written now."""
        self._change(lambda file: replace(file, goals=tuple(one for one in file.goals if one != goal)), say)

    @property
    def _has_news(self) -> bool:
        return self._known.upto > self._written.upto or self.profile_goals != self._written.goals

    # Pins and goals

    def _meant(self, wanted: str, say: Wording) -> Pin:
        self.take_in()
        number = _SEQ.fullmatch(wanted.strip())
        if not number:
            return Pin(one_line(wanted))
        seq = int(number[1] or number[2])
        found = self._journal.read(seq, seq)
        if not found:
            raise CommandError(say("memory.no_memory", who=self.name, number=seq, last=self._journal.last))
        return Pin(picked_words(found[0]).replace(LINE_BREAK, " "), seq)

    def _change(self, change: Callable[[FactsFile], FactsFile], say: Wording) -> None:
        for _ in range(3):  # what somebody saves at the same moment is taken in first
            self.settle()
            before = self._file
            self._file = change(before)
            if self._save():
                self.version += 1
                return
            if self.problem:
                self._file = before
                raise CommandError(say("memory.facts_unchanged", problem=self.problem))
        raise CommandError(say("memory.facts_edited", who=self.name))

    def _take_in_marks(self) -> None:
        """Pin the memories marked in the journal since the last look; those unpinned meanwhile stay so."""
        marked = self._journal.pinned
        if marked == self._file.marked:
            return
        self.settle()
        pinned = {pin.seq for pin in self.pins} | set(self._file.marked)
        new = [memory for seq in marked if seq not in pinned for memory in self._journal.read(seq, seq)]
        pins = (*self.pins, *(Pin(picked_words(one).replace(LINE_BREAK, " "), one.seq) for one in new))
        self._file = replace(self._file, pins=pins, marked=marked)
        self.version += 1
        self._save()

    # The file

    def _take_in_edits(self) -> None:
        before, stamp = self._stamp, self._note.stamp()
        if stamp == before:
            return
        self._stamp = stamp
        try:
            found = self._note.read()
        except NoteError as error:
            self._invalid = f"{error} What was known before still counts."
            self._warn(self._invalid)
            return
        self._invalid = self._unwritten = ""
        if found is None:
            self._warn(f"{NAME} was taken away; it is written again")
            self._written = FactsVersion(self._written.text, 0, self._written.goals)
            return
        try:
            self._keep_what_was_lost(found)
        except NoteError:
            self._stamp = before  # or what a person has written would be taken for ours, and written over
            raise
        upto = min(found.upto, self._journal.last)
        self._known = FactStore(upto, found.place, {fact.key: fact for fact in found.facts})
        self._file = found
        self._written = FactsVersion("", upto, self._written.goals)
        self.version += 1

    def _keep_what_was_lost(self, found: FactsFile) -> None:
        """Keep our version beside a file that was saved from an older one and has lost pins by it."""
        lost = [pin for pin in self.pins if pin not in found.pins]
        if self._written.text and lost and found.upto < self._written.upto:
            moment = datetime.fromtimestamp(self._now_ms() / 1000, UTC).strftime("%Y%m%d-%H%M%S")
            kept = self._note.keep_aside(self._written.text, moment)
            self._warn(f"{NAME} was saved from an older version, without pins set meanwhile; they are in {kept!r}")

    def _save(self) -> bool:
        """Write the file; return whether it is written. What cannot be written now is tried again later."""
        self.settle()
        if self._invalid:
            return False  # what a person has written is never written over unread
        return self._writing.write(self._next_version(), self._stamp)

    def _next_version(self) -> FactsVersion:
        upto, facts = self._known.upto, in_order(self._known.facts.values())
        file = replace(self._file, upto=upto, place=self._known.place, facts=facts)
        self._next_write_ms = self._now_ms() + WRITE_MS
        return FactsVersion(self._note.text(file, self._journal.link, self.profile_goals), upto, self.profile_goals)

    def _take_written(self, version: FactsVersion, stamp: Stamp | None) -> bool:
        if stamp is None:
            self._take_in_edits()
            return False
        self._unwritten = ""
        self._written, self._stamp = version, stamp
        return True

    def _fail(self, error: NoteError) -> None:
        if not self._unwritten:
            log.error("[Memory] %s: %s", self.name, error)
        self._unwritten = str(error)

    def _warn(self, text: str) -> None:
        add_warning(self.warnings, text)
        self.on_trouble(text)
        log.warning("[Memory] %s: %s", self.name, text)
