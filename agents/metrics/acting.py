"""Metrics of actions: validity, refusals, speech, repeats and loops."""

from __future__ import annotations

from agents.metrics.counting import ExactRepeats, Loops
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
from agents.metrics.shares import Share
from agents.repetition.loop_detector import SPEECH
from vault.memory.archive_exchanges import Question
from vault.memory.memory_line import Memory
from world.navigation import STEPS
from world.parsing import Line, parse_line

WALKING = frozenset({"go", *STEPS, "up", "down"})
"""Verbs that are a walk."""

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
        self._valid = self._all = 0

    def take_question(self, agent: str, question: Question) -> None:
        if not (question.was_discarded or question.was_suppressed):
            self._all += 1
            self._valid += bool(question.command) and not question.is_refused

    def results(self) -> Results:
        return {"validity": value_of(Share(self._valid, self._all), NO_ANSWERS)}


class Commands(Metric):
    """`refusals`, `speech_share`, `exact_repeats`, `loops`: of the commands that stand in the journals.

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
