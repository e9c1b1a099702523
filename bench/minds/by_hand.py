"""Let anybody take the place of the model: requests become files, and what is put beside them is the answer.

    python -m bench.minds.by_hand FOLDER [--situations tuning|held-back|all] [--billions 8]

All situations are played at once. Each request is FOLDER/asked/NAME.json, with its messages and the schema of the
answer, which belongs in FOLDER/answers/NAME.json: `{"words": "..."}`. A person, a program or a model that has no
server may answer, and need not know this project. It shows what the engine makes of good answers, and so what is left
to the model. FOLDER/turns.jsonl tells what came of each situation, one a line, for readers who have not seen its
demands.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from pathlib import Path

from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import Capabilities, Completion, OnText, Request
from agents.models.pool import ModelPool
from agents.models.queue import ModelQueue, SamplingOverrides
from bench.lib.reporting import argument_parser
from bench.minds.__main__ import Trial, group_shares, play_situation, situation_shares
from bench.minds.situation import HALVES, Situation, situations_of

LOOK_SECONDS = 0.5
PATIENCE_SECONDS = 7200.0
CHARACTERS_A_TOKEN = 4


class FolderModel:
    """An instructed model that takes a schema; another process answers for it, by files.

    `billions` is how many billion parameters it claims to have: the engine asks a small model otherwise than others.
    """

    name = "by hand"
    context_tokens = 8192

    def __init__(self, folder: Path, title: str, billions: float, look_seconds: float = LOOK_SECONDS) -> None:
        self.capabilities = Capabilities(chat=True, raw=False, json_schema=True, parameters_billion=billions)
        self._asked, self._answers = folder / "asked", folder / "answers"
        self._title = title
        self._look_seconds = look_seconds
        self._count = 0
        for one in (self._asked, self._answers):
            one.mkdir(parents=True, exist_ok=True)

    async def start(self) -> None:
        """There is nothing to load."""

    async def close(self) -> None:
        """There is nothing to release."""

    def count_tokens(self, text: str) -> int:
        return -(-len(text) // CHARACTERS_A_TOKEN)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Put the request into a file, and return what is answered, however long that takes."""
        self._count += 1
        name = f"{self._title}.{self._count}.json"
        messages = [{"role": one.role, "content": one.content} for one in request.chat]
        asked = json.dumps({"messages": messages, "schema": request.schema}, indent=1, ensure_ascii=False)
        _write(self._asked / name, asked)
        answer = self._answers / name
        while not (text := _written(answer)):  # noqa: ASYNC110  # another process writes it
            await asyncio.sleep(self._look_seconds)
        if on_text:
            on_text(text)
        return Completion(text, self.name, self.count_tokens(request.text), 0, self.count_tokens(text), 0.0, "stop")


def _written(path: Path) -> str:
    """Return the JSON of a file; empty while there is none, or only a part of it."""
    try:
        text = path.read_text("utf-8")
        json.loads(text)
    except (OSError, ValueError):
        return ""
    return text


def _write(path: Path, text: str) -> None:
    """Write a file that nobody sees half written."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(text, "utf-8")
    unfinished.rename(path)


def queue_by_hand(model: FolderModel) -> ModelQueue:
    """Return a queue of its own before a model, so that no situation waits for the answer of another."""
    endpoint = Endpoint(model.name, ConcurrencyLimit(1), CircuitBreaker(random.Random(0)))
    patient = SamplingOverrides(timeout_seconds=PATIENCE_SECONDS)
    return ModelQueue([Route(endpoint, model)], pool=ModelPool(), overrides=patient, reads_ahead=False)


async def play_by_hand(
    folder: Path, situations: Sequence[Situation], billions: float, seed: int, look_seconds: float = LOOK_SECONDS
) -> list[Trial]:
    """Play all situations at once, and write what came of them. Raises: ValueError if the folder is of another run."""
    if any((folder / "answers").glob("*.json")):
        raise ValueError(f"{folder} has the answers of another run; give an empty folder.")
    queues = [queue_by_hand(FolderModel(folder, one.name, billions, look_seconds)) for one in situations]
    trials = await asyncio.gather(
        *(play_situation(one, seed, queue) for one, queue in zip(situations, queues, strict=True))
    )
    with (folder / "turns.jsonl").open("w", encoding="utf-8") as file:
        for trial in trials:
            file.write(json.dumps(told(trial), ensure_ascii=False) + "\n")
    return trials


def told(trial: Trial) -> dict[str, object]:
    """Return what somebody needs to know of a situation to judge what its agent did, without what it demands."""
    one = trial.situation
    return {
        "name": one.name,
        "agent": one.agent,
        "places": dict(one.places),
        "clock": one.clock,
        "carries": {name: list(things) for name, things in one.carries.items()},
        "errand": [step.note_line for step in one.errand],
        "script": list(one.script),
        "did": [act.line for act in trial.turn.acts],
    }


if __name__ == "__main__":
    parser = argument_parser(__doc__, records=False)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--situations", choices=HALVES, default="tuning")
    parser.add_argument("--only", default="", metavar="NAME", help="nothing but one situation")
    parser.add_argument("--billions", type=float, default=8.0)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    chosen = situations_of(given.situations, given.only)
    played = asyncio.run(play_by_hand(given.folder, chosen, given.billions, given.seed))
    for name, share in {**situation_shares(played), **group_shares(played)}.items():
        print(f"{name}: {share.text}")
