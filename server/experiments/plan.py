"""A plan: a note with factors and their values, and the table of runs that they make.

**turns**: 60
**seeds**: 1-3

## Factors
| factor | values |
| --- | --- |
| strategy | waterfall, window |
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

import yaml

from agents.memory.strategy import loaded_strategies
from agents.mind import component_names
from config.settings import MODEL_CHOICES, MODEL_PATTERN, MemorySettings
from config.validation import IGNORED_KEYS, SourcedValue, closest_name
from server.simulation import MAX_HOURS, RunParameters
from vault.config_notes import format_value
from vault.errors import NoteError
from vault.front_matter import load_value
from vault.note import Note, Row, parse_note
from vault.variant import PERTURBATIONS, check_setting, find_setting, folder_hash, vault_hash
from vault.vault import STARTER, is_vault


@dataclass(frozen=True)
class Value:
    """A value as YAML reads it, and its line."""

    raw: object
    line: int = 0


def values_in(cell: str, place: str, line: int) -> tuple[Value, ...]:
    """Return the values of a cell, with commas between them; one that has a comma is in quotes.

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
    """Return a value of a factor as the text of an option of `simulate`.

    Raises: NoteError naming the plan's file and line, and what is expected, if it is not valid.
    """
    given = "" if value.raw is None else value.raw
    if name in _WRONG:
        expected, text = _WRONG[name](value.raw, plan.parent), str(given)
    else:
        check_setting(find_setting(name, memory), value.raw, str(plan), value.line)
        expected, text = _unknown_part(name, value.raw), format_value(given)
    if expected:
        raise NoteError(f"{plan}:{value.line}: {name} is {value.raw!r}; expected {expected}.")
    return text


def folder_in(folder: Path, name: str) -> Path:
    """Return a path of a plan, which begins at the plan's folder."""
    return (folder / Path(name).expanduser()).resolve()


def _wrong_vault(value: object, folder: Path) -> str:
    if str(value) in ("", "starter") or is_vault(folder_in(folder, str(value))):
        return ""
    return "the folder of a vault, from the folder of the plan on, or starter"


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


FACTORS = "Factors"
HEADS = ("factor", "values")
OPTIONS = tuple(_WRONG)
"""Factors that are no settings: options of `simulate`."""

SEEDS, REPETITIONS = "seeds", "repetitions"
MAX_REPETITIONS = 1000


@dataclass(frozen=True)
class Factor:
    """A name and the values that it takes, as texts; one alone is the same in all runs. `line` is where it stands."""

    name: str
    values: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True)
class Plan:
    """The plan of a comparison. Paths in it begin at `folder`; each perturbation multiplies all runs, "" is none."""

    source: str
    folder: Path
    title: str
    factors: tuple[Factor, ...]
    seeds: tuple[int, ...] = (0,)
    repetitions: int = 1
    perturbations: tuple[str, ...] = ("",)

    @property
    def count(self) -> int:
        """The number of runs of the plan."""
        conditions = math.prod(len(one.values) for one in self.factors)
        return conditions * len(self.seeds) * self.repetitions * len(self.perturbations)

    @property
    def varied_factors(self) -> tuple[Factor, ...]:
        """The factors with more than one value, in their order."""
        return tuple(one for one in self.factors if len(one.values) > 1)

    def with_audit(self) -> Plan:
        """Return this plan, each run of it once as it is and once with each neutral perturbation."""
        return replace(self, perturbations=("", *PERTURBATIONS))


@dataclass(frozen=True)
class PlannedRun:
    """One run: its parameters, the condition that it belongs to, and the arguments of `simulate` without `--out`.

    `condition` has the values of all factors that are varied, by name.
    """

    parameters: RunParameters
    condition: Mapping[str, str]
    perturbation: str
    arguments: tuple[str, ...]

    @property
    def run_id(self) -> str:
        """The name of its folder."""
        return self.parameters.run_id


def read_plan(path: Path, memory: type[MemorySettings]) -> Plan:
    """Return the plan in a file. `memory` is the class of all memory settings.

    Raises: NoteError naming file and line, what is wrong and what would be right.
    """
    try:
        note = parse_note(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise NoteError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}.") from error
    given = _read_values(note)
    seeds = _seeds(given.pop(SEEDS, given.pop("seed", (Value(0),))), str(path))
    repetitions = _repetitions(given.pop(REPETITIONS, (Value(1),)), str(path))
    factors = tuple(_factor(name, values, path, memory) for name, values in given.items())
    title = next((line.title for line in note.lines if line.level == 1), path.stem)
    plan = Plan(str(path), path.parent, title, factors, seeds, repetitions)
    _check_whole(plan)
    return plan


def runs_of(plan: Plan) -> Iterator[PlannedRun]:
    """Yield the runs of a plan: all conditions with the first seed, then with the next, so that a part can be compared.

    Raises: NoteError if two conditions are the same run, or a vault or templates cannot be read.
    """
    hashes: dict[Path, str] = {}
    seen: dict[str, Mapping[str, str]] = {}
    names = [one.name for one in plan.varied_factors]
    order = product(plan.perturbations, range(1, plan.repetitions + 1), plan.seeds)
    for (perturbation, repetition, seed), values in product(order, product(*(one.values for one in plan.factors))):
        chosen = dict(zip((one.name for one in plan.factors), values, strict=True))
        condition = {name: chosen[name] for name in names}
        run = _plan_run(plan, chosen, condition, (perturbation, seed, repetition), hashes)
        if run.run_id in seen:
            raise NoteError(f"{plan.source}: {seen[run.run_id]} and {condition} are the same run; remove one.")
        seen[run.run_id] = condition
        yield run


