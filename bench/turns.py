"""What an unchanged beginning of the prompt is worth: `python -m bench.turns [TURNS]` (8), with the embedded model.

Each turn adds three lines to a prompt of about 64 memories and asks for a short reply: once so that the prompt only
grows, as it does between two summaries, and once with a window that slides by as many lines as come in. The same lines
in both, in one run.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time

from agents.models.embedded_model import EmbeddedModel
from agents.models.model import Completion, Request

WINDOW = 64
LINES_A_TURN = 3


async def main(turns: int) -> None:
    """Print seconds and evaluated tokens a turn for both, and the ratio."""
    model = EmbeddedModel(context_tokens=8192)
    await model.start()
    try:
        growing = await _timed(model, turns, slides=False)
        sliding = await _timed(model, turns, slides=True)
    finally:
        await model.close()
    print(f"sliding against growing: {sliding / growing:.1f} times as long a turn")


async def _timed(model: EmbeddedModel, turns: int, slides: bool) -> float:
    """Return the median seconds of a turn; the first, with nothing cached, does not count."""
    seconds, evaluated = [], []
    for turn in range(turns + 1):
        last = WINDOW + turn * LINES_A_TURN
        first = last - WINDOW if slides else 0
        began = time.perf_counter()
        answer = await _asked(model, first, last)
        seconds.append(time.perf_counter() - began)
        evaluated.append(answer.prompt_tokens - answer.cached_tokens)
    name = "a window that slides" if slides else "a prompt that grows"
    median = statistics.median(seconds[1:])
    print(
        f"{name}: first turn {seconds[0]:.2f} s, then median {median:.2f} s, "
        f"{statistics.median(evaluated[1:]):.0f} tokens evaluated a turn"
    )
    return median


async def _asked(model: EmbeddedModel, first: int, last: int) -> Completion:
    # The two prompts begin differently, so that neither finds the other's in the cache.
    lines = [
        f'{number}: Moss says, "It rained for {number} days, and the wheel stood still."'
        for number in range(first, last)
    ]
    prompt = "\n".join([f"You are Eliza. {'Lately:' if first else 'From the first day on:'}", *lines, "~Eliza>"])
    return await model.complete(Request(prompt, max_tokens=16, stop=("\n",), temperature=0.0))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 8))
