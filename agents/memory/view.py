"""The working set of a memory: the tiers that go into the context window, and their text.

Micro-compaction shortens what is left of commands once their turn is over. A long result is shown as a placeholder. A
failed round, which is a refused command and its refusal, is left out once a later command was done: by then the agent
has learnt from it. The journal keeps both.

    [look: ok, 412 characters, "The Landing Green planks, still…" ^m12]

It is pure and needs no model. A result turns into its placeholder once, when its owner's next command comes. It stays
so, and the text before it can be cached. What is said, thought and posed is no result and is never touched.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from agents.escaping import plain, quoted
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory, Range, RangeSet, partition_fault
from vault.memory.summaries import Summary
from world.message_catalog import Wording
from world.parsing import split_reason

log = logging.getLogger(__name__)

FIRST_WORDS_CHARACTERS = 32
MAX_VERB_CHARACTERS = 24
MARK_CHARACTERS = 80

_HELD = re.compile(r" \[… ([\d,]{1,15}) more characters: (\d{4}-\d\d-\d\d(?:-\d{1,9})?#\d{1,15})\]\Z")

RESULT_CHARACTERS = 240
STEP_LINES = 16
UNSHOWN = "are not shown here for want of room"
MAX_RANGES_TOLD = 4
OLDER, RECENT, TAIL = "older", "recent", "tail"
TIER_GAP = " · "

_BLOCK_LINK = re.compile(r"(?<!\s)\s*\(?\[\[[^\[\]]*#\^m\d+\]\]\)?")


@dataclass(frozen=True)
class ResultLimits:
    """The limits on a result in a view, in characters.

    A result longer than `result_characters` becomes a placeholder (0: none does). At most `cap_characters` of any
    result are shown.
    """

    result_characters: int = 240
    cap_characters: int = 4000

    def is_long(self, result: Memory) -> bool:
        """Return whether a result becomes a placeholder once its turn is over."""
        return 0 < self.result_characters < len(_plain(result.text))


LIMITS = ResultLimits()


def truncate(text: str, cap_characters: int, reference: str) -> str:
    """Return the beginning of a text longer than the cap, with a mark that says how much is missing and where it is.

    The result, mark included, is no longer than the cap.
    """
    head = text[: cap_characters - MARK_CHARACTERS]
    return f"{head} [… {len(text) - len(head):,} more characters: {reference}]"


def placeholder(result: Memory, command: str) -> str:
    """Return the placeholder of a result of a command line, which is empty if it is not known."""
    verb = command.split(maxsplit=1)[0][:MAX_VERB_CHARACTERS] if command.strip() else "result"
    status = "refused" if result.refused else "ok"
    mark = _HELD.search(result.text)
    told = result.text[: mark.start()] if mark else result.text
    more, reference = (int(mark[1].replace(",", "")), mark[2]) if mark else (0, f"^m{result.seq}")
    characters = len(told.replace(LINE_BREAK, "\n")) + more
    return f'[{verb}: {status}, {characters:,} characters, "{_first_words(told)}…" {reference}]'


def result_texts(
    tail: Sequence[Memory], done: int, limits: ResultLimits, make: Callable[[Memory, str], str] = placeholder
) -> dict[int, str]:
    """Return the texts of the results in a tail, by their place in it.

    Results up to the owner's last command, the first `done`, belong to turns that are over. If a placeholder cannot be
    made, the result itself is shown, within the cap.
    """
    command, texts, broken = "", dict[int, str](), list[int]()
    for place, memory in enumerate(tail):
        if memory.kind == "acted":
            command = memory.text
        if memory.kind != "result":
            continue
        texts[place] = _cap(memory, limits.cap_characters)
        if place < done and limits.is_long(memory):
            try:
                texts[place] = min(make(memory, command), texts[place], key=len)
            except Exception:
                broken.append(memory.seq)
                log.debug("memory %d has no placeholder", memory.seq, exc_info=True)
    if broken:
        log.warning("%d results from memory %d on are shown whole: no placeholder can be made", len(broken), broken[0])
    return texts


def failed_rounds(memories: Sequence[Memory]) -> frozenset[int]:
    """Return the numbers of refused commands and of their refusals.

    A command's outcome is the first result after it. Its refusal counts alone where the command came before. What
    somebody has pinned is never a failure.
    """
    failed, command, is_open = set[int](), None, True
    for memory in memories:
        if memory.kind == "acted":
            command, is_open = memory, True
        elif memory.kind == "result" and is_open:
            if memory.refused:
                failed |= {one.seq for one in (command, memory) if one and not one.pinned}
            is_open = False
    return frozenset(failed)


def superseded_failures(tail: Sequence[Memory]) -> frozenset[int]:
    """Return the numbers of the failed rounds in a tail that a later command, which was not refused, follows."""
    failed = failed_rounds(tail)
    last_done = max((one.seq for one in tail if one.kind == "acted" and one.seq not in failed), default=0)
    return frozenset(seq for seq in failed if seq < last_done)


def _cap(result: Memory, cap_characters: int) -> str:
    """Return a result's text within the cap; one held on arrival is within it already."""
    plain = _plain(result.text)
    return plain if len(plain) <= cap_characters else truncate(plain, cap_characters, f"^m{result.seq}")


