"""Metrics of an agent by itself: its commands, its loops, and what its prompts and answers take and hold."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Hashable, Sequence

from agents.memory.facts.speech_acts import content_words
from agents.metrics.metric import (
    ARCHIVE,
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
from agents.metrics.statistics import Share
from agents.repetition.loop_detector import SPEECH, words_in
from vault.memory.archive_exchanges import Question
from vault.memory.memory_line import Memory
from world.navigation import STEPS
from world.parsing import Line, parse_line

WALKING = frozenset({"go", *STEPS, "up", "down"})
"""Verbs that are a walk."""

MAX_LOOP_PERIOD = 3
"""Maximum number of steps of a loop."""

NO_ANSWERS = "no model has answered"
NO_COMMANDS = "no command was given"


class Validity(Metric):
    """`validity`: of the answers of models that counted, the share that led to a command which was done.

    An answer counts unless it was discarded, or suppressed as a repetition. An answer with no command in it, and one
    whose command was refused, are not valid. What the engine does without a model is not counted.
    """

    source = ARCHIVE
    figures = (
        About("validity", SHARE, "answers of models that counted", "answers that led to a command which was done"),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._valid = Share()

    def take_question(self, agent: str, question: Question) -> None:
        if not (question.was_discarded or question.was_suppressed):
            self._valid += Share(bool(question.command) and not question.is_refused, 1)

    def results(self) -> Results:
        return {"validity": value_of(self._valid, NO_ANSWERS)}


class ExactRepeats:
    """Finds the `share` of acts of agents that are the same to the letter as an earlier one of the same agent.

    Case, punctuation and blanks do not count. Walking is not to be fed.
    """

    def __init__(self) -> None:
        self.share = Share()
        self._seen: set[int] = set()

    def add(self, who: str, line: str) -> None:
        """Take in a command that somebody gave."""
        key = hash((who, *words_in(line)))
        self.share += Share(key in self._seen, 1)
        self._seen.add(key)


class Loops:
    """Counts the loops in the life of one agent: of its acts, and of its walk through rooms; see `loops_in`."""

    def __init__(self) -> None:
        self._deeds, self._rooms = array("q"), array("q")

    def add(self, line: str, room: str) -> None:
        """Take in a command, without its private reason, and the room of its author; an empty line is no act."""
        if line:
            self._deeds.append(hash(line.casefold()))
        if not self._rooms or self._rooms[-1] != hash(room):
            self._rooms.append(hash(room))

    @property
    def count(self) -> int:
        """The number of loops."""
        return loops_in(self._deeds) + loops_in(self._rooms, 2)


def loops_in(steps: Sequence[Hashable], shortest_period: int = 1) -> int:
    """Return how many stretches of a life repeat a cycle: of one step thrice, of two or three steps twice."""
    found, start = 0, 0
    while start < len(steps):
        length = max(_cycle_at(steps, start, period) for period in range(shortest_period, MAX_LOOP_PERIOD + 1))
        found += bool(length)
        start += length or 1
    return found


def _cycle_at(steps: Sequence[Hashable], start: int, period: int) -> int:
    """Return how many steps from `start` on go round with a period, or 0 if that is not long enough."""
    end = start + period
    while end < len(steps) and steps[end] == steps[end - period]:
        end += 1
    rounds = 3 if period == 1 else 2
    is_simple = period > 1 and len(set(steps[start : start + period])) == 1
    return end - start if end - start >= rounds * period and not is_simple else 0


class Commands(Metric):
    """`refusals`, `speech_share`, `exact_repeats`, `loops`: of the commands in the journals.

    `refusals`: the share of all commands whose result, up to the next command, is marked as refused.
    `speech_share`: of the commands that were done, the share whose verb is say, whisper, tell or shout.
    `exact_repeats`: of the commands but walking, refused ones too, the share that is the same as an earlier one of the
    same agent, without its private reason; case and punctuation do not count.
    `loops`: stretches in which an agent does the same thing three times, or goes through the same two or three things
    twice, and stretches of its walk that go through the same two or three rooms twice; for each 100 commands.
    """

    source = JOURNAL
    figures = (
        About("refusals", SHARE, "commands", "commands that the world refused"),
        About("speech_share", SHARE, "commands done", "commands that were speech"),
        About("exact_repeats", SHARE, "commands but walking", "commands that an agent had given before, to the letter"),
        About("loops", "per 100 commands", "commands", "stretches in which an agent goes in a circle"),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._commands = self._refused = self._spoken = 0
        self._repeats = ExactRepeats()
        self._loops: dict[str, Loops] = {}
        self._last: dict[str, Line] = {}

    def take_memory(self, agent: str, memory: Memory) -> None:
        if memory.kind == "acted":
            line = parse_line(memory.text)
            self._commands += 1
            self._spoken += line.verb in SPEECH
            self._last[agent] = line
            bare = f"{line.verb} {line.arguments}".strip()
            self._loops.setdefault(agent, Loops()).add(bare, memory.room)
            if line.verb not in WALKING:
                self._repeats.add(agent, bare)
        elif memory.kind == "result" and memory.refused and (refused := self._last.pop(agent, None)):
            self._refused += 1
            self._spoken -= refused.verb in SPEECH

    def results(self) -> Results:
        loops = sum(one.count for one in self._loops.values())
        per_100 = Value(100 * loops / self._commands, self._commands) if self._commands else Unknown(NO_COMMANDS)
        return {
            "refusals": value_of(Share(self._refused, self._commands), NO_COMMANDS),
            "speech_share": value_of(Share(self._spoken, self._commands - self._refused), NO_COMMANDS),
            "exact_repeats": value_of(self._repeats.share, "no command but walking was given"),
            "loops": per_100,
        }


USED_WORDS = 2
"""Minimum number of words that an answer has in common with a memory that it uses."""


class Tokens(Metric):
    """`prompt_tokens`, `completion_tokens`, `cost`, `cache_share`: of thoughts and reflections, discarded ones too.

    Tokens are means over answers. `cost` is the sum, by `price_in` and `price_out` in config/models.md, in whatever
    money these are; unknown if one of the models has no price there (0 is a price). `cache_share` is of prompt tokens
    that the server has counted, so answers without such a figure are left out. Summaries are not counted: the archive
    does not have their tokens.
    """

    source = ARCHIVE
    figures = (
        About("prompt_tokens", "tokens an answer", "answers of models", "how long a prompt is"),
        About("completion_tokens", "tokens an answer", "answers of models", "how long an answer is"),
        About("cost", "money of config/models.md", "answers of models", "what all answers cost"),
        About("cache_share", SHARE, "prompt tokens", "prompt tokens that the model's cache had"),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._answers = self._cached = self._of_cache = 0
        self._prompt, self._completion = Counter[str](), Counter[str]()

    def take_question(self, agent: str, question: Question) -> None:
        self._take(question.entry)
        for entry in question.after:
            if entry["event"] == "reflection":
                self._take(entry)

    def _take(self, entry: dict[str, object]) -> None:
        prompt, completion, cached = (
            entry.get(name) for name in ("prompt_tokens", "completion_tokens", "cached_tokens")
        )
        if not (isinstance(prompt, int) and isinstance(completion, int)):
            return
        self._answers += 1
        self._prompt[str(entry.get("model", ""))] += prompt
        self._completion[str(entry.get("model", ""))] += completion
        if isinstance(cached, int):
            self._cached += cached
            self._of_cache += prompt

    def results(self) -> Results:
        if not self._answers:
            return {one.name: Unknown(NO_ANSWERS) for one in self.figures}
        return {
            "prompt_tokens": Value(self._prompt.total() / self._answers, self._answers),
            "completion_tokens": Value(self._completion.total() / self._answers, self._answers),
            "cost": self._cost(),
            "cache_share": value_of(Share(self._cached, self._of_cache), "no server has told of its cache"),
        }

    def _cost(self) -> Value | Unknown:
        millionths, unpriced = 0.0, list[str]()
        for name in sorted(self._prompt):
            if price := self.world.price_of(name):
                millionths += self._prompt[name] * price[0] + self._completion[name] * price[1]
            else:
                unpriced.append(name or "a model without a name")
        if unpriced:
            return Unknown(f"config/models.md has no price_in and price_out for {', '.join(unpriced)}")
        return Value(millionths / 1e6, self._answers)


class Retrieval(Metric):
    """`retrieval_hits` and `retrieval_used`: what came to mind of old memories and notes.

    `retrieval_hits`: of the answers that counted, the share before which retrieval had brought at least one memory or
    note into the prompt. `retrieval_used`: of the memories brought there, the share with which the answer has at least
    two content words in common. That says that they may have been of use, not that they were.
    """

    source = ARCHIVE
    figures = (
        About("retrieval_hits", SHARE, "answers of models that counted", "prompts into which something was retrieved"),
        About("retrieval_used", SHARE, "memories retrieved", "memories of which the answer has two words or more"),
    )

    def __init__(self, world: MeasuredWorld) -> None:
        super().__init__(world)
        self._answers = self._hits = self._retrieved = self._used = 0

    def take_question(self, agent: str, question: Question) -> None:
        if question.was_discarded or question.was_suppressed:
            return
        self._answers += 1
        retrieved = question.entry.get("retrieved")
        if not isinstance(retrieved, list) or not retrieved:
            return
        self._hits += 1
        reply = content_words(str(question.entry.get("reply", "")))
        lines = question.prompt_note("recollected").split("\n")
        for line in (line for line in lines if line.strip()):
            self._retrieved += 1
            self._used += len(content_words(line.partition(": ")[2] or line) & reply) >= USED_WORDS

    def results(self) -> Results:
        return {
            "retrieval_hits": value_of(Share(self._hits, self._answers), NO_ANSWERS),
            "retrieval_used": value_of(Share(self._used, self._retrieved), "nothing was retrieved"),
        }
