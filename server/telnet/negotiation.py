"""Agree on telnet options without ever waiting for an answer.

Per option and side there are three facts, in the manner of RFC 1143: what we said last, what is agreed, and
which of our requests may still be answered. Nothing is queued and nothing blocks: some clients (TinTin++
among them) never answer WONT. What an option *does* stands in its row of the option table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from server.telnet.codes import DO, DONT, IAC, SB, SE, WILL, WONT
from server.telnet.parser import Negotiation, Subnegotiation

MAX_ANSWERS = 200
"""Answers given to a client before it types a line; then silence, so that no client can argue without end."""

MAX_UNANSWERED = 16
"""Requests of ours per option and side that are remembered while a client answers none."""

Facts = TypeVar("Facts")


@dataclass(frozen=True, slots=True)
class Send:
    """Bytes that are to go to the client as they are."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Identified:
    """All that the client tells about its name and abilities has been told."""


@dataclass(frozen=True, slots=True)
class Compressed:
    """What we send is compressed from here on, or no longer."""

    on: bool


@dataclass(frozen=True, slots=True)
class Told:
    """The client tells something by GMCP: a package's name in whatever case, and what JSON said, None for nothing."""

    package: str
    payload: object


Outcome = Send | Identified | Compressed | Told


class Stance(Enum):
    """What we think of an option on one side."""

    REFUSE = auto()
    ACCEPT = auto()
    """Agree when the client brings it up."""
    OFFER = auto()
    """Bring it up ourselves as the connection opens."""
    OFFER_LATE = auto()
    """Bring it up ourselves once the client has told who it is, and do not agree before that."""


def _nothing_follows(facts: object) -> list[Outcome]:
    return []


def _nothing_to_learn(facts: object, payload: bytes) -> list[Outcome]:
    return []


@dataclass(frozen=True, slots=True)
class Option(Generic[Facts]):
    """One row of the option table.

    `ours` is about what the server performs (we say WILL), `theirs` about what the client performs (we say
    DO). `begin_ours` and `begin_theirs` are called each time that side becomes agreed, `learn` with the
    payload of every subnegotiation while either side is. `end_ours` is called when the client wants it no longer.
    They change the facts and return what follows.
    """

    code: int
    ours: Stance = Stance.REFUSE
    theirs: Stance = Stance.REFUSE
    begin_ours: Callable[[Facts], list[Outcome]] = _nothing_follows
    begin_theirs: Callable[[Facts], list[Outcome]] = _nothing_follows
    learn: Callable[[Facts, bytes], list[Outcome]] = _nothing_to_learn
    end_ours: Callable[[Facts], list[Outcome]] = _nothing_follows


@dataclass(slots=True)
class _Side:
    stance: Stance
    yes: int
    no: int
    wanted: bool = False
    agreed: bool = False
    unanswered: tuple[bool, ...] = ()
    """What we asked for and still may hear about, the oldest first: True for yes, False for no."""

    def ask(self) -> int:
        self.wanted = True
        self._await_answer(True)
        return self.yes

    def withdraw(self) -> int:
        self.wanted = self.agreed = False
        self._await_answer(False)
        return self.no

    def agree(self) -> int | None:
        """The client said yes. Return the verb to answer with, None for no answer."""
        while self.unanswered:
            # A no of ours before this answer was never acknowledged: skip it. One after it still holds.
            if self._answered():
                self.agreed = self.wanted
                return None
        if self.agreed:
            return None
        if self.wanted or self.stance in (Stance.ACCEPT, Stance.OFFER):
            self.wanted = self.agreed = True
            return self.yes
        return self.no

    def refuse(self) -> int | None:
        """The client said no. Return the verb to answer with, None for no answer."""
        if self.unanswered:
            was_yes = self._answered()
            self.agreed = self.agreed and not was_yes
            return None
        if not self.agreed:
            return None
        self.wanted = self.agreed = False
        return self.no

    def _await_answer(self, yes: bool) -> None:
        self.unanswered = (*self.unanswered, yes)[-MAX_UNANSWERED:]

    def _answered(self) -> bool:
        first, self.unanswered = self.unanswered[0], self.unanswered[1:]
        return first


