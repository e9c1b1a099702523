r"""What goes on by itself, as a note tells it: moods of the day, ambient lines, the table of reactions.

    ## Night
    The lamps are lit.

    ## Ambient
    - A plank creaks.

    ## Reactions
    | on  | when       | do                                     |
    | --- | ---------- | -------------------------------------- |
    | use | lit != yes | set lit = yes; show The lamp flares up. |

A bar inside a cell is written `\|`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vault.errors import NoteError
from vault.markdown import Line, unescaped, unescaped_comments, unescaped_line
from vault.note import Note
from world.errors import WorldError
from world.game_time import DAY_PARTS
from world.triggers import Trigger, parse_trigger

REACTIONS, ERRANDS = "Reactions", "Errands"
COLUMNS = ("on", "when", "do")

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


def descriptions_in(note: Note) -> dict[str, str]:
    """Return what is added to a description in a part of the day, by part. Raises: NoteError."""
    return {part: text for part in DAY_PARTS if (text := note.section(part).text)}


def ambient_in(note: Note, title: str) -> tuple[str, ...]:
    """Return the list lines of a section. Raises: NoteError."""
    lines = (unescaped_line(line.text).strip() for line in note.section(title).lines if line.counts)
    return tuple(line[2:].strip() for line in lines if line[:2] in ("- ", "* ", "+ "))


def profile_in(note: Note) -> str:
    """Return what the body of an agent's note says without its reactions, its errands and comments."""
    return unescaped(line for line, is_table in _parted(note) if not is_table)


def without_reactions(note: Note) -> str:
    """Return the body of a note without its reactions and errands, to the letter."""
    return "\n".join(line.raw for line, is_table in _parted(note) if not is_table).strip("\n")


def only_reactions(note: Note) -> str:
    """Return what `without_reactions` leaves out."""
    return "\n".join(line.raw for line, is_table in _parted(note) if is_table).strip("\n")


def _parted(note: Note) -> Iterator[tuple[Line, bool]]:
    """Yield each line of a body, and whether it is of the reactions or the errands, which the next heading ends."""
    is_table = False
    for line in note.lines:
        if 1 <= line.level <= 2:
            is_table = line.level == 2 and line.title.casefold() in (REACTIONS.casefold(), ERRANDS.casefold())
        yield line, is_table


def triggers_in(note: Note) -> Iterator[tuple[Trigger, int]]:
    """Yield each reaction of a note and its line. Raises: NoteError at a row that is none."""
    for line in note.section(REACTIONS).lines:
        row, number = unescaped_comments(line.text).strip(), line.number
        if not line.counts or not row.startswith("|"):
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(row.removesuffix("|"))[1:]]
        if [cell.lower() for cell in cells] == list(COLUMNS) or all(_RULE.fullmatch(cell) for cell in cells):
            continue
        if len(cells) != len(COLUMNS):
            raise NoteError(f"{note.source}:{number}: {row!r} has {len(cells)} cells; it needs three: on, when, do.")
        try:
            yield parse_trigger(*cells), number
        except WorldError as error:
            raise NoteError(f"{note.source}:{number}: {error}.") from error
