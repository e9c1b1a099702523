"""A loop detector: an agent says or does the same again, walks to and fro, or does nothing at all.

Each action is compared with what the agent did and heard lately. One that shows a sign of a loop raises the score
(`strain`) by one, another lowers it: so what is done about loops grows step by step, and ends again. It is
deterministic, and knows no clock. How much two texts have in common is counted by their pairs of words.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, pairwise
from typing import TypeAlias

from agents.attending.conversation import is_question
from world.parsing import UNSPACED_SCRIPTS, parse_line

SPEECH = frozenset({"say", "whisper", "tell", "shout"})
TALK = SPEECH | {"think", "emote"}
"""Commands that change nothing in the world. An agent that types only these has done nothing."""

MAX_ACTIONS = 16
MAX_HEARD = 24
HEARD_LATELY = 6
"""Numbers of own actions and of heard speeches that are compared with, and of others' speeches for an echo."""

FEW_WORDS = 2
"""Maximum number of words that may be said a second time: yes, good morning."""

PART = 0.8
"""Minimum share of what was said to the agent that makes a speech an echo."""

TOO_OFTEN = 3
AMONG = 8
"""The same action `TOO_OFTEN` times among `AMONG` is a circle; a thought or pose is one when it comes again. Walking
has a rule of its own."""

MUCH_TALK = 6
"""Number of acts in a row, all of them talk, that count as talk instead of actions, unless a person talks to it."""

MAX_SCORE = 5


class Sign(Enum):
    """Signs of a loop. The value is the name of the sentence that tells the agent."""

    SAID_AGAIN = "said_again"
    ASKED_AGAIN = "asked_again"
    ECHOED = "echoed"
    IN_TURNS = "in_turns"
    DID_AGAIN = "did_again"
    TO_AND_FRO = "to_and_fro"
    ONLY_TALK = "only_talk"
    NO_COMMAND = "no_command"


@dataclass(frozen=True)
class Action:
    """A command that was typed: its verb, its arguments, and the room in which that left its author."""

    verb: str
    arguments: str
    room_id: str
    said: Shingles

    @property
    def is_speech(self) -> bool:
        return self.verb in SPEECH


@dataclass(frozen=True)
class HeardSpeech:
    """Something said by somebody; `who` is empty for one's own words."""

    who: str
    said: Shingles
    asks: bool


@dataclass(frozen=True)
class Detected:
    """A sign, the verb that showed it (empty if there was none), and how many times before the same was done."""

    sign: Sign
    verb: str
    times: int = 1


