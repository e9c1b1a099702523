"""How a setting is declared: a field of a dataclass, whose metadata says what will do as its value."""

from __future__ import annotations

import dataclasses
from typing import Any


def setting(
    default: Any,
    about: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    form: str = "",
) -> Any:
    """Declare a setting: its default, what it is about, and its range (inclusive), choices or form (a regex)."""
    metadata = {"about": about, "low": low, "high": high, "choices": choices, "form": form}
    return dataclasses.field(default=default, metadata=metadata)
