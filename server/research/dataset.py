"""Writes a data set: the tables of one or many worlds and a data card, in a new folder, atomically."""

from __future__ import annotations

import errno
import json
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from server.research.consent import QUOTED_WORDS, SOMEBODY, WITHHELD, Consent
from server.research.rows import Exported, Row, number_of, text_of
from server.research.tables import SCHEMAS, Opener, TableWriter, open_new
from server.simulation import REPORT, RUN, TRANSCRIPT, program_version, read_values
from vault.chronicle.event_log import parsed_event, second_name
from vault.errors import NoteError
from vault.snapshot import END_MS, WORLD, LogFile, Snapshot, world_in
from vault.vault import Vault, check_name

TABLES: Mapping[str, str] = {
    "turns": "a question to a model, its answer and what came of it, or a command that the engine chose. `lines` has "
    "the lines of the archive; what is new of the prompt is left out there, and stands in `prompts`",
    "events": "what happened, whether an agent was there or not. `json` is the line of the chronicle",
    "memories": "a line of an agent's journal",
    "prompts": "the whole prompt of a turn, by `run`, `agent` and `reference`; with the prompt before it in the same "
    "file it shares its first `shared` characters",
    "runs": "a world: until when, its report and its parameters, as JSON",
}
MAX_NAMED = 20


@dataclass
class Dataset:
    """The result of an export: rows by table, and the end of each run. `problems` says what was left out, and why."""

    rows: dict[str, int] = field(default_factory=dict)
    runs: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def card(dataset: Dataset) -> str:
    """Return the data card of a data set."""
    configs = "".join(f"- config_name: {name}\n  data_files: {name}.parquet\n" for name in SCHEMAS)
    header = f"---\nlicense: other\ntags:\n- agents\n- simulation\n- fallwater\nconfigs:\n{configs}---\n"
    return f"{header}\n# Data of {_count(len(dataset.runs), 'Fallwater world')}\n\n{_body(dataset)}"


def _body(dataset: Dataset) -> str:
    rows = [f"| `{name}` | {count:,} | {TABLES[name]} |" for name, count in dataset.rows.items()]
    table = "\n".join(["| table | rows | a row is |", "|---|---|---|", *rows])
    parts = [
        f"Exported by Fallwater {program_version() or 'from a checkout'}.",
        table,
        _columns(),
        _times(dataset),
        _consent(dataset),
        BACK,
    ]
    if dataset.problems:
        shown = [f"- {one}" for one in dataset.problems[:MAX_NAMED]]
        more = len(dataset.problems) - len(shown)
        parts.append("\n".join(["## Left out", "", *shown, *([f"- and {more} more"] if more else [])]))
    return "\n\n".join(parts) + "\n"


BACK = """## Back to JSON lines

    fallwater export DATASET --back --to DIR

writes the chronicle and the archives again, byte for byte as they were, but for what is left out and withheld."""


def _columns() -> str:
    lines = [f"- `{name}`: {', '.join(f'`{one}`' for one in schema.names)}" for name, schema in SCHEMAS.items()]
    return "\n".join(["## Columns", "", "Times are UTC. Of what is not known there is no value.", "", *lines])


def _times(dataset: Dataset) -> str:
    lines = [
        f"- `{run['run']}`: until {second_name(run['until']).replace('T', ' ')}"
        + (" UTC; it was being lived in, and later lines are left out" if run["is_live"] else " UTC, its end")
        for run in dataset.runs[:MAX_NAMED]
    ]
    if len(dataset.runs) > MAX_NAMED:
        lines.append(f"- and {len(dataset.runs) - MAX_NAMED} more; see `runs`")
    return "\n".join(["## Point in time", "", *lines])


