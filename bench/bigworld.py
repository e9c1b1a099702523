"""Measure how long a big world takes to load: `python -m bench.bigworld [--rooms 2000] [--things 5000] [--agents 200]`.

Writes a vault with so many notes to a temporary folder, in which every room can be reached, and loads it three times.
"""

from __future__ import annotations

import gc
import random
import shutil
import statistics
import tempfile
from pathlib import Path

from bench.lib.reporting import Table, argument_parser, publish, time_call
from bench.lib.worlds import speech
from config.settings import WorldSettings
from vault.entities.load import load_world
from vault.vault import STARTER, Vault

LOADS = 3
BACK = {"east": "west", "north": "south"}


def make_vault(root: Path, rooms: int, things: int, agents: int, rng: random.Random) -> Vault:
    """Write the notes of a world whose rooms are a square."""
    shutil.copytree(STARTER, root, ignore=shutil.ignore_patterns("rooms", "things", "agents"))
    vault = Vault(root)
    width = max(1, round(rooms**0.5))
    exits: list[dict[str, int]] = [{} for _ in range(rooms)]
    for room in range(1, rooms):
        way, other = ("east", room - 1) if room % width else ("north", room - width)
        exits[other][way], exits[room][BACK[way]] = room, other
    for room, ways in enumerate(exits):
        listed = "\n".join(f"- **{way}**, {way[0]}: [[Room {goal}]]" for way, goal in ways.items())
        details = "\n".join(f"- **detail {number}**: {speech(rng)} {speech(rng)}" for number in range(3))
        head = f"---\nnumber: {room + 1}\ntags: [room, domain/moss]\nmood: dull\n---\n"
        text = " ".join(speech(rng) for _ in range(6))
        vault.write_text(f"{head}{text}\n\n## Exits\n{listed}\n\n## Details\n{details}\n", "rooms", f"Room {room}.md")
    for thing in range(things):
        head = f"---\nat: '[[Room {rng.randrange(rooms)}]]'\naliases: [lamp]\ntags: [thing]\n---\n"
        vault.write_text(f"{head}{speech(rng)} {speech(rng)}\n", "things", f"thing {thing}.md")
    for agent in range(agents):
        head = f"---\nroom: '[[Room {rng.randrange(rooms)}]]'\nthink_seconds: 20\ndescription: {speech(rng)}\n---\n"
        vault.write_text(f"{head}{speech(rng)}\n", "agents", f"Agent {agent}", "agent.md")
    return vault


def main() -> None:
    """Print a table."""
    parser = argument_parser(__doc__)
    for name, count in (("rooms", 2000), ("things", 5000), ("agents", 200)):
        parser.add_argument(f"--{name}", type=int, default=count)
    options = parser.parse_args()
    loads = []
    with tempfile.TemporaryDirectory() as folder:
        vault = make_vault(Path(folder) / "vault", options.rooms, options.things, options.agents, random.Random(7))
        for _ in range(LOADS):
            gc.collect()
            loads.append(time_call(lambda: load_world(vault, WorldSettings(start_room="Room 0"))))
    sizes = [f"{count:,}" for count in (options.rooms, options.things, options.agents)]
    times = (statistics.median(one.seconds for one in loads), statistics.median(one.cpu_seconds for one in loads))
    heads = ["rooms", "things", "agents", f"load, median of {LOADS}", "CPU", "goal"]
    row = [*sizes, *(f"{1000 * one:,.0f} ms" for one in times), "3,000 ms"]
    publish("bigworld", [Table(heads, [row])], options.record)


if __name__ == "__main__":
    main()
