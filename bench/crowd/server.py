"""A server that is measured, whoever made it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Served:
    """What a client has to know of a server. `greeting` is what it shows to whoever connects.

    `comes_in` are the lines that somebody types to stand in the square, by the client's number.
    """

    name: str
    port: int
    pids: tuple[int, ...]
    greeting: bytes
    comes_in: Callable[[int], Sequence[tuple[bytes, bytes]]]
