"""Closing a world in stages, each of which may take only so long."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred, succeed

from server.clock import ReactorClock

log = logging.getLogger(__name__)

Stage = tuple[str, Callable[[], Deferred[None] | None]]


def in_stages(clock: ReactorClock, seconds: float, stages: Sequence[Stage], in_haste: bool = False) -> Deferred[None]:
    """Do the stages one after the other; one that fails or takes too long is logged and the next one follows.

    That one takes too long is no error `in_haste`.
    """
    done: Deferred[None] = succeed(None)
    for stage in stages:
        done.addCallback(_bounded, stage, clock, seconds, logging.INFO if in_haste else logging.ERROR)
    return done


def _bounded(_: None, stage: Stage, clock: ReactorClock, seconds: float, level: int) -> Deferred[None]:
    name, act = stage
    ended: Deferred[None] = Deferred()

    def end(problem: object = None, level: int = logging.ERROR) -> None:
        if not ended.called:
            if problem:
                log.log(level, "%s did not end well: %s", name, problem)
            ended.callback(None)

    late = clock.callLater(seconds, end, f"it took longer than {seconds:g} seconds", level)
    doing = maybeDeferred(act)
    doing.addCallbacks(lambda _: end(), lambda failure: end(None if failure.check(CancelledError) else failure))
    ended.addCallback(lambda _: late.cancel() if late.active() else None)
    return ended
