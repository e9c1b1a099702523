"""Full-text search over the whole journal."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from itertools import islice

from agents.memory.english import FUNCTION_WORDS
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.inspection import journal_text
from vault.errors import NoteError
from vault.memory.caches import SearchIndex
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory, Range
from world.message_catalog import Wording
from world.parsing import parse_line

log = logging.getLogger(__name__)

MAX_HITS = 8
MAX_FILES_AT_ONCE = 2
"""Number of journal files that are indexed before an answer; with more the answer comes later."""

MAX_INDEXED = 512
"""Number of memories that are indexed before an answer; with more the answer comes later."""

MAX_LINES_TO_ANSWER = 3
"""Number of memories after a question among which its answer is searched."""

Answer = Callable[[list[Memory]], None]

LOOKING_UP = frozenset({"recall", "@memory-find"})
SEARCH_FACTOR = 3
"""The factor on the number of fetched hits, to leave out memories of searches themselves."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


class JournalSearch:
    """Searches one agent's journal. With `has_time`, missing files are indexed before answering."""

    def __init__(self, journal: Journal, reading: NarrationParser = ENGLISH) -> None:
        self.has_time = False
        self._journal = journal
        self._reading = reading
        self._index = SearchIndex(journal.vault, journal.agent_id)
        self._asked: list[tuple[str, Answer]] = []
        self._task: asyncio.Task[None] | None = None

    def find(self, query: str) -> list[Memory]:
        """Return the MAX_HITS memories that fit a query best, best first, and after each question its answer.

        Raises: NoteError if something cannot be read.
        """
        self._catch_up(self._index.stale())
        return self._best(query)

    def find_soon(self, query: str, answer: Answer) -> bool:
        """Give `answer` what is found: at once if that is quick, else in the background; return whether it was at once.

        The journal is read into the index once, however many ask meanwhile. Raises: NoteError if something cannot be
        read at once; what fails later answers with nothing and is logged.
        """
        is_reading = self._is_reading
        stale = [] if is_reading else self._index.stale()
        if not is_reading and len(stale) <= MAX_FILES_AT_ONCE and (not stale or self._has_added(stale)):
            answer(self._best(query))
            return True
        self._asked.append((query, answer))
        if not is_reading:
            self._task = asyncio.create_task(self._find_later(stale))
        return False

    def is_ready(self, last: int) -> bool:
        """Return whether the memories up to the one numbered `last` are in the index.

        Lines that were written since are taken in at once; if there are many, or a file was edited by hand, it is read
        in the background. Raises: NoteError.
        """
        if not last:  # who remembers nothing needs no index
            return True
        if self._is_reading and not self.has_time:
            return False
        stale = self._index.stale()
        if stale and not self._has_added(stale):
            return self._read_now(stale) if self.has_time else self._read_later(stale)
        return True

    def holding(self, word: str, before: int, most: int) -> list[int]:
        """Return the newest of the memories below `before` that have a word, newest first. Raises: NoteError."""
        return self._index.holding(word, before, most) if before > 1 else []

    def memory(self, seq: int) -> Memory | None:
        """Return a memory as the journal has it; None if there is none, or if it is of having looked for something.

        Raises: NoteError.
        """
        found = next(iter(self._journal.read(seq, seq)), None)
        return None if found is None or self._is_of_looking_up(found) else found

    def answer_to(self, memory: Memory) -> list[Memory]:
        """Return what somebody else said next, in the same place, if the memory is of a question. Raises: NoteError."""
        asked = utterance_in(memory, self._reading) if "?" in memory.text else None
        if asked is None:
            return []
        after = self._journal.read(memory.seq + 1, min(self._journal.last, memory.seq + MAX_LINES_TO_ANSWER))
        near = (one for one in after if one.room == memory.room)
        answers = (one for one in near if _differs(utterance_in(one, self._reading), asked))
        return list(islice(answers, 1))

    async def stop(self) -> None:
        """Cancel background work and close the index."""
        if self._task and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task])
        self._index.close()

    @property
    def _is_reading(self) -> bool:
        return self._task is not None and not self._task.done()

    def _catch_up(self, stale: list[str]) -> None:
        """Take in what has changed: of files that have only grown what was added, if that is little."""
        if stale and not self._has_added(stale):
            self._read_now(stale)

    def _has_added(self, stale: list[str]) -> bool:
        """Take in the memories that files have grown by; return False if more has changed than a few."""
        grown = [segment for segment in self._journal.files if segment.name in stale and self._index.is_grown(segment)]
        missing = [Range(max(one.first, self._index.reached(one.name) + 1), one.last) for one in grown]
        if len(grown) < len(stale) or sum(map(len, missing)) >= MAX_INDEXED:
            return False
        for segment, lines in zip(grown, missing, strict=True):
            memories = self._journal.read(lines.first, lines.last) if lines else []
            self._index.add(segment, [memory for memory in memories if memory.note == segment.note])
        return True

    def _edited_ns(self, name: str) -> int:
        return next((segment.edited_ns for segment in self._journal.files if segment.name == name), 0)

    def _read_now(self, stale: list[str]) -> bool:
        for name in stale:
            self._index.index_file(name, self._edited_ns(name))
        return True

    def _read_later(self, stale: list[str]) -> bool:
        with suppress(RuntimeError):  # nothing runs in the background of a program without a loop
            asyncio.get_running_loop()
            self._task = asyncio.create_task(self._find_later(stale))
        return False

    def _best(self, query: str) -> list[Memory]:
        found: dict[int, Memory] = {}
        fitting = (
            memory
            for seq in self._index.find(query_terms(query), SEARCH_FACTOR * MAX_HITS)
            for memory in self._journal.read(seq, seq)
            if not self._is_of_looking_up(memory)
        )
        for memory in islice(fitting, MAX_HITS):
            found |= {one.seq: one for one in (memory, *self.answer_to(memory)) if one.seq not in found}
        return list(found.values())

    def _is_of_looking_up(self, memory: Memory) -> bool:
        """Return whether a memory is only of having looked for something, in whose words it would be found again."""
        commands = self._journal.read(memory.seq - 1, memory.seq - 1) if memory.kind == "result" else [memory]
        return any(one.kind == "acted" and parse_line(one.text).verb in LOOKING_UP for one in commands)

    async def _find_later(self, stale: list[str]) -> None:
        try:
            for name in stale:
                await self._read(name)
        except NoteError as error:
            log.warning("[Memory] %s: not all of the journal can be searched: %s", self._journal.agent_id, error)
        while self._asked:
            query, answer = self._asked.pop(0)
            answer(self._found(query))

    async def _read(self, name: str) -> None:
        """Read a file into the index; between two steps everyone else goes on for as long as a step has taken."""
        loop = asyncio.get_running_loop()
        begun = loop.time()
        for _ in self._index.steps(name, self._edited_ns(name)):
            await asyncio.sleep(loop.time() - begun)
            begun = loop.time()

    def _found(self, query: str) -> list[Memory]:
        try:
            return self._best(query)
        except NoteError as error:
            log.warning("[Memory] %s: nothing can be searched: %s", self._journal.agent_id, error)
            return []


def query_terms(query: str) -> str:
    """Return a query without the words that any sentence has; as it is if it has no others."""
    return " ".join(word for word in _WORD.findall(query) if word.lower() not in FUNCTION_WORDS) or query


def _differs(answer: Utterance | None, question: Utterance) -> bool:
    return answer is not None and answer.speaker != question.speaker


def search_text(name: str, query: str, found: list[Memory], say: Wording) -> str:
    """Return the found memories for people: number, time, kind, place and words of each, best first."""
    if not found:
        return say("memory.nothing_found", who=name, wanted=query)
    lines = [say("memory.found", who=name, wanted=query), *(journal_text(one, say) for one in found)]
    return "\n".join(lines)


def brief_of(query: str, found: list[Memory], say: Wording) -> str:
    """Return what is remembered of having recalled: which memories, and nothing of what they say."""
    numbers = ", ".join(str(memory.seq) for memory in found)
    return say("memory.you_recall", wanted=query, numbers=numbers) if found else say("memory.you_recall_nothing")
