"""An agent's knowledge and opinions of the people it has met: `people/NAME.md` in its folder, a file a person."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from agents.memory.facts.speech_acts import replaces
from agents.reflection.speech_facts import LOSS, NAME, OTHER, SpeechFact, key_words, told_name
from vault.memory.bullet_note import BulletFile, BulletNote, Change, Statement
from vault.note import format_note
from vault.vault import Vault
from world.entities import Role
from world.sanitize import file_name_for, name_key

FOLDER = "people"
SAID, OPINION = "Said", "Opinion"
WHISPERED = "whispered"
OPENING = "What {agent} knows and thinks of {person}. Edit it: what you write here counts, as a bullet under a heading."

MAX_FACTS_A_KIND = 6
MAX_OPINIONS = 2
MAX_FILES_AT_HAND = 256
MAX_NAMESAKES = 20
"""Maximum number of people whose names a file system takes for the same."""

_MINE = re.compile(r"\bmy (\w+)", re.IGNORECASE)

Contradicted = Callable[[SpeechFact], None]

FILE = "insights.md"
LIFE = "life"
INSIGHTS, DROPPED = "Insights", "Dropped"
OPENING_OF_OPINIONS = (
    "What {agent} has come to think. These are opinions and may be wrong; each links to the memories that it was made "
    "from. Edit it: what you write here counts, as a bullet under Insights."
)
AS_TOLD_BY = "as told by "
CONTRADICTED = "what it rests on was said otherwise, or changed by hand"

MAX_INSIGHTS = 40
MAX_DROPPED = 12


class Acquaintances:
    """The notes on people of one agent. `link` gives the link to a memory's line in the journal.

    `role_of` returns the role of a character, None if there is none of that name. The facts on a guest are written
    once the guest has told a name that nobody has, into the note of that name; a later guest of that name is taken for
    the same person. Whispers of a guest are not written: anybody can give a name.

    `on_contradicted` gets each fact that counts no more: the same person has said otherwise, or somebody has
    changed its line. `on_trouble` gets messages on files that are not valid or cannot be written.
    """

    def __init__(
        self,
        vault: Vault,
        agent: str,
        link: Callable[[int], str],
        on_contradicted: Contradicted,
        on_trouble: Callable[[str], None],
        role_of: Callable[[str], Role | None] = lambda name: None,
    ) -> None:
        self._vault = vault
        self._agent = agent
        self._link = link
        self._on_contradicted = on_contradicted
        self._on_trouble = on_trouble
        self._role_of = role_of
        self._files: OrderedDict[str, BulletFile] = OrderedDict()
        self._recognized: OrderedDict[str, _Recognized] = OrderedDict()

    def facts(self, person: str) -> list[Statement]:
        """Return the facts about a person from speech: those written by hand first, then oldest first."""
        known = self._recognized.get(person)
        found = self._taken_in(person).note.statements(SAID)
        return _by_hand_first([*(self._taken_in(known.name).note.statements(SAID) if known else []), *found])

    def names_of_guests(self) -> dict[str, str]:
        """Return the names that guests have told, by the name that everybody sees."""
        return {guest: one.name for guest, one in self._recognized.items()}

    def other_names_of(self, guest: str) -> list[str]:
        """Return the names of guests of earlier visits who were the same person."""
        known = self._recognized.get(guest)
        return [other for other, one in self._recognized.items() if known and one.name == known.name and other != guest]

    def from_before(self, guest: str) -> list[Statement]:
        """Return the facts that were known of a guest when they told their name: what was said at earlier visits."""
        known = self._recognized.get(guest)
        return list(known.before) if known else []

    def called(self, person: str) -> str:
        """Return the last name that a person gave; empty if none is known."""
        names = (told_name(one.words) for one in reversed(self.facts(person)) if one.label == NAME)
        return next((name for name in names if name), "")

    def names_of(self, person: str) -> tuple[str, ...]:
        """Return the names by which people speak of somebody: the one that they have told, and the one they all see.

        A name that somebody else has in the world is not theirs, whatever they have told.
        """
        told = self.called(person)
        return (told, person) if told and self._role_of(told) is None else (person,)

    def opinions(self, person: str) -> list[Statement]:
        """Return the agent's opinions of a person; those written by hand come first."""
        return _by_hand_first(self._taken_in(person).note.statements(OPINION))

    def met(self) -> list[str]:
        """Return the names of the notes on people, sorted."""
        return self._vault.names(f"agents/{self._agent}/{FOLDER}")

    def problems(self) -> list[str]:
        """Return the faults of the files that were looked at last."""
        return [file.problem for file in self._files.values() if file.problem]

    def take(self, fact: SpeechFact) -> bool:
        """Add a fact, replacing any that it repeats; return whether it is new."""
        if fact.kind == NAME and fact.about == fact.speaker and not fact.privately:
            self._recognize(fact)
        known = self._recognized.get(fact.about)
        is_other_name = known is not None and fact.kind == NAME and told_name(fact.words) != known.name
        return self._add(fact, known.name if known and not fact.privately and not is_other_name else fact.about)

    def _recognize(self, fact: SpeechFact) -> None:
        """Take a guest who tells a name that nobody has, for the first time, for the person of that name."""
        guest, name = fact.about, told_name(fact.words)
        is_told = self._is_guest(guest) and guest not in self._recognized
        if not name or not is_told or self._role_of(name) is not None or self._is_here(name):
            return
        told = [one for one in self._taken_in(guest).note.statements(SAID) if WHISPERED not in one.tags]
        self._recognized[guest] = _Recognized(name, tuple(self.facts(name)))
        if len(self._recognized) > MAX_FILES_AT_HAND:
            self._recognized.popitem(last=False)
        for one in told:
            self._add(_fact(guest, one), name)
        self._taken_in(guest).change([Change(SAID, [one.written for one in told])])

    def _is_guest(self, name: str) -> bool:
        return self._role_of(name) is Role.GUEST

    def _is_here(self, name: str) -> bool:
        """Return whether a guest of that name is in the world: one person is not two."""
        return any(one.name == name and self._is_guest(guest) for guest, one in self._recognized.items())

    def _add(self, fact: SpeechFact, person: str) -> bool:
        """Add a fact to the note of a person."""
        file = self._taken_in(person)
        known = file.note.statements(SAID)
        line = Statement(fact.words, fact.kind, _tags(fact), (fact.seq,), fact.day).line(self._link)
        is_deleted = fact.seq in file.note.deleted or file.note.knows(line)
        if is_deleted or any(_says_already(one, fact) for one in known):
            return False
        alike = [one for one in known if not one.by_hand and (one.label, one.tags) == (fact.kind, _tags(fact))]
        replaced = [one for one in alike if _is_replaced(one, fact)]
        kept = [one for one in alike if one not in replaced]
        too_many = kept[: max(0, len(kept) + 1 - MAX_FACTS_A_KIND)]
        file.change([Change(SAID, [one.written for one in (*replaced, *too_many)], [line], are_facts=True)])
        for one in replaced:
            if fact.seq not in one.evidence:
                self._on_contradicted(_fact(person, one))
        return True

    def set_opinions(self, person: str, opinions: Iterable[Statement]) -> None:
        """Replace the agent's opinions of a person; what somebody has written by hand stays."""
        file = self._taken_in(person)
        own = [one.written for one in file.note.statements(OPINION) if not one.by_hand]
        lines = [one.line(self._link) for one in opinions]
        new = [line for line in lines if line not in own and not file.note.knows(line)][:MAX_OPINIONS]
        gone = own[: max(0, len(own) + len(new) - MAX_OPINIONS)]
        if new:
            file.change([Change(OPINION, gone, new)])

    def _taken_in(self, person: str) -> BulletFile:
        """Return a person's file as it is now, and tell of what somebody has changed in it."""
        key = name_key(person)
        file = self._files.get(key)
        if file is None:
            file = self._files[key] = self._opened(person)
            for seq in file.note.deleted:  # it may have been edited while nobody looked
                self._on_contradicted(SpeechFact(person, OTHER, "", seq, person))
        self._files.move_to_end(key)
        if len(self._files) > MAX_FILES_AT_HAND:
            self._files.popitem(last=False)
        before = {one.evidence: one for one in file.note.statements(SAID) if not one.by_hand}
        if file.reload_if_changed():
            for evidence, one in before.items():
                if file.note.deleted.intersection(evidence):
                    self._on_contradicted(_fact(person, one))
        return file

    def _opened(self, person: str) -> BulletFile:
        """Return the file of a person: the first of the name that is this person's, or that nobody has."""
        if self._is_guest(person):
            return BulletFile(self._vault, ("agents", self._agent, FOLDER), "", self._on_trouble, is_kept=False)
        taken: list[str] = []
        while len(taken) < MAX_NAMESAKES:
            stem = file_name_for(person, taken)
            opening = format_note({"person": person}, OPENING.format(agent=self._agent, person=person))
            path = ("agents", self._agent, FOLDER, f"{stem}.md")
            file = BulletFile(self._vault, path, opening, self._on_trouble)
            file.reload_if_changed()
            if name_key(str(file.note.properties.get("person", person))) == name_key(person):
                break
            taken.append(stem)
        return file


