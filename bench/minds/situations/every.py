"""All situations in their order, and the two halves of them: those for tuning, and those that are held back."""

from __future__ import annotations

from collections.abc import Sequence

from bench.minds.situation import Situation
from bench.minds.situations import conversation, errands, gatherings, pairs
from bench.minds.situations.company import COMPANY, FAREWELLS, GIFTS, KEEP_OUT, PRIVATE
from bench.minds.situations.deeds import ALONE, ERRANDS, PRESSURE
from bench.minds.situations.talk import RECALL, TALK

SEEN = (*TALK, *RECALL, *GIFTS, *PRIVATE, *COMPANY, *KEEP_OUT, *FAREWELLS, *ERRANDS, *ALONE, *PRESSURE)
UNSEEN = (
    *conversation.TALK,
    *pairs.RECALL,
    *pairs.GIFTS,
    *pairs.PRIVATE,
    *gatherings.COMPANY,
    *gatherings.KEEP_OUT,
    *gatherings.FAREWELLS,
    *errands.ERRANDS,
    *errands.ALONE,
    *errands.PRESSURE,
)
EVERY = (*SEEN, *UNSEEN)
HALVES = ("tuning", "held-back", "all")


def chosen(half: str, only: str = "") -> Sequence[Situation]:
    """Return the situations of one of `HALVES`, or the one called `only`, whichever half it is in.

    Raises: ValueError if there is no such situation.
    """
    if only:
        found = [one for one in EVERY if one.name == only]
        if not found:
            raise ValueError(f"There is no situation {only!r}. There are: {', '.join(one.name for one in EVERY)}.")
        return found
    return [one for one in EVERY if half == "all" or one.is_held_back == (half == "held-back")]
