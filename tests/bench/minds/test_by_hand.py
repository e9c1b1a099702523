"""Answers by hand: each request becomes a file, and what is put beside it is what the model says."""

import asyncio
import json
from contextlib import suppress
from pathlib import Path

from agents.models.model import Message, Request
from bench.minds.by_hand import FolderModel, play_by_hand
from bench.minds.situation import situations_of

SITUATION = next(one for one in situations_of("tuning", "") if one.group == "talk" and "?" in one.script[-1])


async def answering(folder: Path, words: str) -> None:
    """Answer every request as soon as it is there."""
    while True:
        for asked in (folder / "asked").glob("*.json"):
            (folder / "answers" / asked.name).write_text(json.dumps({"words": words}), "utf-8")
        await asyncio.sleep(0)


def test_a_request_is_a_file_with_its_messages_and_its_schema(tmp_path):
    async def ask() -> str:
        model = FolderModel(tmp_path, "one", 8.0, look_seconds=0.0)
        hand = asyncio.create_task(answering(tmp_path, "Good day."))
        done = await model.complete(Request(messages=(Message("user", "Hello."),), schema={"type": "object"}))
        hand.cancel()
        return done.text

    assert asyncio.run(ask()) == '{"words": "Good day."}'
    asked = json.loads((tmp_path / "asked" / "one.1.json").read_text("utf-8"))
    assert asked == {"messages": [{"role": "user", "content": "Hello."}], "schema": {"type": "object"}}


def test_what_was_answered_is_what_the_agent_does_and_readers_see_no_demands(tmp_path):
    async def play() -> None:
        hand = asyncio.create_task(answering(tmp_path, "The ferns might know."))
        await play_by_hand(tmp_path, [SITUATION], 8.0, 1, look_seconds=0.0)
        hand.cancel()
        with suppress(asyncio.CancelledError):
            await hand

    asyncio.run(play())
    (turn,) = map(json.loads, (tmp_path / "turns.jsonl").read_text("utf-8").splitlines())
    assert turn["did"] == ["say The ferns might know."]
    assert turn["script"] == list(SITUATION.script)
    assert set(turn) == {"name", "agent", "places", "clock", "carries", "errand", "script", "did"}