@dataclass(frozen=True)
class _Recognized:
    """The name that a guest has told, and what was known of the person of that name then."""

    name: str
    before: tuple[Statement, ...]


def _tags(fact: SpeechFact) -> tuple[str, ...]:
    return (*((fact.speaker,) if fact.speaker != fact.about else ()), *((WHISPERED,) if fact.privately else ()))


def _fact(about: str, one: Statement) -> SpeechFact:
    speaker = next((tag for tag in one.tags if tag != WHISPERED), about)
    seq = one.evidence[0] if one.evidence else 0
    return SpeechFact(about, one.label, one.words, seq, speaker, WHISPERED in one.tags, one.day)


def _says_already(one: Statement, fact: SpeechFact) -> bool:
    """Return whether a line says all that a fact does: the same words, or these and more of the same memory."""
    old, new = " ".join(one.words.casefold().split()), " ".join(fact.words.casefold().split())
    return old == new or (fact.seq in one.evidence and new in old)


def _is_replaced(one: Statement, fact: SpeechFact) -> bool:
    """Return whether a fact of the same kind and speaker replaces a line."""
    if fact.kind == NAME or (fact.seq in one.evidence and one.words.casefold() in fact.words.casefold()):
        return True
    is_same_loss = fact.kind == LOSS and bool(_objects(one.words) & _objects(fact.words))
    return is_same_loss or replaces(fact.words, one.words)


