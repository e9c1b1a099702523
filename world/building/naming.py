"""What a builder may call rooms, things, exits and what is to be seen in a room."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from world.cleaning import clean_block, clean_line
from world.errors import CommandError
from world.model import World
from world.note_names import FORBIDDEN, file_name_for
from world.parsing import one_spaced

LONGEST_NAME = 60
LONGEST_NAME_BYTES = 120
LONGEST_TEXT = 4000
MOST_NAMES = 12
"""How long a name may be, in characters and in bytes of UTF-8, and a description, in characters; and how many other
names something may have."""

_RESERVED = frozenset("here me myself self room everything all nothing none".split())


def new_name(world: World, text: str, besides: str = "") -> str:
    """Return a text as what a room or thing is called, that nothing else is called: it may have any characters.

    `besides` is the id of what is given the name now. Raises: CommandError saying what would do.
    """
    name = _cleaned(world, text)
    folded = name.casefold()
    for other_id, other in _names(world):
        if folded == other.casefold() and other_id != besides:
            raise CommandError(world.wording("building.name_taken", name=name))
    return name


def new_id(world: World, name: str) -> str:
    """Return the id of something new of a name: the name itself, or what of it a note's file name can hold."""
    return file_name_for(name, [*world.rooms, *world.things, *world.characters])


def title_for(name: str, subject_id: str) -> str:
    """Return the title of what is called `name`: none if that is its id."""
    return "" if name == subject_id else name


def new_names(world: World, text: str) -> tuple[str, ...]:
    """Return a list with commas as names in lower case, each once and in its order, of which there is at least one.

    Raises: CommandError if one of them will not do, or there are too many.
    """
    names = tuple(dict.fromkeys(_checked(world, part).lower() for part in text.split(",") if part.strip()))
    if not names or len(names) > MOST_NAMES:
        raise CommandError(world.wording("building.names_wanted", most=MOST_NAMES))
    return names


def new_text(world: World, text: str) -> str:
    r"""Return a description as it is kept: `\n` as it can be typed is a new line. Raises: CommandError."""
    found = clean_block(text.replace("\\n", "\n")).strip()
    if len(found) > LONGEST_TEXT:
        raise CommandError(world.wording("building.text_too_long", most=LONGEST_TEXT, length=len(found)))
    return found


def as_exit_name(name: str) -> str:
    """Return the name of a place as the name of an exit that leads there."""
    return one_spaced("".join(" " if char in f"{FORBIDDEN}," else char for char in name)).lower()


def _checked(world: World, text: str) -> str:
    """Return a text as a name that stands in a line of a note."""
    name = _cleaned(world, text)
    unfit = sorted({char for char in name if char in FORBIDDEN})
    if unfit:
        raise CommandError(world.wording("building.name_unfit", name=name, characters=world.wording.any_of(unfit)))
    return name


def _cleaned(world: World, text: str) -> str:
    name = one_spaced(unicodedata.normalize("NFC", clean_line(text)))
    if len(name) > LONGEST_NAME or len(name.encode()) > LONGEST_NAME_BYTES:
        raise CommandError(world.wording("building.name_too_long", most=LONGEST_NAME, name=f"{name[:40]}…"))
    if not any(map(str.isalnum, name)) or name.lower() in _RESERVED:
        raise CommandError(world.wording("building.no_name", name=name))
    return name


def _names(world: World) -> Iterator[tuple[str, str]]:
    """Yield every id with each name that its bearer goes by, other than aliases."""
    for table in (world.rooms, world.things, world.characters):
        for subject_id, subject in table.items():
            yield subject_id, subject_id
            yield subject_id, subject.name
