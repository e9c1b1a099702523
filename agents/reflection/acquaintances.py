"""An agent's knowledge and opinions of the people it has met: `people/NAME.md` in its folder, a file a person."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.speech import speech_in
from vault.memory.bullet_note import BulletFile, Change, Statement
from vault.memory.memory_line import Memory
from vault.note import format_note
from vault.vault import Vault
from world.entities import Role
from world.sanitize import file_name_for, name_key

FOLDER = "people"
SAID, OPINION = "Said", "Opinion"
PRIVATE, CALLED = "private", "called"
"""The labels of a line that was said in confidence, with those who know of it as tags; and of a name told to it."""

WHISPERED = "whispered"
"""The tag of a private line in notes of older versions."""

OPENING = "What {agent} knows and thinks of {person}. Edit it: what you write here counts, as a bullet under a heading."

MAX_QUOTES = 12
"""Maximum number of quotes that a person's note keeps if a model chooses them; and as many private ones."""

MAX_UNCHOSEN = 6
"""Maximum number of quotes that a person's note keeps without a model's choice; and as many private ones."""

MIN_UNCHOSEN_CHARACTERS = 20
MAX_QUOTE_CHARACTERS = 220
MAX_OPINIONS = 2
MAX_FILES_AT_HAND = 256
MAX_NAMESAKES = 20
"""Maximum number of people whose names a file system takes for the same."""

_SENTENCE_END = re.compile(r"[.!?…؟।]+[\"'”’»)]*(?=\s)|[。！？]+[」』”）]*")


@dataclass(frozen=True)
class Quote:
    """The words of `speaker` in memory `seq`, to the letter. `parties` know of them; empty for what all may know."""

    speaker: str
    words: str
    seq: int
    parties: tuple[str, ...] = ()

    @property
    def statement(self) -> Statement:
        return Statement(self.words, PRIVATE if self.parties else "", self.parties, (self.seq,))


def quote_in(memory: Memory, agent: str, reading: NarrationParser = ENGLISH) -> Quote | None:
    """Return what somebody else says in a memory of `agent`, up to a sentence's end if it is long; else None."""
    speech = speech_in(memory, agent, reading)
    if speech is None or speech.speaker == agent or not speech.words.strip():
        return None
    return Quote(speech.speaker, _cut(speech.words.strip()), memory.seq, speech.parties)


def speaker_of(one: Statement, person: str) -> str:
    """Return who said a line of a person's note; only in notes of older versions it may be somebody else."""
    if one.label.casefold() == PRIVATE:
        return person
    return next((tag for tag in one.tags if tag != WHISPERED), person)


