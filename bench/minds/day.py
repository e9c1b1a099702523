"""Three agents with an errand each live through some turns of the starter town, on a clock of its own."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from agents.metrics.acting import ExactRepeats
from agents.metrics.statistics import Amount, Share, share_of
from agents.simulation.recording import TurnCursor
from agents.simulation.simulation import Simulation, Span, VirtualClock, Watcher
from agents.simulation.simulation import Step as SimulatedTurn
from bench.lib.worlds import populate
from bench.minds.situation import DAY_MINUTES, Step
from bench.minds.stage import WatchedQueue, prepare_vault
from bench.minds.turns import Act, act_of, speeches_in
from vault.entities.load import load_world
from world.commands.table import world_commands
from world.events import Gave
from world.game import CommandResult, Game
from world.world import World

ERRANDS: Mapping[str, Sequence[Step]] = {
    "Eliza": (Step("Ink Yard", "get ink bottle"), Step("Drying Loft", "get fresh sheet"), Step("Daybook Office")),
    "Moss": (Step("Behind the Water"), Step("Kettle House", "get tin cup"), Step("The Landing")),
    "Odile": (
        Step("Gauge House", "get gauge slip"),
        Step("The Mill", "get brass lantern"),
        Step("Eliza", "give gauge slip to Eliza"),
    ),
}
INVALID = ("refused", "speechless", "failed")


@dataclass(frozen=True)
class DayTurn:
    """One turn: who had it, how it ended, what was done, and whether somebody else was there.

    `seconds` and `new_tokens` are what its model took; see `Thought`. A turn in which no model is asked takes neither.
    """

    agent: str
    outcome: str
    acts: tuple[Act, ...] = ()
    in_company: bool = False
    seconds: float = 0.0
    new_tokens: int = 0


@dataclass
class Day:
    """The outcome of a day. `steps_done` counts, by agent, the steps of its errand that were done in their order."""

    turns: list[DayTurn] = field(default_factory=list)
    steps_done: dict[str, int] = field(default_factory=dict)

    def shares(self) -> dict[str, Share]:
        """Return the shares of a day, by the name of the measure."""
        tried = [turn for turn in self.turns if turn.acts or turn.outcome in INVALID]
        seen = [turn for turn in tried if turn.in_company and turn.acts]
        done = [self.steps_done[agent] == len(steps) for agent, steps in ERRANDS.items()]
        return {
            "valid commands": share_of(turn.outcome not in INVALID for turn in tried),
            "exact repeats": self.repeats(),
            "speech in company": share_of(bool(list(speeches_in(turn.acts))) for turn in seen),
            "errands of three steps done": share_of(done),
        }

    def amounts(self) -> dict[str, Amount]:
        """Return the costs of turns, by the name of the measure."""
        return {
            "seconds a turn": Amount.over([turn.seconds for turn in self.turns]),
            "new prompt tokens a turn": Amount.over([turn.new_tokens for turn in self.turns]),
        }

    def repeats(self) -> Share:
        """Return how many acts, walking aside, are the same to the letter as an earlier one of the same agent."""
        repeats = ExactRepeats()
        for act in (act for turn in self.turns for act in turn.acts if act.verb != "go"):
            repeats.add(act.who, act.line)
        return repeats.share


class Errand:
    """The progress of an agent with the steps of its errand, which count in their order."""

    def __init__(self, agent: str, steps: Sequence[Step]) -> None:
        self._agent = agent
        self._steps = steps
        self.done = 0

    def follow(self, world: World, acts: Sequence[Act]) -> None:
        """Take in what the agent has just done."""
        while self.done < len(self._steps) and self._is_done(self._steps[self.done], world, acts):
            self.done += 1

    def _is_done(self, step: Step, world: World, acts: Sequence[Act]) -> bool:
        verb, _, rest = step.do.partition(" ")
        if not verb:
            return world.characters[self._agent].room_id == step.where
        if verb == "get":
            return any(thing.thing_id == rest for thing in world.things_at(self._agent))
        thing, _, to = rest.partition(" to ")
        given = [event for act in acts for event in act.performed.events if isinstance(event, Gave)]
        return any((event.actor_id, event.thing_id, event.to_id) == (self._agent, thing, to) for event in given)


async def play_day(queue: WatchedQueue, seed: int, turns: int, without: Sequence[str] = ()) -> Day:
    """Let the three agents live through a number of turns. Raises: UnknownComponent."""
    with tempfile.TemporaryDirectory() as folder:
        vault = prepare_vault(Path(folder) / "vault", ERRANDS, without)
        rng, clock = random.Random(seed), VirtualClock()
        game = Game(load_world(vault, loaded_strategies().load_settings(vault).world), world_commands())
        agents = populate(vault, game, rng, clock.now_ms)
        agents.wake(queue)
        log = DayLog(game, queue)
        simulation = Simulation(game, agents, clock, TurnCursor(), rng, DAY_MINUTES, Watcher(log.take_turn))
        try:
            await simulation.run(Span(turns=turns))
        finally:
            await agents.stop()
            agents.close()
    return log.day()


class DayLog:
    """Notes the acts of a game's agents, turn by turn, and the cost of their model."""

    def __init__(self, game: Game, queue: WatchedQueue) -> None:
        self._game = game
        game.subscribe_lines("bench", self._take_act, first=True)
        queue.forget_prompts()
        self._queue = queue
        self._thoughts = len(queue.thoughts)
        self._acts: list[Act] = []
        self._day = Day()
        self._errands = {agent: Errand(agent, steps) for agent, steps in ERRANDS.items()}

    def take_turn(self, step: SimulatedTurn) -> None:
        """Take in a turn of the simulation."""
        acts = tuple(act for act in self._acts if act.who == step.agent)
        self._acts.clear()
        self._errands[step.agent].follow(self._game.world, acts)
        # Only the agent has moved in its turn: everybody who is there now was there as it began.
        others = [one for one in self._game.world.occupants(step.room) if one.name != step.agent]
        thoughts, self._thoughts = self._queue.thoughts[self._thoughts :], len(self._queue.thoughts)
        took = sum(one.seconds for one in thoughts), sum(one.new_tokens for one in thoughts)
        self._day.turns.append(DayTurn(step.agent, step.turn.outcome, acts, bool(others), *took))

    def day(self) -> Day:
        """Return the day so far."""
        self._day.steps_done = {agent: errand.done for agent, errand in self._errands.items()}
        return self._day

    def _take_act(self, character_id: str, text: str, performed: CommandResult) -> None:
        self._acts.append(act_of(character_id, text, performed))
