"""Measure how well a model plays the agents.

    python -m bench.minds --model ollama:NAME|embedded [--seeds 3] [--situations tuning|held-back|all] [--quick]

For each seed: plays situations and checks each turn; lets a visitor talk with Eliza through a server of its own; lets
three agents with an errand each live through 60 turns. Prints one table with 95 % intervals and writes it as JSON to
bench/results/. `--compare FILE ...` puts several of these files side by side and plays nothing. Of situations held
back from tuning, only the totals are shown.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import logging
import os
import random
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.metrics.statistics import Amount, Share, share_of
from agents.models.model import ModelError
from agents.models.queue import ModelQueue
from agents.population import Population
from agents.views.why import written_archive
from bench.lib.reporting import RESULTS, Table, argument_parser, machine
from bench.lib.worlds import populate
from bench.minds.checks import flaws
from bench.minds.day import Day, play_day
from bench.minds.dialogue import Talk, play_dialogue
from bench.minds.situation import HALVES, Scene, Situation, situations_of
from bench.minds.stage import Thought, UnknownComponent, WatchedQueue, check_components, open_queue, prepare_vault
from bench.minds.turns import PlayedTurn
from config.settings import ModelSettings
from vault.entities.load import load_world
from vault.memory.archive_exchanges import newest_questions

GOALS = {
    "valid commands": "≥ 99 %",
    "exact repeats": "≤ 5 %",
    "speech in company": "20–60 %",
    "answered within two turns": "≥ 95 %",
    "name and loss recalled": "≥ 80 %",
    "errands of three steps done": "≥ 80 %",
    "keeps out of a talk of others": "≥ 90 %",
    "situations right, tuning": "",
    "situations right, held back": "≥ 85 %",
}
FAILURES = ("speechless", "failed")
MAX_ASKED = 2
"""How often a model is asked in one turn."""


@dataclass(frozen=True)
class Trial:
    """One situation, played once: the turn, and what is wrong with it, or an empty string.

    `is_answered` says that the agent spoke in its first two turns. `rejected` are its model's answers that the engine
    did not take, each behind the name of the objection.
    """

    situation: Situation
    seed: int
    turn: PlayedTurn
    wrong: str
    is_answered: bool
    rejected: Sequence[str] = ()

    @property
    def is_right(self) -> bool:
        return not self.wrong

    @property
    def is_valid(self) -> bool:
        """True if all commands of the agent were possible."""
        return not self.turn.failure and not self.turn.refusals


async def play_situation(situation: Situation, seed: int, queue: ModelQueue, without: Sequence[str] = ()) -> Trial:
    """Play a situation with the agents as they are. Raises: ScriptError, UnknownComponent."""
    with tempfile.TemporaryDirectory() as folder:
        vault = prepare_vault(Path(folder) / "vault", {situation.agent: situation.errand}, without)
        scene = Scene(situation, load_world(vault, loaded_strategies().load_settings(vault).world))
        rng = random.Random(f"{seed} {situation.name}")
        agents = populate(vault, scene.game, rng, lambda: scene.ms)
        scene.wake_people()
        agents.wake(queue)
        try:
            scene.play_script(lambda name, line: agents[name].perform(line))
            turn = scene.turn(await _failure(agents, situation.agent))
            rejected = _rejected(agents[situation.agent])
            is_answered = bool(turn.speeches) or (situation.asks_for_words and await _speaks_late(agents, scene))
        finally:
            await agents.stop()
            agents.close()
    return Trial(situation, seed, turn, situation.judge(turn), is_answered, rejected)


def _rejected(agent: Agent) -> list[str]:
    """Return the answers of the last turn that the engine did not take, each behind the name of the objection."""
    asked = newest_questions(written_archive(agent), MAX_ASKED)
    return [f"{one.entry['objection']}: {one.entry['reply']}" for one in asked if "objection" in one.entry]


async def _speaks_late(agents: Population, scene: Scene) -> bool:
    await _failure(agents, scene.situation.agent)
    return bool(scene.turn().speeches)


async def _failure(agents: Population, name: str) -> str:
    """Let an agent have its turn; return why it could do nothing, or an empty string."""
    agent = agents[name]
    turn = await agent.tick()
    while agent.compactor.is_running:  # noqa: ASYNC110  # nobody tells when it has ended
        await asyncio.sleep(0.02)
    return f"{turn.outcome}: {turn.why}" if turn.outcome in FAILURES else ""


def shares_of(trials: Sequence[Trial], talks: Sequence[Talk], days: Sequence[Day]) -> dict[str, Share]:
    """Return all shares by the name of the measure; one that several parts give is over all of them."""
    found: dict[str, Share] = {}
    parts = [situation_shares(trials), *map(_talk_shares, talks), *(day.shares() for day in days), group_shares(trials)]
    for name, share in (pair for part in parts for pair in part.items()):
        found[name] = found.get(name, Share()) + share
    return found


def amounts_of(thoughts: Sequence[Thought], talks: Sequence[Talk], days: Sequence[Day]) -> dict[str, Amount]:
    """Return all amounts by the name of the measure."""
    turns = [turn for day in days for turn in day.turns]
    waited = [one.seconds for talk in talks for one in talk.exchanges if one.seconds is not None]
    return {
        **Day(turns).amounts(),
        "seconds a thought": Amount.over([one.seconds for one in thoughts]),
        "prompt tokens a thought": Amount.over([one.prompt_tokens for one in thoughts]),
        "answer tokens a thought": Amount.over([one.completion_tokens for one in thoughts]),
        "seconds until the visitor is answered": Amount.over(waited),
    }


def _talk_shares(talk: Talk) -> dict[str, Share]:
    return {"answered within two turns": share_of(talk.answered), "name and loss recalled": share_of(talk.recalled)}


def situation_shares(trials: Sequence[Trial]) -> dict[str, Share]:
    """Return the shares that situations give, by the name of the measure."""
    asked = [trial for trial in trials if trial.situation.asks_for_words]
    others = [trial for trial in trials if trial.situation.group == "keep out"]
    return {
        "valid commands": share_of(trial.is_valid for trial in trials),
        "answered within two turns": share_of(trial.is_answered for trial in asked),
        "keeps out of a talk of others": share_of(not trial.turn.speeches for trial in others),
        "no swaps, echoes, assistant talk": share_of(not flaws(trial.turn) for trial in trials),
        "situations right, tuning": share_of(one.is_right for one in trials if not one.situation.is_held_back),
        "situations right, held back": share_of(one.is_right for one in trials if one.situation.is_held_back),
    }


def group_shares(trials: Sequence[Trial]) -> dict[str, Share]:
    """Return how many are right of each group of situations, both halves together."""
    groups = dict.fromkeys(trial.situation.group for trial in trials)
    return {f"– {group}": share_of(one.is_right for one in trials if one.situation.group == group) for group in groups}


def turns_of(trials: Sequence[Trial]) -> dict[str, list[dict[str, Any]]]:
    """Return the acts of the turns, by situation, and the faults in them.

    Held-back situations are left out, so that nobody tunes to them.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for trial in (one for one in trials if not one.situation.is_held_back):
        found.setdefault(trial.situation.name, []).append(
            {"seed": trial.seed, "right": trial.is_right, **_trial_text(trial)}
        )
    return found


