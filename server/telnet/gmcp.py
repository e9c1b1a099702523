"""GMCP on the wire: a package's name, a space, JSON. What a client sends may be anything at all."""

from __future__ import annotations

import json
import re

from server.connection.connection import Message
from server.telnet.codes import GMCP
from server.telnet.negotiation import Outcome, Told, subnegotiation

# A name of more parts or more letters than any package has is no name.
_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9_-]{0,31}(?:\.[A-Za-z0-9_-]{1,32}){0,5}\Z")


def framed(message: Message) -> bytes:
    """Return the whole subnegotiation."""
    return subnegotiation(GMCP, message.encoded)


def learn_gmcp(facts: object, content: bytes) -> list[Outcome]:
    """Return what a client tells, as `Told`; what is no package, no UTF-8 or no JSON is not heard."""
    name, _, text = content.partition(b" ")
    if not _NAME.match(name):
        return []
    try:
        payload = json.loads(text.decode(), parse_constant=_refuse) if text.strip() else None
    except (ValueError, RecursionError):
        return []
    return [Told(name.decode("ascii"), payload)]


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")
