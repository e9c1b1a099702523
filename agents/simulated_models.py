"""Who answers in a simulation: real models or those of a recording, watched, and living only as long as it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.models.choosing import choose_model
from agents.models.model import LanguageModel, ModelError
from agents.models.queue import ModelQueue
from agents.population import Population
from agents.recording import Place, Recording, SimulationError, Usage, WatchedModel
from agents.replaying import Replay
from agents.simulation import Simulation, Span, VirtualClock
from config.settings import ModelSettings

Wake = Callable[[ModelQueue, Sequence[ModelQueue]], None]


@dataclass
class Cast:
    """The models of a simulation, those for thoughts first and then those for summaries.

    `given` are taken as they are; without any, a replay has its own, and else the settings say which. `about` goes into
    the heading of a recording.
    """

    place: Place
    settings: ModelSettings
    say: Callable[[str], None]
    recording: Recording | None = None
    replay: Replay | None = None
    given: Sequence[LanguageModel] = ()
    about: dict[str, Any] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    names: list[str] = field(default_factory=list)

    async def enter(self, clock: VirtualClock) -> list[ModelQueue]:
        """Have the models ready, and return what stands before each. Raises: SimulationError."""
        found = self.given or (self.replay.models if self.replay else await chosen(self.settings, self.say))
        self.names = [model.name for model in found]
        if self.recording:
            self.recording.begin(found, **self.about)
        watched = [WatchedModel(model, number, self.usage, self.recording) for number, model in enumerate(found)]
        return [ModelQueue(model, now=clock.seconds) for model in watched]

    def check(self) -> None:
        """See to it after a turn that the recording is whole and the replay still fits. Raises: SimulationError."""
        if self.recording:
            self.recording.end_turn()
        if self.replay:
            self.replay.end_turn()
            if self.replay.divergence:
                raise SimulationError(self.replay.divergence)

    def leave(self) -> None:
        """Let go of the recording."""
        if self.recording:
            self.recording.close()


async def live(
    simulation: Simulation, cast: Cast, clock: VirtualClock, agents: Population, wake: Wake, span: Span
) -> None:
    """Wake the agents, let them live for a span, and let everything go, however it ends. Raises: SimulationError."""
    try:
        first, *others = await cast.enter(clock)
        wake(first, others)
        await simulation.run(span)
    finally:
        cast.leave()
        await agents.stop()


async def chosen(wanted: ModelSettings, say: Callable[[str], None]) -> Sequence[LanguageModel]:
    """Return the models that a world with these settings would have. Raises: SimulationError if there is none."""
    try:
        choice = await choose_model(
            wanted.model,
            ollama_host=wanted.ollama_host,
            ollama_model=wanted.ollama_model,
            ollama_mode=wanted.ollama_mode,  # type: ignore[arg-type]  # checked against the same choices
            num_ctx=wanted.num_ctx,
            keep_alive=wanted.keep_alive,
            summary_model=wanted.summary_model,
        )
    except ModelError as error:
        raise SimulationError(str(error)) from error
    if choice.model is None:
        raise SimulationError(" ".join([*choice.sentences, "Nobody would do anything; give a model with --model."]))
    for sentence in choice.sentences:
        say(sentence)
    return [choice.model, *choice.summary_models]
