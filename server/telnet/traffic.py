"""How much has been sent over all connections, and why some were dropped."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

Why = Literal["does not read", "negotiates without end"]


@dataclass
class Traffic:
    """Since the start: bytes as they went out, compressed if they were, and clients dropped by reason."""

    sent_bytes: int = 0
    dropped: Counter[Why] = field(default_factory=Counter)
