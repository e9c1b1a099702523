"""Top moments, found by rule in the events of a world; see `RULES`.

What happened is known by the types of events, in any language. What was promised is known by English words and by
those of `text/chronicle.md`, a quarrel by the words of that note alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache

from agents.memory.facts.speech_acts import classify, content_words, is_same_topic, sentences, tells_of_keeping
from agents.repetition.loop_detector import shingles
from vault.chronicle.event_log import OPENED, LoggedEvent
from vault.chronicle.intake import Moment, RuleState
from vault.memory.facts_note import PROMISES
from world.parsing import is_named

MIN_SECRET_WORDS = 3
MIN_PAIRS = 4
REPEATED_SHARE = 0.6
REPEATED_PAIRS = 0.5
"""The shares of a secret's words, and of its pairs of words, at which a speech passes it on."""

_STEM = 5
"""Number of letters of a longer word that are compared: `stone` and `stones` are the same."""


@dataclass(frozen=True)
class Lexicon:
    """Phrases by which a world knows promises and quarrels, in lower case."""

    promise_phrases: tuple[str, ...] = ()
    quarrel_phrases: tuple[str, ...] = ()

    def promises(self, text: str) -> bool:
        """Return whether a text has one of the phrases for promises."""
        return not text.endswith("?") and _has(text, self.promise_phrases)

    def quarrels(self, text: str) -> bool:
        """Return whether a text has one of the phrases for quarrels."""
        return bool(text) and _has(text, self.quarrel_phrases)


def phrases(text: str) -> tuple[str, ...]:
    """Return the phrases of a list with commas."""
    return tuple(one.strip().casefold() for one in text.split(",") if one.strip())


def _has(text: str, known: tuple[str, ...]) -> bool:
    pattern = _pattern(known)
    return pattern is not None and pattern.search(text.casefold()) is not None


@lru_cache(maxsize=16)
def _pattern(known: tuple[str, ...]) -> re.Pattern[str] | None:
    """Return a pattern of whole phrases; one that is not ASCII may be within a word, as where no spaces are."""
    bounded = [rf"\b{re.escape(one)}\b" if one.isascii() else re.escape(one) for one in known]
    return re.compile("|".join(bounded)) if bounded else None


Overlap = Mapping[str, Collection[str]]
"""The parts of a speech that `repeats` compares: its content `words`, and its `pairs` of neighbouring words."""


def overlap_key(text: str) -> Overlap:
    """Return the parts of a speech that `repeats` compares, each once."""
    words = {word[:_STEM] for word in content_words(text)}
    return {"words": words, "pairs": {" ".join(pair) for pair in shingles(text)}}


def repeats(spoken: Overlap, secret: Overlap) -> bool:
    """Return whether a speech repeats most of another, in any language."""
    by_words = len(secret["words"]) >= MIN_SECRET_WORDS and _share(spoken, secret, "words") >= REPEATED_SHARE
    return by_words or (len(secret["pairs"]) >= MIN_PAIRS and _share(spoken, secret, "pairs") >= REPEATED_PAIRS)


def _share(spoken: Overlap, secret: Overlap, part: str) -> float:
    known = spoken[part]
    return sum(one in known for one in secret[part]) / len(secret[part])


def shared_topic(text: str, promise: str) -> bool:
    """Return whether a text names something that a promise names."""
    mine = {word[:_STEM] for word in content_words(text) if len(word) > 2}
    return bool(mine & {word[:_STEM] for word in content_words(promise) if len(word) > 2})


VERSION = 2
SMALL_COMPANY = 4
"""Maximum number of people in a room, with the speaker, where words for nobody in particular are for each of them."""

GIFT_MS = 24 * 3_600_000
"""The time within which a second gift of the same thing to the same character is not counted, in milliseconds."""

QUARREL_MS = 600_000
QUARREL_LINES = 3
QUARREL_PAUSE_MS = 3_600_000
"""A quarrel has `QUARREL_LINES` harsh lines from both sides within `QUARREL_MS`; then none for `QUARREL_PAUSE_MS`."""

MAX_KEPT = 20
"""Maximum number of promises, and of secrets, that are remembered of one character."""


@dataclass(frozen=True)
class Settings:
    """The settings of the rules: the shortest absence after which a return counts, and the world's own words."""

    absence_ms: int = 24 * 3_600_000
    lexicon: Lexicon = field(default_factory=Lexicon)


