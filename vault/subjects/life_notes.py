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
from dataclasses import dataclass

from vault.notes import Note, NoteError
from world.errors import WorldError
from world.life.clock import PARTS
from world.life.reaction import Reaction, reaction

REACTIONS, AMBIENT = "Reactions", "Ambient"
COLUMNS = ("on", "when", "do")

_TABLE = re.compile(rf"^## {REACTIONS}[ \t]*$.*?(?=^#{{1,2}} |\Z)", re.MULTILINE | re.DOTALL)
_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r":?-+:?")


@dataclass(frozen=True)
class Life:
    """What a note says of what goes on by itself. `moods` are by part of the day."""

    moods: dict[str, str]
    ambient: tuple[str, ...]
    reactions: tuple[Reaction, ...]


def life_in(note: Note) -> Life:
    """Return what goes on by itself in a room, thing or agent. Raises: NoteError naming the line."""
    sections = {name.lower(): text for name, (text, _) in note.sections().items()}
    moods = {part: sections[part] for part in PARTS if sections.get(part)}
    lines = (line.strip() for line in sections.get(AMBIENT.lower(), "").split("\n"))
    ambient = tuple(line[2:].strip() for line in lines if line[:2] in ("- ", "* ", "+ "))
    return Life(moods, ambient, tuple(one for one, _ in reactions_in(note)))


def without_reactions(body: str) -> str:
    """Return the body of a note without its table of reactions, up to the next heading or the end."""
    return _TABLE.sub("", body)


def only_reactions(body: str) -> str:
    """Return what `without_reactions` leaves out."""
    return "\n\n".join(table[0].strip("\n") for table in _TABLE.finditer(body))


def reactions_in(note: Note) -> Iterator[tuple[Reaction, int]]:
    """Yield each reaction of a note and its line. Raises: NoteError at a row that is none."""
    text, start = note.sections().get(REACTIONS, ("", 0))
    for number, line in enumerate(text.split("\n"), start):
        row = line.strip()
        if not row.startswith("|"):
            continue
        cells = [cell.strip().replace("\\|", "|") for cell in _BAR.split(row.removesuffix("|"))[1:]]
        if [cell.lower() for cell in cells] == list(COLUMNS) or all(_RULE.fullmatch(cell) for cell in cells):
            continue
        if len(cells) != len(COLUMNS):
            raise NoteError(f"{note.source}:{number}: {row!r} has {len(cells)} cells; it needs three: on, when, do.")
        try:
            yield reaction(*cells), number
        except WorldError as error:
            raise NoteError(f"{note.source}:{number}: {error}.") from error
