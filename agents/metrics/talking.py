"""Metrics of what passes between agents: answers, repeated words, a planted fact, and promises."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from agents.metrics.metric import (
    CHRONICLE,
    JOURNAL,
    SHARE,
    About,
    MeasuredWorld,
    Metric,
    Results,
    Unknown,
    Value,
    value_of,
)
from agents.metrics.moments import RULES, Settings, TopMoments, overlap_key, repeats
from agents.metrics.statistics import Share
from agents.repetition.loop_detector import SPEECH, Shingles, is_similar, shingles, words_in
from vault.chronicle.event_log import LoggedEvent, second_name
from vault.chronicle.intake import RuleState
from vault.memory.memory_line import Memory
from world.parsing import is_named, parse_line

SPOKEN = frozenset({"said", "whispered", "paged", "shouted"})
"""The kinds of events that are speech."""

_NO_TURN = frozenset({"arrived", "present", "shared", "room_message", "announced", "thought"})
"""The kinds of events that are no act of their own: an arrival comes of the leaving before it."""

MAX_SPEECHES_COMPARED = 30
"""Number of earlier speeches, of any speaker, that a speech is compared with for near repeats."""

MAX_TURNS_TO_ANSWER = 2
"""Number of its own turns in which an agent should say something to the one who spoke to it."""

NO_SPEECH = "no agent has said anything"


def speech_in(event: LoggedEvent) -> str:
    """Return the words of an event, aloud or to one alone; empty if it is no speech."""
    return (event.words or event.secret) if event.kind in SPOKEN else ""


class Answers:
    """Finds the `share` of times that somebody spoken to answers within their next `MAX_TURNS_TO_ANSWER` turns.

    If somebody has had fewer turns since and has not answered yet, it is not counted.
    """

    def __init__(self) -> None:
        self.share = Share()
        self._open: dict[str, list[tuple[str, int]]] = {}

    def address(self, whom: str, by: str) -> None:
        """Take in that somebody was spoken to."""
        self._open.setdefault(whom, []).append((by, 0))

    def take_turn(self, who: str, speaks: bool, to: str = "") -> None:
        """Take in a turn of somebody. Words meant for one (`to`) answer nobody else."""
        waiting = list[tuple[str, int]]()
        for by, turns in self._open.pop(who, ()):
            answered = speaks and to in ("", by)
            if answered or turns + 1 >= MAX_TURNS_TO_ANSWER:
                self.share += Share(answered, 1)
            else:
                waiting.append((by, turns + 1))
        if waiting:
            self._open[who] = waiting


class Answered(Metric):
    """`answered`: of the times that an agent was spoken to, the share in which it answers within its next two acts.

    Words speak to it if they are meant for it, if they name it, or if they are for nobody in particular and nobody else
    is there to hear them. It answers by saying anything that is not meant for somebody else. An act is an event of the
    agent in the chronicle, such as a walk. An agent to whom nothing has happened since is not counted.
    """

    source = CHRONICLE
    figures = (About("answered", SHARE, "times an agent was spoken to", "answered within the agent's next two acts"),)

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._answers = Answers()

    def take_event(self, event: LoggedEvent) -> None:
        words = speech_in(event)
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


class NearRepeats:
    """Finds the `share` of speeches that say the same as one of the `MAX_SPEECHES_COMPARED` before, of any speaker.

    Two say the same if they share 60 % of their pairs of words: see `loop_detector.similarity`.
    """

    def __init__(self) -> None:
        self.share = Share()
        self._before: deque[Shingles] = deque(maxlen=MAX_SPEECHES_COMPARED)

    def add(self, words: str, counts: bool = True) -> None:
        """Take in a speech; one that does not count is only compared with."""
        said = shingles(words)
        if counts:
            self.share += Share(bool(is_similar(said, self._before)), 1)
        self._before.append(said)


class DistinctGrams:
    """Counts how many of the runs of `length` words in speeches are different ones (distinct-n, Li et al. 2016)."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._seen: set[int] = set()
        self._of = 0

    def add(self, words: Sequence[str]) -> None:
        """Take in the words of a speech."""
        runs = range(len(words) - self._length + 1)
        self._seen.update(hash(tuple(words[start : start + self._length])) for start in runs)
        self._of += len(runs)

    @property
    def share(self) -> Share:
        """The share of different runs among all runs."""
        return Share(len(self._seen), self._of)