class Acquaintances:
    """The notes on people of one agent. `link` gives the link to a memory's line in the journal.

    `role_of` returns the role of a character, None if there is none of that name. A guest is known by their number;
    once `call` has recorded a name, what they say aloud stands in the note of that name, and a later guest of that
    name is reminded of it. What a guest says in confidence is in no note: anybody can give a name.

    `on_denied` gets the number of each memory whose line somebody has changed or deleted. `on_trouble` gets messages on
    files that are not valid or cannot be written.
    """

    def __init__(
        self,
        vault: Vault,
        agent: str,
        link: Callable[[int], str],
        on_denied: Callable[[int], None],
        on_trouble: Callable[[str], None],
        role_of: Callable[[str], Role | None] = lambda name: None,
    ) -> None:
        self.agent = agent
        self._vault = vault
        self._link = link
        self._on_denied = on_denied
        self._on_trouble = on_trouble
        self._role_of = role_of
        self._files: OrderedDict[str, BulletFile] = OrderedDict()
        self._called: OrderedDict[str, tuple[str, int]] = OrderedDict()

    def facts(self, person: str) -> list[Statement]:
        """Return the quotes of a person: those written by hand first, then oldest first; of a guest those aloud."""
        quotes = [one for one in self._said(person) if one.label.casefold() != CALLED]
        if self.is_guest(person):
            quotes = [one for one in quotes if not self.parties_of(person, one)]
        return _by_hand_first(quotes)

    def parties_of(self, person: str, one: Statement) -> tuple[str, ...]:
        """Return those who know of a private line of a person; empty for what all may know."""
        if one.label.casefold() == PRIVATE:
            return one.tags or (person, self.agent)
        return (speaker_of(one, person), self.agent) if WHISPERED in one.tags else ()

    def call(self, guest: str, name: str, seq: int) -> bool:
        """Record the name that a guest goes by, told in memory `seq`; return whether it is new.

        Nobody is taken for somebody who is in the world already, and a guest has one name in a visit.
        """
        is_taken = self._role_of(name) is not None or self._is_here(name)
        if not name or not self.is_guest(guest) or guest in self._called or is_taken:
            return False
        self._called[guest] = (name, seq)
        if len(self._called) > MAX_FILES_AT_HAND:
            self._called.popitem(last=False)
        file = self._taken_in(name)
        if not any(one.label.casefold() == CALLED for one in file.note.statements(SAID)):
            line = Statement(name, CALLED, (), (seq,)).line(self._link)
            if not (seq in file.note.deleted or file.note.knows(line)):
                file.change([Change(SAID, new=[line], are_facts=True)])
        return True

    def called(self, person: str) -> str:
        """Return the name that a person goes by: as their note has it by hand, or as it was told; else empty."""
        told = [one for one in self._said(person) if one.label.casefold() == CALLED]
        by_hand = [one for one in told if one.by_hand]
        return (by_hand or told)[-1].words if told else self._called.get(person, ("", 0))[0]

    def names_of_guests(self) -> dict[str, str]:
        """Return the names that guests have told, by the name that everybody sees."""
        return {guest: name for guest, (name, _) in self._called.items()}

    def names_of(self, person: str) -> tuple[str, ...]:
        """Return the names by which people speak of somebody: the one that they have told, and the one they all see.

        A name that somebody else has in the world is not theirs, whatever they have told.
        """
        told = self.called(person)
        return (told, person) if told and self._role_of(told) is None else (person,)

    def opinions(self, person: str) -> list[Statement]:
        """Return the agent's opinions of a person; those written by hand come first."""
        return [] if self.is_guest(person) else _by_hand_first(self._taken_in(person).note.statements(OPINION))

    def met(self) -> list[str]:
        """Return the names of the notes on people, sorted."""
        return self._vault.names(f"agents/{self.agent}/{FOLDER}")

    def problems(self) -> list[str]:
        """Return the faults of the files that were looked at last."""
        return [file.problem for file in self._files.values() if file.problem]

    def is_guest(self, name: str) -> bool:
        """Return whether a name is the number of a guest who is here, or who has told a name."""
        return name in self._called or self._role_of(name) is Role.GUEST

    def is_lasting(self, name: str) -> bool:
        """Return whether a name is somebody's for good; a guest's is not."""
        return self._role_of(name) not in (None, Role.GUEST)

    def has_place_for(self, quote: Quote) -> bool:
        """Return whether a quote may stand in a note: of a guest, only what was said aloud, under the told name."""
        return self.is_lasting(quote.speaker) or (quote.speaker in self._called and not quote.parties)

    def take(self, quotes: Iterable[Quote], is_chosen: bool) -> int:
        """Add quotes, oldest first, and return how many are new.

        Chosen ones take the place of the oldest. Of those that no model has chosen, the newest always stands and of
        the others the longest.
        """
        places: dict[tuple[str, bool], list[Quote]] = {}
        for quote in filter(self.has_place_for, quotes):
            person, _ = self._called.get(quote.speaker, (quote.speaker, 0))
            places.setdefault((person, bool(quote.parties)), []).append(quote)
        return sum(self._add(person, added, is_chosen) for (person, _), added in places.items())

    def set_opinions(self, person: str, opinions: Iterable[Statement]) -> None:
        """Replace the agent's opinions of a person; what somebody has written by hand stays."""
        file = self._taken_in(person)
        own = [one.written for one in file.note.statements(OPINION) if not one.by_hand]
        lines = [one.line(self._link) for one in opinions]
        new = [line for line in lines if line not in own and not file.note.knows(line)][:MAX_OPINIONS]
        gone = own[: max(0, len(own) + len(new) - MAX_OPINIONS)]
        if new:
            file.change([Change(OPINION, gone, new)])

    def _add(self, person: str, quotes: list[Quote], is_chosen: bool) -> int:
        """Add quotes of one person to their note: all private, or none."""
        file = self._taken_in(person)
        said = [one for one in file.note.statements(SAID) if one.label.casefold() != CALLED]
        aloud = [one for one in said if not self.parties_of(person, one)]
        alike = aloud if not quotes[0].parties else [one for one in said if one not in aloud]
        known = {_folded(one.words) for one in (*alike, *aloud)}
        new = list[Statement]()
        for quote in quotes:
            is_denied = quote.seq in file.note.deleted or file.note.knows(quote.statement.line(self._link))
            is_there = any(quote.seq in one.evidence for one in said) or _folded(quote.words) in known
            if not is_denied and not is_there:
                new.append(quote.statement)
                known.add(_folded(quote.words))
        own = [one for one in alike if not one.by_hand]
        rows = sorted([*own, *new], key=lambda one: one.evidence)
        kept = rows[-MAX_QUOTES:] if is_chosen else _longest(rows, max(MAX_UNCHOSEN, len(own)))
        added = [one.line(self._link) for one in new if one in kept]
        if added:
            file.change([Change(SAID, [one.written for one in own if one not in kept], added, are_facts=True)])
        return len(added)

    def _said(self, person: str) -> list[Statement]:
        """Return all lines under `Said` of a person's note; of a guest, of the note of their name."""
        name, _ = self._called.get(person, (person, 0))
        is_others = name != person and self._role_of(name) is not None
        return [] if is_others or self._role_of(name) is Role.GUEST else self._taken_in(name).note.statements(SAID)

    def _is_here(self, name: str) -> bool:
        """Return whether a guest of that name is in the world: one person is not two."""
        here = (own for guest, (own, _) in self._called.items() if self._role_of(guest) is Role.GUEST)
        return any(name_key(own) == name_key(name) for own in here)

    def _taken_in(self, person: str) -> BulletFile:
        """Return a person's file as it is now, and tell of what somebody has changed in it."""
        key = name_key(person)
        file, denied = self._files.get(key), frozenset[int]()
        if file is None:
            file = self._files[key] = self._opened(person)  # it may have been edited while nobody looked
        else:
            denied = file.note.deleted
            file.reload_if_changed()
        self._files.move_to_end(key)
        if len(self._files) > MAX_FILES_AT_HAND:
            self._files.popitem(last=False)
        if new := file.note.deleted - denied:
            own = [one for one in file.note.statements(OPINION) if not one.by_hand and new.intersection(one.evidence)]
            if own:
                file.change([Change(OPINION, [one.written for one in own])])
            for seq in sorted(new):
                self._on_denied(seq)
        return file

    def _opened(self, person: str) -> BulletFile:
        """Return the file of a person: the first of the name that is this person's, or that nobody has."""
        taken: list[str] = []
        while len(taken) < MAX_NAMESAKES:
            stem = file_name_for(person, taken)
            opening = format_note({"person": person}, OPENING.format(agent=self.agent, person=person))
            path = ("agents", self.agent, FOLDER, f"{stem}.md")
            file = BulletFile(self._vault, path, opening, self._on_trouble)
            file.reload_if_changed()
            if name_key(str(file.note.properties.get("person", person))) == name_key(person):
                break
            taken.append(stem)
        return file


def _cut(words: str) -> str:
    """Return words up to the last sentence's end within the maximum length, or the last blank."""
    if len(words) <= MAX_QUOTE_CHARACTERS:
        return words
    beginning = words[: MAX_QUOTE_CHARACTERS + 1]
    ends = [match.end() for match in _SENTENCE_END.finditer(beginning) if match.end() <= MAX_QUOTE_CHARACTERS]
    end = max([*ends, 0]) or beginning.rfind(" ")
    return words[: end if end > 0 else MAX_QUOTE_CHARACTERS].rstrip()


def _longest(rows: list[Statement], most: int) -> list[Statement]:
    """Return the newest of some rows, oldest first, and the longest of the others, `most` in all."""
    others = sorted(rows[:-1], key=lambda one: -len(one.words))
    return [*others[: most - 1], *rows[-1:]]


def _folded(words: str) -> str:
    return " ".join(words.casefold().split())


def _by_hand_first(statements: list[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda one: not one.by_hand)
