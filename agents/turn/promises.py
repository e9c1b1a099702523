"""Promises: what an agent was asked to tell, or to hand over to, somebody who was not there."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import date

from agents.component import Moment, Section, Turn
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.memory_line import DAY_MS, Memory
from vault.memory.promises_note import MAX_PROMISES, MAX_WORDS, NAME, OPENING, Promise, PromisesNote, free_number
from vault.memory.shared_file import MAX_CHARACTERS, SharedFile
from vault.vault import Vault
from world.events import Event
from world.message_catalog import Wording
from world.sanitize import name_key

log = logging.getLogger(__name__)

MAX_OPEN_OF_ASKER = 3
MAX_OPEN = 12
MAX_DAYS = 30
"""Days after which an open promise lapses."""

MAX_KEPT = 48
"""Number of the newest promises, done or lapsed, that stay in the file; the journal has the others."""

MIN_REPEATED_CHARACTERS = 12
"""Words that are shorter are repeated by chance, and count as delivered words only if they stand alone."""

ROOM_CHARACTERS = 2_000
"""Room for one more line that the file must have."""

_SAY_WORDS = "promises.say_words"
_DELIVERED = re.compile(r"delivered ([1-9][0-9]{0,8})")
_EPOCH = date(1970, 1, 1).toordinal()


class Promises:
    """The promises of one agent, in its `promises.md`.

    `link` gives the link to a memory's line in the journal; `names_of` the names by which people speak of somebody.
    `on_trouble` is called with each fault of the file once. What cannot be written is in force and written later.
    """

    name = "promises"

    def __init__(
        self,
        vault: Vault,
        agent: str,
        link: Callable[[int], str],
        now_ms: Callable[[], int],
        on_trouble: Callable[[str], None],
        names_of: Callable[[str], tuple[str, ...]] = lambda who: (who,),
    ) -> None:
        self._agent = agent
        self._link = link
        self._now_ms = now_ms
        self._on_trouble = on_trouble
        self._names_of = names_of
        self._delivered: dict[int, float] = {}
        self._faults: tuple[str, ...] = ()
        self._highest = 0
        path = ("agents", agent, NAME)
        self._file = SharedFile(vault, path, PromisesNote(OPENING.format(agent=agent), "/".join(path)), on_trouble)

    @property
    def problems(self) -> list[str]:
        """The faults of the file; empty if it has none."""
        return [*([self._file.problem] if self._file.problem else []), *self._faults]

    def all(self) -> tuple[Promise, ...]:
        """Return the promises, done and lapsed ones too, oldest first."""
        found = [_done(one) if self._is_delivered(one) else one for one in self._note().promises]
        return tuple(sorted(found, key=lambda one: (one.day, one.number)))

    def open(self) -> tuple[Promise, ...]:
        """Return the promises that are to be kept, oldest first."""
        return tuple(one for one in self.all() if one.number and not (one.is_done or self.has_lapsed(one)))

    def has_lapsed(self, promise: Promise) -> bool:
        """Return whether a promise is too old to be kept."""
        today = self._now_ms() // DAY_MS
        made = date.fromisoformat(promise.day).toordinal() - _EPOCH if promise.day else today
        return not promise.is_done and today - made > MAX_DAYS

    def refusal(
        self,
        asker: str,
        target: str,
        words: str,
        parties: Collection[str] = (),
        thing: str = "",
        say: Wording | None = None,
    ) -> str:
        """Return the key of the sentence that says why no promise is made; empty if it may be made.

        With the world's sentences to `say`, words that an agent has just delivered are known by their sentence as well.
        """
        asked_by, wanted = name_key(one_line(asker)), name_key(one_line(target))
        still_open = self.open()
        if not (one_line(words) or one_line(thing)) or not asked_by or not wanted:
            return "promises.no_words"
        if max(len(one_line(words)), len(one_line(thing))) > MAX_WORDS:
            return "promises.too_long"
        if wanted in (asked_by, name_key(self._agent)) or asked_by == name_key(self._agent):
            return "promises.same_person"
        if parties and asked_by not in map(name_key, parties):
            return "promises.not_confided"
        if self._are_delivered(asked_by, words, say):
            return "promises.delivered_words"
        if any(one.pair == (asked_by, wanted) for one in still_open):
            return "promises.one_a_pair"
        if sum(one.pair[0] == asked_by for one in still_open) >= MAX_OPEN_OF_ASKER:
            return "promises.too_many_of_asker"
        if len(still_open) >= MAX_OPEN:
            return "promises.too_many"
        return "" if self._can_add() else "promises.no_file"

    def make(
        self, asker: str, target: str, words: str, seq: int, thing: str = "", parties: Collection[str] = ()
    ) -> Promise:
        """Make a promise. `seq` is the memory of the words. Raises: ValueError where `refusal` has a reason."""
        if reason := self.refusal(asker, target, words, parties, thing):
            raise ValueError(f"{self._agent} cannot promise {asker} to tell {target}: {reason}; ask `refusal` first")
        note = self._note()
        number = free_number(max(self._highest, note.last), {one.number for one in note.promises})
        names = tuple(map(one_line, parties))
        promise = Promise(
            number, one_line(asker), one_line(target), one_line(words), one_line(thing), names, seq, self._today()
        )
        self._delivered.pop(number, None)
        self._change([promise], self._spent())
        return promise

    def due(self, names: Collection[str], told: Collection[str] = ()) -> Promise | None:
        """Return the oldest open promise for somebody who has one of these names, or None.

        Names that somebody has only `told` of themselves find no promise that was whispered.
        """
        return next(self.all_due(names, told), None)

    def sentence(self, promise: Promise, say: Wording, called: Callable[[str], str]) -> str:
        """Return what the agent says to keep a promise. `called` gives the name by which people speak of somebody."""
        asker = called(promise.asker)
        if promise.thing:
            return say("promises.say_thing", asker=asker, thing=promise.thing)
        return say("promises.say_words", asker=asker, words=promise.words)

    def delivered(self, number: int) -> None:
        """Tick a promise off. Call it once the journal has the line with the event `delivered N`."""
        self._delivered[number] = float("inf")
        self._note()
        self._settle()

    def mend(self, memories: Iterable[Memory]) -> None:
        """Tick off what the journal says was delivered: own lines with an event such as `delivered 7`.

        A number counts for the promise that was made before that line.
        """
        for memory in memories:
            match = _DELIVERED.fullmatch(memory.event)
            if match and memory.kind == "acted" and memory.by in ("", self._agent):
                number = int(match[1])
                self._delivered[number] = max(memory.seq, self._delivered.get(number, 0))
                self._highest = max(number, self._highest)
        self._note()
        self._settle()

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Promises are made by an act of the agent; see `make`."""

    def acted(self, turn: Turn) -> None:
        """Promises are ticked off by `delivered`."""

    def context(self, moment: Moment) -> Section | None:
        """Return the promise that is due for the partner, or else for somebody else here, in a turn that keeps it.

        One that was whispered is told only where nobody else could hear the answer.
        """
        if moment.cause not in ("", "deliver"):
            return None  # told in an answer, it would be told once more
        others = [one for one in moment.company if one is not moment.partner]
        present = [*([moment.partner] if moment.partner else []), *others]
        say, hearers = moment.world.wording, {name_key(one) for one in moment.hearers}
        for person in present:
            names = self._names_of(person.name)
            for promise in self.all_due((person.name, *person.aliases), names):
                if any(name_key(one.name) == name_key(promise.asker) for one in present):
                    continue  # who has asked for it may tell it themselves
                if promise.parties and not hearers <= {name_key(one) for one in (*promise.parties, person.name)}:
                    continue
                key = "promises.due_thing" if promise.thing else "promises.due_words"
                asker = self._names_of(promise.asker)[0]
                text = say(key, asker=asker, target=names[0], words=promise.words, thing=promise.thing)
                return Section(self.name, text, gives_way=1, shows=frozenset({promise.seq} - {0}), is_aside=True)
        return None

    def describe(self, say: Wording) -> list[str]:
        """Return the promises for a screen: those to be kept, then the others, newest first."""
        still_open = self.open()
        others = [one for one in reversed(self.all()) if one not in still_open]
        rows = [self._row(one, say) for one in (*still_open, *others)]
        heading = say("promises.heading" if rows else "promises.none")
        return [heading, *(f"  {row}" for row in rows), *self.problems]

    def _row(self, promise: Promise, say: Wording) -> str:
        state = "done" if promise.is_done else "lapsed" if self.has_lapsed(promise) else "open"
        states = [say(f"promises.is_{state}"), *([say("promises.is_confided")] if promise.parties else [])]
        row = {"number": promise.number, "asker": promise.asker, "target": promise.target, "state": ", ".join(states)}
        if promise.thing:
            return say("promises.row_thing", thing=promise.thing, **row)
        return say("promises.row_words", words=promise.words, **row)

    def all_due(self, names: Collection[str], told: Collection[str]) -> Iterator[Promise]:
        certain = set(map(name_key, names))
        every = certain.union(map(name_key, told))
        yield from (one for one in self.open() if one.pair[1] in (certain if one.parties else every))

    def _can_add(self) -> bool:
        """Return whether the file can be read and has room for one more line."""
        note = self._file.note
        lines = len(note.rows) + len(note.faults)
        has_room = len(note.text) <= MAX_CHARACTERS - ROOM_CHARACTERS and lines < MAX_PROMISES
        return has_room and not self._file.is_refused

    def _are_delivered(self, asker: str, words: str, say: Wording | None) -> bool:
        """Return whether somebody hands back words that an agent has delivered."""
        if say and say.read(_SAY_WORDS, one_line(words)) is not None:
            return True
        spoken = _letters(words)
        told = (_letters(one.words) for one in self.all() if one.is_done and one.pair[1] == asker)
        return any(one and (one == spoken or (len(one) >= MIN_REPEATED_CHARACTERS and one in spoken)) for one in told)

    def _note(self) -> PromisesNote:
        """Return the note in force, with what somebody else has written."""
        if self._file.reload_if_changed():
            self._tell_faults()
            self._settle()
        return self._file.note

    def _tell_faults(self) -> None:
        known, self._faults = self._faults, self._file.note.faults
        for fault in self._faults:
            if fault not in known:
                log.warning("%s", fault)
                self._on_trouble(fault)

    def _settle(self) -> None:
        """Give a number to each line that has none, and tick off what was delivered."""
        self._highest = max(self._highest, self._file.note.last)
        try:
            note = self._file.note.numbered(self._today(), self._highest + 1)
        except NoteError as error:
            self._on_trouble(str(error))
            return
        if note is not self._file.note:
            self._file.replace(note)
        self._change([_done(one) for one in note.promises if self._is_delivered(one)])

    def _is_delivered(self, promise: Promise) -> bool:
        return not promise.is_done and self._delivered.get(promise.number, 0) > promise.seq

    def _change(self, promises: Collection[Promise], gone: Collection[int] = ()) -> None:
        try:
            note = self._file.note.changed(promises, self._link, gone)
        except NoteError as error:
            self._on_trouble(str(error))
            return
        if note is not self._file.note:
            self._file.replace(note)
        self._highest = max(self._highest, note.last)

    def _spent(self) -> list[int]:
        """Return the numbers of the oldest promises that are done or lapsed, beyond those that the file keeps."""
        still_open = {one.number for one in self.open()}
        return [one.number for one in self.all() if one.number not in still_open][:-MAX_KEPT]

    def _today(self) -> str:
        return date.fromordinal(self._now_ms() // DAY_MS + _EPOCH).isoformat()


def _done(promise: Promise) -> Promise:
    """Return a promise as kept. Who is told what was whispered knows of it from then on."""
    parties = promise.parties
    is_new = bool(parties) and promise.pair[1] not in map(name_key, parties)
    return replace(promise, is_done=True, parties=(*parties, promise.target) if is_new else parties)


def _letters(words: str) -> str:
    return "".join(letter for letter in words.casefold() if letter.isalnum())
