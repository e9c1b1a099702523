"""An agent's insights: `insights.md` in its folder, with what was dropped and the state of the last reflection."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from vault.memory.bullet_note import BulletFile, BulletNote, Change, Statement
from vault.vault import Vault

FILE = "insights.md"
LIFE = "life"
INSIGHTS, DROPPED = "Insights", "Dropped"
OPENING_OF_OPINIONS = (
    "What {agent} has come to think. These are opinions and may be wrong; each links to the memories that it was made "
    "from. Edit it: what you write here counts, as a bullet under Insights."
)
AS_TOLD_BY = "as told by "
DENIED = "what it rests on was changed by hand"

MAX_INSIGHTS = 40
MAX_DROPPED = 12


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

    def retire(self, seq: int) -> None:
        """Drop the insights that rest on a memory whose line somebody has changed or deleted."""
        retired = [one for one in self.in_force if not one.by_hand and seq in one.evidence]
        if retired:
            dropped = [Dropped(one.label, one.words, DENIED, one.evidence) for one in retired]
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
