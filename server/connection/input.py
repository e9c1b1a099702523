"""Input scheduling: a rate limit for each caller (token bucket, throttle), and one fair queue (fair scheduler) for all.

A door reads its protocol, and is a `LineSource` with what it has read; its `LineIntake` takes lines from that.
`ConnectionServices` is what all connections share, whichever door they came in by.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from config.settings import ColorSettings
from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.connection import DoorTraffic, Shown
from server.connection.output import FlushQueue

TURN_SECONDS = 0.03
"""Seconds of taking input, from all connections, before its results are sent and others are read again."""

MAX_TURN_SECONDS = 0.12
"""Maximum of those seconds where sending takes long: input is then taken for twice as long as the last sending took."""

KEY_SECONDS = 0.002
"""Seconds of serving one fairness key before the next: everything that several hear of each other is sent together."""

RESERVE_SECONDS = 0.01
"""Further seconds of a turn that are reserved for keys not served in it; they are answered at once."""


TICK = 0.001  # a timer may be that much too early

_PALETTE = ColorSettings()


class TokenBucket:
    """A token bucket: `capacity` tokens at first, refilled by `per_second`. With 0 a second it never runs out."""

    __slots__ = ("_capacity", "_clock", "_left", "_per_second", "_since")

    def __init__(self, clock: ReactorClock, per_second: float, capacity: float) -> None:
        self._clock = clock
        self._per_second = per_second
        self._capacity = self._left = capacity
        self._since = clock.seconds()

    @property
    def wait_seconds(self) -> float:
        """The time until there is a token, in seconds; 0 if there is one."""
        if not self._per_second or self._left >= 1:
            return 0.0
        wait = (1 - self._refilled()) / self._per_second
        return wait if wait > TICK else 0.0

    @property
    def is_full(self) -> bool:
        """True if no token is missing, so that a bucket can be forgotten."""
        return not self._per_second or self._refilled() >= self._capacity

    def take(self, count: float = 1) -> None:
        """Take tokens, even those that are not there yet."""
        if not self._per_second:
            return
        self._left = self._refilled() - count
        self._since = self._clock.seconds()

    def _refilled(self) -> float:
        return min(self._capacity, self._left + (self._clock.seconds() - self._since) * self._per_second)


class FairScheduler:
    """A fair queue: takes input at once while a turn has time, and the rest in later turns, key by key in rotation.

    The key is a player's room. When everybody in a full room speaks at once, each word is heard hundreds of times, and
    that room waits for itself. Somebody elsewhere is answered as soon as they are read, from a reserve. A turn is
    longer where sending takes long, because each turn sends to everybody in a full room once.
    """

    def __init__(
        self,
        clock: ReactorClock,
        flush_queue: FlushQueue,
        seconds: float = TURN_SECONDS,
        key_seconds: float = KEY_SECONDS,
        reserve_seconds: float = RESERVE_SECONDS,
        max_seconds: float = MAX_TURN_SECONDS,
    ) -> None:
        self._clock = clock
        self._flush_queue = flush_queue
        self._seconds = self._turn_seconds = seconds
        self._max_seconds = max(seconds, max_seconds)
        self._input_ended = 0.0
        self._key_seconds = key_seconds
        self._reserve_seconds = reserve_seconds
        self._reserve_left = reserve_seconds
        self._until: float | None = None
        self._served: set[str] = set()
        self._waiting: dict[str, deque[Callable[[], None]]] = {}

    def take(self, key: str, call: Callable[[], None]) -> None:
        """Call now, or in a later turn if this one has no time left. Calls under one key keep their order."""
        if self._waiting or not self._has_time:
            self._put_off(key, call)
            return
        if self._until is None:
            self._open_turn()
        self._served.add(key)
        try:
            call()
        finally:
            self._input_ended = self._clock.seconds()

    def _put_off(self, key: str, call: Callable[[], None]) -> None:
        """Call in a later turn, or now from the reserve for those not served in this one."""
        if self._reserve_left <= 0 or key in self._served or key in self._waiting:
            self._waiting.setdefault(key, deque()).append(call)
            return
        began = self._clock.seconds()
        try:
            self._flush_queue.run_first(call)
        finally:
            self._reserve_left -= self._clock.seconds() - began

    @property
    def _has_time(self) -> bool:
        return self._until is None or self._clock.seconds() < self._until

    def _begin_turn(self) -> None:
        """Begin a turn with the calls that wait."""
        sending = self._clock.seconds() - self._input_ended
        self._turn_seconds = min(max(self._seconds, 2 * sending), self._max_seconds)
        self._reserve_left = self._reserve_seconds * self._turn_seconds / self._seconds
        self._until = None
        self._served.clear()
        if self._waiting:
            self._open_turn()
        while self._waiting and self._has_time:
            key, calls = next(iter(self._waiting.items()))
            try:
                self._call_some(key, calls)
            finally:
                del self._waiting[key]
                if calls:
                    self._waiting[key] = calls  # behind all other keys

    def _open_turn(self) -> None:
        self._until = self._clock.seconds() + self._turn_seconds
        self._flush_queue.add_last(self._begin_turn)  # when all that is brought about is sent

    def _call_some(self, key: str, calls: deque[Callable[[], None]]) -> None:
        until = self._clock.seconds() + self._key_seconds
        self._served.add(key)
        try:
            calls.popleft()()
            while calls and self._has_time and self._clock.seconds() < until:
                calls.popleft()()
        finally:
            self._input_ended = self._clock.seconds()


@dataclass(frozen=True)
class InputLimits:
    """The limits on the input of one connection. The defaults suit any public server."""

    lines_per_second: float = 0
    """Lines taken from one connection in the long run; more wait, and are not read meanwhile. 0 for any number."""
    lines_at_once: int = 500
    """Lines that are taken without that wait, 1 and up."""
    lines_per_turn: int = 4
    """Lines taken from one connection in one turn of the reactor, 1 to 64; then everybody else's come first."""
    close_seconds: float = 5.0
    """Seconds that a closing connection may take to send its rest."""
    half_close_seconds: float = 1.0
    """Seconds that answers are still sent to a client that has typed lines and shut its sending side (`nc -N`)."""


