"""Runs slow views in steps of a few milliseconds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator

from agents.views.tiers import Shown

log = logging.getLogger(__name__)

Steps = Generator[None, None, Shown]

QUICK_STEPS = 4
"""A view of so many steps is answered at once."""


async def run_to_end(steps: Steps) -> Shown:
    """Return what some steps lead to; others go on between two of them. Raises: whatever a step raises."""
    while True:
        shown = run_steps(steps, 1)
        if shown is not None:
            return shown
        await asyncio.sleep(0)


def run_steps(steps: Steps, most: int) -> Shown | None:
    """Go at most so many steps; return what they lead to, or None if there are more. Raises: whatever a step raises."""
    for _ in range(most):
        try:
            next(steps)
        except StopIteration as ended:
            shown: Shown = ended.value
            return shown
    return None


class Answering:
    """Answers with views, at once where they are quick, else later."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def soon(self, steps: Steps, answer: Callable[[Shown], None]) -> bool:
        """Give `answer` what some steps lead to; return whether that was at once.

        Raises: whatever a quick step raises; what fails later is logged, and there is no answer.
        """
        shown = run_steps(steps, QUICK_STEPS)
        if shown is not None:
            answer(shown)
            return True
        task = asyncio.get_running_loop().create_task(self._later(steps, answer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return False

    async def _later(self, steps: Steps, answer: Callable[[Shown], None]) -> None:
        try:
            answer(await run_to_end(steps))
        except Exception:
            log.exception("a view could not be made")