class Scene:
    """An event with its number, what is remembered, and who is meant by it."""

    def __init__(self, number: int, event: LoggedEvent, state: RuleState, settings: Settings) -> None:
        self.number = number
        self.event = event
        self.state = state
        self.settings = settings
        self.who = self.identity(event.who)
        self.words = event.words or event.secret
        self.is_private = not event.is_public or bool(event.secret and not event.words)
        self.others = self._others()

    def identity(self, name: str) -> str:
        """Return the identity of somebody; a guest gets a new one for each visit."""
        visit = self.state.get(f"guest\t{name}")
        return f"{name}#{visit}" if visit else name

    def moment(self, rule: str, other: str = "", *before: int, is_private: bool = False, seconds: int = 0) -> Moment:
        """Return a moment of this event and of those `before` it."""
        event, numbers = self.event, tuple(dict.fromkeys((*before, self.number)))
        private = is_private or self.is_private
        return Moment(event.at_ms, rule, event.who, other, event.room, numbers, private, seconds)

    @property
    def hearers(self) -> list[str]:
        """The names of those who hear the words: one addressee alone, or everybody else in the room."""
        if not self.event.words:
            return self.others
        return [name for name in self.state.get(f"in\t{self.event.room}", []) if name != self.event.who]

    def _others(self) -> list[str]:
        """Return the names an event is for: the addressee, those the words name, or everybody in a small company."""
        event = self.event
        if event.to:
            return [event.to] if event.to != event.who else []
        here = self.state.get(f"in\t{event.room}", [])
        others = [name for name in here if name != event.who]
        named = [name for name in others if is_named(name, event.words)]
        return named or (others if event.words and len(others) < SMALL_COMPANY else [])


Rule = Callable[[Scene], Iterator[Moment]]


def first_meetings(scene: Scene) -> Iterator[Moment]:
    """Tell when one speaks to another, or gives them something, for the first time."""
    if not (scene.words or scene.event.kind == "gave"):
        return
    for other in scene.others:
        key = "met\t" + "\t".join(sorted((scene.who, scene.identity(other))))
        if key not in scene.state:
            scene.state.put(key, scene.number)
            # Everybody sees that they whisper; the words are never quoted to those who may not know them.
            yield replace(scene.moment("first_meeting", other), is_private=not scene.event.is_public)


def gifts(scene: Scene) -> Iterator[Moment]:
    """Tell of things that are given."""
    event = scene.event
    if event.kind != "gave" or not scene.others:
        return
    key = f"gift\t{scene.who}\t{scene.identity(event.to)}\t{event.thing}"
    if event.at_ms - scene.state.get(key, -GIFT_MS) >= GIFT_MS:
        yield scene.moment("gift", event.to)
    scene.state.put(key, event.at_ms)


def promises_kept(scene: Scene) -> Iterator[Moment]:
    """Tell when something promised is given, or one of the two says that it is done."""
    givers = [scene.who] if scene.event.kind == "gave" or scene.words else []
    thanked = [scene.identity(other) for other in scene.others] if scene.words else []
    for promiser in [*givers, *thanked]:
        key = f"promises\t{promiser}"
        for promise in list(scene.state.get(key, [])):
            if _keeps(scene, promiser, promise):
                scene.state.put(key, [one for one in scene.state[key] if one is not promise])
                other = promise["to"] if promiser == scene.who else scene.event.who
                yield scene.moment("promise_kept", other, promise["number"], is_private=promise["private"])


def _keeps(scene: Scene, promiser: str, promise: Mapping[str, object]) -> bool:
    event, text, to = scene.event, str(promise["text"]), str(promise["to"])
    if event.kind == "gave":
        return to in ("", event.to) and shared_topic(event.thing, text)
    if promiser == scene.who and to and to not in scene.others:
        return False
    if promiser != scene.who and to not in ("", event.who):
        return False
    return any(tells_of_keeping(one) and shared_topic(one, text) for one in sentences(scene.words))


def promises_made(scene: Scene) -> Iterator[Moment]:
    """Tell of promises, but of the same one once."""
    if not scene.words:
        return
    key, to = f"promises\t{scene.who}", scene.others[0] if len(scene.others) == 1 else ""
    for text in sentences(scene.words):
        is_promise = classify(text) == PROMISES or scene.settings.lexicon.promises(text)
        made = scene.state.get(key, [])
        if is_promise and not any(is_same_topic(text, str(one["text"])) for one in made):
            promise = {"number": scene.number, "to": to, "text": text, "private": scene.is_private}
            scene.state.put(key, [*made, promise][-MAX_KEPT:])
            yield scene.moment("promise_made", to)


