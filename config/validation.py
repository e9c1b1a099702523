"""Validates settings, with file, line and expectation; and deprecated names."""

from __future__ import annotations

import dataclasses
import difflib
import logging
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from config.settings import MemorySettings


@dataclass(frozen=True)
class SourcedValue:
    """A value from a note, and its line (from 1; 0 if unknown)."""

    value: object
    line: int = 0


log = logging.getLogger(__name__)

OLD_NAMES = {
    "short_window": "recent_window",
    "short_term_window": "recent_window",
    "max_turns": "max_memories",
    "rounds_to_retain": "retain_recent",
    "compaction.enabled": "enabled",
    "compaction.threshold": "threshold",
    "compaction.retain_recent": "retain_recent",
}
"""Former names of settings, with their present names."""


def apply_deprecations(
    values: Mapping[str, SourcedValue], known: Collection[str], source: str
) -> dict[str, SourcedValue]:
    """Return the values under their current names. Each old name is logged; if both are given, the current one wins."""
    current = dict(values)
    for key in [key for key in current if OLD_NAMES.get(key) in known]:
        log.warning("%s:%d: %s is called %s now.", source, values[key].line, key, OLD_NAMES[key])
        current.setdefault(OLD_NAMES[key], current.pop(key))
    return current


CLOSE_CUTOFF = 0.9
"""From this similarity on, an unknown key counts as misspelt even in an open note."""

IGNORED_KEYS = frozenset({"tags", "aliases", "cssclasses", "cssclass", "created", "modified", "title"})


class SettingsError(Exception):
    """A setting is unknown or its value is not valid; the message names file, line and what is expected."""


S = TypeVar("S")


def settings_from(kind: type[S], values: Mapping[str, SourcedValue], source: str) -> S:
    """Return the settings of one kind with the values given and defaults for the rest.

    `source` is the file's name for messages. Raises: SettingsError naming file, line, value and what is expected.
    """
    return override(kind(), values, source)


def override(settings: S, values: Mapping[str, SourcedValue], source: str) -> S:
    """Return the settings with some values replaced. Raises: SettingsError as `settings_from`."""
    fields = {field.name: field for field in dataclasses.fields(settings)}  # type: ignore[arg-type]
    changes = {}
    for key, given in apply_deprecations(values, fields, source).items():
        if key in fields:
            changes[key] = _validate(fields[key], given, f"{source}:{given.line}")
        elif key not in IGNORED_KEYS and not (
            is_open(type(settings)) and not closest_name(key, tuple(fields), CLOSE_CUTOFF)
        ):
            raise SettingsError(f"{source}:{given.line}: {_unknown_setting(key, list(fields))}")
    return dataclasses.replace(settings, **changes)  # type: ignore[type-var]


def current_name(key: str) -> str:
    """Return the present name of a setting; a key that was never renamed is returned as it is."""
    return OLD_NAMES.get(key, key)


def setting_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of a kind's settings in the order in which they are declared."""
    return tuple(field.name for field in dataclasses.fields(kind))


def is_open(kind: type[Any]) -> bool:
    """Return whether a note of this kind may hold settings that are known elsewhere."""
    return kind is MemorySettings


def closest_name(key: str, names: tuple[str, ...], cutoff: float = 0.8) -> str:
    """Return the setting that a key is probably meant to be, or an empty string; `cutoff` is how near it is, to 1."""
    close = difflib.get_close_matches(key, names, n=1, cutoff=cutoff)
    return close[0] if close else ""


def _unknown_setting(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    return f"unknown setting {key!r}{hint} Known settings are {', '.join(known)}."


def _validate(field: dataclasses.Field[Any], given: SourcedValue, place: str) -> object:
    value, low, high = _convert(field, given.value), field.metadata["low"], field.metadata["high"]
    choices, form = field.metadata["choices"], field.metadata["pattern"]
    outside = isinstance(value, int | float) and not ((low is None or value >= low) and (high is None or value <= high))
    outside = outside or bool(choices and value not in choices) or bool(form and not re.fullmatch(form, str(value)))
    if type(value) is not type(field.default) or outside:
        raise SettingsError(f"{place}: {field.name} is {given.value!r}; expected {_expectation(field)}.")
    return value


def _convert(field: dataclasses.Field[Any], value: object) -> object:
    match field.default, value:
        case str(), None:
            return ""
        case str(), bool() if "on" in field.metadata["choices"]:
            return "on" if value else "off"  # YAML reads on and off without quotes as true and false
        case (str(), bool()) | (float(), bool()):
            return value
        case str(), int() | float():
            return str(value)
        case float(), int() if abs(value) < 2**53:
            return float(value)
        case _:
            return value


def _expectation(field: dataclasses.Field[Any]) -> str:
    kind = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[type(field.default)]
    low, high, choices = field.metadata["low"], field.metadata["high"], field.metadata["choices"]
    if choices:
        kind = f"one of {', '.join(choices)}"
    elif low is not None:
        kind += f" from {low} to {high}"
    return f"{kind} ({field.metadata['about']})"
