"""A big world: `python -m bench.bigworld [--rooms 2000] [--things 5000] [--agents 200]`.

Makes a vault in a temporary folder, loads it, plays it with players on no terminal, and saves it as builders and
movers would. Prints the time of each part, its longest step, and the resident memory.
"""

from __future__ import annotations

import gc
import random
import resource
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.lib.reporting import argument_parser
from config.settings import WorldSettings
from server.persistence.autosave import SaveMoves, SaveNotes
from vault.entities.store import EntityStore, MergeBase, load_world
from vault.locations_log import LocationsLog
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Role
from world.events import EntityChanged, Event
from world.game import Game
from world.world import World

LOADS = 3
TURNS = 4000
BURST = 500
WAYS = {"north": ("south", 1), "east": ("west", 2), "up": ("down", 3)}


def make_vault(root: Path, rooms: int, things: int, agents: int, rng: random.Random) -> Vault:
    """Write the notes of a world in which every room can be reached."""
    shutil.copytree(STARTER, root, ignore=shutil.ignore_patterns("rooms", "things", "agents"))
    vault = Vault(root)
    width = max(1, round(rooms**0.5))
    exits: list[dict[str, int]] = [{} for _ in range(rooms)]
    for room in range(1, rooms):
        name, (back, _) = ("east", WAYS["east"]) if room % width else ("north", WAYS["north"])
        other = room - 1 if room % width else room - width
        exits[other][name], exits[room][back] = room, other
    words = "moss slate river lamp paper ink gate rope fern stone kettle page bell oak salt".split()

    def prose(sentences: int) -> str:
        return " ".join(f"{' '.join(rng.sample(words, 9)).capitalize()}." for _ in range(sentences))

    for room in range(rooms):
        ways = "\n".join(f"- **{name}**, {name[0]}: [[Room {goal}]]" for name, goal in exits[room].items())
        details = "\n".join(f"- **{word}**: {prose(2)}" for word in rng.sample(words, 3))
        head = f"---\nnumber: {room + 1}\ntags: [room, domain/{rng.choice(words)}]\nmood: {rng.choice(words)}\n---\n"
        text = f"{head}{prose(4)}\n\n{prose(2)}\n\n## Exits\n{ways}\n\n## Details\n{details}\n"
        vault.write_text(text, "rooms", f"Room {room}.md")
    for thing in range(things):
        head = f"---\nat: '[[Room {rng.randrange(rooms)}]]'\naliases: [{rng.choice(words)}]\ntags: [thing]\n---\n"
        vault.write_text(f"{head}{prose(2)}\n", "things", f"thing {thing}.md")
    for agent in range(agents):
        head = f"---\nroom: '[[Room {rng.randrange(rooms)}]]'\nthink_seconds: 20\ndescription: {prose(1)}\n---\n"
        vault.write_text(f"{head}{prose(8)}\n", "agents", f"Agent {agent}", "agent.md")
    return vault


class Turns:
    """A fake reactor: calls one delayed call a turn, when the bench says so."""

    def __init__(self) -> None:
        self._calls: list[Callable[[], object]] = []

    def callLater(self, delay: float, call: Callable[[], object]) -> Turns:
        self._calls.append(call)
        return self

    def active(self) -> bool:
        return bool(self._calls)

    def turn(self) -> None:
        """Run the next delayed call."""
        self._calls.pop(0)()


class Pauses:
    """The times of many things, in milliseconds: by the clock, and of the processor alone."""

    def __init__(self) -> None:
        self.taken: list[float] = []
        self.cpu: list[float] = []

    @contextmanager
    def one(self) -> Iterator[None]:
        """Take the time of what is done within."""
        began, cpu = time.perf_counter(), time.thread_time()
        yield
        self.taken.append((time.perf_counter() - began) * 1000)
        self.cpu.append((time.thread_time() - cpu) * 1000)

    def timed(self, call: Callable[[tuple[Event, ...]], None]) -> Callable[[tuple[Event, ...]], None]:
        """Return what takes the time of each call."""

        def timing(events: tuple[Event, ...]) -> None:
            with self.one():
                call(events)

        return timing

    def forget(self) -> None:
        """Clear the measurements."""
        self.taken, self.cpu = [], []

    def __str__(self) -> str:
        return f"{_spread(self.taken)} | {_spread(self.cpu)}"


