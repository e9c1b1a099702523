"""What cannot be read from a world at the moment it is asked for, and is counted as it happens."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from server.monitoring.monitored_server import MonitoredServer
from world.events import Event
from world.game import Performed

MILLISECOND_TO_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0)
UNKNOWN = "unknown"


class Histogram:
    """How many measures were at most each of some bounds, in seconds; `total` is their sum."""

    def __init__(self, bounds: Sequence[float] = MILLISECOND_TO_SECONDS) -> None:
        self.bounds = tuple(bounds)
        self.total = 0.0
        self._counts = [0] * (len(self.bounds) + 1)

    def note(self, seconds: float) -> None:
        """Count one."""
        self._counts[bisect_left(self.bounds, seconds)] += 1
        self.total += seconds

    def rows(self) -> list[tuple[str, float]]:
        """Return (bound, how many were at most that), the last bound being "+Inf"."""
        rows, count = [], 0
        for bound, here in zip([*map(str, self.bounds), "+Inf"], self._counts, strict=True):
            count += here
            rows.append((bound, float(count)))
        return rows


class Counters:
    """Counts lines and events from the moment that it begins.

    `commands` are by the verb of the table (or "unknown"), who ("people" or "agents") and result ("done", "refused"
    or "failed"); `events` by kind. Nothing that anybody has written is among these.
    """

    def __init__(self) -> None:
        self.commands: Counter[tuple[str, str, str]] = Counter()
        self.events: Counter[str] = Counter()
        self.command_seconds = Histogram()
        self.sync_seconds = Histogram()

    def begin(self, watched: MonitoredServer) -> None:
        """Count what happens in a world from now on."""
        game = watched.game
        went_wrong = game.world.wording("commands.went_wrong")

        def count_line(character_id: str, text: str, done: Performed) -> None:
            actor = game.world.characters.get(character_id)
            who = "agents" if actor and actor.is_agent else "people"
            result = "done" if done.accepted else "failed" if done.refusal == went_wrong else "refused"
            self.commands[done.verb or UNKNOWN, who, result] += 1
            if who == "people":
                self.command_seconds.note(done.seconds)

        game.subscribe("metrics", self._count)
        game.subscribe_lines("metrics", count_line)
        watched.sync.subscribe("metrics", self.sync_seconds.note)

    def _count(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self.events[type(event).__name__] += 1
