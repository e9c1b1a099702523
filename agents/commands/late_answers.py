"""Answers that may take a while: at once where they are quick, else by an event later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from time import perf_counter
from typing import Protocol, TypeVar

from agents.views.tiers import QUICK_STEPS, Shown, Steps, run_steps, run_to_end
from vault.errors import NoteError
from world.entities import Character
from world.errors import CommandError
from world.events import Event, Output, Refused
from world.message_catalog import Wording
from world.world import World

log = logging.getLogger(__name__)

QUICK_SECONDS = 0.01
"""Seconds after which an answer that is not there yet comes later."""

T = TypeVar("T")
Publish = Callable[[tuple[Event, ...]], None]
Text = Callable[[Shown, Wording], str]


class AskReader(Protocol):
    """Has some work done, perhaps in a thread, and calls one of two functions with its outcome, in the event loop."""

    def __call__(
        self, asker: str, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[Exception], None]
    ) -> None: ...


def ask_now(asker: str, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[Exception], None]) -> None:
    """Do the work here and now, as where time is virtual."""
    try:
        result = work()
    except Exception as error:
        failed(error)
    else:
        done(result)


class LateAnswers:
    """Tells views that may take a while: at once where they are quick, else by `publish`.

    `ask` has files read elsewhere, one question of an asker at a time.
    """

    def __init__(self, publish: Publish, ask: AskReader = ask_now) -> None:
        self._publish = publish
        self._ask = ask
        self._tasks: set[asyncio.Task[None]] = set()

    def read(
        self, world: World, actor: Character, work: Callable[[], T], answer: Callable[[T], list[Event]]
    ) -> list[Event]:
        """Return the events of what some work reads from files, or that the answer will come in a moment.

        The work may be done in a thread and touches nothing but files; `answer` is called in the event loop. Raises:
        CommandError, NoteError if there is no answer and that shows at once.
        """
        events: list[Event] = []
        failures: list[Exception] = []
        is_late = False

        def tell(result: T) -> None:
            try:
                events.extend(answer(result))
            except Exception as error:
                fail(error)
                return
            if is_late:
                self._publish(tuple(events))

        def fail(error: Exception) -> None:
            failures.append(error)
            if not isinstance(error, CommandError | NoteError):
                log.error("a question could not be answered", exc_info=error)
            if is_late:
                self._publish((Refused(actor.character_id, self._reason(error, world.wording)),))

        self._ask(actor.character_id, work, tell, fail)
        is_late = True
        if failures:
            raise failures[0]
        return events or [Output(actor.character_id, world.wording("memory.thinking_back"))]

    def answer(self, world: World, actor: Character, steps: Steps, text: Text) -> list[Event]:
        """Return the answer that some steps lead to, or that it will come in a moment. Raises: CommandError.

        A failure after that is logged, and no answer comes.
        """
        until, shown = perf_counter() + QUICK_SECONDS, run_steps(steps, 1)
        for _ in range(QUICK_STEPS - 1):
            if shown is not None or perf_counter() >= until:
                break
            shown = run_steps(steps, 1)
        if shown is not None:
            return [Output(actor.character_id, text(shown, world.wording))]
        task = asyncio.get_running_loop().create_task(self._answer_later(world, actor, steps, text))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return [Output(actor.character_id, world.wording("memory.thinking_back"))]

    async def _answer_later(self, world: World, actor: Character, steps: Steps, text: Text) -> None:
        try:
            shown = await run_to_end(steps)
            self._publish((Output(actor.character_id, text(shown, world.wording)),))
        except Exception:
            log.exception("a view could not be made")

    @staticmethod
    def _reason(error: Exception, say: Wording) -> str:
        return str(error) if isinstance(error, CommandError | NoteError) else say("commands.went_wrong")
