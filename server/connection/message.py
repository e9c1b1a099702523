"""What a client's program is told besides what its player reads."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cached_property

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
    def encoded(self) -> bytes:
        """The package, and behind a space the payload as JSON, in UTF-8."""
        if self.payload is None:
            return self.package.encode()
        text = json.dumps(self.payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        safe = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
        return f"{self.package} {safe}".encode()