def _consent(dataset: Dataset) -> str:
    agents = sorted({name for run in dataset.runs for name in run["refused_agents"]})
    people = sum(run["refused_people"] for run in dataset.runs)
    lines = [
        "## Consent",
        "",
        "Agents are exported whose `training_export` is true; people, only those whom `export_people` in",
        "config/world.md names. Of all others there is no row. Texts that name one of them, or have",
        f"{QUOTED_WORDS} words in a row that one of them said, are replaced by `{WITHHELD}`, and the row is",
        f"`withheld`; names of people in columns by `{SOMEBODY}`. So are summaries and reflections that cover a",
        "memory of which something is withheld, and prompts that show any of what was made of memories by then.",
        "What agents later said in words of their own, shorter quotations, and what people wrote into the notes of",
        "rooms and things are not known as theirs.",
        "",
        f"Not exported: {_count(len(agents), 'agent')}, {_count(people, 'person', 'people')}.",
    ]
    return "\n".join(lines)


def _count(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


RUNS = "runs"
"""The folder of the runs in the folder of a sweep."""

LIVED_IN_MS = 60_000
"""A world whose newest event was written at its own time, and not longer ago than this, is being lived in."""

LATEST_MS = 5_000
"""Milliseconds for an event to reach the disk; newer events are left out while a world is lived in."""

LARGE_BYTES = 100_000_000
PARTS = (("turns", "prompts"), ("events", "memories"))
"""The total size, in bytes, from which each part of the tables is written by its own process."""

_FULL = (errno.ENOSPC, errno.EDQUOT)


def _folders_in(folder: Path, problems: list[str]) -> list[Path]:
    """Return the folders of worlds: a vault, that of a simulation, or those of the runs of a sweep that are done.

    Raises: NoteError if there is none, or the only one is being simulated.
    """
    if not (folder / RUNS).is_dir() or (folder / WORLD).is_dir():
        if (folder / TRANSCRIPT).exists() and not (folder / REPORT).exists():
            raise NoteError(f"{folder}: this simulation has not ended; export its folder {WORLD}, or wait.")
        return [folder]
    found = list[Path]()
    for run in sorted(one for one in (folder / RUNS).iterdir() if one.is_dir() and not one.name.startswith(".")):
        if (run / REPORT).exists():
            found.append(run)
        else:
            problems.append(f"{run}: this run is not done and was left out.")
    if not found:
        raise NoteError(f"{folder}: no run of this sweep is done yet.")
    return found


def write_dataset(
    folder: Path, to: Path, now_ms: int, open_file: Opener = open_new, processes: int | None = None
) -> Dataset:
    """Write the data set of the worlds in a folder into `to`, which must be new or empty.

    A large one is written by so many `processes`, two if nobody says. Raises: NoteError if it cannot be read or
    written; nothing is left then.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise NoteError(f"{to} exists already, and nothing is written over; give another folder with --to.")
    written = Dataset()
    worlds = [_world(one, now_ms) for one in _folders_in(folder, written.problems)]
    draft = to.with_name(f".{to.name}.draft-{time.time_ns()}")
    try:
        draft.mkdir(parents=True)
        is_large = sum(world.snapshot.size for world in worlds) >= LARGE_BYTES
        parts = _write(worlds, draft, open_file, processes or (len(PARTS) if is_large else 1))
        _write_runs(worlds, parts, draft, open_file, written)
        (draft / "README.md").write_text(card(written), encoding="utf-8")
        draft.replace(to)
    except OSError as error:
        remedy = " Make room, or give a folder on another disk with --to." if error.errno in _FULL else ""
        raise NoteError(f"{to}: cannot be written: {error.strerror or error}.{remedy}") from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return written


@dataclass(frozen=True)
class World:
    """A world as it is exported: under the name of its run, until when, and with whose consent.

    `folder` has its report, if it is a simulation's.
    """

    run: str
    folder: Path
    snapshot: Snapshot
    consent: Consent


@dataclass
class Part:
    """Some tables that were written: their rows, the newest time in each run, and what was left out."""

    rows: dict[str, int] = field(default_factory=dict)
    newest_ms: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def _world(folder: Path, now_ms: int) -> World:
    """Raises: NoteError."""
    run, vault = check_name(folder.absolute().name), world_in(folder)
    until_ms = point_in_time(vault, now_ms)
    snapshot = Snapshot(vault, is_open=until_ms < END_MS, until_ms=until_ms)
    return World(run, folder, snapshot, Consent(snapshot))


def _write(worlds: list[World], draft: Path, open_file: Opener, processes: int) -> list[Part]:
    """Write the tables of all worlds. Raises: NoteError, OSError."""
    if processes == 1:
        return [write_part(names, worlds, draft, open_file) for names in PARTS]
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return list(pool.map(partial(write_part, worlds=worlds, draft=draft, open_file=open_file), PARTS))


def write_part(names: tuple[str, ...], worlds: list[World], draft: Path, open_file: Opener) -> Part:
    """Write some tables of all worlds. Raises: NoteError, OSError."""
    part = Part()
    with ExitStack() as unfinished:
        tables = dict[str, TableWriter]()
        for name in names:
            tables[name] = TableWriter(name, draft / f"{name}.parquet", open_file)
            unfinished.callback(tables[name].abandon)
        for world in worlds:
            exported = Exported(world.run, world.snapshot, world.consent)
            for table, row, characters in _rows(exported, tables):
                table.add(row, characters)
            part.newest_ms[world.run] = exported.newest_ms
            part.problems += world.snapshot.problems.named
        for table in tables.values():
            table.close()
        unfinished.pop_all()
    part.rows = {name: table.rows for name, table in tables.items()}
    return part


def _rows(exported: Exported, tables: dict[str, TableWriter]) -> Iterator[tuple[TableWriter, Row, int]]:
    agents = sorted(exported.consent.agents)
    if events := tables.get("events"):
        yield from ((events, row, characters) for row, characters in exported.events())
    if memories := tables.get("memories"):
        yield from ((memories, row, characters) for one in agents for row, characters in exported.memories(one))
    if turns := tables.get("turns"):
        add = tables["prompts"].add
        yield from ((turns, row, characters) for one in agents for row, characters in exported.turns(one, add))


def _write_runs(worlds: list[World], parts: list[Part], draft: Path, open_file: Opener, written: Dataset) -> None:
    """Write the table of runs, and note what was written. Raises: OSError."""
    runs = TableWriter("runs", draft / "runs.parquet", open_file)
    for world in worlds:
        snapshot, consent = world.snapshot, world.consent
        refused = [name for name in snapshot.agents if name not in consent.agents]
        is_live = snapshot.until_ms < END_MS
        until = snapshot.until_ms if is_live else max(part.newest_ms[world.run] for part in parts)
        report, parameters = read_values(world.folder / REPORT), read_values(world.folder / RUN)
        about = (text_of(parameters.get("program")), text_of(report.get("world")), number_of(report.get("seed")))
        counts = (sorted(consent.agents), len(refused), len(consent.people))
        texts = (json.dumps(one, ensure_ascii=False) if one else None for one in (report, parameters))
        runs.add((world.run, until, *about, *counts, *texts))
        told = {"run": world.run, "until": until, "is_live": is_live}
        written.runs.append({**told, "refused_agents": refused, "refused_people": len(consent.people)})
        written.problems += [*consent.problems, *snapshot.problems.named]
    runs.close()
    counted = {name: count for part in parts for name, count in part.rows.items()} | {"runs": runs.rows}
    written.rows = {name: counted[name] for name in SCHEMAS}
    written.problems = list(dict.fromkeys([*written.problems, *(one for part in parts for one in part.problems)]))


def point_in_time(vault: Vault, now_ms: int) -> int:
    """Return until when a world is exported: a moment ago if it is being lived in, else `END_MS`."""
    files = Snapshot(vault)
    newest = [_newest_ms(file) for file in files.chronicle[-1:]]
    is_live = any(abs(now_ms - at_ms) < LIVED_IN_MS for at_ms in newest)
    return now_ms - LATEST_MS if is_live else END_MS


def _newest_ms(file: LogFile) -> int:
    """Return when the last whole event of a file happened; 0 if there is none."""
    with open(file.path, "rb") as stream:
        stream.seek(max(0, file.size - 65_536))
        lines = stream.read().split(b"\n")
    events = (event for line in reversed(lines) if (event := parsed_event(line)))
    return next((event.at_ms for event in events), 0)
