"""Telnet option negotiation, which never waits for an answer.

Per option and side there are three facts, in the manner of RFC 1143: what we said last, what is agreed, and
which of our requests may still be answered. Nothing is queued and nothing blocks: some clients (TinTin++
among them) never answer WONT. What an option *does* is in its row of the option table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from server.telnet.parser import DO, DONT, IAC, SB, SE, WILL, WONT, Negotiation, Subnegotiation

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
    """Our output is compressed from here on, or no longer."""

    on: bool


@dataclass(frozen=True, slots=True)
class GmcpReceived:
    """A GMCP message of the client: a package's name in any case, and its payload from JSON, None for nothing."""

    package: str
    payload: object


Effect = Send | Identified | Compressed | GmcpReceived


class Policy(Enum):
    """Our policy for an option on one side."""

    REFUSE = auto()
    ACCEPT = auto()
    """Agree when the client brings it up."""
    OFFER = auto()
    """Bring it up ourselves as the connection opens."""
    OFFER_LATE = auto()
    """Bring it up ourselves once the client has told who it is, and do not agree before that."""


def _nothing_follows(facts: object) -> list[Effect]:
    return []


def _nothing_to_learn(facts: object, payload: bytes) -> list[Effect]:
    return []


@dataclass(frozen=True, slots=True)
class Option(Generic[Facts]):
    """One row of the option table.

    `local` is the side on which the server performs it (we say WILL), `remote` that on which the client does (we say
    DO). `on_local_enabled` and `on_remote_enabled` are called each time that side becomes agreed, `on_local_disabled`
    when the client wants ours no longer, `on_subnegotiation` with every payload while either side is agreed.
    They change the facts and return what follows.
    """

    code: int
    local: Policy = Policy.REFUSE
    remote: Policy = Policy.REFUSE
    on_local_enabled: Callable[[Facts], list[Effect]] = _nothing_follows
    on_remote_enabled: Callable[[Facts], list[Effect]] = _nothing_follows
    on_subnegotiation: Callable[[Facts, bytes], list[Effect]] = _nothing_to_learn
    on_local_disabled: Callable[[Facts], list[Effect]] = _nothing_follows


@dataclass(slots=True)
class _Side:
    policy: Policy
    yes: int
    no: int
    wanted: bool = False
    agreed: bool = False
    unanswered: tuple[bool, ...] = ()
    """Our requests without an answer yet, the oldest first: True for yes, False for no."""

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
        if self.wanted or self.policy in (Policy.ACCEPT, Policy.OFFER):
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

    def __init__(self, rows: Iterable[Option[Facts]], facts: Facts) -> None:
        self._rows = {row.code: row for row in rows}
        self._facts = facts
        self._answers_left = MAX_ANSWERS
        self._local: dict[int, _Side] = {}
        self._remote: dict[int, _Side] = {}

    def open(self) -> bytes:
        """Return the offers that open a connection, in the order of the rows."""
        return self._offers(Policy.OFFER)

    def late_offers(self) -> bytes:
        """Return the offers to a client that has told who it is, save what is agreed upon already."""
        return self._offers(Policy.OFFER_LATE)

    def _offers(self, policy: Policy) -> bytes:
        said = b""
        for row in self._rows.values():
            for is_local, own in ((False, row.remote), (True, row.local)):
                if own is policy and not (side := self._side(row.code, is_local)).wanted:
                    said += _verb(side.ask(), row.code)
        return said

    def _side(self, option: int, is_local: bool) -> _Side:
        sides = self._local if is_local else self._remote
        if option not in sides:
            row = self._rows[option]
            sides[option] = _Side(row.local, WILL, WONT) if is_local else _Side(row.remote, DO, DONT)
        return sides[option]

    def is_local_enabled(self, option: int) -> bool:
        """Say whether the client has agreed that we perform `option`."""
        side = self._local.get(option)
        return side is not None and side.agreed

    def is_remote_enabled(self, option: int) -> bool:
        """Say whether the client has agreed to perform `option`."""
        side = self._remote.get(option)
        return side is not None and side.agreed

    def awaits_remote(self, option: int) -> bool:
        """Say whether the client was asked to perform `option` and has not answered."""
        side = self._remote.get(option)
        return side is not None and bool(side.unanswered)

    def set_local(self, option: int, on: bool) -> bytes:
        """Return the bytes that offer or withdraw `option` on our side; b"" if the client knows."""
        side = self._side(option, True)
        if side.wanted == on:
            return b""
        return _verb(side.ask() if on else side.withdraw(), option)

    def reset_budget(self) -> None:
        """Allow the full number of answers again: the client has typed a line, so it is not just arguing."""
        self._answers_left = MAX_ANSWERS

    def receive(self, event: Negotiation) -> list[Effect]:
        """Take in what the client wants or no longer wants."""
        is_local = event.verb in (DO, DONT)
        row = self._rows.get(event.option)
        if row is None:
            return self._within_bounds(_refusal(event))
        side = self._side(row.code, is_local)
        was_agreed = side.agreed
        answer = side.agree() if event.verb in (DO, WILL) else side.refuse()
        effects: list[Effect] = [] if answer is None else [Send(_verb(answer, event.option))]
        if side.agreed and not was_agreed and self._answers_left:
            effects += (row.on_local_enabled if is_local else row.on_remote_enabled)(self._facts)
        elif was_agreed and not side.agreed and is_local:
            effects += row.on_local_disabled(self._facts)
        return self._within_bounds(effects)

    def receive_subnegotiation(self, event: Subnegotiation) -> list[Effect]:
        """Take in a subnegotiation. One about an option that was never agreed upon is ignored."""
        row = self._rows.get(event.option)
        if row is None or not (self._side(row.code, True).agreed or self._side(row.code, False).agreed):
            return []
        return self._within_bounds(row.on_subnegotiation(self._facts, event.payload))

    def _within_bounds(self, effects: list[Effect]) -> list[Effect]:
        kept: list[Effect] = []
        for effect in effects:
            if isinstance(effect, Send | Compressed):
                if not self._answers_left:
                    continue
                self._answers_left -= 1
            kept.append(effect)
        return kept


def subnegotiation(option: int, payload: bytes) -> bytes:
    """Return `payload` framed as a subnegotiation of `option`, each 255 doubled."""
    return bytes([IAC, SB, option]) + payload.replace(b"\xff", b"\xff\xff") + bytes([IAC, SE])


def _verb(verb: int, option: int) -> bytes:
    return bytes([IAC, verb, option])


def _refusal(event: Negotiation) -> list[Effect]:
    """Refuse unknown options; a no of the client needs no answer, so two sides that refuse fall silent."""
    refusals = {DO: WONT, WILL: DONT}
    return [Send(_verb(refusals[event.verb], event.option))] if event.verb in refusals else []
