"""What is to be written aside, held back until a test lets it go on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from agents.aside import Aside


class Held(Aside):
    """Holds back what it is given until `go`, or until somebody waits for it; `tell` lets the world hear of it."""

    def __init__(self) -> None:
        super().__init__()
        self.is_open = True
        self._begun: list[Callable[[], None]] = []
        self._ended: list[Callable[[], None]] = []

    def begin(self, work: Callable[[], Any], ended: Callable[[], None]) -> Future[Any]:
        future = _Waiting(self.go)
        future.set_running_or_notify_cancel()

        def do() -> None:
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


class _Waiting(Future[Any]):
    def __init__(self, go: Callable[[], None]) -> None:
        super().__init__()
        self._go = go

    def result(self, timeout: float | None = None) -> Any:
        self._go()
        return super().result(timeout)
