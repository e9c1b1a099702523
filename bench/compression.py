"""What compression saves and costs: `python -m bench.compression`.

An evening of a player in the starter world is played (walking, looking, speaking), and then what its notes say is told
once, as to somebody who never comes by the same place again; each answer is compressed as it is sent, with
windows and tables of several sizes. Memory is what a new process grows by for 1,000 players, each of whom has had the
whole evening, or a first screen only.
"""

from __future__ import annotations

import gc
import multiprocessing
import random
import tempfile
import time
import zlib
from collections.abc import Callable
from pathlib import Path

from config.settings import WorldSettings
from server.screens.screen import wrapped
from vault.folder import open_vault
from vault.text_notes import load_wording
from vault.world_notes import load_world
from world.commands.table import world_commands
from world.game import Game
from world.model import Character
from world.scenes import arrival

PLAYERS = 1000
TURNS = 300
SIZES = ((15, 9), (15, 8), (15, 6), (14, 6), (13, 6), (13, 5), (12, 5), (12, 4), (11, 4), (10, 3), (9, 1))


def main() -> None:
    """Print a line a size."""
    evening, notes = _evening(random.Random(1)), _notes()
    print(f"{len(evening)} answers of {sum(map(len, evening)) // len(evening)} bytes, {len(notes)} notes")
    for window, level in SIZES:
        begun = time.perf_counter()
        saved = _ratio(window, level, evening)
        each = (time.perf_counter() - begun) / len(evening) * 1e6
        busy, idle = (_alone(_memory, window, level, answers) for answers in (evening, evening[:1]))
        print(
            f"wbits {window}, memLevel {level}: evening 1:{saved:.1f}, new text 1:{_ratio(window, level, notes):.1f}, "
            f"{each:.0f} us an answer, {busy:.0f} KB a player, {idle:.0f} KB after one screen"
        )


def _evening(rng: random.Random) -> list[bytes]:
    """Return what a player is sent who walks about, looks and speaks."""
    with tempfile.TemporaryDirectory() as folder:
        vault, _ = open_vault(Path(folder) / "world")
        world = load_world(vault, WorldSettings())
        world.wording = load_wording(vault)
    player = Character("Ana", world.start_room_id)
    world.add_character(player)
    game, shown = Game(world, world_commands()), list[str]()
    game.wake("Ana", lambda event, text: shown.append(text))
    answers: list[bytes] = []
    for turn in range(TURNS):
        exits = sorted(world.rooms[player.room_id].exits)
        go = f"go {rng.choice(exits)}"
        game.perform("Ana", rng.choice([go, go, "look", "inventory", f"say Here I am, for the {turn}th time"]))
        text = "\n".join([*filter(None, shown), arrival(world, player)])
        shown.clear()
        answers.append(f"{wrapped(text, 80)}\n> ".replace("\n", "\r\n").encode() + b"\xff\xf9")
    return answers


def _notes() -> list[bytes]:
    """Return what the notes of the starter world say, a paragraph an answer."""
    with tempfile.TemporaryDirectory() as folder:
        open_vault(Path(folder) / "world")
        texts = [path.read_text() for path in sorted(Path(folder).rglob("*.md"))]
    paragraphs = (part for text in texts for part in text.split("\n\n"))
    return [f"{wrapped(part, 80)}\n> ".replace("\n", "\r\n").encode() for part in paragraphs]


def _ratio(window: int, level: int, answers: list[bytes]) -> float:
    sent = _compressed(zlib.compressobj(wbits=window, memLevel=level), answers)
    return sum(map(len, answers)) / len(sent)


def _alone(measure: Callable[..., float], *arguments: object) -> float:
    """Measure in a process of its own, which has no memory left over from before."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def _compressed(deflate: zlib._Compress, answers: list[bytes]) -> bytes:
    return b"".join(deflate.compress(answer) + deflate.flush(zlib.Z_SYNC_FLUSH) for answer in answers)


def _memory(window: int, level: int, answers: list[bytes]) -> float:
    """Return by how much the process grows for each player, in KB."""
    gc.collect()
    before = _resident_kb()
    players = [zlib.compressobj(wbits=window, memLevel=level) for _ in range(PLAYERS)]
    for player in players:
        _compressed(player, answers)
    return (_resident_kb() - before) / PLAYERS


def _resident_kb() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


if __name__ == "__main__":
    main()