def _plain(text: str) -> str:
    return text.replace(LINE_BREAK, " ")


def _first_words(text: str) -> str:
    words = _plain(text).strip()[: FIRST_WORDS_CHARACTERS + 1]
    return words if len(words) <= FIRST_WORDS_CHARACTERS else words.rsplit(" ", 1)[0][:FIRST_WORDS_CHARACTERS]


@dataclass(frozen=True)
class CompactedMessage:
    """A summary of the memories from `start` to `end`, both included."""

    start: int
    end: int
    summary: str

    def to_system_message(self) -> str:
        """Return it as a message that says what it covers."""
        return f"[Conversation History Summary (Rounds {self.start}-{self.end})]\n{self.summary}"


class CompactionProvider(Protocol):
    """Compacts one agent's memories: its own compactor does, or anything else that is registered in its place."""

    def get_compaction(self) -> CompactedMessage | None:
        """Return the summary of the oldest memories now, or None."""

    def notify_rounds_changed(self, total_rounds: int) -> None:
        """Hear how many memories there are after a turn; what is due may begin, in the background."""


@dataclass(frozen=True)
class Tier:
    """A part of a view: the memories that it covers, and its text.

    A summary has `text`, and a `title` if there are several of its kind. `slot` is its place in a template,
    `is_message` is true if it is a message of its own, and `summary` is the file that it is from. The tail has `lines`:
    the newest of its memories word for word, oldest first.
    """

    name: str
    memories: RangeSet
    text: str = ""
    title: str = ""
    slot: str = OLDER
    is_message: bool = False
    summary: Summary | None = None
    lines: tuple[Memory, ...] = ()

    @property
    def told(self) -> str:
        """The summary as a prompt has it, with a line that says what it covers."""
        text = f"{self.title}: {self.text}" if self.title else self.text
        if self.is_message:
            return CompactedMessage(self.memories.first, self.memories.last, text).to_system_message()
        shown: object = self.memories
        if len(self.memories.ranges) > MAX_RANGES_TOLD:
            shown = f"some of {Range(self.memories.first, self.memories.last)}"
        return f"{text}\n[Summarized {len(self.memories)} memories: {shown}]"


def summary_tiers(summary: Summary, name: str, is_message: bool = False) -> list[Tier]:
    """Return the tiers of a summary file: one for each of its parts. `name` is that of the file."""
    return [
        Tier(
            f"{name}: {part.name}" if part.name else name,
            part.memories,
            _BLOCK_LINK.sub("", part.text),
            part.name,
            RECENT if name == RECENT else OLDER,
            is_message,
            summary,
        )
        for part in summary.parts
    ]


