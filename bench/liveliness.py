"""Measure the liveliness of three agents: `python -m bench.liveliness [--turns 300] [--model M] [--seed 1]`.

M is embedded, ollama:NAME or gguf:FILE.

The same 300 turns in the starter town, from the same seed, on a clock that jumps from thought to thought: with the
model left to itself, with the engine choosing verbs, and each of them with and without the measures against loops.
`--runs` takes some of the four. A scripted visitor now and then walks to an agent and asks it something by name.
"""

from __future__ import annotations

import asyncio
import logging
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.metrics.acting import Loops
from agents.metrics.statistics import Share, share_of
from agents.metrics.talking import Answers, NearRepeats
from agents.models.model import LanguageModel, ModelError
from agents.models.queue import ModelQueue
from agents.repetition.loop_detector import SPEECH
from agents.simulation.recording import TurnCursor
from agents.simulation.simulation import Simulation, Step, VirtualClock, Watcher
from bench.lib.models import named_model
from bench.lib.reporting import Table, argument_parser, percent, publish
from bench.lib.worlds import change_settings, open_population
from vault.vault import STARTER, Vault
from world.entities import Character
from world.navigation import shortest_path
from world.parsing import parse_line

RUNS = {
    "model alone": {"steering": "off", "break_loops": "false"},
    "model alone, measures": {"steering": "off", "break_loops": "true"},
    "engine chooses verbs": {"steering": "auto", "break_loops": "false"},
    "engine chooses verbs, measures": {"steering": "auto", "break_loops": "true"},
}
VISITOR = "Ana"
VISIT_EVERY = 12
"""Number of turns after which the visitor goes to see another agent."""

STEP_SECONDS = 1.0
DAY_MINUTES = 1440
QUESTIONS = (
    "how is the river today?",
    "what did you have for breakfast?",
    "have you seen the iron key?",
    "what do you do all day?",
    "who lives at the mill?",
    "what is that sound behind the water?",
    "is there anything I can carry for you?",
    "do you remember what I asked you first?",
    "where would you go if it stopped raining?",
    "what is in the flat tin?",
)


@dataclass(frozen=True)
class Done:
    """The outcome of one turn: its agent, how it ended, the line, and the room after it."""

    name: str
    outcome: str
    line: str
    room_id: str


class Town:
    """The starter town in a folder of its own, with one model for everybody; `settings` change `config/agents.md`."""

    def __init__(self, root: Path, model: LanguageModel, seed: int, settings: dict[str, str]) -> None:
        shutil.copytree(STARTER, root)
        change_settings(root / "config" / "agents.md", settings)
        self.turns: list[Done] = []
        self.asked: list[tuple[str, int]] = []
        self._model = model
        rng, clock = random.Random(seed), VirtualClock()
        self.game, self.agents = open_population(Vault(root), rng, clock.now_ms)
        self.game.world.add_character(Character(VISITOR, self.game.world.start_room_id))
        watcher = Watcher(self._take_turn)
        self._simulation = Simulation(self.game, self.agents, clock, TurnCursor(), rng, DAY_MINUTES, watcher)

    async def run_turns(self, turns: int) -> None:
        """Let everybody live until the model has been asked for so many turns. Raises: ModelError if it fails."""
        self.game.wake(VISITOR, lambda event, text: None)
        self.agents.wake(ModelQueue(self._model, reads_ahead=False))
        try:
            self._simulation.begin()
            while len(self.turns) < turns:
                await self._simulation.advance(STEP_SECONDS)
                if len(self.turns) // VISIT_EVERY > len(self.asked):
                    self._pay_a_visit()
        finally:
            await self.agents.stop()
            self.agents.close()

    def _take_turn(self, step: Step) -> None:
        outcome = step.turn.outcome
        if outcome == "failed":
            raise ModelError(f"{step.agent} cannot think: {step.turn.why}")
        if outcome in ("acted", "refused", "speechless", "silent"):
            room_id = self.agents[step.agent].character.room_id
            self.turns.append(Done(step.agent, outcome, step.turn.line, room_id))
            if len(self.turns) % 50 == 0:
                print(f"  {len(self.turns)} turns", file=sys.stderr, flush=True)

    def _pay_a_visit(self) -> None:
        """Let the visitor walk to one of the agents and ask it something by name."""
        world, visit = self.game.world, len(self.asked) + 1
        name = sorted(self.agents)[visit % len(self.agents)]
        here, there = world.characters[VISITOR].room_id, world.characters[name].room_id
        for way in shortest_path(world, here, there) or []:
            self.game.perform(VISITOR, f"go {way.name}")
        self.asked.append((name, len(self.turns)))
        self.game.perform(VISITOR, f"say {name}, {QUESTIONS[visit % len(QUESTIONS)]}")