def _plan_run(
    plan: Plan,
    chosen: Mapping[str, str],
    condition: Mapping[str, str],
    which: tuple[str, int, int],
    hashes: dict[Path, str],
) -> PlannedRun:
    perturbation, seed, repetition = which
    vault = vault_in(plan, chosen.get("vault", ""))
    templates = folder_in(plan.folder, chosen["templates"]) if chosen.get("templates") else None
    if vault not in hashes:
        hashes[vault] = vault_hash(vault)
    if templates and templates not in hashes:
        hashes[templates] = folder_hash(templates, "*.md")
    settings = {name: value for name, value in chosen.items() if name not in OPTIONS}
    parameters = RunParameters(
        vault=hashes[vault],
        turns=int(chosen["turns"]) if "turns" in chosen else None,
        hours=float(chosen["hours"]) if "hours" in chosen else None,
        seed=seed,
        repetition=repetition,
        model=chosen.get("model"),
        settings=settings,
        agents=int(chosen["agents"]) if "agents" in chosen else None,
        templates=hashes[templates] if templates else "",
        perturbations=(perturbation,) if perturbation else (),
    )
    return PlannedRun(parameters, condition, perturbation, _arguments(parameters, vault, templates))


def _arguments(run: RunParameters, vault: Path, templates: Path | None) -> tuple[str, ...]:
    """Return the options of `simulate` that make a run, in one order always."""
    options: list[tuple[str, object]] = [("--vault", vault), ("--turns", run.turns), ("--hours", run.hours)]
    options += [("--seed", run.seed), ("--model", run.model), ("--agents", run.agents), ("--templates", templates)]
    options += [("--set", f"{name}={text}") for name, text in sorted(run.settings.items())]
    options += [("--perturb", name) for name in run.perturbations]
    options += [("--repetition", run.repetition)] if run.repetition > 1 else []
    return tuple(text for name, value in options if value is not None for text in (name, str(value)))


def vault_in(plan: Plan, name: str) -> Path:
    """Return the folder of a vault that a plan names; the starter town for an empty name, or `starter`."""
    return STARTER if name in ("", "starter") else folder_in(plan.folder, name)


def _read_values(note: Note) -> dict[str, tuple[Value, ...]]:
    """Return the values of each name in a plan: settings and properties, whose lists are factors, and the table."""
    found: dict[str, tuple[Value, ...]] = {}
    for name, given in note.settings().items():
        if name not in IGNORED_KEYS:
            found[name] = _values_of(given, name)
    for row in note.rows(FACTORS):
        if [cell.lower() for cell in row.cells] == list(HEADS):
            continue
        name = _name_in(row, note.source)
        if name in found:
            line = found[name][0].line
            raise NoteError(f"{note.source}:{row.line}: {name!r} stands in line {line} already; make them one.")
        found[name] = values_in(row.cells[1], f"{note.source}:{row.line}", row.line)
    return found


def _values_of(given: SourcedValue, name: str) -> tuple[Value, ...]:
    match given.value:
        case list() | tuple():
            return tuple(Value(one, given.line) for one in given.value)
        case str() if name == SEEDS:
            return tuple(Value(one.strip(), given.line) for one in given.value.split(","))
    return (Value(given.value, given.line),)


def _name_in(row: Row, source: str) -> str:
    if len(row.cells) != len(HEADS) or not row.cells[0]:
        raise NoteError(f"{source}:{row.line}: {row.text!r} has {len(row.cells)} cells; it needs two: factor, values.")
    return row.cells[0].strip("`* ")


def _factor(name: str, values: Sequence[Value], path: Path, memory: type[MemorySettings]) -> Factor:
    place = f"{path}:{values[0].line}"
    if name not in OPTIONS:
        try:
            find_setting(name, memory)
        except NoteError as error:
            near = closest_name(name, (*OPTIONS, SEEDS, REPETITIONS))
            told = f"there is no factor {name!r}; did you mean {near!r}?" if near else str(error)
            raise NoteError(f"{place}: {told}") from error
    texts = tuple(check_value(name, value, path, memory) for value in values)
    for number, text in enumerate(texts):
        if text in texts[:number]:
            raise NoteError(f"{path}:{values[number].line}: {name} has the value {text!r} twice; remove one.")
    return Factor(name, texts, values[0].line)


def _seeds(values: Sequence[Value], source: str) -> tuple[int, ...]:
    found: list[int] = []
    for value in values:
        text = str(value.raw).strip()
        ends = re.fullmatch(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?", text)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if last < first or last - first >= 10**7:
            raise NoteError(f"{source}:{value.line}: seeds has {text!r}; expected whole numbers, as 1, 2, 5 or 1-20.")
        found += range(first, last + 1)
    if twice := [seed for seed, count in Counter(found).items() if count > 1]:
        raise NoteError(f"{source}:{values[0].line}: seeds has {twice[0]} twice; remove one.")
    return tuple(found)


def _repetitions(values: Sequence[Value], source: str) -> int:
    number = values[0].raw
    if len(values) > 1 or type(number) is not int or not 1 <= number <= MAX_REPETITIONS:
        told = f"{source}:{values[0].line}: repetitions is {number!r}"
        raise NoteError(f"{told}; expected one whole number from 1 to {MAX_REPETITIONS}.")
    return number


def _check_whole(plan: Plan) -> None:
    """Raises: NoteError if it is not said how long runs are."""
    names = {one.name for one in plan.factors}
    if ("turns" in names) == ("hours" in names):
        said = "both turns and hours are given" if "turns" in names else "it is not said how long a run is"
        raise NoteError(f"{plan.source}: {said}; give **turns**: 60, or **hours**: 2 of the world's time.")
