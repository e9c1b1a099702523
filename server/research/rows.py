"""The rows of an export, read from a snapshot of one world; and its JSON lines, restored from those rows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from server.research.consent import WITHHELD, Consent
from server.research.tables import rows_of
from vault.chronicle.event_log import FOLDER, event_line, moment_ms
from vault.errors import NoteError
from vault.memory.archive_exchanges import DISCARDED, SUPPRESSED
from vault.memory.archive_file import encode_value, is_archive_name
from vault.snapshot import Snapshot
from vault.vault import check_name

Row = tuple[Any, ...]

SizedRow = tuple[Row, int]
"""A row with about how many characters its texts have."""

AddRow = Callable[[Row, int], None]

REST = '"prompt_rest": '
EMPTY_REST = f'{REST}""}}'
"""The last field of a question in the archive: what is new in its prompt. It is in the table of prompts."""

VERBATIM = frozenset(
    "profile commands yesterday board tail scene place here name errand surroundings lore notice offers".split()
)
"""The parts of a prompt that have no words but those of notes, the world and the newest memories.

All others are made of memories: summaries, facts, opinions, what comes to mind.
"""

SAID_OR_DONE = frozenset({"message", "tool_call", "tool_result", "micro_compact"})
"""The entries of an archive that have the words of a turn. All others have what was made of memories."""

_KEPT = frozenset({"event", "at", "model", "finish", "told", "prompt_rest"})


@dataclass
class Turn:
    """The lines of an archive that belong together: a question or a command, and its results."""

    reference: str
    first: Mapping[str, Any]
    lines: list[str] = field(default_factory=list)
    command: str | None = None
    cause: str | None = None
    results: list[str] = field(default_factory=list)
    is_refused: bool = False
    has_call: bool = False
    withheld: bool = False

    @property
    def file(self) -> str:
        """The archive's file."""
        return self.reference.partition("#")[0]

    def owns(self, entry: Mapping[str, Any]) -> bool:
        """Return whether a command is the answer to this question: the very next memory, and nobody else's doing."""
        asked = self.first["event"] == "message" and self.first.get("finish") not in (DISCARDED, SUPPRESSED)
        return asked and not self.has_call and entry.get("seq") == _number(self.first.get("seq")) + 1

    @property
    def outcome(self) -> str | None:
        """The outcome of the turn; None for an entry that is neither question nor command."""
        if self.has_call:
            return "refused" if self.is_refused else "done"
        if self.first["event"] != "message":
            return None
        finish = self.first.get("finish")
        return "discarded" if finish == DISCARDED else "silent" if finish == SUPPRESSED else "no_command"