def secrets_passed_on(scene: Scene) -> Iterator[Moment]:
    """Tell when what was whispered to one is repeated to a third."""
    event, words = scene.event, scene.words
    if not words:
        return
    key, spoken, target = f"secrets\t{scene.who}", overlap_key(words), event.to or event.room
    told_to = set(scene.hearers)
    for secret in scene.state.get(key, []):
        is_third = bool(told_to - {secret["from"]}) and target not in secret["told"]
        if is_third and repeats(spoken, secret):
            secret["told"].append(target)
            scene.state.put(key, scene.state[key])
            yield scene.moment("secret_passed_on", event.to, secret["number"], is_private=True)
            break
    if event.secret and event.to:
        heard = f"secrets\t{scene.identity(event.to)}"
        parts = {part: sorted(found) for part, found in spoken.items()}
        new = {"number": scene.number, "from": event.who, "told": [], **parts}
        scene.state.put(heard, [*scene.state.get(heard, []), new][-MAX_KEPT:])


def quarrels(scene: Scene) -> Iterator[Moment]:
    """Tell when two have harsh words for each other."""
    if not scene.settings.lexicon.quarrels(scene.words) or len(scene.others) != 1:
        return
    at_ms, other = scene.event.at_ms, scene.others[0]
    key = "harsh\t" + "\t".join(sorted((scene.who, scene.identity(other))))
    lines = [one for one in scene.state.get(key, []) if at_ms - one["at"] <= QUARREL_MS]
    lines.append({"at": at_ms, "by": scene.who, "number": scene.number, "private": scene.is_private})
    last = scene.state.get(f"quarrel{key}", -QUARREL_PAUSE_MS)
    if len(lines) >= QUARREL_LINES and len({one["by"] for one in lines}) == 2 and at_ms - last >= QUARREL_PAUSE_MS:
        scene.state.put(f"quarrel{key}", at_ms)
        numbers = [one["number"] for one in lines]
        yield scene.moment("quarrel", other, *numbers, is_private=any(one["private"] for one in lines))
        lines = []
    scene.state.put(key, lines[-MAX_KEPT:])


def returns(scene: Scene) -> Iterator[Moment]:
    """Tell when a person comes back who was away for long."""
    event, last = scene.event, scene.state.get(f"seen\t{scene.who}")
    if last is None or event.kind != "arrived" or event.from_room or event.by:
        return
    if event.at_ms - last >= scene.settings.absence_ms:
        yield scene.moment("return", seconds=(event.at_ms - last) // 1000)


@dataclass(frozen=True)
class RuleEntry:
    """A rule, and how much what it finds is worth: of a long day the most valuable moments are shown."""

    find: Rule
    worth: int


RULES: Mapping[str, RuleEntry] = {
    "secret_passed_on": RuleEntry(secrets_passed_on, 9),
    "promise_kept": RuleEntry(promises_kept, 8),
    "quarrel": RuleEntry(quarrels, 7),
    "return": RuleEntry(returns, 6),
    "first_meeting": RuleEntry(first_meetings, 5),
    "promise_made": RuleEntry(promises_made, 4),
    "gift": RuleEntry(gifts, 3),
}
"""The rules, in the order in which they look at an event; each is known by the name of its moments."""


class TopMoments:
    """All rules, or some of them, with the settings of a world."""

    def __init__(self, settings: Settings | None = None, rules: Mapping[str, RuleEntry] = RULES) -> None:
        self._settings = settings or Settings()
        self._rules = rules

    @property
    def fingerprint(self) -> str:
        """The JSON text that identifies the rules: their version and settings."""
        return json.dumps([VERSION, asdict(self._settings)], sort_keys=True)

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        """Return the moments that end with this event."""
        if event.kind == OPENED:
            for key in [key for key in state if key.startswith(("in\t", "room\t"))]:
                state.drop(key)
        if not event.who:
            return []
        if event.by == "guest" and event.kind == "arrived" and not event.from_room:
            state.put(f"guest\t{event.who}", state.get(f"guest\t{event.who}", 0) + 1)
        _follow(event, state)
        scene = Scene(number, event, state, self._settings)
        found = [moment for rule in self._rules.values() for moment in rule.find(scene)]
        state.put(f"seen\t{scene.who}", event.at_ms)
        return found


def _follow(event: LoggedEvent, state: RuleState) -> None:
    """Remember in which room somebody is now."""
    match event.kind:
        case "arrived" | "present":
            room = event.room
        case "left":
            room = event.to_room
        case _:
            return
    before = state.get(f"room\t{event.who}", "")
    if before:
        state.put(f"in\t{before}", [name for name in state.get(f"in\t{before}", []) if name != event.who])
    state.drop(f"room\t{event.who}")
    if room:
        state.put(f"room\t{event.who}", room)
        state.put(f"in\t{room}", [*state.get(f"in\t{room}", []), event.who])


def by_worth(moments: list[Moment]) -> list[Moment]:
    """Return moments, the most valuable first; of equal worth, the earliest first."""
    worth = {name: rule.worth for name, rule in RULES.items()}
    return sorted(moments, key=lambda one: (-worth.get(one.rule, 0), one.at_ms))
