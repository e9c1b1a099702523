"""The data card of an export, in Hugging Face's form: README.md with a YAML header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from server.research.consent import QUOTED_WORDS, SOMEBODY, WITHHELD
from server.research.tables import SCHEMAS

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
    """What was written: rows by table, and for each run until when. `problems` says what was left out, and why."""

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
    parts = [f"Exported by Fallwater {_version()}.", table, _columns(), _times(dataset), _consent(dataset), BACK]
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
        f"- `{run['run']}`: until {_moment(run['until'])}"
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


def _moment(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _version() -> str:
    try:
        return version("fallwater")
    except PackageNotFoundError:
        return "from a checkout"
