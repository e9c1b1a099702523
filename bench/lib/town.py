"""The same small town for every server that is measured: a square, a crossing, and rooms for ten people each.

From the square `out` leads to the crossing, `in` back; from there `r0`, `r1`, ... to the rooms, `back` from each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.lib.crowd import Line

PEOPLE_IN_A_ROOM = 10
MIN_PEOPLE = 1000
"""Number of people that there are rooms for, so that the town is the same for fewer of them."""

SQUARE = "The Square"
CROSSING = "The Crossing"
DESCRIPTION = (
    "Grey stones, worn round at the edges, slope towards a well that nobody has seen the bottom of. A bench stands "
    "under the lime tree, and somebody has left half a loaf on it for the sparrows."
)
SEEN = b"Exits:"
"""A text that is in the view of a room, and in nothing else."""


def rooms_for(people: int) -> int:
    """Return the number of rooms for `people` people."""
    return max(1, -(-people // PEOPLE_IN_A_ROOM))


def room(number: int) -> str:
    """Return the name of a room by its number."""
    return f"Room {number}"


def town(people: int) -> dict[str, dict[str, str]]:
    """Return the exits of every room, by the room's name: each with the room that it leads to."""
    rooms = range(rooms_for(max(people, MIN_PEOPLE)))
    crossing = {"in": SQUARE, **{f"r{number}": room(number) for number in rooms}}
    return {SQUARE: {"out": CROSSING}, CROSSING: crossing, **{room(number): {"back": CROSSING} for number in rooms}}


def spread_out(people: int) -> Callable[[int], Sequence[Line]]:
    """Return a function from a person's number to the lines that bring them, from the square, to be ten to a room."""
    rooms = rooms_for(people)
    return lambda number: ((b"out", SEEN), (b"r%d" % (number % rooms), SEEN))


def together(number: int) -> Sequence[Line]:
    """Return the lines that somebody types in their room to be in the square."""
    return (b"back", SEEN), (b"in", SEEN)


def look(number: int, turn: int) -> Line:
    """Look about."""
    return b"look", SEEN


def say(number: int, turn: int) -> Line:
    """Say a word that nobody else says."""
    word = b"w%dx%dz" % (number, turn)
    return b"say the weir is loud today, " + word, word


def live(number: int, turn: int) -> Line:
    """Look about twice, then say something."""
    return say(number, turn) if (number + turn) % 3 == 2 else look(number, turn)
