"""A simulation: agents take turns with a virtual clock, as fast as the model answers.

Time passes from one turn to the next as the agents' notes say and not by any clock; whatever a turn has begun in the
background is waited for before the next. So the same vault, seed and answers give the same world, to the byte."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Thread
from typing import Any, TypeVar

from agents.agent import Agent
from agents.component import Turn
from agents.population import Population
from agents.simulation.recording import TurnCursor, Usage
from world.events import Event
from world.game import Game
from world.game_time import game_time_at
from world.parsing import parse_line

T = TypeVar("T")

START_MS = 1_767_254_400_000
"""2026-01-01 08:00 UTC: when a world begins in which nobody remembers anything."""

LATEST_FIRST_SECONDS = 8.0
BEAT_MS = 5_000
"""Milliseconds from one advance of the world's time to the next."""

OUTCOMES = ("acted", "refused", "speechless", "silent", "failed", "resting", "listening", "paused", "asleep")


class VirtualClock:
    """A clock that goes on only by command; `ms` is in milliseconds since 1970, UTC."""

    def __init__(self) -> None:
        self.ms = START_MS

    def now_ms(self) -> int:
        """Return the time in milliseconds since 1970."""
        return self.ms

    def seconds(self) -> float:
        """Return the time in seconds since 1970."""
        return self.ms / 1000


@dataclass(frozen=True)
class Span:
    """The length of a simulation: in turns, or in hours of the world's time."""

    turns: int | None = None
    hours: float | None = None


@dataclass(frozen=True)
class Step:
    """One turn as it was.

    `happened` is what the world brought since the turn before, as anybody perceived it; `room` where the agent was when
    its turn came, `told` what it perceived in it.
    """

    number: int
    at_ms: int
    agent: str
    room: str
    turn: Turn
    happened: tuple[str, ...]
    told: tuple[str, ...]


@dataclass
class Beat:
    """The next thought of an agent: `due_ms` is its time, `hurried_ms` a shorter pause after this turn, if any."""

    agent: Agent
    rng: random.Random
    due_ms: int = 0
    hurried_ms: int | None = None


@dataclass(frozen=True)
class Watcher:
    """The observer of a simulation: `on_step` gets each turn; `check` is called after it and may raise, which ends it.

    `on_time` is called whenever the clock has gone on.
    """

    on_step: Callable[[Step], None]
    check: Callable[[], None] = lambda: None
    on_time: Callable[[], None] = lambda: None


