"""Metrics of speech: answers, near repeats, distinct words."""

from __future__ import annotations

from agents.metrics.counting import Answers, DistinctGrams, NearRepeats, words_of
from agents.metrics.metric import CHRONICLE, SHARE, About, MeasuredWorld, Metric, Results, value_of
from vault.chronicle.event_log import LoggedEvent
from world.parsing import is_named

SPOKEN = frozenset({"said", "whispered", "paged", "shouted"})
"""The kinds of events that are speech."""

_NO_TURN = frozenset({"arrived", "present", "shared", "room_message", "announced", "thought"})
"""The kinds of events that are no act of their own: an arrival comes of the leaving before it."""

NO_SPEECH = "no agent has said anything"


def words_in(event: LoggedEvent) -> str:
    """Return what was said in an event, aloud or to one alone; empty if it is no speech."""
    return (event.words or event.secret) if event.kind in SPOKEN else ""


class Answered(Metric):
    """`answered`: of the times that an agent was spoken to, the share in which it answers within its next two acts.

    It is spoken to by words meant for it, by words that name it, and by words for nobody in particular if nobody else
    is there to hear them. It answers by saying anything that is not meant for somebody else. An act is an event of the
    agent in the chronicle, of which a walk is one. Of those to whom nothing has happened since, nothing is counted.
    """

    source = CHRONICLE
    figures = (About("answered", SHARE, "times an agent was spoken to", "answered within the agent's next two acts"),)

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._answers = Answers()

    def take_event(self, event: LoggedEvent) -> None:
        words = words_in(event)
        if event.who in self.world.agents and event.kind not in _NO_TURN:
            self._answers.take_turn(event.who, bool(words), event.to)
        for whom in self._addressed(event, words) if words else ():
            self._answers.address(whom, event.who)

    def results(self) -> Results:
        return {"answered": value_of(self._answers.share, "no agent was spoken to and had two acts since")}

    def _addressed(self, event: LoggedEvent, words: str) -> list[str]:
        if event.to:
            return [event.to] if event.to in self.world.agents and event.to != event.who else []
        here = [one for one in self.world.where.in_room(event.room) if one != event.who]
        named = [one for one in here if is_named(one, words)]
        return [one for one in named or (here if len(here) == 1 else []) if one in self.world.agents]


class Speeches(Metric):
    """`near_repeats` and `distinct_1`, `distinct_2`, `distinct_3`: of what agents say, aloud or to one alone.

    `near_repeats`: the share of speeches that share at least 60 % of their pairs of words with one of the 30 speeches
    before, whoever said that. `distinct_n`: of all runs of n words in the speeches of agents, the share that is
    different (distinct-n, Li et al. 2016). It falls with the number of runs: compare worlds of the same length.
    """

    source = CHRONICLE
    figures = (
        About("near_repeats", SHARE, "speeches of agents", "speeches that say what one of the 30 before has said"),
        *(
            About(f"distinct_{n}", SHARE, f"runs of {n} word{'s' * (n > 1)} in speeches", "runs that are different")
            for n in (1, 2, 3)
        ),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._repeats = NearRepeats()
        self._grams = {f"distinct_{n}": DistinctGrams(n) for n in (1, 2, 3)}

    def take_event(self, event: LoggedEvent) -> None:
        if words := words_in(event):
            is_agent = event.who in self.world.agents
            self._repeats.add(words, counts=is_agent)
            if is_agent:
                spoken = words_of(words)
                for grams in self._grams.values():
                    grams.add(spoken)

    def results(self) -> Results:
        distinct = {name: value_of(grams.share, NO_SPEECH) for name, grams in self._grams.items()}
        return {"near_repeats": value_of(self._repeats.share, NO_SPEECH), **distinct}