def _objects(words: str) -> frozenset[str]:
    return frozenset(match[1].casefold() for match in _MINE.finditer(words))


def _by_hand_first(statements: list[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda one: not one.by_hand)


@dataclass(frozen=True)
class Dropped:
    """Something that a model has written and that does not count, and why not."""

    about: str
    words: str
    why: str
    evidence: tuple[int, ...] = ()


@dataclass(frozen=True)
class Reflected:
    """The state of the last reflection: memories seen up to `upto`, the `generation` of summaries, the world's `day`.

    Days are counted from 1970. `told` tells people when it was and what it cost.
    """

    upto: int = 0
    generation: int = 0
    day: int = 0
    told: str = ""


class Opinions:
    """The opinions of one agent. `link` gives the link to a memory's line in the journal."""

    def __init__(self, vault: Vault, agent: str, link: Callable[[int], str], on_trouble: Callable[[str], None]) -> None:
        self._link = link
        opening = OPENING_OF_OPINIONS.format(agent=agent) + "\n"
        self._file = BulletFile(vault, ("agents", agent, FILE), opening, on_trouble)

    @property
    def problem(self) -> str:
        """The fault in the file; empty if it has none."""
        return self._file.problem

    @property
    def in_force(self) -> list[Statement]:
        """The insights of the agent: those written by hand first, then newest first."""
        self._file.reload_if_changed()
        found = self._file.note.statements(INSIGHTS)[::-1]
        return [*(one for one in found if one.by_hand), *(one for one in found if not one.by_hand)]

    @property
    def dropped(self) -> list[Statement]:
        """The lines that were written and do not count, newest first, each with the reason as its tag."""
        self._file.reload_if_changed()
        return self._file.note.statements(DROPPED)[::-1]

    @property
    def reflected(self) -> Reflected:
        """The state of the last reflection. A property that is not a number counts as 0."""
        self._file.reload_if_changed()
        found = self._file.note.properties
        upto, generation, day = (_number(found.get(key)) for key in ("upto", "generation", "day"))
        return Reflected(upto, generation, day, str(found.get("reflected") or ""))

    def keep(self, new: Iterable[Statement], dropped: Iterable[Dropped], reflected: Reflected) -> None:
        """Take in what a reflection has brought: insights, what was dropped, and how it went."""
        self._file.reload_if_changed()
        note = self._file.note
        known = {one.words.casefold() for one in note.statements(INSIGHTS)}
        lines = [one.line(self._link) for one in new if one.words.casefold() not in known]
        insights = _added(note, INSIGHTS, lines, MAX_INSIGHTS)
        properties = {"upto": reflected.upto, "generation": reflected.generation, "day": reflected.day}
        self._file.change([insights, self._dropping(dropped)], {**properties, "reflected": reflected.told})

    def retire(self, fact: SpeechFact) -> None:
        """Drop the insights that rest on a fact that no longer counts; for a name, the ones that mention it."""
        words = key_words(fact.words) - key_words(fact.about)
        cited = [one for one in self.in_force if not one.by_hand and fact.seq in one.evidence]
        retired = [one for one in cited if fact.kind != NAME or key_words(one.words) & words]
        if retired:
            dropped = [Dropped(one.label, one.words, CONTRADICTED, one.evidence) for one in retired]
            self._file.change([Change(INSIGHTS, [one.written for one in retired]), self._dropping(dropped)])

    def _dropping(self, dropped: Iterable[Dropped]) -> Change:
        rows = [Statement(one.words, one.about or LIFE, (one.why,), one.evidence) for one in dropped]
        return _added(self._file.note, DROPPED, [row.line(self._link) for row in rows], MAX_DROPPED)


def _added(note: BulletNote, section: str, lines: Iterable[str], most: int) -> Change:
    """Return the change that adds lines to a section and takes out its oldest, so that there are `most` at most."""
    own = [one.written for one in note.statements(section) if not one.by_hand]
    new = [line for line in dict.fromkeys(lines) if not note.knows(line)][-most:]
    return Change(section, own[: max(0, len(own) + len(new) - most)], new)


def _number(value: object) -> int:
    return value if type(value) is int and value >= 0 else 0