@dataclass(frozen=True)
class Liveliness:
    """Figures of one run.

    `loops` are stretches in which one agent does, or walks, the same one to three things over and over: at least three
    times the same, or twice the same two or three. `answered` is the share of the agents asked by name by the visitor
    that said something within their next two turns.
    """

    turns: int
    valid: Share
    duplicate: Share
    loops: int
    answered: Share


def liveliness_of(turns: Sequence[Done], asked: Sequence[tuple[str, int]]) -> Liveliness:
    """Return the figures of a run; `asked` are the agents asked with the number of turns there were by then."""
    speeches, answers = NearRepeats(), Answers()
    lives: dict[str, Loops] = {}
    for number, turn in enumerate(turns):
        for name, _ in (one for one in asked if one[1] == number):
            answers.address(name, VISITOR)
        line = parse_line(turn.line)
        speaks = turn.outcome == "acted" and line.verb in SPEECH
        if speaks:
            speeches.add(line.arguments)
        answers.take_turn(turn.name, speaks)
        deed = f"{line.verb} {line.arguments}".casefold().strip()
        lives.setdefault(turn.name, Loops()).add(deed, turn.room_id)
    valid = share_of(turn.outcome == "acted" for turn in turns)
    return Liveliness(len(turns), valid, speeches.share, sum(life.count for life in lives.values()), answers.share)


COLUMNS: dict[str, tuple[Callable[[Liveliness], str], str]] = {
    "turns": (lambda m: f"{m.turns:,}", ""),
    "valid commands": (lambda m: percent(m.valid.value, 1), "≥ 95 %"),
    "duplicate speech": (lambda m: percent(m.duplicate.value, 1), "≤ 5 %"),
    "loops per 100 turns": (lambda m: f"{100 * m.loops / max(1, m.turns):.1f}", "≤ 1"),
    "answers within two turns": (lambda m: f"{percent(m.answered.value)} of {m.answered.of}", "≥ 90 %"),
}
"""The cells of the table, and their goals."""


async def measure(run: str, model: LanguageModel, turns: int, seed: int) -> Liveliness:
    """Live one run with a model of its own, which is closed at the end."""
    await model.start()
    with tempfile.TemporaryDirectory() as folder:
        town = Town(Path(folder) / "vault", model, seed, RUNS[run])
        await town.run_turns(turns)
        return liveliness_of(town.turns[:turns], town.asked)


def main() -> None:
    """Live each of the runs and print the table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--runs", type=lambda names: names.split(";"), default=list(RUNS))
    options = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    rows = []
    for run in options.runs:
        print(run, file=sys.stderr, flush=True)
        figures = asyncio.run(measure(run, named_model(options.model), options.turns, options.seed))
        rows.append([run, *(cell(figures) for cell, _ in COLUMNS.values())])
    goals = ["*goal*", *(goal for _, goal in COLUMNS.values())]
    publish("liveliness", [Table(["run", *COLUMNS], [*rows, goals])], options.record)


if __name__ == "__main__":
    main()
