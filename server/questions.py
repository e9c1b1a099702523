"""Questions about the past, which are answered from files in a thread: one at a time for each asker."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, maybeDeferred

from server.clock import InThread
from world.errors import CommandError
from world.message_catalog import Wording

log = logging.getLogger(__name__)

T = TypeVar("T")


class Replaced(CommandError):
    """A question is not answered, because its asker has asked another since."""


class Questions:
    """Starts one question of each asker at a time. A newer one replaces the one that waits.

    However many somebody asks, two are kept: the threads behind `in_thread` have time for everybody else.
    """

    def __init__(self, in_thread: InThread, wording: Callable[[], Wording]) -> None:
        self.in_thread = in_thread
        self._wording = wording
        self._running: set[str] = set()
        self._waiting: dict[str, tuple[Callable[[], Deferred[Any]], Deferred[Any]]] = {}

    def ask(self, asker: str, begin: Callable[[], Deferred[T]]) -> Deferred[T]:
        """Begin a question now, or when the asker's one before has ended; return its answer.

        The Deferred fails with Replaced if the asker asks another before this one has begun.
        """
        answer: Deferred[T] = Deferred()
        if asker not in self._running:
            self._start(asker, begin, answer)
            return answer
        before = self._waiting.pop(asker, None)
        self._waiting[asker] = begin, answer
        if before:
            before[1].errback(Replaced(self._wording()("observatory.replaced")))
        return answer

    def read(self, asker: str, work: Callable[..., T], *arguments: Any) -> Deferred[T]:
        """Ask what some work in a thread returns, as `ask`."""
        return self.ask(asker, lambda: self.in_thread(work, *arguments))

    def ask_reader(
        self, asker: str, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[Exception], None]
    ) -> None:
        """Have some work done in a thread, as `read`, and call one of two functions with its outcome."""
        self.read(asker, work).addCallbacks(done, lambda failure: failed(failure.value)).addErrback(
            lambda failure: log.error("an answer was lost", exc_info=failure.value)
        )

    def _start(self, asker: str, begin: Callable[[], Deferred[T]], answer: Deferred[T]) -> None:
        self._running.add(asker)
        maybeDeferred(begin).addBoth(self._end, asker, answer)

    def _end(self, result: Any, asker: str, answer: Deferred[Any]) -> None:
        self._running.discard(asker)
        if waiting := self._waiting.pop(asker, None):
            self._start(asker, *waiting)
        answer.callback(result)
