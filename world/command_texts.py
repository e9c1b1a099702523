"""What a world says of its commands in its own words, so that they can be explained and called in any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True)
class CommandTexts:
    """`help` and further `names` by verb; `topics` are what else can be asked for with `help`, by name."""

    help: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def verb_by_name(self) -> dict[str, str]:
        """The verbs by the further names that they have."""
        return {name: verb for verb, names in self.names.items() for name in names}