class Simulation:
    """Lets the agents of a game live.

    They must be awake.
    """

    def __init__(
        self,
        game: Game,
        agents: Population,
        clock: VirtualClock,
        place: TurnCursor,
        rng: random.Random,
        day_minutes: int,
        watcher: Watcher,
    ) -> None:
        self._game = game
        self._agents = agents
        self._clock = clock
        self._place = place
        self._rng = rng
        self._day_minutes = day_minutes
        self._watcher = watcher
        self._beats: dict[str, Beat] = {}
        self._happened: dict[str, None] = {}
        self._told: list[str] = []
        self._looked_ms = 0
        self._turns = 0

    async def run(self, span: Span) -> int:
        """Live through a span; return how many turns that were.

        Raises: whatever `on_step` and `check` raise.
        """
        self.begin()
        end_ms = None if span.hours is None else self._clock.ms + round(span.hours * 3_600_000)
        return await self._run_until(end_ms, span.turns)

    def begin(self) -> None:
        """Let everybody who is awake think from now on; `run` does so by itself."""
        self._game.world.time = game_time_at(self._clock.ms, self._day_minutes)
        self._looked_ms = self._clock.ms
        self._agents.on_born = self._begin
        for agent in self._agents.values():
            self._begin(agent)
            agent.finder.find(agent.name)  # what there is to be found is read now, and not while somebody waits for it

    async def advance(self, seconds: float) -> int:
        """Live through some seconds of the world's time more; return how many turns that were.

        Raises: as `run`.
        """
        end_ms = self._clock.ms + round(seconds * 1000)
        done = await self._run_until(end_ms, None)
        self._go_on_to(end_ms)
        return done

    async def _run_until(self, end_ms: int | None, turns: int | None) -> int:
        """Live until a time, or for so many turns; return how many there were."""
        others, done = asyncio.all_tasks(), 0
        while done != turns and self._beats:
            beat = min(self._beats.values(), key=lambda one: one.due_ms)
            if end_ms is not None and beat.due_ms > end_ms:
                self._go_on_to(end_ms)
                break
            self._go_on_to(beat.due_ms)
            done += 1
            self._turns += 1
            await self._turn(beat, self._turns, others)
        return done

    def _begin(self, agent: Agent) -> None:
        rng = random.Random(self._rng.getrandbits(64))
        first = rng.uniform(0, min(agent.pause_seconds, LATEST_FIRST_SECONDS))
        agent.finder.has_time = True  # what comes to mind must not depend on how far an index has been read
        beat = Beat(agent, rng, self._clock.ms + round(first * 1000))
        self._beats[agent.name] = beat
        agent.on_addressed = lambda: self._hurry(beat)
        agent.on_perceived = lambda event, text: self._perceive(agent, event, text)

    async def _turn(self, beat: Beat, number: int, others: set[asyncio.Task[object]]) -> None:
        agent = beat.agent
        self._place.turn, self._place.owner = number, agent.name
        beat.hurried_ms, self._told = None, []
        room, happened = agent.character.room_id, tuple(self._happened)
        self._happened = {}
        turn = await agent.tick()
        while under_way := asyncio.all_tasks() - others:
            await asyncio.wait(under_way)
        self._rest(beat)
        self._watcher.on_step(Step(number, self._clock.ms, agent.name, room, turn, happened, tuple(self._told)))
        self._watcher.check()

    def _rest(self, beat: Beat) -> None:
        if beat.agent.name not in self._agents:
            del self._beats[beat.agent.name]
            return
        jitter = beat.agent.settings.think_jitter
        pause_ms = round(beat.agent.pause_seconds * beat.rng.uniform(1 - jitter, 1 + jitter) * 1000)
        soon = pause_ms if beat.hurried_ms is None else min(pause_ms, beat.hurried_ms)
        beat.due_ms = self._clock.ms + soon

    def _hurry(self, beat: Beat) -> None:
        """Let an agent think soon that somebody speaks to: never later than it would have."""
        soon_ms = round(beat.agent.settings.react_seconds * 1000)
        if beat.agent.name == self._place.owner:
            beat.hurried_ms = soon_ms
        else:
            beat.due_ms = min(beat.due_ms, self._clock.ms + soon_ms)

    def _perceive(self, agent: Agent, event: Event, text: str) -> None:
        if not event.actor_id:
            self._happened[text] = None
        elif agent.name == self._place.owner:
            self._told.append(text)

    def _go_on_to(self, ms: int) -> None:
        """Let it be later, and let the world bring on the way what time brings."""
        self._place.owner = ""
        while self._looked_ms + BEAT_MS <= ms:
            self._looked_ms += BEAT_MS
            self._clock.ms = self._looked_ms
            self._game.advance_time(game_time_at(self._looked_ms, self._day_minutes))
        self._clock.ms = max(self._clock.ms, ms)
        self._watcher.on_time()


def beginning_ms(agents: Population) -> int:
    """Return when a simulation begins: a minute after the newest memory, or `START_MS`.

    Raises: NoteError if a journal cannot be read.
    """
    journals = [agent.memory.journal for agent in agents.values()]
    newest = [one.at_ms for journal in journals for one in journal.read(journal.last, journal.last) if journal.last]
    return max([START_MS, *(ms + 60_000 for ms in newest)])


