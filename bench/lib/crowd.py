"""A crowd of clients in one thread: epoll and raw sockets, so that the server is what is measured.

All servers that are measured have the same small town: a square, a crossing, and rooms for ten people each. From the
square `out` leads to the crossing, `in` back; from there `r0`, `r1`, ... to the rooms, `back` from each.
"""

from __future__ import annotations

import heapq
import random
import re
import select
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from bench.lib.reporting import percentile

_OFFERS = re.compile(rb"\xff([\xfb\xfd])(.)", re.DOTALL)
_REFUSALS = {b"\xfb": b"\xfe", b"\xfd": b"\xfc"}
"""The answer to WILL is DONT, to DO is WONT."""

TAIL_BYTES = 64
"""Number of received bytes that are kept for a search: the text may come in two pieces, and none is longer."""

HOST = "127.0.0.1"
MAX_PENDING_LOGINS = 20
"""Maximum number of clients that come in, or walk, at a time."""

CALLERS = 25
"""Number of clients that connect at a time, before they are greeted: fewer than the backlog of any server."""

STEP_SECONDS = 60.0
QUIET_SECONDS = 0.3
MAX_NOISE_SECONDS = 60.0
LATE_SECONDS = 10.0
"""Seconds of waiting for answers after the last line of a measure."""

Line = tuple[bytes, bytes]
"""A typed line, and a text that is in the answer to it and in nothing else."""

Lines = Callable[[int, int], Line]
"""Returns the n-th line of a client, from the client's number and n."""


class Client:
    """A plain client. It refuses every option until it has come in.

    `sent_at` is the time when its last line was written, or was due.
    """

    __slots__ = ("_expected", "_is_in", "_sock", "_tail", "closed", "is_waiting", "number", "sent_at")

    def __init__(self, number: int, sock: socket.socket) -> None:
        self.number = number
        self.sent_at = 0.0
        self.is_waiting = self.closed = False
        self._sock = sock
        self._expected = b""
        self._tail = b""
        self._is_in = False

    def expect(self, text: bytes) -> None:
        """Wait for a text in what comes from now on."""
        self._expected, self._tail, self.is_waiting = text, b"", True

    def send(self, line: bytes, expected: bytes, due: float = 0.0) -> None:
        """Type a line and wait for a text; latency counts from `due`, if that is given, or else from now."""
        self.expect(expected)
        self.sent_at = due or time.perf_counter()
        try:
            self._sock.send(line + b"\r\n")
        except OSError:
            self.closed = True

    def come_in(self) -> None:
        """Be settled: what is offered from now on is not answered any more."""
        self._is_in = True

    def receive(self) -> bool:
        """Read the received bytes; return whether the awaited text is among them."""
        try:
            content = self._sock.recv(262144)
        except BlockingIOError:
            return False
        except OSError:
            content = b""
        if not content:
            self.closed = True
            return False
        if not self._is_in:
            refusals = [b"\xff" + _REFUSALS[verb] + option for verb, option in _OFFERS.findall(content)]
            if refusals:
                self._sock.send(b"".join(refusals))
        if not self.is_waiting:
            return False
        seen = self._tail + content
        if self._expected in seen:
            self.is_waiting = False
            return True
        self._tail = seen[-TAIL_BYTES:]
        return False

    def fileno(self) -> int:
        return self._sock.fileno()

    def close(self) -> None:
        """Hang up."""
        self._sock.close()


@dataclass
class Answered:
    """Latencies in seconds of the lines that were answered. `unanswered` got no answer in time."""

    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    unanswered: int = 0

    def percentile(self, share: float) -> float:
        """Return the latency that so many of all do not pass, in milliseconds; NaN if there is none."""
        return 1000 * percentile(self.latencies, share)


class CrowdError(Exception):
    """The crowd could not be brought where it was to be."""