class Negotiator(Generic[Facts]):
    """One connection's options. Rows tell what is possible; `facts` is what the rows read and change.

    What nobody has brought up yet takes no memory.
    """

    def __init__(self, rows: Iterable[Option[Facts]], facts: Facts, max_answers: int = MAX_ANSWERS) -> None:
        self._rows = {row.code: row for row in rows}
        self._facts = facts
        self._max_answers = self._answers_left = max_answers
        self._ours: dict[int, _Side] = {}
        self._theirs: dict[int, _Side] = {}

    def open(self) -> bytes:
        """Return the offers that open a connection, in the order of the rows."""
        return self._offers(Stance.OFFER)

    def open_late(self) -> bytes:
        """Return the offers to a client that has told who it is, save what is agreed upon already."""
        return self._offers(Stance.OFFER_LATE)

    def _offers(self, stance: Stance) -> bytes:
        said = b""
        for row in self._rows.values():
            for is_ours, own in ((False, row.theirs), (True, row.ours)):
                if own is stance and not (side := self._side(row.code, is_ours)).wanted:
                    said += _verb(side.ask(), row.code)
        return said

    def _side(self, option: int, is_ours: bool) -> _Side:
        sides = self._ours if is_ours else self._theirs
        if option not in sides:
            row = self._rows[option]
            sides[option] = _Side(row.ours, WILL, WONT) if is_ours else _Side(row.theirs, DO, DONT)
        return sides[option]

    def we_perform(self, option: int) -> bool:
        """Say whether the client has agreed that we perform `option`."""
        side = self._ours.get(option)
        return side is not None and side.agreed

    def they_perform(self, option: int) -> bool:
        """Say whether the client has agreed to perform `option`."""
        side = self._theirs.get(option)
        return side is not None and side.agreed

    def awaits_theirs(self, option: int) -> bool:
        """Say whether the client was asked to perform `option` and has not answered."""
        side = self._theirs.get(option)
        return side is not None and bool(side.unanswered)

    def switch_ours(self, option: int, on: bool) -> bytes:
        """Return what tells the client that we perform `option` from now on or no longer, b"" if it knows."""
        side = self._side(option, True)
        if side.wanted == on:
            return b""
        return _verb(side.ask() if on else side.withdraw(), option)

    def refill(self) -> None:
        """Allow the full number of answers again: the client has typed a line, so it is not just arguing."""
        self._answers_left = self._max_answers

    def receive(self, event: Negotiation) -> list[Outcome]:
        """Take in what the client wants or no longer wants."""
        is_ours = event.verb in (DO, DONT)
        row = self._rows.get(event.option)
        if row is None:
            return self._within_bounds(_refusal(event))
        side = self._side(row.code, is_ours)
        was_agreed = side.agreed
        answer = side.agree() if event.verb in (DO, WILL) else side.refuse()
        outcomes: list[Outcome] = [] if answer is None else [Send(_verb(answer, event.option))]
        if side.agreed and not was_agreed and self._answers_left:
            outcomes += (row.begin_ours if is_ours else row.begin_theirs)(self._facts)
        elif was_agreed and not side.agreed and is_ours:
            outcomes += row.end_ours(self._facts)
        return self._within_bounds(outcomes)

    def learn(self, event: Subnegotiation) -> list[Outcome]:
        """Take in a subnegotiation. One about an option that was never agreed upon is ignored."""
        row = self._rows.get(event.option)
        if row is None or not (self._side(row.code, True).agreed or self._side(row.code, False).agreed):
            return []
        return self._within_bounds(row.learn(self._facts, event.payload))

    def _within_bounds(self, outcomes: list[Outcome]) -> list[Outcome]:
        kept: list[Outcome] = []
        for outcome in outcomes:
            if isinstance(outcome, Send | Compressed):
                if not self._answers_left:
                    continue
                self._answers_left -= 1
            kept.append(outcome)
        return kept


def subnegotiation(option: int, payload: bytes) -> bytes:
    """Return `payload` framed as a subnegotiation of `option`, each 255 doubled."""
    return bytes([IAC, SB, option]) + payload.replace(b"\xff", b"\xff\xff") + bytes([IAC, SE])


def _verb(verb: int, option: int) -> bytes:
    return bytes([IAC, verb, option])


def _refusal(event: Negotiation) -> list[Outcome]:
    """Refuse what is unknown; someone's no to it needs no answer, so two sides that refuse fall silent."""
    refusals = {DO: WONT, WILL: DONT}
    return [Send(_verb(refusals[event.verb], event.option))] if event.verb in refusals else []