class Tally:
    """Counts turns: their outcomes, the verbs done, and the rooms of agents."""

    def __init__(self) -> None:
        self.turns = 0
        self.outcomes: Counter[str] = Counter()
        self._verbs: Counter[str] = Counter()
        self._rooms: Counter[str] = Counter()

    def add(self, step: Step) -> None:
        """Count a turn."""
        self.turns += 1
        self.outcomes[step.turn.outcome] += 1
        self._rooms[step.room] += 1
        if step.turn.outcome == "acted":
            self._verbs[parse_line(step.turn.line).verb] += 1

    def told(self) -> dict[str, Any]:
        """Return the counts, the most frequent first."""
        outcomes = {name: self.outcomes[name] for name in OUTCOMES}
        return {"turns": self.turns, **outcomes, "verbs": _ordered(self._verbs), "rooms": _ordered(self._rooms)}


class Tallies:
    """Counts of all agents together, and of each."""

    def __init__(self) -> None:
        self.all = Tally()
        self._each: dict[str, Tally] = {}

    def add(self, step: Step) -> None:
        """Count a turn."""
        self.all.add(step)
        self._each.setdefault(step.agent, Tally()).add(step)

    def report(self, agents: Population, usage: Usage, begun_ms: int, ended_ms: int, **about: Any) -> dict[str, Any]:
        """Return everything that is the same whenever the simulation is done again; `about` comes first."""
        each = {
            name: {**(self._each.get(name) or Tally()).told(), **_of_memory(agents, name)} for name in sorted(agents)
        }
        tokens = {
            "requests": usage.requests,
            "failures": usage.failures,
            "prompt_tokens": usage.prompt_tokens,
            "cached_tokens": usage.cached_tokens,
            "completion_tokens": usage.completion_tokens,
        }
        compactions = sum(agent.compactor.stats.cycles for agent in agents.values())
        when = {
            "from": moment(begun_ms),
            "until": moment(ended_ms),
            "world_seconds": round((ended_ms - begun_ms) / 1000, 3),
        }
        return {**about, **when, **self.all.told(), **tokens, "compactions": compactions, "agents": each}


def timing(usage: Usage, turns: int, seconds: float) -> dict[str, Any]:
    """Return how long it took by the clock on the wall, in seconds, and how many tokens and turns a second that is."""
    return {
        "seconds": round(seconds, 3),
        "model_seconds": round(usage.seconds, 3),
        "turns_per_second": round(turns / seconds, 3) if seconds else 0.0,
        "completion_tokens_per_second": round(usage.completion_tokens / usage.seconds, 1) if usage.seconds else 0.0,
        "prompt_tokens_per_second": round(
            (usage.prompt_tokens - usage.cached_tokens) / usage.seconds if usage.seconds else 0.0, 1
        ),
    }


def step_text(step: Step) -> str:
    """Return a turn as it reads in a transcript."""
    turn = step.turn
    lines = _indented(step.happened)
    lines.append(f"{moment(step.at_ms)}  turn {step.number}  {step.agent} in {step.room}")
    lines.append(f"~{step.agent}> {turn.line}" if turn.line else f"    ({turn.outcome}: {turn.why})")
    return "\n".join([*lines, *_indented(step.told)]) + "\n\n"


def moment(ms: int) -> str:
    """Return a time in milliseconds since 1970 as a transcript shows it, in UTC."""
    return datetime.fromtimestamp(ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _indented(texts: Iterable[str]) -> list[str]:
    return [f"    {part}".rstrip() for text in texts for part in text.split("\n")]


def _of_memory(agents: Population, name: str) -> dict[str, int]:
    agent = agents[name]
    return {"memories": agent.memory.journal.last, "compactions": agent.compactor.stats.cycles}


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


class LoopThread:
    """Runs a simulation for a caller without an event loop, which waits: one thing at a time, in a thread of its own.

    A notebook's own loop is left alone.
    """

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="fallwater", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine and return its result. Raises: its exceptions."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:  # Ctrl-C in the caller's thread ends the work, too
            future.cancel()
            raise

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a plain function where tasks can be started, and return its result. Raises: its exceptions."""
        return self.run(_called(function, arguments))

    def close(self) -> None:
        """End the thread; tasks that are left are cancelled."""
        if self._loop.is_closed():
            return
        self.run(_cancelled_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _called(function: Callable[..., T], arguments: tuple[Any, ...]) -> T:
    return function(*arguments)


async def _cancelled_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
