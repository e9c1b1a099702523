"""GMCP on the wire: a package's name, a space, JSON. What a client sends may be anything at all."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property

from server.telnet.codes import GMCP
from server.telnet.negotiation import Outcome, Told, subnegotiation

# A name of more parts or more letters than any package has is no name.
_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9_-]{0,31}(?:\.[A-Za-z0-9_-]{1,32}){0,5}\Z")
# What JSON allows in a text, but a client may take for a control or a line end, or cannot read at all.
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Message:
    """Something to tell a client: a package and its payload, which is anything JSON can say, or None for no payload.

    The bytes are made once, for however many clients it is sent to.
    """

    package: str
    payload: object = None

    @cached_property
    def framed(self) -> bytes:
        """The whole subnegotiation."""
        if self.payload is None:
            return subnegotiation(GMCP, self.package.encode())
        text = json.dumps(self.payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        safe = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        return subnegotiation(GMCP, f"{self.package} {safe}".encode())


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
