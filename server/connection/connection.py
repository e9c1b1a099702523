"""What goes through a `Connection`: kinds of texts, messages, the capabilities of clients, and traffic counters."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from functools import cached_property
from typing import Literal, get_args

SCENE = "scene"
"""The kind of a text whose first line names a room and whose last tells the exits."""
MARKED = "marked"
"""The kind of a text that is the world's own from beginning to end, so that marks in it count."""
RAW = "raw"
"""The kind of a text that is for a program: nothing in it is wrapped."""

Shown = tuple[str, str]
"""A text of whole lines and its kind."""

# What JSON allows in a text, but a client may take for a control or a line end, or cannot read at all.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")
DEFAULT_WIDTH = 80
Door = Literal["telnet", "web"]
"""The door of a connection: telnet, in plain or over TLS; or the port of the page, for a browser or a program."""

DOORS: tuple[Door, ...] = get_args(Door)
DropReason = Literal["does not read", "negotiates without end"]
DROP_REASONS: tuple[DropReason, ...] = get_args(DropReason)
RefusalReason = Literal[
    "full", "too_many_from_there", "too_often", "banned", "wrong_address", "bad_handshake", "bad_ticket"
]
"""The reason why a caller is refused: the world is full, too many from that address, too many calls a minute, a ban.

At the page it may also be a Host or Origin that is not the world's, an invalid WebSocket handshake, or an invalid
ticket.
"""

REFUSAL_REASONS: tuple[RefusalReason, ...] = get_args(RefusalReason)


@dataclass(frozen=True)
class Message:
    """Something to tell a client: a package and its payload, which is anything JSON can say, or None for no payload.

    The bytes are made once, for however many clients it is sent to.
    """

    package: str
    payload: object = None

    @cached_property
    def encoded(self) -> bytes:
        """The package, and behind a space the payload as JSON, in UTF-8."""
        if self.payload is None:
            return self.package.encode()
        text = json.dumps(self.payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        safe = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        return f"{self.package} {safe}".encode()


class ColorDepth(IntEnum):
    """The number of colours that somebody sees."""

    NONE = 0
    SIXTEEN = 16
    MANY = 256
    TRUE = 1 << 24


@dataclass(frozen=True)
class Capabilities:
    """The capabilities of a client. Until it tells, they are plain text in UTF-8, 80 columns wide.

    `width` is in columns. `charset` is "utf-8", or "ascii" for a client that shows no more. `screen_reader` is true if
    the player listens instead of looking. `links` is true if the player can click on links. `returns` is true if the
    client connects again by itself when the world restarts.
    """

    width: int = DEFAULT_WIDTH
    colors: ColorDepth = ColorDepth.NONE
    screen_reader: bool = False
    charset: str = "utf-8"
    links: bool = False
    returns: bool = False


class Identification(Enum):
    """The progress of a client in telling its capabilities."""

    ASKED = auto()
    """It was asked, and has neither agreed to tell them nor refused."""
    ANSWERING = auto()
    """It has agreed to tell them, and has not told all."""
    FINAL = auto()
    """It has told all that it will tell."""


@dataclass
class DoorTraffic:
    """One door: its open connections now; the rest counts since the start.

    `sent_bytes` are as they went out, compressed if they were; `sent_lines` are as a screen has them. `resumes` are
    players who came back after their connection was lost.
    """

    connections: int = 0
    sent_bytes: int = 0
    sent_lines: int = 0
    resumes: int = 0
    refused: Counter[RefusalReason] = field(default_factory=Counter)
    dropped: Counter[DropReason] = field(default_factory=Counter)


Traffic = Mapping[Door, DoorTraffic]


def new_traffic() -> Traffic:
    """Return the traffic of a world that has just started."""
    return {door: DoorTraffic() for door in DOORS}
