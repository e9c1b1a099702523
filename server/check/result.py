"""What a look at one thing came to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True)
class Result:
    """How one thing is: `what` is a sentence, and so is `remedy`, which is empty if there is nothing to do."""

    name: str
    state: State
    what: str
    remedy: str = ""


def ok(name: str, what: str) -> Result:
    """Return that something is as it should be."""
    return Result(name, "ok", what)


def warning(name: str, what: str, remedy: str) -> Result:
    """Return that something works now and may not for long, or not for everybody."""
    return Result(name, "warning", what, remedy)


def problem(name: str, what: str, remedy: str) -> Result:
    """Return that something keeps the world from opening, or from keeping what happens in it."""
    return Result(name, "problem", what, remedy)