class TakeResult(Enum):
    """The kind of thing that a source has handed on."""

    NOTHING = auto()
    """Nothing whole has come, or nothing that may be taken while lines are held."""
    FACT = auto()
    """A fact about the client, which costs no share of lines."""
    SIGNAL = auto()
    """A signal that costs as much as a line, and is none."""
    LINE = auto()


class LineSource(Protocol):
    """A source of lines: everything that one connection has received and nobody has taken yet."""

    @property
    def is_open(self) -> bool:
        """False once the connection is closing or lost; nothing is taken then."""

    @property
    def is_empty(self) -> bool:
        """True if everything was taken."""

    @property
    def is_backlogged(self) -> bool:
        """True if so much waits that no more need be read for now."""

    @property
    def fairness_key(self) -> str:
        """The key of its queue: its player's room, empty if there is no player."""

    def begin_turn(self) -> None:
        """Prepare the input that may be taken in one turn."""

    def take_next(self, is_held: bool) -> TakeResult:
        """Hand one thing on. While lines are held, only facts about the client may be taken."""

    def end_turn(self) -> None:
        """Inspect the input of one turn."""

    def set_reading(self, reads: bool) -> None:
        """Read more from the client, or no more for now."""

    def close(self) -> None:
        """Send the remaining output, then end the connection."""


