"""All situations in their order, and the two halves of them: those for tuning, and those that are held back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.minds.situation import Situation
from bench.minds.situations import (
    conversation,
    errands,
    gatherings,
    pairs,
    unseen_company,
    unseen_deeds,
    unseen_farewells,
    unseen_pairs,
    unseen_pressure,
    unseen_questions,
    unseen_recall,
    unseen_talk,
)
from bench.minds.situations.company import COMPANY, FAREWELLS, GIFTS, KEEP_OUT, PRIVATE
from bench.minds.situations.deeds import ALONE, ERRANDS, PRESSURE
from bench.minds.situations.talk import RECALL, TALK

TUNING = (
    *(*TALK, *RECALL, *GIFTS, *PRIVATE, *COMPANY, *KEEP_OUT, *FAREWELLS, *ERRANDS, *ALONE, *PRESSURE),
    *(*conversation.TALK, *pairs.RECALL, *pairs.GIFTS, *pairs.PRIVATE),
    *(*gatherings.COMPANY, *gatherings.KEEP_OUT, *gatherings.FAREWELLS),
    *(*errands.ERRANDS, *errands.ALONE, *errands.PRESSURE),
)
HELD_BACK = tuple(
    replace(one, is_held_back=True)
    for one in (
        *(
            *unseen_questions.QUESTIONS,
            *unseen_talk.TALK,
            *unseen_recall.RECALL,
            *unseen_pairs.GIFTS,
            *unseen_pairs.PRIVATE,
        ),
        *(*unseen_company.COMPANY, *unseen_company.KEEP_OUT, *unseen_farewells.FAREWELLS),
        *(*unseen_deeds.ERRANDS, *unseen_deeds.ALONE, *unseen_pressure.PRESSURE),
    )
)
EVERY = (*TUNING, *HELD_BACK)
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