class Speeches(Metric):
    """`near_repeats` and `distinct_1`, `distinct_2`, `distinct_3`: of what agents say, aloud or to one alone.

    `near_repeats`: the share of speeches that share at least 60 % of their pairs of words with one of the 30 speeches
    before, of any speaker. `distinct_n`: the share of different runs among all runs of n words in the speeches of
    agents (distinct-n, Li et al. 2016). It falls with the number of runs: compare worlds of the same length.
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
        if words := speech_in(event):
            is_agent = event.who in self.world.agents
            self._repeats.add(words, counts=is_agent)
            if is_agent:
                spoken = words_in(words)
                for grams in self._grams.values():
                    grams.add(spoken)

    def results(self) -> Results:
        distinct = {name: value_of(grams.share, NO_SPEECH) for name, grams in self._grams.items()}
        return {"near_repeats": value_of(self._repeats.share, NO_SPEECH), **distinct}


HOUR_MS = 3_600_000
NO_FACT = "no fact was named; give one with --fact"

_LEARNING = frozenset({"observed", "told", "result", "noted"})
"""The kinds of memories from which an agent learns something; what it thinks or dreams is its own."""


class Diffusion(Metric):
    """`diffusion` and `diffusion_half_hours`: who knows a planted fact, and when.

    An agent knows it from its first memory on that repeats the fact: what it perceived, heard, read or was given by
    hand, or said itself. A text repeats the fact if it has 60 % of its content words, or half of its pairs of words
    (the rule by which the chronicle knows secrets passed on). `diffusion` is the share of all agents that know it at
    the end; `diffusion_half_hours` is how many hours after the first of them half of all agents knew it.
    """

    source = JOURNAL
    figures = (
        About("diffusion", SHARE, "agents", "agents that know the planted fact at the end"),
        About("diffusion_half_hours", "hours of the world", "agents", "until half of the agents knew it"),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self.known_from: dict[str, tuple[int, str]] = {}
        self._fact = overlap_key(world.fact)
        self._stems = tuple(self._fact["words"]) or tuple(world.fact.casefold().split())

    def take_memory(self, agent: str, memory: Memory) -> None:
        known = self.known_from.get(agent)
        if not self.world.fact or (known and known[0] <= memory.at_ms):
            return
        text = memory.text
        if memory.kind == "acted":
            line = parse_line(text)
            text = line.arguments if line.verb in SPEECH else ""
        elif memory.kind not in _LEARNING:
            return
        if self._tells(text):
            how = "said it" if memory.kind == "acted" else memory.kind
            self.known_from[agent] = memory.at_ms, f"{how}, memory {memory.seq}"

    def results(self) -> Results:
        if not self.world.fact:
            return {one.name: Unknown(NO_FACT) for one in self.figures}
        times = sorted(at_ms for at_ms, _ in self.known_from.values())
        half = -(-len(self.world.agents) // 2)
        return {
            "diffusion": value_of(Share(len(times), len(self.world.agents)), "there are no agents"),
            "diffusion_half_hours": Value((times[half - 1] - times[0]) / HOUR_MS, len(self.world.agents))
            if 0 < half <= len(times)
            else Unknown(f"{len(times)} of {len(self.world.agents)} agents know it, fewer than half"),
        }

    def details(self) -> Sequence[str]:
        """Return who knows it from when on, the first one first."""
        return [
            f"{second_name(at_ms).replace('T', ' ')}  {name} knows the fact ({how})"
            for name, (at_ms, how) in sorted(self.known_from.items(), key=lambda pair: (pair[1][0], pair[0]))
        ]

    def _tells(self, text: str) -> bool:
        low = text.casefold()
        return any(stem in low for stem in self._stems) and repeats(overlap_key(text), self._fact)


class Promises(Metric):
    """`promises_kept`: of the promises that agents make, the share that the chronicle sees kept.

    Promises and their keeping are found by the chronicle's rules for top moments. A promise is known by English words
    and by the `promise_phrases` of the world. It is kept when a thing that it names is given to the other one, or one
    of the two says that it is done. The same promise made again counts once. An open promise counts as not kept.
    """

    source = CHRONICLE
    figures = (About("promises_kept", SHARE, "promises of agents", "promises that were kept"),)

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        rules = {name: RULES[name] for name in ("promise_kept", "promise_made")}
        self._rules, self._state = TopMoments(Settings(lexicon=world.lexicon), rules), RuleState()
        self._number = self._made = self._kept = 0
        self._open: dict[int, int] = {}

    def take_event(self, event: LoggedEvent) -> None:
        self._number += 1
        for moment in self._rules.moments_of(self._number, event, self._state):
            promise = moment.events[0]
            if moment.rule == "promise_kept" and self._open.get(promise):
                self._open[promise] -= 1
                self._kept += 1
            elif moment.rule == "promise_made" and event.who in self.world.agents:
                self._open[promise] = self._open.get(promise, 0) + 1
                self._made += 1
        self._state.changed.clear()

    def results(self) -> Results:
        return {"promises_kept": value_of(Share(self._kept, self._made), "no agent has promised anything")}
