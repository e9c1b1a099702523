"""Measure the environment of `fallwater.env`: `python -m bench.env`.

Players draw from the commands that they are offered, alone or among scripted others. A step is a turn of one player,
with its offered commands and its observation.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from bench.lib.reporting import Table, argument_parser, publish, time_call
from fallwater.env import FallwaterEnv
from fallwater.opponents import Policy, visitor, wanderer

CASTS: Mapping[str, tuple[tuple[str, ...], Mapping[str, Policy]]] = {
    "2 players": (("Ana", "Ben"), {}),
    "2 players, 2 scripted others": (("Ana", "Ben"), {"Eliza": wanderer, "Tilda": visitor}),
    "10 players": (tuple(f"Player {letter}" for letter in "ABCDEFGHIJ"), {}),
}
SEED = 7


def play_episode(world: FallwaterEnv) -> None:
    """Play an episode to its end."""
    rng = random.Random(SEED)
    for _ in world.agent_iter():
        _, _, terminated, truncated, info = world.last()
        world.step(None if terminated or truncated else rng.choice(info["commands"]))


def measure(cast: str, steps: int) -> list[str]:
    """Return the steps a second of one cast in the starter town, by the clock and by the processor."""
    players, others = CASTS[cast]
    turns = max(1, steps // len(players))
    world = FallwaterEnv(players=players, others=others, turns=turns)
    world.reset(seed=SEED)
    took = time_call(lambda: play_episode(world))
    return [cast, *(f"{turns * len(players) / one:,.0f}" for one in (took.seconds, took.cpu_seconds))]


def main() -> None:
    """Print the table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--steps", type=int, default=5000, help="how many turns, of all players (default 5000)")
    options = parser.parse_args()
    heads = ["", "steps a second", "by the processor's time"]
    publish("env", [Table(heads, [measure(cast, options.steps) for cast in CASTS])], options.record)


if __name__ == "__main__":
    main()
