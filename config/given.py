"""A value as it was written, before anybody knows whether it will do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Given:
    """A value that somebody wrote, and the line of the note in which it stands (from 1; 0 if unknown)."""

    value: object
    line: int = 0
