"""The agent scheduler: finds a model, and gives each agent a timer for its turns."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Mapping, Sequence

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.python.failure import Failure

from agents.agent import Agent
from agents.component import Turn
from agents.models.embedded_model import LICENCE_NOTICE
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from agents.population import Population
from config.profiles import SUMMARIZER, THINKER, ModelProfile
from config.settings import ModelSettings
from server.bridge import deferred_from
from server.clock import DelayedCall, ReactorClock, cancel
from server.wait_notices import WaitNotices
from vault.config_notes import Settings
from world.observers import ObserverCalls, Observers

log = logging.getLogger(__name__)

MAX_FIRST_SECONDS = 8.0


class AgentTimer:
    """Calls `think` again and again, the next tick only after the last has ended, whatever became of it.

    `pause_seconds` gives the time from one tick to the next, before jitter. `think` returns a Deferred.
    """

    def __init__(
        self,
        think: Callable[[], Deferred[None]],
        pause_seconds: Callable[[], float],
        jitter: Callable[[], float],
        clock: ReactorClock,
        rng: random.Random,
    ) -> None:
        self._think = think
        self._pause_seconds = pause_seconds
        self._jitter = jitter
        self._clock = clock
        self._rng = rng
        self._next: DelayedCall | None = None
        self._ticking: Deferred[None] | None = None
        self._sooner: float | None = None
        self._stopped = True

    def start(self) -> None:
        """Begin, with a first tick soon, so that a newcomer sees life."""
        self._stopped = False
        self._schedule(self._rng.uniform(0, min(self._pause_seconds(), MAX_FIRST_SECONDS)))

    def hurry(self, seconds: float) -> None:
        """Bring the next tick forward to within `seconds`, or to that long after a running one.

        It never comes later for that: who is spoken to all the time thinks all the same.
        """
        if self._ticking:
            self._sooner = seconds if self._sooner is None else min(seconds, self._sooner)
        elif self._next and self._next.active() and self._clock.seconds() + seconds < self._next.getTime():
            self._next.cancel()
            self._schedule(seconds)

    def stop(self) -> Deferred[None] | None:
        """Stop; a tick that is going on is cancelled and returned to be waited for."""
        self._stopped = True
        cancel(self._next)
        if self._ticking:
            self._ticking.cancel()
        return self._ticking

    def _schedule(self, seconds: float) -> None:
        self._next = self._clock.callLater(seconds, self._tick)

    def _tick(self) -> None:
        self._sooner = None
        ticking = maybeDeferred(self._think)
        self._ticking = ticking
        ticking.addErrback(self._log_failure)
        ticking.addCallback(lambda _: self._rest()).addErrback(self._rest_after_fault)

    def _rest(self) -> None:
        self._ticking = None
        if self._stopped:
            return
        jitter = self._jitter()
        pause = self._pause_seconds() * self._rng.uniform(1 - jitter, 1 + jitter)
        self._schedule(pause if self._sooner is None else min(pause, self._sooner))

    def _rest_after_fault(self, failure: Failure) -> None:
        self._log_failure(failure)
        self._schedule(RETRY_SECONDS)

    def _log_failure(self, failure: Failure) -> None:
        if not self._stopped:
            log.error("an agent could not think; it tries again at its next tick", exc_info=failure.value)


RETRY_SECONDS = 30
SEARCHING_REASON = "One is being looked for."


class AgentScheduler:
    """Wakes the agents when there is a model, and lets each think when its timer ticks.

    `queue` serves agents without a profile of their own, `problem` is why there is none, and `chosen` which model was
    chosen, and why. `echo` receives sentences for the operator, `on_trouble` sentences for admins.
    """

    def __init__(
        self,
        agents: Population,
        settings: Callable[[], Settings],
        clock: ReactorClock,
        rng: random.Random,
        echo: Callable[[str], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        self.queue: ModelQueue | None = None
        self.queues: Mapping[str, ModelQueue] = {}
        self.profiles = Profiles(random.Random(rng.getrandbits(64)))
        self.problem = ""
        self.chosen: tuple[str, ...] = ()
        self.speech_wait: Callable[[str], float] = lambda name: 0.0
        """Returns after how many seconds an agent may speak; it thinks no sooner."""
        self._observers = Observers[str, str](ObserverCalls(clock.seconds))
        self._agents = agents
        self._settings = settings
        self._clock = clock
        self._rng = rng
        self._echo = echo
        self._on_trouble = on_trouble
        self._timers: dict[str, AgentTimer] = {}
        self._thinking: set[str] = set()
        self._notices = WaitNotices(clock, agents.tell_of_wait)
        self._choosing: Deferred[None] | None = None
        self._retry: DelayedCall | None = None
        self._tried: tuple[ModelSettings, Mapping[str, ModelProfile]] | None = None
        self._stopped = False

    def subscribe(self, name: str, observer: Callable[[str, str], None]) -> None:
        """Tell an observer of agents, by name, what each is about.

        It is `thinking`, has `acted`, `rested` (it thought and did nothing) or `compacted` its memory.
        Raises: WorldError if there is an observer of that name.
        """
        self._observers.add(name, observer)

    def start(self) -> None:
        """Look for a model; agents wake when there is one."""
        settings = self._settings()
        self._tried = settings.models, settings.profiles_in_force
        choosing = deferred_from(self.profiles.set_up(*self._tried))
        self._choosing = choosing.addCallbacks(self._on_models_chosen, self._on_no_model)

    def use_models(self, queues: Mapping[str, ModelQueue], later: Sequence[ModelQueue]) -> None:
        """Wake the agents with the queues of the profiles and further ones for summaries; nobody thinks by that."""
        self.queues, self.queue = queues, queues[THINKER]
        summaries = [queues[SUMMARIZER], *later] if SUMMARIZER in queues else later
        self._agents.wake(self.queue, summaries, queues)

    def adopt_profiles(self) -> None:
        """Adopt edited profiles; requests that are running finish with the model that they asked."""
        settings = self._settings()
        has_begun = self._tried is not None and not self._stopped
        if not has_begun or self._choosing or self._tried == (settings.models, settings.profiles_in_force):
            return
        cancel(self._retry)
        self.start()

    def stop(self) -> Deferred[None]:
        """Stop every timer and every thought; the Deferred fires when they have ended."""
        self._stopped = True
        if self._choosing:
            self._choosing.cancel()
        cancel(self._retry)
        for timer in self._timers.values():
            timer.stop()
        self._notices.stop()
        return deferred_from(self._agents.stop())

    def queue_for(self, profile: str) -> ModelQueue | None:
        """Return the queue of a profile; the thinker's if there is no such profile."""
        return self.queues.get(profile, self.queue)

    def other_queues(self) -> dict[str, ModelQueue]:
        """Return the queues of the other profiles, and of further models for summaries, by name."""
        profiles = self.profiles
        return {name: one for name, one in profiles.queues.items() if one is not self.queue} | {
            f"{SUMMARIZER} {number}": one for number, one in enumerate(profiles.later, 1)
        }

    def queues_by_name(self) -> dict[str, ModelQueue]:
        """Return all queues before models by name, the thinker's first."""
        return ({"thinker": self.queue} if self.queue else {}) | self.other_queues()

    @property
    def no_model_reason(self) -> str:
        """The reason why there is no model at this moment; empty if nobody wants one."""
        return self.problem or (SEARCHING_REASON if self._choosing else "")

    def begin(self, agent: Agent) -> None:
        """Start the timer of a new agent, if there is a model."""
        if self.queue is not None and agent.name not in self._timers:
            self._timers[agent.name] = self._timer_of(agent)

    def end(self, name: str) -> None:
        """Stop the timer of an agent that is gone."""
        timer = self._timers.pop(name, None)
        if timer:
            timer.stop()
        self._notices.forget(name)

    def _on_models_chosen(self, sentences: tuple[str, ...]) -> None:
        self._choosing = None
        for sentence in sentences:
            self._echo(sentence)
        self.chosen = tuple(one for one in sentences if one != LICENCE_NOTICE)
        self.problem = ""
        if self.profiles.thinker is None:
            self.queue = None
            return
        self.use_models(self.profiles.queues, self.profiles.later)
        for agent in self._agents.values():
            self.begin(agent)
        self.adopt_profiles()  # what was edited meanwhile

    def _on_no_model(self, failure: Failure) -> None:
        self._choosing = None
        if self._stopped:
            return
        why, before = failure.getErrorMessage(), self.problem
        self.problem, self._retry = why, self._clock.callLater(RETRY_SECONDS, self.start)
        if why != before:
            goes_on = "The agents go on as before" if self.queue else "The agents sleep"
            stop = "" if why.endswith(".") else "."  # what ends with a command to type has none
            self._echo(f"{goes_on}: {why}{stop} It is tried again every {RETRY_SECONDS} seconds.")

    def _timer_of(self, agent: Agent) -> AgentTimer:
        timer = AgentTimer(
            lambda: deferred_from(agent.tick()).addCallback(lambda turn: self._end_turn(agent, turn)),
            lambda: max(agent.pause_seconds, self.speech_wait(agent.name)),
            lambda: agent.settings.think_jitter,
            self._clock,
            random.Random(self._rng.getrandbits(64)),
        )
        agent.on_thinking = lambda: self._begin_thought(agent.name)
        agent.compactor.on_compacted = lambda: self._observers.tell(agent.name, "compacted")
        agent.on_addressed = lambda: self._hurry(agent, timer)
        agent.on_trouble = agent.memory.on_trouble = self._on_trouble
        timer.start()
        if agent.awareness.addressed.spoken:  # before the world closed, a moment ago
            timer.hurry(max(agent.settings.react_seconds, self.speech_wait(agent.name)))
        return timer

    def _hurry(self, agent: Agent, timer: AgentTimer) -> None:
        timer.hurry(max(agent.settings.react_seconds, self.speech_wait(agent.name)))
        self._notices.begin(agent)

    def _begin_thought(self, name: str) -> None:
        if name not in self._thinking:
            self._thinking.add(name)
            self._observers.tell(name, "thinking")

    def _end_turn(self, agent: Agent, turn: Turn) -> None:
        if agent.name in self._thinking:
            self._thinking.discard(agent.name)
            self._observers.tell(agent.name, "acted" if turn.outcome == "acted" else "rested")
        self._notices.end_turn(agent, turn.outcome == "failed")
