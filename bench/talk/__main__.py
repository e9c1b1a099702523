"""Measure how agents talk, on scenes with reference answers.

    python -m bench.talk --model embedded|ollama:NAME|none|by_hand|reference [--seeds 3] [--scenes 30] [--judge FILE]

Each answer is played by itself, with the talk before it as its scene has it: one row of figures with 95 % intervals.
`none` has no model that answers, so it tells what the engine says by itself. With `by_hand`, requests become files in
the folder of `--folder`, and what is put beside them is the answer. `reference` measures the reference answers.
`--judge` writes the turns as a sheet for blind readers. Nothing is tuned on scenes.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from agents.models.model import ModelError
from bench.lib.reporting import argument_parser, publish
from bench.talk.measures import Measures
from bench.talk.models import BY_HAND, REFERENCE, FolderModel, open_queue, queue_before
from bench.talk.report import table_of, write_sheet
from bench.talk.scenes import Scene, SceneError, read_scenes
from bench.talk.stage import Played, play_answer, play_scene, reference_answers

PROGRESS_EVERY = 10


async def play(arguments: argparse.Namespace, scenes: Sequence[Scene]) -> list[Played]:
    """Play the scenes with each seed. Raises: ModelError, SceneError."""
    if arguments.model == REFERENCE:
        return [turn for scene in scenes for turn in reference_answers(scene)]
    if arguments.model == BY_HAND:
        return await play_by_hand(arguments.folder, scenes, arguments.seeds)
    queue = await open_queue(arguments.model, _tell)
    turns: list[Played] = []
    try:
        for seed in range(1, arguments.seeds + 1):
            for number, scene in enumerate(scenes):
                if number % PROGRESS_EVERY == 0:
                    _tell(f"seed {seed}, scene {number + 1} of {len(scenes)}")
                turns += await play_scene(scene, seed, queue)
    finally:
        await asyncio.gather(*(route.model.close() for route in queue.routes))
    return turns


async def play_by_hand(folder: Path, scenes: Sequence[Scene], seeds: int, look_seconds: float = 0.5) -> list[Played]:
    """Play all answers at once, each with a model that another process answers for by files of `folder`.

    Raises: SceneError; ModelError if the folder has the answers of another run.
    """
    if any((folder / "answers").glob("*.json")):
        raise ModelError(f"{folder} has the answers of another run.", remedy="Give an empty folder with --folder.")
    wanted = [(seed, scene, place) for seed in range(1, seeds + 1) for scene in scenes for place in scene.answers]
    return await asyncio.gather(
        *(
            play_answer(
                scene, place, seed, queue_before(FolderModel(folder, f"{scene.title}.{place}.{seed}", look_seconds))
            )
            for seed, scene, place in wanted
        )
    )


def _tell(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def _parsed() -> argparse.Namespace:
    parser = argument_parser(__doc__)
    parser.add_argument("--model", default="embedded", help="as for the server, or none, by_hand, reference")
    parser.add_argument("--seeds", type=int, default=3, help="how many times each scene is played")
    parser.add_argument("--scenes", type=int, default=0, metavar="COUNT", help="a sample of so many scenes (all)")
    parser.add_argument("--only", default="", metavar="TITLE", help="scenes whose title has this, as town:12 or town")
    parser.add_argument("--folder", type=Path, default=Path("by_hand"), help="where by_hand puts its files")
    parser.add_argument("--judge", type=Path, metavar="FILE", help="write the turns as a sheet for blind readers")
    arguments = parser.parse_args()
    for name, least in (("seeds", 1), ("scenes", 0)):
        if getattr(arguments, name) < least:
            parser.error(f"--{name} is {getattr(arguments, name)}; expected {least} or more.")
    return arguments


def run() -> None:
    """Run the command line."""
    arguments = _parsed()
    try:
        scenes = read_scenes(arguments.only, arguments.scenes)
        turns = asyncio.run(play(arguments, scenes))
    except (ModelError, SceneError) as error:
        sys.exit(f"bench.talk: {error}")
    if arguments.judge:
        write_sheet(arguments.judge, turns)
    table = table_of(arguments.model, turns, Measures(read_scenes()))
    publish("talk", [table], arguments.record, hidden=str(arguments.judge or ""))


if __name__ == "__main__":
    logging.basicConfig(level=logging.CRITICAL)
    run()
