"""The conversation at an agent's place, and its manners: whose turn it is, whom it has greeted, when to end.

It begins again when the agent walks into a room, except that the agent remembers for a while whom it has spoken to.
Nothing here asks a model.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache

from agents.attending.questions import asks_once_more, written_out
from agents.memory.facts.speech_acts import sentences
from agents.reflection.speech_facts import key_words
from world.events import Arrived, Emoted, Event, Gave, Left, Said, Whispered
from world.find import called_elsewhere
from world.message_catalog import Wording
from world.parsing import has_phrase, is_called, is_named
from world.sanitize import name_key
from world.world import World

IN_TALK_MS = 90_000
"""Milliseconds in which an agent does not walk off after a person came, spoke to it or led it along."""

ANSWER_MS = 45_000
"""Milliseconds in which an agent leaves one of two others time to answer the other."""

MET_MS = 900_000
"""Milliseconds after a speech to somebody in which an agent that has walked off and comes back greets them no more."""

KEPT_TURNS = 2
"""Number of speeches that are searched for a talk of two others."""

Speech = tuple[str, str]
"""The id of the speaker and the id of the addressee; the second is empty if the words are for nobody in particular."""

NO_SPEECH: Speech = ("", "")


@dataclass(frozen=True)
class Manners:
    """The demands of the conversation on an agent at this moment.

    `in_talk_with` is the id of the person who talks with it, or empty. `is_waiting` is true while nobody has spoken
    since its own last words here, and `others_talk` while two others here talk with each other. `spoken_to` holds the
    ids of those it has spoken to lately, `posed` the ids of those who have posed since they came. `words_here` counts
    its own speeches in this room. `has_parted` is true once it and somebody else have both said good-bye.
    """

    in_talk_with: str = ""
    is_waiting: bool = False
    others_talk: bool = False
    spoken_to: frozenset[str] = frozenset()
    words_here: int = 0
    has_parted: bool = False
    posed: frozenset[str] = frozenset()


class Conversation:
    """The conversation in the room of the agent called `name`."""

    def __init__(self, name: str, now_ms: Callable[[], int]) -> None:
        self._name = name
        self._now_ms = now_ms
        self._person, self._person_ms, self._spoken_ms = "", 0, 0
        self._spoken_to: dict[str, int] = {}  # when, in milliseconds
        self._begin()

    def _begin(self) -> None:
        self._turns: deque[Speech] = deque(maxlen=KEPT_TURNS)
        self._spoken_to = {one: at for one, at in self._spoken_to.items() if self._now_ms() - at < MET_MS}
        self._parted: set[str] = set()
        self._posed: set[str] = set()
        self._words_here = 0
        self._is_waiting = False

    def observe(self, event: Event, world: World) -> None:
        """Take in an event that the agent perceives, its own included."""
        own = event.actor_id == self._name
        match event:
            case Arrived() | Left() if own:
                self._begin()
                self._person = ""
                if leader := world.characters[self._name].transient.following_id:
                    self._attend(leader, world)
            case Arrived() | Left():
                other = world.characters.get(event.actor_id)
                if other is None or other.transient.following_id != self._name:
                    self._spoken_to.pop(event.actor_id, None)
                self._parted.discard(event.actor_id)
                self._posed.discard(event.actor_id)
                if event.actor_id == self._person:
                    self._person = ""
                if isinstance(event, Arrived):
                    self._is_waiting = False
                    self._attend(event.actor_id, world)
            case Said() | Whispered():
                self._hear(event, world, own)
            case Gave(to_id=to_id) if to_id == self._name:
                self._attend(event.actor_id, world)
            case Emoted() if not own:
                self._is_waiting = False
                self._posed.add(event.actor_id)

    def manners(self) -> Manners:
        """Return the demands of the conversation on the agent now."""
        is_in_talk = bool(self._person) and self._now_ms() - self._person_ms < IN_TALK_MS
        return Manners(
            self._person if is_in_talk and self._person not in self._parted else "",
            self._is_waiting,
            self._do_others_talk(),
            frozenset(self._spoken_to),
            self._words_here,
            self._name in self._parted and len(self._parted) > 1,
            frozenset(self._posed),
        )

    def _hear(self, event: Said | Whispered, world: World, own: bool) -> None:
        to_id = addressee(event, self._turns[-1] if self._turns else NO_SPEECH, world)
        meant = world.characters.get(to_id)
        if to_id and (meant is None or meant.room_id != event.room_id):
            self._is_waiting = own
            return
        says_goodbye = is_farewell(event.text, world.wording)
        if own:
            others = [to_id] if to_id else [one.character_id for one in world.occupants(event.room_id)]
            self._spoken_to |= {one: self._now_ms() for one in others if one != self._name}
            self._words_here += 1
            self._is_waiting = True
            self._attend(to_id, world)
        else:
            self._is_waiting = False
            if to_id in ("", self._name):
                self._attend(event.actor_id, world)
        self._turns.append((event.actor_id, to_id))
        self._spoken_ms = self._now_ms()
        if says_goodbye:
            self._parted.add(event.actor_id)
        elif not own:
            self._parted.discard(event.actor_id)

    def _attend(self, actor_id: str, world: World) -> None:
        other = world.characters.get(actor_id)
        if other is not None and not other.is_agent:
            self._person, self._person_ms = actor_id, self._now_ms()

    def _do_others_talk(self) -> bool:
        """Return whether one of two others has just spoken to the other, or the last two speeches were theirs."""
        *before, newest = self._turns or [NO_SPEECH]
        if not newest[1] or self._name in newest:
            return False
        is_due = self._now_ms() - self._spoken_ms < ANSWER_MS
        return is_due or bool(before and set(before[-1]) == set(newest))


def is_spoken_to(name: str, words: str, wording: Wording) -> bool:
    """Return whether words that name somebody are said to them: "Moss, is it late?", not "What is Moss like?".

    The phrases in which somebody is only mentioned stand in `text/talk.md`.
    """
    if not is_named(name, words):
        return False
    if is_called(name, words) or has_phrase(wording("talk.calls", who=name), written_out(words)):
        return True
    return not has_phrase(wording("talk.mentions", who=name), words)


def addressee(event: Said | Whispered, before: Speech, world: World) -> str:
    """Return the id of the addressee of a speech, empty if the words are for nobody in particular.

    The addressee is whom the words are known to be meant for, or the character that they call by name, who may be out
    of hearing. Words that call nobody are for the one who spoke to this speaker in the speech `before` it in the same
    room, if that character is still here.
    """
    if meant_for := event.to_id or (event.meant_for_id if isinstance(event, Said) else ""):
        return meant_for
    here = [one for one in world.occupants(event.room_id) if one.character_id != event.actor_id]
    say = world.wording
    if called := next((one.character_id for one in here if is_spoken_to(one.name, event.text, say)), ""):
        return called
    if absent := called_elsewhere(world, event.room_id, event.text):
        return absent.character_id
    speaker, to_id = before
    return speaker if to_id == event.actor_id and any(one.character_id == speaker for one in here) else ""


def is_question(words: str, wording: Wording) -> bool:
    """Return whether words ask something: by a question mark, or by how a sentence begins, in `text/talk.md`."""
    if "?" in words:
        rhetorical = wording("talk.rhetorical")
        meant = [one for one in sentences(words) if not has_phrase(rhetorical, one)]
        if not meant or "?" in (words := " ".join(meant)):
            return True
    if asks_once_more(words):
        return True
    words = written_out(words)
    parts = [part for one in sentences(words) for part in {one, one.rpartition(": ")[2]}]
    if parts and parts[-1][-1].isalnum():  # somebody who types no marks may ask at the end
        parts.append(re.split("[,;:–—-] ", parts[-1])[-1])
    begins, lead = _compared(wording("talk.asks")), _words_of(wording("talk.leads"))
    texts = [_without_lead(one, lead) for one in parts]
    texts = [one for one in texts if not _TELLS.match(one)]
    return any(is_begun_by(phrase, one) for one in texts if one.startswith(begins) for phrase in begins)


@lru_cache(maxsize=32)  # asked of every speech, and the same as long as the texts of the world are
def _compared(phrases: str) -> tuple[str, ...]:
    """Return phrases of `text/talk.md` as they are compared."""
    return tuple(name_key(phrase) for phrase in phrases.split("; "))


@lru_cache(maxsize=32)
def _words_of(words: str) -> frozenset[str]:
    return frozenset(words.split("; "))


def _without_lead(sentence: str, lead: Collection[str]) -> str:
    """Return a sentence as it is compared, without words like "so", or one before a comma, in front."""
    text = name_key(sentence)
    while (found := _FIRST_WORD.match(text)) and (found[1] in lead or found[2][0] == ","):
        text = text[found.end() :]
    return text


_WHO = r"(?:i|we|he|she|they|my|our|his|her|their|everybody|people)\b"
_NOT_TO_GET = r"(?! (?:can |could |do |may )?(?:get|find|go|buy|reach|come|put|sleep|eat|look|see|sit)\b)"
_TELLS = re.compile(
    rf"what an? |do you know, |(?:when|why) {_WHO}|how {_WHO}{_NOT_TO_GET}"
    rf"|(?:what|where) {_WHO}{_NOT_TO_GET}(?:\W+\w+){{3}}"
    r"|when (?!(?:do|does|did|is|are|was|were|will|would|can|could|shall|should|has|have)\b)[^,]*, \w"
    r"|(?:did|do|does|is|are|was|were|have|has|could|would|will) not |how very \w+\b(?! (?:is|are|was|were)\b)"
    r"|how \w+ (?:it|that|this|he|she|they|you) (?:is|was|are|were|looks?)\b"
)
"""An exclamation, or a clause that tells something, as in "When I was small, we had one."."""

_FIRST_WORD = re.compile(r"(\w+)([\s,.!…–—-]+)")


def is_begun_by(phrase: str, text: str) -> bool:
    """Return whether a text begins with a phrase as words of its own; both as they are compared."""
    return text.startswith(phrase) and not text[len(phrase) : len(phrase) + 1].isalnum()


_CALLS_NEXT = re.compile(r"\W*(?!I\b)[A-Z]")


def greeting_in(words: str, wording: Wording) -> str:
    """Return the greeting that words begin with, one of the phrases in `text/talk.md`; empty if they do not."""
    text = name_key(words)
    found = (one for one in wording("talk.greetings").split("; ") if is_begun_by(name_key(one), text))
    return max(found, key=len, default="")


def beyond_greeting(words: str, name: str, wording: Wording) -> str:
    """Return words without the sentences that only greet the one with this name; all, where there are no others."""
    told = list(sentences(words))
    empty = key_words(f"{name} {wording('talk.greetings')}")
    left = [one for one in told if not greeting_in(one, wording) or key_words(one) - empty]
    return words if len(left) in (0, len(told)) else " ".join(left)


def without_idle_phrases(words: str) -> str:
    """Return words without phrases such as "you know", "if you ask me" or "sorry but", which speak to nobody."""
    return _IDLE.sub("", words).strip()


_IDLE = re.compile(
    r"(?:^|(?<=[.!?] ))(?:(?:do )?you (?:know|see|understand)|I tell you|mind you|if you ask me), "
    r"|, (?:you (?:know|see|understand)|mind you|if you ask me|I (?:can )?tell you)(?=[,.!?]|$)"
    r"|, I(?:['’]ll| will| can) tell you(?: that)?(?: for nothing)?(?=[,.!?]|$)"
    r"|\b(?:I am |I['’]m |im )?sorry,? but ",
    re.IGNORECASE,
)


def greets_by_name(words: str, greeting: str) -> bool:
    """Return whether a name follows the greeting that words begin with: of a guest it may be one that people know."""
    return bool(_CALLS_NEXT.match(re.split("[.!?…]", words, maxsplit=1)[0][len(greeting) :]))


def is_farewell(words: str, wording: Wording) -> bool:
    """Return whether words say good-bye; the phrases stand in `text/talk.md`."""
    return any(is_named(phrase, words) for phrase in wording("talk.farewells").split(", "))