class LineIntake:
    """Takes what one connection has received, a few lines in each of its turns, no faster than its bucket allows.

    What is beyond that waits, and reading pauses, so a client that pours commands costs one read of memory, and
    everybody else is served in between.
    """

    def __init__(self, source: LineSource, scheduler: FairScheduler, limits: InputLimits, clock: ReactorClock) -> None:
        self._source = source
        self._scheduler = scheduler
        self._limits = limits
        self._clock = clock
        self._bucket = TokenBucket(clock, limits.lines_per_second, limits.lines_at_once)
        self._is_queued = False
        self._next_turn: DelayedCall | None = None
        self._end: DelayedCall | None = None
        self._is_held = False
        self._reads = True
        self._input_ended = False
        self._has_typed = False

    def receive(self) -> None:
        """Take, now or in turn, what the source has received."""
        if self._next_turn is None and not self._is_queued:
            self._is_queued = True
            self._scheduler.take(self._source.fairness_key, self._process)
        if self._is_queued and self._source.is_backlogged:
            self._set_reading(False)

    def end_input(self) -> None:
        """The client sends no more and may still be reading: answer what it has sent, then close."""
        self._input_ended = True
        self.receive()

    def hold(self, is_held: bool) -> None:
        """Queue lines, within bounds, or take them from the next turn on."""
        self._is_held = is_held
        if is_held:
            return
        cancel(self._end)
        self._end = None
        if self._next_turn is None and not self._is_queued and self._source.is_open:
            self._next_turn = self._clock.callLater(0, self._begin_turn)

    def stop(self) -> None:
        """Take nothing more: the connection has ended."""
        for call in (self._next_turn, self._end):
            cancel(call)

    def _begin_turn(self) -> None:
        self._next_turn = None
        self.receive()

    def _process(self) -> None:
        """Take up to this turn's share, and see to the rest in the next turn."""
        self._is_queued = False
        source, bucket, left = self._source, self._bucket, self._limits.lines_per_turn
        if not source.is_open:
            return
        source.begin_turn()
        while left and source.is_open and not bucket.wait_seconds:
            taken = source.take_next(self._is_held)
            if taken is TakeResult.NOTHING:
                break
            if taken is not TakeResult.FACT:
                left -= 1
                bucket.take()
                self._has_typed = self._has_typed or taken is TakeResult.LINE
        source.end_turn()
        if source.is_open:
            self._plan_next_turn()

    def _plan_next_turn(self) -> None:
        """Read on, go on with the rest in the next turn, or see that a client that has hung up does not stay."""
        source, is_done = self._source, self._source.is_empty
        self._set_reading(is_done or (self._is_held and not source.is_backlogged))
        if not (is_done or self._is_held) and self._next_turn is None:
            self._next_turn = self._clock.callLater(self._bucket.wait_seconds, self._begin_turn)
        if (is_done or self._is_held) and self._input_ended and self._end is None:
            # There is no answer to come to who has typed nothing, and others may want the room.
            answer_seconds = self._limits.half_close_seconds if self._has_typed else 0
            seconds = self._limits.close_seconds if self._is_held else answer_seconds
            self._end = self._clock.callLater(seconds, source.close)

    def _set_reading(self, reads: bool) -> None:
        if reads == self._reads or self._input_ended:
            return
        self._reads = reads
        self._source.set_reading(reads)


@dataclass
class ConnectionServices:
    """The services of one server. `palette` returns the styles that hold now, `traffic` is one door's.

    `last_shown` was shown by one of its connections last. Many are shown the same, one after the other, and all keep
    that very object: what they were shown is compared at a glance.
    """

    clock: ReactorClock
    palette: Callable[[], ColorSettings] = lambda: _PALETTE
    traffic: DoorTraffic = field(default_factory=DoorTraffic)

    def __post_init__(self) -> None:
        self.last_shown: Shown = ("", "")
        self.flush_queue = FlushQueue(self.clock)
        self.scheduler = FairScheduler(self.clock, self.flush_queue)

    def for_door(self, traffic: DoorTraffic) -> ConnectionServices:
        """Return the same services for another door."""
        other = copy(self)
        other.traffic = traffic
        return other
