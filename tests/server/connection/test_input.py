"""A few lines a turn, a token bucket for each caller, one fair queue; what is sent leaves at once and in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

import pytest
from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from server.clock import ReactorClock
from server.connection.connection import DoorTraffic
from server.connection.input import FairScheduler, InputLimits, LineIntake, TakeResult, TokenBucket
from server.connection.output import DirectWriter, FlushQueue
from tests.server.turn_clock import TurnClock

LIMITS = InputLimits(lines_per_turn=2, close_seconds=5.0, half_close_seconds=1.0)


@pytest.fixture
def clock():
    return Clock()


def test_so_many_times_at_once_are_allowed_and_the_next_has_to_wait(clock):
    bucket = TokenBucket(clock, per_second=4, capacity=3)
    waits = []
    for _ in range(4):
        waits.append(bucket.wait_seconds)
        bucket.take()
    assert waits == [0.0, 0.0, 0.0, 0.25]


def test_what_is_not_used_comes_back_but_never_more_than_that(clock):
    bucket = TokenBucket(clock, per_second=4, capacity=3)
    bucket.take(3)
    assert not bucket.is_full
    clock.advance(0.25)
    assert bucket.wait_seconds == 0.0
    clock.advance(100)
    assert bucket.is_full
    bucket.take(3)
    assert bucket.wait_seconds == 0.25


def test_what_was_taken_beyond_it_is_owed(clock):
    bucket = TokenBucket(clock, per_second=10, capacity=5)
    bucket.take(25)
    assert bucket.wait_seconds == 2.1
    clock.advance(2.1)
    assert bucket.wait_seconds == 0.0


def test_in_the_long_run_it_is_so_many_a_second(clock):
    bucket, times = TokenBucket(clock, per_second=50, capacity=200), 0
    for _ in range(2001):
        while not bucket.wait_seconds:
            bucket.take()
            times += 1
        clock.advance(0.005)
    assert times == 200 + 10 * 50


def test_none_a_second_allows_any_number(clock):
    bucket = TokenBucket(clock, per_second=0, capacity=1)
    bucket.take(1000)
    assert (bucket.wait_seconds, bucket.is_full) == (0.0, True)


class Day:
    """A clock that goes on only by what is done, and runs a turn of the reactor when told to.

    What comes takes a second, and from the attic half of one.
    """

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[str] = []
        clock = cast(ReactorClock, self)
        self.flush_queue = FlushQueue(clock)
        self.scheduler = FairScheduler(clock, self.flush_queue, seconds=3, key_seconds=1, reserve_seconds=2)
        self._due: list[Callable[[], None]] = []

    def seconds(self) -> float:
        return self.now

    def callLater(self, delay: float, callable: Callable[[], None]) -> None:
        assert delay == 0
        self._due.append(callable)

    def comes(self, *names: str) -> None:
        """Let input come: `hall 1` is the first from the hall."""
        for name in names:
            self.scheduler.take(name.split()[0], partial(self.does, name))

    def does(self, name: str) -> None:
        self.now += 0.5 if name.startswith("attic") else 1
        self.done.append(name)
        self.flush_queue.add(lambda: self.done.append("sent"))

    def turn(self) -> list[str]:
        """Return what was done since this was asked last; then let the next turn begin."""
        done, self.done = self.done, []
        due, self._due = self._due, []
        for call in due:
            call()
        return done


@pytest.fixture
def day():
    return Day()


def test_what_a_turn_has_time_for_is_done_at_once(day):
    day.comes("hall 1", "hall 2", "yard 1")
    assert day.turn() == ["hall 1", "hall 2", "yard 1"]
    assert day.turn() == ["sent"] * 3
    day.comes("hall 3")
    assert day.turn() == ["hall 3"]


def test_the_rest_is_done_in_the_next_turns_after_what_was_done_is_sent(day):
    day.comes(*(f"hall {number}" for number in range(1, 6)))
    assert day.turn() == ["hall 1", "hall 2", "hall 3"]
    assert day.turn() == ["sent", "sent", "sent", "hall 4", "hall 5"]
    assert day.turn() == ["sent", "sent"]


def test_somebody_elsewhere_does_not_wait_for_a_crowd_and_is_answered_at_once(day):
    day.comes(*(f"hall {number}" for number in range(1, 100)))
    day.comes("yard 1")
    assert day.turn() == ["hall 1", "hall 2", "hall 3", "yard 1", "sent"]
    day.turn()
    day.comes("yard 2")
    assert day.turn()[-2:] == ["yard 2", "sent"]


def test_of_many_elsewhere_some_are_answered_at_once_and_one_of_each_place_in_the_next_turn(day):
    day.comes(*(f"hall {number}" for number in range(1, 100)))
    day.comes("yard 1", "yard 2", "barn 1", "mill 1", "mill 2")
    assert [one for one in day.turn() if one != "sent"] == ["hall 1", "hall 2", "hall 3", "yard 1", "yard 2"]
    assert [one for one in day.turn() if one != "sent"] == ["hall 4", "barn 1", "mill 1"]


def test_of_each_place_as_much_is_done_as_takes_no_longer_than_of_others(day):
    day.comes("hall 1", "hall 2", "hall 3", "yard 1", "yard 2")
    day.comes("attic 1", "attic 2", "attic 3", "barn 1")
    assert [one for one in day.turn() if one != "sent"] == ["hall 1", "hall 2", "hall 3", "yard 1", "yard 2"]
    assert [one for one in day.turn() if one != "sent"] == ["attic 1", "attic 2", "barn 1", "attic 3"]


def test_what_takes_long_to_send_is_sent_in_slices_and_all_of_it_before_more_is_done(day):
    sent = []

    def send(number: int) -> None:
        day.now += 1
        sent.append(number)

    slow = FlushQueue(cast(ReactorClock, day), seconds=2)
    for number in range(5):
        slow.add(partial(send, number))
    slow.add_last(partial(send, 9))
    day.turn()
    slow.add(partial(send, 5))
    assert sent == [0, 1]
    slow.run_first(lambda: slow.add(partial(send, 7)))
    assert sent == [0, 1, 7]
    for _ in range(3):
        day.turn()
    assert sent == [0, 1, 7, 2, 3, 4, 9, 5]


def test_the_lines_of_one_place_stay_in_order_and_all_are_done(day):
    day.comes(*(f"hall {number}" for number in range(20)), *(f"yard {number}" for number in range(5)))
    done = []
    while turn := day.turn():
        done += [one for one in turn if one != "sent"]
    assert [one for one in done if one.startswith("hall")] == [f"hall {number}" for number in range(20)]
    assert [one for one in done if one.startswith("yard")] == [f"yard {number}" for number in range(5)]


def test_nobody_overtakes_who_waits_in_the_same_place(day):
    day.comes("hall 1", "hall 2", "hall 3", "hall 4")
    day.now = 100
    day.comes("hall 5")
    day.turn()
    assert [one for one in day.turn() if one != "sent"] == ["hall 4", "hall 5"]


def test_a_failure_is_its_own_trouble_alone(day):
    def fail() -> None:
        raise RuntimeError("a fault in a connection")

    with pytest.raises(RuntimeError):
        day.scheduler.take("hall", fail)
    day.comes("hall 1", "hall 2", "hall 3")
    day.scheduler.take("hall", fail)
    day.comes("hall 4")
    day.turn()
    day.turn()
    assert [one for one in day.turn() if one != "sent"] == ["hall 4"]


@pytest.mark.parametrize(("sending", "lines"), [(1.0, 3), (4.0, 8), (100.0, 10)])
def test_a_turn_is_longer_after_a_long_sending_and_never_endless(day, sending, lines):
    day.scheduler = FairScheduler(cast(ReactorClock, day), day.flush_queue, seconds=3, key_seconds=1, max_seconds=10)

    def send() -> None:
        day.now += sending

    day.flush_queue.add(send)
    day.comes(*(f"hall {number}" for number in range(40)))
    assert sum(one.startswith("hall") for one in day.turn()) == 3
    while day.now < 3 + sending:
        day.turn()
    day.done.clear()
    day.turn()
    assert sum(one.startswith("hall") for one in day.done) == lines


class Source:
    """Another door than telnet: its lines come as texts; those that begin with `!` are facts about the client."""

    fairness_key = "The Pump"

    def __init__(self, clock: TurnClock, limits: InputLimits = LIMITS, scheduler: FairScheduler | None = None) -> None:
        self.is_open = True
        self.reads = True
        self.taken: list[str] = []
        self._clock = clock
        self._waiting: list[str] = []
        self.intake = LineIntake(self, scheduler or FairScheduler(clock, FlushQueue(clock)), limits, clock)

    def receives(self, *lines: str) -> list[str]:
        """Receive lines, and return what is taken of them in this turn."""
        before = len(self.taken)
        self._waiting += lines
        self.intake.receive()
        return self.taken[before:]

    def passes(self, seconds: float = 0.0) -> list[str]:
        """Let time pass, and return what is taken in it."""
        before = len(self.taken)
        self._clock.rightNow += seconds
        self._clock.turn()
        return self.taken[before:]

    @property
    def is_empty(self) -> bool:
        return not self._waiting

    @property
    def is_backlogged(self) -> bool:
        return len(self._waiting) > 3

    def begin_turn(self) -> None: ...

    def end_turn(self) -> None: ...

    def take_next(self, is_held: bool) -> TakeResult:
        if not self._waiting or (is_held and not self._waiting[0].startswith("!")):
            return TakeResult.NOTHING
        line = self._waiting.pop(0)
        self.taken.append(line)
        return TakeResult.FACT if line.startswith("!") else TakeResult.LINE

    def set_reading(self, reads: bool) -> None:
        self.reads = reads

    def close(self) -> None:
        self.is_open = False


def many(count: int, start: int = 0) -> Sequence[str]:
    return [str(number) for number in range(start, start + count)]


def test_a_turn_takes_so_many_lines_and_the_next_turns_the_rest():
    ana = Source(TurnClock())
    assert ana.receives(*many(5)) == ["0", "1"]
    assert ana.passes() == ["2", "3"]
    assert ana.passes() == ["4"]


def test_facts_about_the_client_cost_no_share():
    ana = Source(TurnClock())
    assert ana.receives("!", "!", "!", "look", "!", "look", "look") == ["!", "!", "!", "look", "!", "look"]


def test_lines_come_no_faster_than_the_bucket_fills():
    ana = Source(TurnClock(), InputLimits(lines_per_second=2, lines_at_once=1, lines_per_turn=4))
    assert ana.receives(*many(3)) == ["0"]
    assert ana.passes(0.4) == []
    assert ana.passes(0.2) == ["1"]
    assert ana.passes(0.5) == ["2"]


def test_reading_pauses_while_much_waits_and_goes_on_when_all_is_taken():
    ana = Source(TurnClock())
    ana.receives(*many(6))
    assert not ana.reads
    ana.passes()
    assert not ana.reads
    ana.passes()
    assert ana.reads


def test_lines_wait_while_they_are_held_and_facts_do_not():
    ana = Source(TurnClock())
    ana.intake.hold(True)
    assert ana.receives("!", "look", "look", "look") == ["!"]
    assert ana.reads
    ana.intake.hold(False)
    assert ana.passes() == ["look", "look"]


def test_who_has_typed_is_still_answered_after_the_end_of_input_and_who_has_not_is_closed_at_once():
    ana, ben = Source(TurnClock()), Source(TurnClock())
    ana.receives("look")
    for source in (ana, ben):
        source.intake.end_input()
        source.passes()
    assert (ana.is_open, ben.is_open) == (True, False)
    ana.passes(1.0)
    assert not ana.is_open


def test_who_hangs_up_while_held_is_waited_for_only_so_long():
    ana = Source(TurnClock())
    ana.intake.hold(True)
    ana.intake.end_input()
    ana.passes(4.9)
    assert ana.is_open
    ana.passes(0.2)
    assert not ana.is_open


def test_nothing_is_taken_after_the_connection_has_ended():
    clock = TurnClock()
    ana = Source(clock)
    ana.receives(*many(3))
    ana.is_open = False
    ana.intake.stop()
    assert (ana.passes(), ana.taken, clock.getDelayedCalls()) == ([], ["0", "1"], [])


def test_all_doors_stand_in_one_line():
    class Tiring(TurnClock):
        """Each look at the time costs some of it, so that a turn has time for little."""

        def seconds(self) -> float:
            self.rightNow += 0.02
            return float(self.rightNow)

    clock = Tiring()
    scheduler = FairScheduler(clock, FlushQueue(clock), reserve_seconds=0.0)
    one, other = Source(clock, scheduler=scheduler), Source(clock, scheduler=scheduler)
    assert one.receives("look") == ["look"]
    assert other.receives("look") == []  # the turn is over, whoever's door it was
    clock.turn()
    clock.turn()
    assert other.taken == ["look"]


class Socket:
    """A socket with room for so many bytes; `gone` once the other side has hung up."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.gone = False
        self.content = b""
        self.buffer = StringTransport()
        self.outlet = DirectWriter(self.buffer, DoorTraffic(), self._send_some)

    def _send_some(self, content: bytes) -> int | ConnectionLost:
        if self.gone:
            return ConnectionLost()
        taken = content[: self.room]
        self.content += taken
        self.room -= len(taken)
        return len(taken)


@pytest.mark.parametrize(
    ("room", "sent", "buffered"),
    [(100, b"You see an owl.", b""), (5, b"You s", b"ee an owl."), (0, b"", b"You see an owl.")],
    ids=["all is sent at once", "the rest waits and nothing overtakes it", "without room all waits"],
)
def test_what_the_socket_takes_needs_no_buffer(room, sent, buffered):
    socket = Socket(room)
    socket.outlet.send(b"You see ")
    socket.room += 95 * (room == 5)
    socket.outlet.send(b"an owl.")
    assert (socket.content, socket.buffer.value()) == (sent, buffered)


def test_of_a_lost_connection_the_transport_learns():
    socket = Socket(room=100)
    socket.gone = True
    socket.outlet.send(b"You see an owl.")
    assert socket.buffer.value() == b"You see an owl."


def test_what_is_no_plain_socket_is_sent_to_through_its_buffer():
    transport = StringTransport()
    traffic = DoorTraffic()
    DirectWriter(transport, traffic).send(b"You see an owl.")
    assert (transport.value(), traffic.sent_bytes) == (b"You see an owl.", 15)
