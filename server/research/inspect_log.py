"""The turns of a data set as logs of Inspect, which `inspect view` opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)

from server.research.tables import rows_of
from vault.vault import check_name

SAMPLE_TURNS = 50
FILE_SAMPLES = 40
"""Maximum number of turns of a sample, and of samples in a file: a larger one is slow to open."""

TURNS = ("run", "agent", "reference", "at", "event", "model", "reply", "command", "outcome", "result")
NUMBERS = ("prompt_tokens", "completion_tokens")
PROMPTS = ("run", "agent", "reference", "prompt")

Turn = dict[str, Any]


def write_logs(dataset: Path, to: Path) -> int:
    """Write the questions of a data set with their answers into `to`, a file or more for each agent of each run.

    Return how many files there are. Raises: OSError.
    """
    to.mkdir(parents=True, exist_ok=True)
    count = 0
    for (run, agent), turns in groupby(_questions(dataset), key=lambda turn: (turn["run"], turn["agent"])):
        part = 0
        while samples := [_sample(chunk) for chunk in islice(_chunks(turns), FILE_SAMPLES)]:
            part += 1
            write_eval_log(_log(run, agent, part, samples), str(to / f"{check_name(f'{run} {agent} {part}')}.eval"))
            count += 1
    return count


def _questions(dataset: Path) -> Iterator[Turn]:
    """Yield the turns in which a model was asked, each with its prompt."""
    prompts = iter(rows_of(dataset / "prompts.parquet", PROMPTS))
    columns = (*TURNS, *NUMBERS)
    for row in rows_of(dataset / "turns.parquet", columns):
        turn = dict(zip(columns, row, strict=True))
        if turn["event"] == "message":
            yield turn | {"prompt": next(prompts)[-1]}


def _chunks(turns: Iterable[Turn]) -> Iterator[list[Turn]]:
    turns = iter(turns)
    while chunk := list(islice(turns, SAMPLE_TURNS)):
        yield chunk


def _sample(turns: list[Turn]) -> EvalSample:
    first, last = turns[0], turns[-1]
    model = str(first["model"] or "unknown")
    asked, answered = (sum(turn[name] or 0 for turn in turns) for name in NUMBERS)
    return EvalSample(
        id=str(first["reference"]),
        epoch=1,
        input=first["prompt"],
        target="",
        messages=[message for turn in turns for message in _messages(turn)],
        output=ModelOutput.from_content(model, str(last["reply"] or "")),
        model_usage={model: ModelUsage(input_tokens=asked, output_tokens=answered, total_tokens=asked + answered)},
        metadata={"run": first["run"], "agent": first["agent"], "from": str(first["at"]), "until": str(last["at"])},
    )


def _messages(turn: Turn) -> Iterator[ChatMessage]:
    about = {name: turn[name] for name in ("reference", "outcome", "command")}
    yield ChatMessageUser(content=turn["prompt"], metadata=about)
    yield ChatMessageAssistant(content=str(turn["reply"] or ""), model=turn["model"])
    if turn["result"]:
        yield ChatMessageTool(content=turn["result"], function="world")


def _log(run: str, agent: str, part: int, samples: list[EvalSample]) -> EvalLog:
    models = sorted({model for sample in samples for model in sample.model_usage})
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            task=f"{run} {agent}",
            task_id=f"{run} {agent} {part}",
            dataset=EvalDataset(name=run, samples=len(samples), sample_ids=[sample.id for sample in samples]),
            model=", ".join(models),
            config=EvalConfig(),
        ),
        samples=samples,
    )