def tail_tier(covered: int, n: int, lines: tuple[Memory, ...] = ()) -> Tier:
    """Return the verbatim tail: the memories from `covered` + 1 to n."""
    return Tier(TAIL, RangeSet.of(Range(covered + 1, n)), lines=lines)


@dataclass(frozen=True)
class View:
    """The view of one agent's memory at one moment: tiers, the oldest first and the verbatim tail last.

    `limits` bounds how much of a command's result is shown.
    Raises: ValueError unless the tiers are a partition of all memories from 1 on.
    """

    name: str
    tiers: tuple[Tier, ...]
    limits: ResultLimits = LIMITS

    def __post_init__(self) -> None:
        if fault := partition_fault([tier.memories for tier in self.tiers], Range(1, self.n)):
            raise ValueError(f"not a partition: {fault}")
        if not self.tiers or self.tiers[-1].name != TAIL:
            raise ValueError("a view ends with the verbatim tail")

    @property
    def n(self) -> int:
        """The number of memories."""
        return max((tier.memories.last for tier in self.tiers), default=0)

    @property
    def summaries(self) -> tuple[Tier, ...]:
        """All tiers but the tail."""
        return self.tiers[:-1]

    @property
    def covered(self) -> int:
        """The number of the last memory that a summary covers; 0 if there is none."""
        return max((tier.memories.last for tier in self.summaries), default=0)

    @property
    def verbatim(self) -> Range:
        """The memories that no summary covers; `tail` has the newest of them."""
        return Range(self.covered + 1, self.n)

    @property
    def tail(self) -> tuple[Memory, ...]:
        return self.tiers[-1].lines

    def tier_of(self, seq: int) -> Tier:
        """Return the tier that covers a memory. Raises: StopIteration if there is no such memory."""
        return next(tier for tier in self.tiers if seq in tier.memories)

    def told_in(self, slot: str) -> str:
        """Return the summaries of one slot of a template, the oldest first; empty if there are none."""
        return "\n".join(tier.told for tier in self.summaries if tier.slot == slot)

    @property
    def compacted(self) -> CompactedMessage | None:
        """All summaries as one message; the memories after its end are verbatim. None if there is none."""
        text = "\n".join(f"{tier.title}: {tier.text}" if tier.title else tier.text for tier in self.summaries)
        return CompactedMessage(1, self.covered, text) if self.summaries else None

    def tail_text(self, left_out: int = 0) -> str:
        """Return the verbatim tail, a line a memory, without the oldest `left_out` of them.

        A first line names the part of the verbatim range that is not shown.
        """
        return "\n".join([*self._unshown(left_out), *self._shown(left_out, len(self.tail))])

    def before_text(self, left_out: int = 0) -> str:
        """Return the tail up to what its owner did last, in the same way; `since_text` has the rest."""
        return "\n".join([*self._unshown(left_out), *self._shown(left_out, self._done)])

    def since_text(self, left_out: int = 0) -> str:
        """Return the memories since its owner's last command, a line a memory."""
        return "\n".join(self._shown(max(left_out, self._done), len(self.tail)))

    def told(self, left_out: int = 0) -> list[tuple[Memory, str]]:
        """Return the memories of the tail without the oldest `left_out`, each with its text."""
        return list(zip(self.tail, self._texts, strict=True))[left_out:]

    def unshown(self, left_out: int = 0) -> Range:
        """Return the memories of the verbatim range that are not told then."""
        return Range(self.verbatim.first, self.first_shown(left_out) - 1)

    def first_shown(self, left_out: int = 0) -> int:
        """Return the number of the first memory that is shown then; the next one to come if none is."""
        return self.tail[left_out].seq if left_out < len(self.tail) else self.n + 1

    def without(self, left_out: int) -> View:
        """Return the view without the oldest `left_out` lines of its tail."""
        tail = self.tiers[-1]
        return replace(self, tiers=(*self.tiers[:-1], replace(tail, lines=tail.lines[left_out:])))

    def heading(self, unshown: Range, say: Wording) -> str:
        """Return which memories stand in which tier: `1–65 long ago · 66–129 lately · 130–171 word for word`.

        `unshown` are the memories of the verbatim range that a prompt has no room for.
        """
        older, recent = (
            RangeSet.of(*(one for tier in self.summaries if tier.slot == slot for one in tier.memories.ranges))
            for slot in (OLDER, RECENT)
        )
        shown = Range(max(unshown.last + 1, self.verbatim.first), self.n)
        tiers = {"older": older, "recent": recent, "unshown": unshown, "tail": shown}
        return TIER_GAP.join(say(f"status.tier_{name}", memories=found) for name, found in tiers.items() if found)

    def idle_ms(self, now_ms: int) -> int:
        """Return how long ago its owner did something, in milliseconds; 0 if the tail holds no command of its own."""
        return max(0, now_ms - self.tail[self._done - 1].at_ms) if self._done else 0

    @property
    def moment(self) -> tuple[Memory, ...]:
        """The owner's last command, if the tail holds one, and all that came after it."""
        return self.tail[max(0, self._done - 1) :]

    @cached_property
    def _done(self) -> int:
        """The number of memories of the tail up to the owner's last command, including it."""
        commands = (place for place in range(len(self.tail), 0, -1) if self.tail[place - 1].kind == "acted")
        return next(commands, 0)

    @cached_property
    def failed(self) -> frozenset[int]:
        """The numbers of the memories in the tail that are not shown: failed rounds that another command followed."""
        return superseded_failures(self.tail)

    def _shown(self, first: int, end: int) -> list[str]:
        """Return the lines of the tail from one place to before another."""
        places = range(first, min(end, len(self.tail)))
        return collapse_repeats(self._texts[place] for place in places if self.tail[place].seq not in self.failed)

    @cached_property
    def _texts(self) -> list[str]:
        """The text of each memory of the tail."""
        results = result_texts(self.tail, self._done, self.limits)
        return [
            quoted(results[place]) if place in results else memory_text(memory, self.name, with_reason=False)
            for place, memory in enumerate(self.tail)
        ]

    def _unshown(self, left_out: int) -> list[str]:
        unshown = self.unshown(left_out)
        return [f"[Memories {unshown} {UNSHOWN}; they are in the journal]"] if unshown else []


