"""A token bucket for each caller, one fair queue; what is sent leaves at once and in order.

That a connection takes a few lines a turn is proved where lines come from, in `tests/server/telnet`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

import pytest
from twisted.internet.error import ConnectionLost
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from server.clock import ReactorClock
from server.connection.connection import DoorTraffic
from server.connection.input import ConnectionServices, FairScheduler, TokenBucket
from server.connection.output import DirectWriter, FlushQueue


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


def test_all_doors_stand_in_one_line(clock):
    telnet = ConnectionServices(clock)
    web = telnet.for_door(DoorTraffic())
    assert (web.scheduler, web.flush_queue) == (telnet.scheduler, telnet.flush_queue)
    assert web.traffic is not telnet.traffic


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
