"""All situations in their order, and the two halves of them: those for tuning, and those that are held back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bench.minds.situation import Situation
from bench.minds.situations import (
    more_company,
    more_deeds,
    more_pairs,
    more_talk,
    unseen_deeds,
    unseen_pairs,
    unseen_talk,
)
from bench.minds.situations.company import COMPANY
from bench.minds.situations.deeds import DEEDS
from bench.minds.situations.errands import ERRANDS
from bench.minds.situations.farewells import FAREWELLS
from bench.minds.situations.gifts import GIFTS
from bench.minds.situations.keep_out import KEEP_OUT
from bench.minds.situations.news import NEWS
from bench.minds.situations.pressure import PRESSURE
from bench.minds.situations.private import PRIVATE
from bench.minds.situations.questions import QUESTIONS
from bench.minds.situations.recall import RECALL
from bench.minds.situations.talk import TALK

TUNING = (
    *(*TALK, *QUESTIONS, *NEWS, *RECALL, *GIFTS, *PRIVATE, *COMPANY, *KEEP_OUT, *FAREWELLS),
    *(*ERRANDS, *DEEDS, *PRESSURE),
    *(*more_talk.TALK, *more_pairs.RECALL, *more_pairs.GIFTS, *more_company.PRIVATE),
    *(*more_company.COMPANY, *more_company.KEEP_OUT, *more_deeds.FAREWELLS),
    *(*more_deeds.ERRANDS, *more_deeds.ALONE, *more_deeds.PRESSURE),
)
HELD_BACK = tuple(
    replace(one, is_held_back=True)
    for one in (
        *(*unseen_talk.TALK, *unseen_talk.RECALL, *unseen_pairs.GIFTS, *unseen_pairs.PRIVATE),
        *(*unseen_pairs.COMPANY, *unseen_pairs.KEEP_OUT, *unseen_deeds.FAREWELLS),
        *(*unseen_deeds.ERRANDS, *unseen_deeds.ALONE, *unseen_deeds.PRESSURE),
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