def _spread(taken: list[float]) -> str:
    ranked = sorted(taken)
    if len(ranked) < 10:
        return f"{statistics.median(ranked):,.0f} ms"
    return f"{statistics.median(ranked):.2f} ms, p99 {ranked[int(len(ranked) * 0.99)]:.2f}, longest {ranked[-1]:.2f}"


def play(game: Game, rng: random.Random) -> None:
    """Print how long each of some commands takes, typed by agents at random."""
    world = game.world
    agents = [one for one in world.characters.values() if one.is_agent]
    for one in agents:
        game.wake(one.character_id, lambda event, text: None)
    lines: dict[str, Callable[[str], str]] = {
        "look": lambda who: "look",
        "go": lambda who: f"go {rng.choice(list(world.room_of(world.characters[who]).exits))}",
        "say": lambda who: "say What a long river this is.",
        "get, drop": lambda who: _get_or_drop(world, who),
    }
    for name, line in lines.items():
        turns = Pauses()
        for who in rng.choices(agents, k=TURNS):
            typed = line(who.character_id)
            with turns.one():
                game.perform(who.character_id, typed)
        print(f"| `{name}` | {turns} | |")
        print(
            f"| `{name}` a second | {1000 * TURNS / sum(turns.taken):,.0f} | {1000 * TURNS / sum(turns.cpu):,.0f} | |"
        )


def _get_or_drop(world: World, who: str) -> str:
    carried = world.things_at(who)
    here = world.things_at(world.characters[who].room_id)
    return f"drop {carried[0].name}" if carried else f"get {here[0].name}" if here else "inventory"


def main() -> None:
    """Print a table, a line a figure."""
    parser = argument_parser(__doc__)
    for name, count in (("rooms", 2000), ("things", 5000), ("agents", 200)):
        parser.add_argument(f"--{name}", type=int, default=count)
    asked = parser.parse_args()
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        vault = make_vault(root, asked.rooms, asked.things, asked.agents, rng)
        what = f"{asked.rooms} rooms, {asked.things} things, {asked.agents} agents"
        print(f"| {what} | measured | CPU | aim |\n| --- | --- | --- | --- |")
        measure(vault, rng)


def measure(vault: Vault, rng: random.Random) -> None:
    """Print the times of loading, playing and saving."""
    settings, loads = WorldSettings(start_room="Room 0"), Pauses()
    for _ in range(LOADS):
        gc.collect()
        with loads.one():
            world = load_world(vault, settings)
    print(f"| load, median of {LOADS} | {loads} | ≤ 3 s |")
    gc.collect()
    gc.freeze()  # as the server does
    whole, moves, notes, burst, turns = Pauses(), Pauses(), Pauses(), Pauses(), Turns()
    save_moves = SaveMoves(LocationsLog(vault, world))
    with whole.one():
        save_moves.save()
    saver = SaveNotes(EntityStore(vault, world, MergeBase(world)), print, turns)  # type: ignore[arg-type]
    game = Game(world, world_commands())
    game.subscribe("notes", notes.timed(saver), first=True)
    game.subscribe("whereabouts", moves.timed(save_moves), first=True)
    play(game, rng)
    print(f"| whereabouts written whole, at the start | {whole} | |")
    print(f"| whereabouts after a command | {moves} | ≤ 5 ms |")
    notes.forget()
    builder = next(iter(world.characters.values()))
    builder.role = Role.ADMIN
    for number in range(BURST):
        with burst.one():
            game.perform(builder.character_id, f"@set thing {number} mood = {rng.choice(['bright', 'dull'])}")
    print(f"| `@set` on one of all things | {burst} | |")
    print(f"| of which saving its note | {notes} | ≤ 5 ms |")
    later = Pauses()
    rooms = list(world.rooms.values())[:BURST]
    for room in rooms:
        room.properties["mood"] = "new"
    with later.one():
        saver(tuple(EntityChanged(builder.character_id, "room", room.room_id) for room in rooms))
    while turns.active():
        with later.one():
            turns.turn()
    print(f"| {BURST} rooms altered at once, a turn of the reactor | {later} | ≤ 5 ms |")
    print(f"| resident memory | {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB | | |")


if __name__ == "__main__":
    main()