class Exported:
    """The rows of one world, under the name of its run, with `consent`."""

    def __init__(self, run: str, snapshot: Snapshot, consent: Consent) -> None:
        self.run = run
        self.snapshot = snapshot
        self.consent = consent
        self.newest_ms = 0
        self._touched: Sequence[int] = ()

    def turns(self, agent: str, add_prompt: AddRow) -> Iterator[SizedRow]:
        """Yield the turns of an agent; its prompts go to `add_prompt`. Raises: NoteError."""
        self._touched = self.consent.touched(self.snapshot, agent)
        turn: Turn | None = None
        prompt, file = "", ""
        for reference, entry, line in self.snapshot.entry_lines(agent):
            stem = reference.partition("#")[0]
            prompt, file = prompt if stem == file else "", stem
            text = line.decode()
            is_question = entry["event"] == "message"
            if is_question:
                prompt, text = self._question(agent, reference, entry, prompt, text, add_prompt)
            begins = is_question or (entry["event"] == "tool_call" and not (turn and turn.owns(entry)))
            if turn is None or begins or turn.file != stem:
                if turn:
                    yield self._turn_row(agent, turn)
                turn = Turn(reference, entry)
            self._take(turn, entry, text)
        if turn:
            yield self._turn_row(agent, turn)

    def events(self) -> Iterator[SizedRow]:
        """Yield the events of the chronicle but those of who has not agreed. Raises: NoteError."""
        refusing = self.consent.refusing
        for file, event, line in self.snapshot.event_lines():
            self.newest_ms = max(self.newest_ms, event.at_ms)
            if event.who in refusing:
                continue
            seen = self.consent.event(event) if refusing else event
            text = line.decode() if seen == event else event_line(seen).decode().rstrip("\n")
            place = (seen.kind, seen.who, seen.to, seen.room)
            words = (seen.line, seen.words, seen.secret, seen.reason, seen.thing)
            moves = (seen.from_room, seen.to_room, seen.by, seen.heard_in)
            yield (self.run, file, seen.at_ms, *place, *words, *moves, seen != event, text), 2 * len(text)

    def memories(self, agent: str) -> Iterator[SizedRow]:
        """Yield the memories of an agent. Raises: NoteError."""
        for memory in self.snapshot.memories(agent):
            seen = self.consent.memory(memory) if self.consent.refusing else memory
            what = (seen.seq, seen.at_ms, seen.kind, seen.room, seen.text, seen.people, seen.importance)
            yield (self.run, agent, *what, seen.pinned, seen.refused, seen != memory), len(seen.text)

    def _question(
        self, agent: str, reference: str, entry: dict[str, Any], before: str, text: str, add_prompt: AddRow
    ) -> tuple[str, str]:
        """Add the prompt of a question; return it, and the question's line with what is new of the prompt taken out."""
        rest = str(entry.get("prompt_rest", ""))
        shared = _number(entry.get("prompt_shared"))
        prompt = before[:shared] + rest
        is_whole = len(prompt) == entry.get("prompt_characters", len(prompt)) and shared <= len(before)
        is_withheld = self._tells_of_touched(entry) or self.consent.is_withheld(prompt)
        end = f"{REST}{encode_value(rest).decode()}}}"
        if is_withheld:
            entry["prompt_rest"] = ""
            text = encode_value(entry).decode()
        elif is_whole and text.endswith(end):
            text = text[: -len(end)] + EMPTY_REST
        shown, at = WITHHELD if is_withheld else prompt, _at_ms(entry)
        add_prompt((self.run, agent, reference, at, shown, shared, is_whole, is_withheld), len(shown))
        return prompt, text

    def _take(self, turn: Turn, entry: dict[str, Any], text: str) -> None:
        if self.consent.refusing:
            seen = self._without_withheld(entry)
            if seen != entry:
                entry, text, turn.withheld = seen, encode_value(seen).decode(), True
                turn.first = seen if not turn.lines else turn.first
        turn.lines.append(text)
        if entry["event"] == "tool_call" and not turn.has_call:
            turn.has_call, turn.command, turn.cause = True, str(entry.get("command", "")), text_of(entry.get("cause"))
        elif entry["event"] == "tool_result":
            turn.results.append(str(entry.get("text", "")))
            turn.is_refused = turn.is_refused or bool(entry.get("refused"))

    def _tells_of_touched(self, question: Mapping[str, Any]) -> bool:
        """Return whether a prompt may tell of a touched memory in other words."""
        newest = question.get("newest", question.get("seq"))
        if not self._touched or _number(newest) < self._touched[0]:
            return False
        told = question.get("told")
        return not isinstance(told, dict) or not VERBATIM.issuperset(told)

    def _without_withheld(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return an entry without the texts that are withheld."""
        is_made = entry["event"] not in SAID_OR_DONE and self._touched and _number(entry.get("seq")) >= self._touched[0]
        seen: dict[str, Any] = {}
        for name, value in entry.items():
            if name in _KEPT:
                seen[name] = value
            elif is_made and not self._covers_none_touched(value):
                seen[name] = _mapped(value, lambda _: WITHHELD)
            else:
                seen[name] = _mapped(value, self.consent.text)
        return seen

    def _covers_none_touched(self, value: Any) -> bool:
        """Return whether a value is a summary whose memories are all untouched."""
        covers = value.get("covers") if isinstance(value, dict) else None
        if not isinstance(covers, list) or len(covers) != 2:
            return False
        first, last = map(_number, covers)
        place = bisect_left(self._touched, first)
        return place == len(self._touched) or self._touched[place] > last

    def _turn_row(self, agent: str, turn: Turn) -> SizedRow:
        first = turn.first
        at_ms = _at_ms(first)
        self.newest_ms = max(self.newest_ms, at_ms or 0)
        about = (self.run, agent, turn.reference, at_ms, _number(first.get("seq")), str(first["event"]))
        answer = (
            text_of(first.get("cause")) or turn.cause,
            *(text_of(first.get(name)) for name in ("model", "reply", "finish")),
        )
        result = "\n".join(turn.results) if turn.results else None
        numbers = tuple(number_of(first.get(name)) for name in ("prompt_tokens", "cached_tokens", "completion_tokens"))
        seconds = first.get("seconds")
        took = float(seconds) if isinstance(seconds, int | float) else None
        row = (*about, *answer, turn.command, turn.outcome, result, *numbers, took, turn.withheld, turn.lines)
        return row, sum(map(len, turn.lines))


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """Return a JSON value with every text in it changed, but for its names, times and kinds."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(one, change) for one in value]
    if isinstance(value, dict):
        return {name: one if name in _KEPT else _mapped(one, change) for name, one in value.items()}
    return value


def text_of(value: object) -> str | None:
    """Return a value if it is a text, else None."""
    return value if isinstance(value, str) else None


def number_of(value: object) -> int | None:
    """Return a value if it is a whole number that a table can hold, else None."""
    return value if isinstance(value, int) and abs(value) < 1 << 62 else None


def _number(value: object) -> int:
    return max(0, number_of(value) or 0)


def _at_ms(entry: Mapping[str, Any]) -> int | None:
    try:
        return moment_ms(entry["at"])
    except (KeyError, TypeError, ValueError):
        return None


TURNS = ("run", "agent", "reference", "event", "lines")
PROMPTS = ("run", "agent", "reference", "prompt", "shared", "withheld")
EVENTS = ("run", "file", "json")


def restore(dataset: Path, to: Path) -> int:
    """Write the JSON lines of a data set into a new folder, a folder a run; return how many lines there are.

    Raises: NoteError if a table is not there, is none of an export, or the folder cannot be written.
    """
    if to.exists() and (not to.is_dir() or any(to.iterdir())):
        raise NoteError(f"{to} exists already, and nothing is written over; give another folder with --to.")
    count = 0
    try:
        with _Lines(to) as lines:
            for run, file, text in rows_of(dataset / "events.parquet", EVENTS):
                lines.write((run, FOLDER, f"{file}.jsonl"), text)
                count += 1
            prompts = iter(rows_of(dataset / "prompts.parquet", PROMPTS))
            for run, agent, reference, event, texts in rows_of(dataset / "turns.parquet", TURNS):
                file = f"{reference.partition('#')[0]}.jsonl"
                for text in _whole(texts, _rest((run, agent, reference), prompts) if event == "message" else None):
                    lines.write((run, "agents", agent, "archive", file), text)
                    count += 1
    except (OSError, KeyError, ValueError) as error:
        raise NoteError(f"{dataset}: this is not an export, or it cannot be read: {error}") from error
    return count


class _Lines:
    """Files of lines in a folder; the last one written to is open."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._open = ExitStack()
        self._parts: tuple[str, ...] = ()
        self._file: IO[bytes] | None = None

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def write(self, parts: tuple[str, ...], text: str) -> None:
        """Append a line to a file. Raises: NoteError if a part of its path is no name, OSError."""
        if parts != self._parts or self._file is None:
            self._open.close()
            if not is_archive_name(parts[-1]):
                raise NoteError(f"{parts[-1]!r} is not a file of a chronicle or archive.")
            path = self._root.joinpath(*map(check_name, parts))
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file, self._parts = self._open.enter_context(path.open("ab")), parts
        self._file.write(text.encode() + b"\n")


def _rest(key: tuple[Any, ...], prompts: Iterator[tuple[Any, ...]]) -> str:
    """Return the new part of a turn's prompt. Raises: ValueError if the next prompt is another's."""
    row = next(prompts, None)
    if row is None or row[:3] != key:
        raise ValueError(f"the prompt of {key[1]} {key[2]} is not where it should be")
    *_, prompt, shared, is_withheld = row
    return "" if is_withheld else prompt[shared:]


def _whole(lines: list[str], rest: str | None) -> Iterator[str]:
    """Yield lines, and the first with what is new in its prompt put in, if that was taken out."""
    for place, line in enumerate(lines):
        if place == 0 and rest and line.endswith(EMPTY_REST):
            yield f"{line[: -len(EMPTY_REST)]}{REST}{encode_value(rest).decode()}}}"
        else:
            yield line
