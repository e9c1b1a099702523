"""The values of a plan's factors: read from a cell, and checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

from agents.memory.strategy import loaded_strategies
from agents.mind import component_names
from config.settings import MODEL_CHOICES, MODEL_PATTERN, MemorySettings
from server.simulation import MAX_HOURS
from vault.config_notes import format_value
from vault.errors import NoteError
from vault.front_matter import load_value
from vault.variant import check_setting, find_setting
from vault.vault import MARK


@dataclass(frozen=True)
class Value:
    """A value as YAML reads it, and its line."""

    raw: object
    line: int = 0


def values_in(cell: str, place: str, line: int) -> tuple[Value, ...]:
    """Return the values of a cell, with commas between them; one that has a comma stands in quotes.

    Raises: NoteError if there are none, or they cannot be read.
    """
    try:
        found = load_value(f"[{cell}]")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise NoteError(f"{place}: {cell!r} cannot be read; write values with commas between them.") from error
    if not isinstance(found, list) or not found or any(isinstance(one, list | dict) for one in found):
        raise NoteError(f"{place}: {cell!r} has no values; write them with commas between them, as 16, 64.")
    return tuple(Value(one, line) for one in found)


def check_value(name: str, value: Value, plan: Path, memory: type[MemorySettings]) -> str:
    """Return a value of a factor as the text that `simulate` is given.

    Raises: NoteError naming the plan's file and line, and what is expected, if it is not valid.
    """
    wrong = _WRONG.get(name)
    if wrong is None:
        check_setting(find_setting(name, memory), value.raw, str(plan), value.line)
        expected = _unknown_part(name, value.raw)
    else:
        expected = wrong(value.raw, plan.parent)
    if expected:
        raise NoteError(f"{plan}:{value.line}: {name} is {value.raw!r}; expected {expected}.")
    if name in _WRONG:
        return "" if value.raw is None else str(value.raw)
    return format_value("" if value.raw is None else value.raw)


def folder_in(folder: Path, name: str) -> Path:
    """Return a path that stands in a plan, which begins at the plan's folder."""
    return (folder / Path(name).expanduser()).resolve()


def _wrong_vault(value: object, folder: Path) -> str:
    root = folder_in(folder, str(value))
    is_vault = str(value) in ("", "starter") or (root / MARK).is_file() or (root / "rooms").is_dir()
    return "" if is_vault else "the folder of a vault, from the folder of the plan on, or starter"


def _wrong_model(value: object, folder: Path) -> str:
    return "" if isinstance(value, str) and re.fullmatch(MODEL_PATTERN, value) else MODEL_CHOICES


def _wrong_turns(value: object, folder: Path) -> str:
    return "" if type(value) is int and value >= 1 else "a whole number above 0"


def _wrong_hours(value: object, folder: Path) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return "" if is_number and 0 < float(str(value)) <= MAX_HOURS else f"a number above 0 and up to {MAX_HOURS}"


def _wrong_templates(value: object, folder: Path) -> str:
    has_notes = not value or any(folder_in(folder, str(value)).glob("*.md"))
    return "" if has_notes else "a folder of templates, from the folder of the plan on, or nothing"


_WRONG = {
    "vault": _wrong_vault,
    "model": _wrong_model,
    "turns": _wrong_turns,
    "hours": _wrong_hours,
    "agents": _wrong_turns,
    "templates": _wrong_templates,
}


def _unknown_part(name: str, value: object) -> str:
    """Return what a setting may name, if it names something that is not there."""
    match name.rpartition(".")[2]:
        case "without":
            known = component_names()
            given = [one.strip() for one in str(value or "").split(",") if one.strip()]
            return "" if set(given) <= set(known) else f"names of components: {', '.join(known)}"
        case "strategy":
            known = tuple(loaded_strategies())
            return "" if value in known else f"one of {', '.join(known)}"
    return ""
