"""What a crawler that makes lists of worlds is told about this one (MUD Server Status Protocol, option 70)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from server.telnet.codes import MSSP
from server.telnet.negotiation import Option, Outcome, Send, Stance, subnegotiation
from server.telnet.options import Client

REQUEST = "MSSP-REQUEST"
"""What a crawler that knows no telnet types where a name is asked for."""

_VAR, _VAL = b"\x01", b"\x02"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def mssp_option(figures: Callable[[], Mapping[str, str]]) -> Option[Client]:
    """Return the row of the option table that tells each asker the figures of that moment, by their names."""

    def tell(client: Client) -> list[Outcome]:
        return [Send(subnegotiation(MSSP, encoded(figures())))]

    return Option(MSSP, ours=Stance.OFFER, begin_ours=tell)


def encoded(figures: Mapping[str, str]) -> bytes:
    """Return the payload of a subnegotiation. UTF-8 has no IAC, and control characters become spaces."""
    told = ((_cleaned(name).encode(), _cleaned(value).encode()) for name, value in figures.items())
    return b"".join(_VAR + name + _VAL + value for name, value in told)


def as_text(figures: Mapping[str, str]) -> str:
    """Return the answer to a typed `MSSP-REQUEST`: a line a figure, its name and value with a tab between them."""
    lines = [f"{_cleaned(name)}\t{_cleaned(value)}" for name, value in figures.items()]
    return "\n".join(["", "MSSP-REPLY-START", *lines, "MSSP-REPLY-END"])


def is_request(line: str) -> bool:
    """Return whether a crawler asks instead of giving a name."""
    return line.strip().upper() == REQUEST


def _cleaned(text: str) -> str:
    return _CONTROL.sub(" ", text)
