"""What is to be written in the background, held back until a test lets it go on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from agents.write_pool import WritePool
from tests.vault.failing_disk import Stopped


class Held(WritePool):
    """Holds back what it is given until `go`, or until somebody waits for it; `tell` lets the world hear of it.

    `waited_for` counts how often somebody stood still until it was done. After `die` nothing is done any more, and
    whoever waits is dead as well.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_open = True
        self.is_dead = False
        self.waited_for = 0
        self._begun: list[Callable[[], None]] = []
        self._ended: list[Callable[[], None]] = []

    def submit(self, work: Callable[[], Any], ended: Callable[[], None]) -> Future[Any]:
        future = _Waiting(self)

        def do() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)
                if not isinstance(error, Exception):
                    raise
            self._ended.append(ended)

        self._begun.append(do)
        return future

    @property
    def count(self) -> int:
        return len(self._begun)

    def go(self) -> None:
        begun, self._begun = self._begun, []
        for do in begun:
            do()

    def tell(self) -> None:
        told, self._ended = self._ended, []
        for ended in told:
            ended()

    def die(self) -> None:
        self.is_dead = True
        self._begun, self._ended = [], []


class _Waiting(Future[Any]):
    def __init__(self, held: Held) -> None:
        super().__init__()
        self._held = held

    def result(self, timeout: float | None = None) -> Any:
        self._wait()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> BaseException | None:
        self._wait()
        return super().exception(timeout)

    def _wait(self) -> None:
        if self._held.is_dead:
            raise Stopped
        if not self.done():
            self._held.waited_for += 1
            self._held.go()