class Crowd:
    """Clients connected to a port of this machine, a few at a time, each greeted with a text.

    Raises: CrowdError if a client is not greeted.
    """

    def __init__(self, port: int, count: int, greeting: bytes) -> None:
        self._poll = select.epoll()
        self._port = port
        self._rng = random.Random(1)
        self.clients: list[Client] = []
        self._by_fd: dict[int, Client] = {}
        for first in range(0, count, CALLERS):
            self._call(range(first, min(count, first + CALLERS)), greeting)

    def _connect(self, number: int) -> Client:
        sock = socket.create_connection((HOST, self._port), timeout=STEP_SECONDS)
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._poll.register(sock.fileno(), select.EPOLLIN)
        return Client(number, sock)

    def _call(self, numbers: range, greeting: bytes) -> None:
        for number in numbers:
            client = self._connect(number)
            client.expect(greeting)
            self.clients.append(client)
            self._by_fd[client.fileno()] = client
        waiting, end = len(numbers), time.perf_counter() + STEP_SECONDS
        while waiting:
            waiting -= sum(1 for _ in self._answers(0.1))
            self._check(end, "were not greeted", waiting)

    def do(self, steps: Callable[[int], Sequence[Line]], at_once: int = MAX_PENDING_LOGINS) -> None:
        """Let everyone type lines, each when the last is answered, a few clients at a time. Raises: CrowdError."""
        todo = {client: iter(steps(client.number)) for client in self.clients}
        waiting, active, end = iter(self.clients), 0, time.perf_counter() + STEP_SECONDS
        ready = [client for _, client in zip(range(at_once), waiting, strict=False)]
        while ready or active:
            for client in ready:
                one: Client | None = client
                while one and (line := next(todo[one], None)) is None:
                    one = next(waiting, None)
                if one and line:
                    one.send(*line)
                    active += 1
            ready = list(self._answers(0.1))
            active -= len(ready)
            if ready:
                end = time.perf_counter() + STEP_SECONDS
            self._check(end, "got no answer on their way", active)

    def settle(self) -> None:
        """Wait until nothing comes any more, the last of all that is negotiated too, and have everyone be in."""
        self.quiet()
        for client in self.clients:
            client.come_in()

    def quiet(self) -> None:
        """Wait until nothing comes any more."""
        last = began = time.perf_counter()
        while (now := time.perf_counter()) - last < QUIET_SECONDS and now - began < MAX_NOISE_SECONDS:
            for fd, _ in self._poll.poll(0.05):
                self._by_fd[fd].receive()
                last = now
            self._drop_closed()

    def as_fast_as_answered(self, lines: Lines, seconds: float) -> Answered:
        """Let everyone type the next line as soon as the last is answered."""
        turns, answered = [0] * len(self.clients), Answered()
        began = time.perf_counter()
        for client in self.clients:
            client.send(*lines(client.number, 0))
        end = began + seconds
        while time.perf_counter() < end:
            for client in self._answers(0.05):
                now = time.perf_counter()
                answered.latencies.append(now - client.sent_at)
                turns[client.number] += 1
                if now < end:
                    client.send(*lines(client.number, turns[client.number]))
        self._take_late(answered)
        answered.seconds = time.perf_counter() - began
        return answered

    def paced(self, lines: Lines, every: float, seconds: float) -> Answered:
        """Let everyone type a line every so many seconds; latency counts from when it was due.

        Who has no answer yet types the next line when it comes.
        """
        answered, began = Answered(), time.perf_counter()
        due = [(began + self._rng.random() * every, client.number, 0) for client in self.clients]
        heapq.heapify(due)
        late: dict[int, tuple[float, int]] = {}

        def type_line(number: int, when: float, turn: int) -> None:
            self.clients[number].send(*lines(number, turn), due=when)
            heapq.heappush(due, (when + every, number, turn + 1))

        end = began + seconds
        while (now := time.perf_counter()) < end:
            while due and due[0][0] <= now:
                when, number, turn = heapq.heappop(due)
                if self.clients[number].is_waiting:
                    late[number] = when, turn
                else:
                    type_line(number, when, turn)
            next_due = min(due[0][0], end) if due else end
            for client in self._answers(max(0.0, next_due - time.perf_counter())):
                answered.latencies.append(time.perf_counter() - client.sent_at)
                if client.number in late:
                    type_line(client.number, *late.pop(client.number))
        answered.seconds = time.perf_counter() - began
        answered.unanswered = len(late)
        self._take_late(answered)
        return answered

    def close(self) -> None:
        """Hang up, everyone."""
        for client in self.clients:
            client.close()
        self._poll.close()

    def _take_late(self, answered: Answered) -> None:
        waiting = sum(client.is_waiting for client in self.clients)
        end = time.perf_counter() + LATE_SECONDS
        while waiting and time.perf_counter() < end:
            for client in self._answers(0.1):
                waiting -= 1
                answered.latencies.append(time.perf_counter() - client.sent_at)
        answered.unanswered += waiting

    def _answers(self, timeout: float) -> Iterator[Client]:
        for fd, _ in self._poll.poll(timeout):
            client = self._by_fd[fd]
            if client.receive():
                yield client
            elif client.closed:
                self._drop_closed()

    def _drop_closed(self) -> None:
        closed = [client for client in self.clients if client.closed]
        if closed:
            raise CrowdError(f"{len(closed)} of {len(self.clients)} clients were dropped by the server.")

    def _check(self, end: float, what: str, count: int) -> None:
        if time.perf_counter() > end:
            raise CrowdError(f"{count} of {len(self.clients)} clients {what} for {STEP_SECONDS:.0f} s.")


PEOPLE_IN_A_ROOM = 10
MIN_PEOPLE = 1000
"""Number of people that there are rooms for, so that the town is the same for fewer of them."""

SQUARE = "The Square"
CROSSING = "The Crossing"
DESCRIPTION = (
    "Grey stones, worn round at the edges, slope towards a well that nobody has seen the bottom of. A bench stands "
    "under the lime tree, and somebody has left half a loaf on it for the sparrows."
)
SEEN = b"Exits:"
"""A text that is in the view of a room, and in nothing else."""


def rooms_for(people: int) -> int:
    """Return the number of rooms for `people` people."""
    return max(1, -(-people // PEOPLE_IN_A_ROOM))


def room(number: int) -> str:
    """Return the name of a room by its number."""
    return f"Room {number}"


def town(people: int) -> dict[str, dict[str, str]]:
    """Return the exits of every room, by the room's name: each with the room that it leads to."""
    rooms = range(rooms_for(max(people, MIN_PEOPLE)))
    crossing = {"in": SQUARE, **{f"r{number}": room(number) for number in rooms}}
    return {SQUARE: {"out": CROSSING}, CROSSING: crossing, **{room(number): {"back": CROSSING} for number in rooms}}


def spread_out(people: int) -> Callable[[int], Sequence[Line]]:
    """Return a function from a person's number to the lines that bring them, from the square, to be ten to a room."""
    rooms = rooms_for(people)
    return lambda number: ((b"out", SEEN), (b"r%d" % (number % rooms), SEEN))


def together(number: int) -> Sequence[Line]:
    """Return the lines that somebody types in their room to be in the square."""
    return (b"back", SEEN), (b"in", SEEN)


def look(number: int, turn: int) -> Line:
    """Look about."""
    return b"look", SEEN


def say(number: int, turn: int) -> Line:
    """Say a word that nobody else says."""
    word = b"w%dx%dz" % (number, turn)
    return b"say the weir is loud today, " + word, word


def live(number: int, turn: int) -> Line:
    """Look about twice, then say something."""
    return say(number, turn) if (number + turn) % 3 == 2 else look(number, turn)
