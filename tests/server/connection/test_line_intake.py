"""A connection's lines, taken in turns: a few at a time, no faster than allowed, and not while they are held."""

from __future__ import annotations

from collections.abc import Sequence

from server.connection.input import FairScheduler, InputLimits, LineIntake, Taken
from server.connection.output import FlushQueue
from tests.server.turn_clock import TurnClock

LIMITS = InputLimits(lines_per_turn=2, close_seconds=5.0, half_close_seconds=1.0)


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

    def take_next(self, is_held: bool) -> Taken:
        if not self._waiting or (is_held and not self._waiting[0].startswith("!")):
            return Taken.NOTHING
        line = self._waiting.pop(0)
        self.taken.append(line)
        return Taken.FACT if line.startswith("!") else Taken.LINE

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
