"""The measures of an answer. They know no word of any language: names are told by capitals, secrets by rare words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from agents.repetition.loop_detector import words_in
from bench.talk.scenes import Scene
from bench.talk.stage import Played

ALIKE_SHARE = 0.6
"""Minimum share of its runs of three words in other words that makes words their echo."""

RUN_WORDS = 3
MIN_WORDS = 4
"""Fewer words than these may be said again: greetings are alike."""

RARE_SHARE = 0.02
"""Maximum share of scenes in which a rare word stands."""

SECRET_WORDS = 2
"""Number of rare words of a whisper by which it is told."""

ENDING_CHARACTERS = 2
STEM_CHARACTERS = 4
"""A word of so many characters is the same with an ending of at most two more."""

_TOKEN = re.compile(r"[^\W_]+")


class Measures:
    """The measures, over the words of all scenes; each is true, false, or None where there is nothing to measure."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        counts = Counter(word for scene in scenes for word in {*words_in(_all_text(scene))})
        most = max(1, int(RARE_SHARE * len(scenes)))
        self._common = frozenset(word for word, count in counts.items() if count > most)

    def answered(self, played: Played) -> bool | None:
        """Return whether the agent spoke where its reference does."""
        return bool(played.speeches) if played.reference.words else None

    def recalls(self, played: Played) -> bool | None:
        """Return whether a name or number of the reference that the agent knows from before is in its words."""
        scene, heard = played.scene, played.scene.heard(played.place)
        known = "\n".join(
            [*scene.knows, *scene.notes, scene.past, *(line.words for line in scene.lines[: played.place])]
        )
        earlier = known.removesuffix(heard)
        names = Names(scene)
        present = "\n".join([scene.agent, *scene.people])
        wanted = [
            item
            for item in names.items(played.reference.words)
            if stands(item, earlier) and not stands(item, heard) and not stands(item, present)
        ]
        return any(stands(item, played.words) for item in wanted) if wanted else None

    def invents(self, played: Played) -> bool | None:
        """Return whether a name or number in the words stands neither in the prompt nor in the scene so far."""
        if not played.speeches:
            return None
        scene = played.scene
        lines = (f"{line.who}\n{line.words}" for line in scene.lines[: played.place])
        read = "\n".join([played.prompt, scene.profile, scene.agent, scene.room, *scene.people, *scene.things])
        read = "\n".join([read, *scene.knows, *scene.notes, scene.past, *lines])
        return any(not stands(item, read) for item in Names(scene).items(played.words))

    def echoes(self, played: Played) -> bool | None:
        """Return whether the agent says back what it heard last."""
        return _is_alike(played.words, [played.scene.heard(played.place)]) if played.speeches else None

    def repeats(self, played: Played, before: Iterable[Played]) -> bool | None:
        """Return whether the agent says again what it said in this scene, there or in its answers `before`."""
        own = [line.words for line in played.scene.lines[: played.place] if line.is_answer]
        return _is_alike(played.words, [*own, *(one.words for one in before)]) if played.speeches else None

    def acts_as_reference(self, played: Played) -> bool | None:
        """Return whether the agent did what its reference does, where that has acts on offer."""
        return played.act == played.reference.act if played.reference.offers else None

    def does_act(self, played: Played) -> bool | None:
        """Return whether the agent did the act of its reference, where that has one."""
        return self.acts_as_reference(played) if played.reference.act else None

    def lacks_act(self, played: Played) -> bool | None:
        """Return whether the engine did not offer the act of the reference; None if no model was asked for words."""
        if not played.reference.act or played.offers is None:
            return None
        return played.reference.act not in played.offers

    def tells_secret(self, played: Played) -> bool | None:
        """Return whether others hear what somebody has whispered; None if nobody has, or no other is here."""
        scene = played.scene
        told = [line for line in scene.lines[: played.place] if line.is_whispered and not line.is_answer]
        secrets = [(line, self._heard_by_others(played, line.who)) for line in told]
        if not any(set(scene.people) - {line.who} for line in told) or not played.speeches:
            return None
        return any(self._is_told(played, line.words, words) for line, words in secrets)

    def _heard_by_others(self, played: Played, who: str) -> str:
        is_alone = not set(played.scene.people) - {who}
        return " ".join(one.words for one in played.speeches if one.to != who and (one.to or not is_alone))

    def _is_told(self, played: Played, secret: str, words: str) -> bool:
        scene = played.scene
        lines = (line.words for line in scene.lines[: played.place] if not line.is_whispered)
        public = "\n".join([scene.profile, scene.room, *scene.people, *scene.knows, *scene.notes, scene.past, *lines])
        if any(stands(item, words) and not stands(item, public) for item in Names(scene).items(secret)):
            return True
        rare = {*words_in(secret)} & {*words_in(words)} - {*words_in(public)} - self._common
        return len(rare) >= SECRET_WORDS


class Names:
    """The names of a scene: words with a capital, not at the beginning of a sentence, and the names of those here.

    What stands in small letters too, where the scene's author writes, is no name.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    @cached_property
    def known(self) -> frozenset[str]:
        """All names, without capitals."""
        scene = self._scene
        called = _TOKEN.findall("\n".join([scene.agent, scene.room, *scene.people]))
        inside = _capitals_inside("\n".join([scene.written, *(line.words for line in scene.lines)]))
        small = {word for word in _TOKEN.findall(scene.written) if word.islower()}
        return frozenset(word.casefold() for word in (*called, *inside) if word.casefold() not in small)

    def items(self, text: str) -> list[str]:
        """Return the names and numbers in a text, without capitals; at its sentences' beginnings only known names."""
        inside = {word.casefold() for word in _capitals_inside(text)}
        words = dict.fromkeys(word for word in _TOKEN.findall(text))
        return [
            word.casefold()
            for word in words
            if any(map(str.isdigit, word))
            or word.casefold() in inside
            or (not word[0].islower() and word.casefold() in self.known)
        ]


def stands(item: str, text: str) -> bool:
    """Return whether a name or number is in a text, whatever its capitals and ending."""
    return any(_is_same(item, word.casefold()) for word in _TOKEN.findall(text))


def _capitals_inside(text: str) -> list[str]:
    """Return the words with one capital, their first, and not at the beginning of a sentence."""
    return [
        match[0] for match in _TOKEN.finditer(text) if match[0].istitle() and len(match[0]) > 1 and _is_inside(match)
    ]


def _is_inside(match: re.Match[str]) -> bool:
    before = match.string[: match.start()]
    last = before.rstrip()[-1:]
    return (
        "\n" not in before[len(before.rstrip()) :] and (last.isalnum() or last in (",", "-", "'", "’")) and bool(last)
    )


def _is_same(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    is_ending = len(short) >= STEM_CHARACTERS and len(long) - len(short) <= ENDING_CHARACTERS
    return one == other or (is_ending and long.startswith(short) and not short.isdigit())


def _is_alike(words: str, others: Iterable[str]) -> bool:
    own = words_in(words)
    if len(own) < MIN_WORDS:
        return False
    runs = _runs(own)
    return any(sum(run in other for run in runs) >= ALIKE_SHARE * len(runs) for other in map(_runs_of, others))


def _runs_of(text: str) -> set[tuple[str, ...]]:
    return set(_runs(words_in(text)))


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + RUN_WORDS]) for start in range(len(words) - RUN_WORDS + 1)]


def _all_text(scene: Scene) -> str:
    return "\n".join([scene.written, *(line.words for line in scene.lines)])