class LoopDetector:
    """The recent acts of an agent and the speeches it heard, and how much it loops.

    `found` are the signs of its newest action; `last_found` those of the newest action with any, while there is strain.
    `strain` is the score, from 0 (all is new) to `MAX_SCORE`.
    """

    def __init__(self) -> None:
        self.strain = 0
        self.found: tuple[Detected, ...] = ()
        self.last_found: tuple[Detected, ...] = ()
        self._actions: deque[Action] = deque(maxlen=MAX_ACTIONS)
        self._voices: deque[HeardSpeech] = deque(maxlen=MAX_HEARD)
        self._talked = 0

    def hear(self, who: str, text: str, is_person: bool = False) -> None:
        """Take in what somebody else has said, who `is_person` and not an agent."""
        self._voices.append(HeardSpeech(who, shingles(text), is_question(text)))
        if is_person:
            self._talked = 0

    def do(self, line: str, room_id: str) -> tuple[Detected, ...]:
        """Take in what the agent has typed and the room that it is in after that; return the signs that it shows."""
        self.found = self.signs_of(line, room_id)
        action = action_of(line, room_id)
        self._actions.append(action)
        if action.is_speech:
            self._voices.append(HeardSpeech("", action.said, is_question(action.arguments)))
        self._talked = self._talked + 1 if action.verb in TALK else 0
        self._count()
        return self.found

    def fail(self) -> None:
        """Take in that the agent has answered with no command."""
        self.found = (Detected(Sign.NO_COMMAND, ""),)
        self._count()

    def keep_silent(self, line: str, room_id: str) -> None:
        """Take in that the agent has not done a line, for it had said those words before; strain goes on."""
        self.found = self.signs_of(line, room_id)
        self._count()

    def is_verbatim(self, line: str, room_id: str) -> bool:
        """Return whether a line shows a sign, and is speech or a pose in the very words of one of the agent's last."""
        action = action_of(line, room_id)
        if not (action.is_speech or action.verb == "emote") or not self.signs_of(line, room_id):
            return False
        own = [voice.said for voice in self._voices if not voice.who]
        poses = [one.said for one in self._actions if one.verb == action.verb]
        return bool(is_similar(action.said, own if action.is_speech else poses, VERBATIM))

    def is_heard(self, words: str) -> bool:
        """Return whether the words were said a moment ago, except for one or two of them, or are the other's own."""
        said = shingles(words)
        if len(said) < FEW_WORDS:
            return False
        voices = list(self._voices)[-HEARD_LATELY * 2 :]
        latest = next((one.said for one in reversed(voices) if one.who), frozenset())
        is_part = len(said) > FEW_WORDS and len(said & latest) >= PART * len(said)
        return is_part or bool(is_similar(said, (voice.said for voice in voices), VERBATIM))

    def _count(self) -> None:
        self.strain = min(MAX_SCORE, self.strain + 1) if self.found else max(0, self.strain - 1)
        self.last_found = self.found or (self.last_found if self.strain else ())

    def signs_of(self, line: str, room_id: str) -> tuple[Detected, ...]:
        """Return the signs that a line would show if it were typed now and left the agent in a room."""
        action = action_of(line, room_id)
        found = [*self._of_speech(action), *self._of_action(action)]
        if action.verb in TALK and self._talked + 1 >= MUCH_TALK:
            found.append(Detected(Sign.ONLY_TALK, action.verb))
        return tuple(found)

    def _of_speech(self, action: Action) -> list[Detected]:
        if not action.is_speech:
            return []
        own = [voice for voice in self._voices if not voice.who]
        others = [voice for voice in self._voices if voice.who][-HEARD_LATELY:]
        before = is_similar(action.said, (voice.said for voice in own))
        found: list[Detected] = []
        if before < 2 and len(action.said) < FEW_WORDS:
            return found
        if before and is_question(action.arguments) and self._is_unanswered(action):
            found.append(Detected(Sign.ASKED_AGAIN, action.verb, before))
        elif before:
            found.append(Detected(Sign.SAID_AGAIN, action.verb, before))
        if is_similar(action.said, (voice.said for voice in others)):
            found.append(Detected(Sign.ECHOED, action.verb))
        if self._goes_round(action):
            found.append(Detected(Sign.IN_TURNS, action.verb))
        return found

    def _is_unanswered(self, action: Action) -> bool:
        """Return whether nobody has said anything since the same was last asked."""
        for voice in reversed(self._voices):
            if voice.who:
                return False
            if voice.asks and is_similar(action.said, [voice.said]):
                return True
        return False

    def _goes_round(self, action: Action) -> bool:
        """Return whether this speech is the second B of an A-B-A-B between its author and somebody else."""
        if len(self._voices) < 3:
            return False
        first, second, third = list(self._voices)[-3:]
        in_turns = bool(first.who) and not second.who and third.who == first.who
        return in_turns and bool(is_similar(first.said, [third.said]) and is_similar(second.said, [action.said]))

    def _of_action(self, action: Action) -> list[Detected]:
        if self._actions and action.room_id != self._actions[-1].room_id:
            rooms = [room_id for room_id, _ in groupby(one.room_id for one in (*self._actions, action))]
            return [Detected(Sign.TO_AND_FRO, action.verb)] if goes_to_and_fro(rooms) else []
        if action.is_speech:
            return []
        before = [one for one in list(self._actions)[-AMONG + 1 :] if one.verb == action.verb]
        if action.verb in TALK:
            times, too_often = is_similar(action.said, (one.said for one in before)), 1
        else:
            times, too_often = sum(one.arguments == action.arguments for one in before), TOO_OFTEN - 1
        return [Detected(Sign.DID_AGAIN, action.verb, times)] if times >= too_often else []


def action_of(line: str, room_id: str) -> Action:
    """Return a line as it counts here: without its reason, in lower case, its words as pairs."""
    typed = parse_line(line)
    arguments = " ".join(typed.arguments.casefold().split())
    return Action(typed.verb, arguments, room_id, shingles(arguments))


def goes_to_and_fro(rooms: Sequence[str]) -> bool:
    """Return whether a walk, no room twice in a row, ends in A-B-A-B."""
    return len(rooms) >= 4 and rooms[-1] == rooms[-3] and rooms[-2] == rooms[-4]


ALIKE = 0.6
"""Minimum similarity of two speeches that say the same."""

VERBATIM = 0.8
"""Minimum similarity of two speeches that say the same in the same words, except for one or two."""

Shingles: TypeAlias = frozenset[tuple[str, ...]]

# Of writing that puts no blanks between words each character counts as one.
_UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in UNSPACED_SCRIPTS)

_WORD = re.compile(rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+(?:['’][^\W_]+)*")


def words_in(text: str) -> list[str]:
    """Return the words of a text, in lower case; of writing without blanks each character counts as one."""
    return _WORD.findall(text.casefold().replace("’", "'"))


def shingles(text: str) -> Shingles:
    """Return the pairs of neighbouring words of a text; of one word, or none, that."""
    words = words_in(text)
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset((word,) for word in words)


def similarity(one: Shingles, other: Shingles) -> float:
    """Return from 0, nothing in common, to 1, the same, how alike two texts are; one without words is like none."""
    both = len(one & other)
    return both / (len(one) + len(other) - both) if both else 0.0


def is_similar(one: Shingles, others: Iterable[Shingles], least: float = ALIKE) -> int:
    """Return the number of other speeches that are at least this similar to one."""
    return sum(similarity(one, other) >= least for other in others)
