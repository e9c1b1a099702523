"""What all connections share, whichever door they came in by: one fair queue, one flush a turn, one count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from config.settings import ColorSettings
from server.clock import ReactorClock
from server.connection.input import FairScheduler
from server.connection.output import FlushQueue

DropReason = Literal["does not read", "negotiates without end"]

_PALETTE = ColorSettings()


@dataclass
class Traffic:
    """Since the start: bytes as they went out, compressed if they were, and clients dropped by reason."""

    sent_bytes: int = 0
    dropped: Counter[DropReason] = field(default_factory=Counter)


@dataclass
class ConnectionServices:
    """The services of one server. `palette` returns the styles that hold now."""

    clock: ReactorClock
    palette: Callable[[], ColorSettings] = lambda: _PALETTE
    traffic: Traffic = field(default_factory=Traffic)

    def __post_init__(self) -> None:
        self.flush_queue = FlushQueue(self.clock)
        self.scheduler = FairScheduler(self.clock, self.flush_queue)
