"""Measure the environment of `fallwater.env`: `python -m bench.env`.

Players draw from the commands that they are offered, alone or among scripted others. Counted are steps (a turn of one
player, with what it is offered and perceives), resets, and whether one seed gives the same texts each time.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bench.lib.reporting import Table, argument_parser, record
from fallwater.env import FallwaterEnv
from fallwater.opponents import Policy, visitor, wanderer

CASTS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Policy]]] = {
    "2 players": (("Ana", "Ben"), {}),
    "2 players, 2 scripted others": (("Ana", "Ben"), {"Eliza": wanderer, "Tilda": visitor}),
    "10 players": (tuple(f"Player {letter}" for letter in "ABCDEFGHIJ"), {}),
}
SEED = 7


@dataclass(frozen=True)
class Pace:
    """The pace of some work: the number of its pieces, and its seconds by the clock and of the processor."""

    count: int
    seconds: float
    processor_seconds: float

    def cells(self) -> list[str]:
        """Return how many a second that are, by the clock and by the processor."""
        return [f"{self.count / seconds:,.0f}" for seconds in (self.seconds, self.processor_seconds)]


def time_work(count: int, work: Callable[[], object]) -> Pace:
    """Return how long some work takes that counts for so many pieces."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return Pace(count, time.perf_counter() - began, time.process_time() - used)


def make_env(cast: str, turns: int) -> FallwaterEnv:
    """Return an environment of the starter town."""
    players, others = CASTS[cast]
    return FallwaterEnv(players=players, others=others, turns=turns)


def reset(world: FallwaterEnv, times: int) -> None:
    """Begin again, a number of times."""
    for _ in range(times):
        world.reset(seed=SEED)


def play_episode(world: FallwaterEnv) -> str:
    """Play an episode to its end; return the hash of all that was perceived."""
    rng, told = random.Random(SEED), hashlib.sha256()
    for _ in world.agent_iter():
        observation, _, terminated, truncated, info = world.last()
        told.update(observation["text"].encode())
        world.step(None if terminated or truncated else rng.choice(info["commands"]))
    return told.hexdigest()


def row(cast: str, options: argparse.Namespace) -> list[str]:
    """Measure one cast."""
    world = make_env(cast, options.steps)
    resets = time_work(options.resets, lambda: reset(world, options.resets))
    players = len(world.possible_agents)
    world = make_env(cast, options.steps // players)
    world.reset(seed=SEED)
    steps = time_work(options.steps // players * players, lambda: play_episode(world))
    short, hashes = make_env(cast, 5), set[str]()
    for _ in range(options.resets):
        short.reset(seed=SEED)
        hashes.add(play_episode(short))
    return [cast, *steps.cells(), *resets.cells(), f"{len(hashes)} of {options.resets}"]


def main() -> None:
    """Print the table."""
    parser = argument_parser(__doc__, records=True)
    parser.add_argument("--steps", type=int, default=5000, help="how many turns, of all players (default 5000)")
    parser.add_argument("--resets", type=int, default=100)
    options = parser.parse_args()
    heads = [
        "",
        "steps a second",
        "steps by the processor",
        "resets a second",
        "resets by the processor",
        "different texts",
    ]
    found = Table(heads, [row(cast, options) for cast in CASTS], "By the clock, and by the processor's time alone:")
    print(found)
    if options.record:
        record("env", [found])


if __name__ == "__main__":
    main()