def failures_text(turns: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the turns that were wrong, a line each, and below it the answers that the engine did not take."""
    wrong = [(name, one) for name, found in turns.items() for one in found if not one["right"]]
    return "\n".join(
        "\n    not taken: ".join(
            [
                f"  {name}, seed {one['seed']}: {one['wrong']}  [{'; '.join(one['lines']) or 'nothing'}]",
                *one["rejected"],
            ]
        )
        for name, one in wrong
    )


def _trial_text(trial: Trial) -> dict[str, Any]:
    return {
        "wrong": trial.wrong,
        "lines": [act.line for act in trial.turn.acts],
        "heard": list(trial.turn.heard[-1:]),
        "rejected": list(trial.rejected),
    }


@dataclass(frozen=True)
class Result:
    """All figures of one run with one model, with or without some components.

    `turns` has each situation's turns, with their faults; `talks` has the lines that each visitor typed and saw.
    """

    model: str
    about: Mapping[str, Any]
    shares: Mapping[str, Share]
    amounts: Mapping[str, Amount]
    turns: Mapping[str, Sequence[Mapping[str, Any]]]
    talks: Sequence[Sequence[str]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The name of the result in a table."""
        without = ", ".join(self.about.get("without", ()))
        return f"{self.model}, without {without}" if without else self.model

    def saved(self, path: Path) -> None:
        """Write the result as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", "utf-8")

    @classmethod
    def load(cls, path: Path) -> Result:
        """Return a result that was saved. Raises: ValueError if the file is none."""
        try:
            told = json.loads(path.read_text("utf-8"))
            shares = {name: Share(**one) for name, one in told["shares"].items()}
            amounts = {name: Amount(**one) for name, one in told["amounts"].items()}
            return cls(told["model"], told["about"], shares, amounts, told["turns"], told["talks"])
        except (OSError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path} is no result of bench.minds: {error}.") from error


def results_table(results: Sequence[Result]) -> str:
    """Return the figures of results side by side, each with its 95 % interval, as Markdown."""
    names = dict.fromkeys(name for one in results for name in [*GOALS, *one.shares])
    rows = [[name, *(one.shares.get(name, Share()).text for one in results), GOALS.get(name, "")] for name in names]
    amounts = dict.fromkeys(name for one in results for name in one.amounts)
    rows += [[name, *(_amount(one, name) for one in results), ""] for name in amounts]
    return str(Table(["", *(one.title for one in results), "goal"], rows))


def _amount(result: Result, name: str) -> str:
    return result.amounts[name].text if name in result.amounts else "–"


PARTS = ("situations", "dialogue", "day")
DAY_TURNS, QUICK_DAY_TURNS = 60, 30
PROGRESS_EVERY = 10
PATIENCE_SECONDS, QUICK_PATIENCE_SECONDS = 45.0, 25.0
"""Seconds that the visitor waits for an answer."""


async def main(arguments: argparse.Namespace) -> Result:
    """Play everything and return the figures; they are written after each seed.

    Raises: ModelError, UnknownComponent, RuntimeError, ValueError.
    """
    check_components(arguments.without)
    situations = situations_of(arguments.situations, arguments.only)
    trials, talks, days = list[Trial](), list[Talk](), list[Day]()
    began = time.perf_counter()
    queue = await open_queue(arguments.model, ModelSettings(), _tell)
    try:
        for seed in range(1, arguments.seeds + 1):
            if "situations" in arguments.parts:
                trials += await _play_situations(situations, seed, queue, arguments.without)
            if "day" in arguments.parts:
                turns = QUICK_DAY_TURNS if arguments.quick else DAY_TURNS
                _tell(f"seed {seed}, a day of {turns} turns")
                days.append(await play_day(queue, seed, turns, arguments.without))
            if "dialogue" in arguments.parts:
                _tell(f"seed {seed}, the visitor")
                patience = QUICK_PATIENCE_SECONDS if arguments.quick else PATIENCE_SECONDS
                host = os.environ.get("OLLAMA_HOST", "")
                talk = await asyncio.to_thread(play_dialogue, arguments.model, host, seed, patience, arguments.without)
                talks.append(talk)
            result = Result(
                arguments.model,
                _about(arguments, queue, seed, round(time.perf_counter() - began)),
                shares_of(trials, talks, days),
                amounts_of(queue.thoughts, talks, days),
                turns_of(trials),
                [talk.transcript for talk in talks],
            )
            result.saved(_path(arguments, result))
    finally:
        await asyncio.gather(*(route.model.close() for route in queue.routes))
    return result


async def _play_situations(
    situations: Sequence[Situation], seed: int, queue: WatchedQueue, without: Sequence[str]
) -> list[Trial]:
    trials = []
    for number, situation in enumerate(situations):
        if number % PROGRESS_EVERY == 0:
            _tell(f"seed {seed}, situation {number + 1} of {len(situations)}")
        trials.append(await play_situation(situation, seed, queue, without))
    return trials


def _about(arguments: argparse.Namespace, queue: WatchedQueue, seeds: int, seconds: int) -> Mapping[str, Any]:
    return {
        "day": str(datetime.datetime.now(datetime.UTC).date()),
        "machine": machine(),
        "model name": queue.model.name,
        **{name: getattr(arguments, name) for name in ("situations", "parts", "without", "quick")},
        "seeds": seeds,
        "seconds": seconds,
    }


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__, records=False)
    parser.add_argument("--model", default="embedded", help="as for the server: embedded, ollama:NAME, ...")
    parser.add_argument("--seeds", type=int, default=3, help="how many times everything is played")
    parser.add_argument("--situations", choices=HALVES, default="tuning")
    parser.add_argument("--only", default="", metavar="NAME", help="nothing but one situation")
    parser.add_argument("--without", nargs="*", default=[], metavar="COMPONENT", help="components to switch off")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="what is played (all)")
    parser.add_argument("--quick", action="store_true", help="one seed, and a shorter day")
    parser.add_argument("--out", type=Path, help="where the JSON goes")
    parser.add_argument("--compare", nargs="+", type=Path, metavar="FILE", help="show results that are there")
    arguments = parser.parse_args()
    if arguments.seeds < 1:
        parser.error(f"--seeds is {arguments.seeds}; expected 1 or more.")
    if arguments.quick:
        arguments.seeds = 1
    if arguments.only:
        arguments.parts = ["situations"]
    return arguments


def _path(arguments: argparse.Namespace, result: Result) -> Path:
    name = re.sub(r"[^\w.-]+", "-", result.title)
    return arguments.out or RESULTS / f"minds-{name}-{result.about['day']}.json"


def run() -> None:
    """Run the command line."""
    arguments = _parsed()
    try:
        if arguments.compare:
            print(results_table([Result.load(path) for path in arguments.compare]))
            return
        result = asyncio.run(main(arguments))
    except (ModelError, UnknownComponent, RuntimeError, ValueError) as error:
        sys.exit(f"bench.minds: {error}")
    print(f"\n{results_table([result])}")
    print(f"\nWrong:\n{failures_text(result.turns) or '  nothing'}")
    print(f"\nWritten to {_path(arguments, result)}.")


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)
    run()
