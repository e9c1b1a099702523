"""The parameters of a run, and their hash, which names its folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

ID_DIGITS = 16


@dataclass(frozen=True)
class RunParameters:
    """Everything that decides what a run does, but for the program itself and the answers of the model.

    `vault` and `templates` are hashes of contents, so that a folder with another name is the same vault. `model` is
    what the command line says, None for what the vault says. `settings` are texts as in a note, by name. `agents` is
    how many are kept, None for all. `repetition` tells runs apart that are the same in all else.
    """

    vault: str
    turns: int | None = None
    hours: float | None = None
    seed: int = 0
    repetition: int = 1
    model: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    agents: int | None = None
    templates: str = ""
    perturbations: tuple[str, ...] = ()

    @property
    def run_id(self) -> str:
        """The hash of all of them, in hexadecimal digits."""
        told = json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(told.encode()).hexdigest()[:ID_DIGITS]

    def as_json(self) -> dict[str, Any]:
        """Return them as JSON has them."""
        return {**asdict(self), "settings": dict(sorted(self.settings.items())), "perturbations": [*self.perturbations]}