def memory_text(memory: Memory, name: str, with_reason: bool = True) -> str:
    """Return a memory as its owner would see it on a screen: what it typed behind its prompt, the rest as it was.

    The summariser gets its private reason, the model that acts never does: a model that reads its own
    reasons repeats them, and may be talked into reciting them. A long result is cut after the part that is of use to
    the summariser.
    """
    match memory.kind:
        case "acted":
            return f"~{name}> {memory.text if with_reason else split_reason(memory.text)[0]}"
        case "noted":
            return f"[You noted: {plain(memory.text)}]"
        case "dreamt":
            return f"[You dreamt: {plain(memory.text)}]"
        case "result" if len(memory.text) > RESULT_CHARACTERS:
            told = memory.text[:RESULT_CHARACTERS].rsplit(" ", 1)[0].replace(LINE_BREAK, " ")
            return f"{quoted(told)} [… ^m{memory.seq}]"
        case _:
            return quoted(memory.text.replace(LINE_BREAK, " "))


def collapse_repeats(lines: Iterable[str]) -> list[str]:
    """Return lines with each run of equal ones made one with its count: `It rains. (×3)`."""
    told, counts = list[str](), list[int]()
    for line in lines:
        if told and told[-1] == line:
            counts[-1] += 1
        else:
            told.append(line)
            counts.append(1)
    return [f"{line} (×{count})" if count > 1 else line for line, count in zip(told, counts, strict=True)]
