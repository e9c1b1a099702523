"""What comes and goes by each door: connections, refusals with their reason, lines, slow readers and resumes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Door = Literal["telnet", "web"]
"""How connections come in: by telnet, in plain or over TLS; or by the port of the page, as a browser or a program."""

DOORS: tuple[Door, ...] = get_args(Door)

DropReason = Literal["does not read", "negotiates without end"]

DROP_REASONS: tuple[DropReason, ...] = get_args(DropReason)

RefusalReason = Literal[
    "full", "too_many_from_there", "too_often", "banned", "wrong_address", "bad_handshake", "bad_ticket"
]
"""Why a caller is refused: the world is full, too many from that address, too many calls a minute, a ban; at the page
also a Host or Origin that is not the world's, no valid WebSocket handshake, and no valid ticket.
"""

REFUSAL_REASONS: tuple[RefusalReason, ...] = get_args(RefusalReason)


@dataclass
class DoorTraffic:
    """One door: its open connections now; the rest counts since the start.

    `sent_bytes` are as they went out, compressed if they were. `resumes` are players who came back after their
    connection was lost.
    """

    connections: int = 0
    sent_bytes: int = 0
    sent_lines: int = 0
    resumes: int = 0
    refused: Counter[RefusalReason] = field(default_factory=Counter)
    dropped: Counter[DropReason] = field(default_factory=Counter)

    def count_lines(self, text: str) -> None:
        """Count a text of whole lines that is sent."""
        self.sent_lines += text.count("\n") + 1


Traffic = Mapping[Door, DoorTraffic]


def new_traffic() -> Traffic:
    """Return the traffic of a world that has just started."""
    return {door: DoorTraffic() for door in DOORS}
