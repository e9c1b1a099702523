"""What the agents think with, and when: a model is looked for until there is one, and each agent has its heartbeat."""

from __future__ import annotations

import random
from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from agents.agent import Agent
from agents.models.choosing import Choice, choose_model
from agents.models.queue import ModelQueue
from agents.population import Population
from config.settings import ModelSettings
from server.bridge import deferred_from
from server.heartbeat import Heartbeat
from server.telnet.interface import DelayedCall, ReactorClock

RETRY_SECONDS = 30


class Minds:
    """Wakes the agents when there is a model, and lets each think in its time.

    `say` is given what whoever started the world should read, `on_trouble` what admins should know and do.
    """

    def __init__(
        self,
        agents: Population,
        models: Callable[[], ModelSettings],
        clock: ReactorClock,
        rng: random.Random,
        say: Callable[[str], None],
        on_trouble: Callable[[str], None],
    ) -> None:
        self.queue: ModelQueue | None = None
        self._agents = agents
        self._models = models
        self._clock = clock
        self._rng = rng
        self._say = say
        self._on_trouble = on_trouble
        self._heartbeats: dict[str, Heartbeat] = {}
        self._choosing: Deferred[None] | None = None
        self._retry: DelayedCall | None = None
        self._last_failure = ""
        self._stopped = False

    def start(self) -> None:
        """Look for a model; agents wake when there is one."""
        models = self._models()
        choosing = deferred_from(
            choose_model(
                models.model,
                ollama_host=models.ollama_host,
                ollama_model=models.ollama_model,
                ollama_mode=models.ollama_mode,  # type: ignore[arg-type]  # checked against the same choices
                num_ctx=models.num_ctx,
                keep_alive=models.keep_alive,
                summary_model=models.summary_model,
            )
        )
        self._choosing = choosing.addCallbacks(self._chosen, self._none_chosen)

    def stop(self) -> Deferred[None]:
        """Stop every heartbeat and every thought; the Deferred fires when they have ended."""
        self._stopped = True
        if self._choosing:
            self._choosing.cancel()
        if self._retry and self._retry.active():
            self._retry.cancel()
        for heartbeat in self._heartbeats.values():
            heartbeat.stop()
        return deferred_from(self._agents.stop())

    def begin(self, agent: Agent) -> None:
        """Let an agent that is new think from now on, if there is a model."""
        if self.queue is not None and agent.name not in self._heartbeats:
            self._heartbeats[agent.name] = self._heartbeat_of(agent)

    def end(self, name: str) -> None:
        """Let an agent that is no more think no more."""
        heartbeat = self._heartbeats.pop(name, None)
        if heartbeat:
            heartbeat.stop()

    def _chosen(self, choice: Choice) -> None:
        self._choosing = None
        for sentence in choice.sentences:
            self._say(sentence)
        if choice.model is None:
            return
        self.queue = ModelQueue(choice.model)
        self._agents.wake(self.queue, [ModelQueue(model) for model in choice.summary_models])
        for agent in self._agents.values():
            self.begin(agent)

    def _none_chosen(self, failure: Failure) -> None:
        self._choosing = None
        if self._stopped:
            return
        if failure.getErrorMessage() != self._last_failure:
            self._say(f"The agents sleep: {failure.getErrorMessage()} It is tried again every {RETRY_SECONDS} seconds.")
        self._last_failure = failure.getErrorMessage()
        self._retry = self._clock.callLater(RETRY_SECONDS, self.start)

    def _heartbeat_of(self, agent: Agent) -> Heartbeat:
        heartbeat = Heartbeat(
            lambda: deferred_from(agent.tick()).addCallback(lambda turn: None),
            lambda: agent.settings.think_seconds,
            lambda: agent.settings.think_jitter,
            self._clock,
            random.Random(self._rng.getrandbits(64)),
        )
        agent.on_addressed = lambda: heartbeat.hurry(agent.settings.react_seconds)
        agent.on_trouble = agent.memory.on_trouble = self._on_trouble
        heartbeat.start()
        return heartbeat
