"""What builders have done of late, so that each can take back what was their own.

An act is kept as what it made of the fields that it touched. It is taken back field by field, and only while each of
them is still as the act left it: nobody else's work is ever undone with it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from world.entities import FIELDS, Entity, Ref

MAX_UNDO_STEPS = 50
"""How many acts of one builder are kept."""

MADE_BY = "made_by"
CHANGED_BY = "changed_by"
"""The properties in which it stands who made something, and who changed it last."""

_PROPERTY = "properties."


@dataclass(frozen=True)
class UndoStep:
    """One thing that a builder did to something called `name`.

    `before` and `after` hold the fields that differ, by what they belong to. `made` are rooms and things that did not
    exist before, with all their fields; `gone` the very objects that do not exist any more. `moved` are things that
    had to go elsewhere: where from, where to.
    """

    name: str
    before: Mapping[Ref, Mapping[str, object]]
    after: Mapping[Ref, Mapping[str, object]]
    made: Mapping[Ref, Mapping[str, object]] = field(default_factory=dict)
    gone: Mapping[Ref, Entity] = field(default_factory=dict)
    moved: Mapping[str, tuple[str, str]] = field(default_factory=dict)


class UndoHistory:
    """The last acts of every builder, oldest first."""

    def __init__(self) -> None:
        self._acts: dict[str, deque[UndoStep]] = {}

    def add(self, builder_id: str, act: UndoStep) -> None:
        """Keep an act; the oldest of too many is forgotten."""
        self._acts.setdefault(builder_id, deque(maxlen=MAX_UNDO_STEPS)).append(act)

    def last(self, builder_id: str) -> UndoStep | None:
        """Return the last act of a builder that was not taken back, or None."""
        acts = self._acts.get(builder_id)
        return acts[-1] if acts else None

    def drop(self, builder_id: str) -> None:
        """Forget the last act of a builder."""
        self._acts[builder_id].pop()


def snapshot(entity: Entity) -> dict[str, object]:
    """Return what a builder can change of a room, thing or character: fields by name, each property for itself."""
    found: dict[str, object] = {}
    for name, stored in FIELDS[entity.kind].items():
        if not stored.is_undone:
            continue
        value = getattr(entity, name)
        if name == "properties":
            found |= {f"{_PROPERTY}{key}": text for key, text in value.items() if key not in (MADE_BY, CHANGED_BY)}
        else:
            found[name] = dict(value) if isinstance(value, dict) else value
    return found


def restore(entity: Entity, values: Mapping[str, object], names: Mapping[str, object]) -> None:
    """Give the fields in `names` their `values` again; a property that has none is taken away."""
    for name in names:
        key, value = name.removeprefix(_PROPERTY), values.get(name)
        if key == name:
            setattr(entity, name, dict(value) if isinstance(value, dict) else value)
        elif name in values:
            entity.properties[key] = str(value)
        else:
            entity.properties.pop(key, None)
