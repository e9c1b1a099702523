"""Preferences of a character, and the ignore list."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from world.entities import Character
from world.events import (
    Arrived,
    Dropped,
    Emoted,
    Event,
    Gave,
    Left,
    Paged,
    PutIn,
    ReadThing,
    Said,
    Shared,
    Shouted,
    Took,
    TookFrom,
    Used,
    Whispered,
    Wrote,
)
from world.parsing import is_named
from world.world import World

BRIEF = "brief"
SCREEN_READER = "screenreader"
COLOR = "color"
LINKS = "links"
ON, OFF = "on", "off"
ALIAS = "alias "
"""The prefix of preferences that hold a command of somebody's own."""


def is_brief(character: Character) -> bool:
    """Return whether somebody wants to read no descriptions while walking."""
    return character.preferences.get(BRIEF) == ON


def uses_screen_reader(character: Character) -> bool:
    """Return whether somebody listens instead of looking: by their own choice, or else by their client's report."""
    chosen = character.preferences.get(SCREEN_READER)
    return chosen == ON if chosen else character.transient.client_uses_screen_reader


def own_aliases(character: Character) -> dict[str, str]:
    """Return somebody's own commands: what each stands for, by its name, sorted."""
    found = character.preferences.items()
    return {key.removeprefix(ALIAS): value for key, value in sorted(found) if key.startswith(ALIAS)}


IGNORED = "hush"
"""The preference that holds the names of the people whom somebody ignores, with commas between them."""

ALL_AGENTS = "agents"
"""The name in that list for every agent."""


_TALK = (Said, Emoted, Shouted, Shared, Whispered)
_ACTIONS = (Arrived, Left, Took, Dropped, Gave, PutIn, TookFrom, Used, ReadThing, Wrote)
IGNORABLE = (*_TALK, *_ACTIONS)
"""The types of events that can be ignored."""


@dataclass(frozen=True)
class IgnorableLine:
    """A line that somebody may ignore: the actor of talk, coming, going or handling, the addressee, and the words."""

    who: str
    is_agent: bool
    to: str
    words: str


@dataclass(frozen=True)
class IgnoreList:
    """The people whom somebody ignores, in order. Lines for `owner`, or that name them, arrive all the same."""

    owner: str
    names: tuple[str, ...]

    def hides(self, one: IgnorableLine | None) -> bool:
        """Return whether a line is from somebody ignored, and not for the owner. None is from nobody."""
        if one is None or one.who == self.owner or one.to == self.owner:
            return False
        is_ignored = one.who in self.names or (one.is_agent and ALL_AGENTS in self.names)
        return is_ignored and not is_named(self.owner, one.words)


def ignore_list(one: Character) -> IgnoreList | None:
    """Return whom somebody ignores, None for nobody."""
    names = one.preferences.get(IGNORED) and ignored_names(one)
    return IgnoreList(one.character_id, tuple(names)) if names else None


def ignorable_of(event: Event, world: World) -> IgnorableLine | None:
    """Return the part of an event that can be ignored. Results of actions and building are always perceived."""
    actor = world.characters.get(event.actor_id)
    if actor is None or not isinstance(event, IGNORABLE):
        return None
    return IgnorableLine(event.actor_id, actor.is_agent, getattr(event, "to_id", ""), _words(event))


def ignored_names(one: Character) -> list[str]:
    """Return whom somebody ignores, in order."""
    return [name for name in one.preferences.get(IGNORED, "").split(", ") if name]


def is_ignored(event: Event, viewer: Character, world: World) -> bool:
    """Return whether an event is of somebody whom a viewer has hushed, and not for the viewer.

    For a viewer is also all that those do from whom they await an answer.
    """
    hushed = ignore_list(viewer)
    if hushed is None or event.actor_id in viewer.transient.awaiting_reply_from:
        return False
    return hushed.hides(ignorable_of(event, world))


def is_talk(event: Event) -> bool:
    """Return whether an event is words or a pose, which can be read again where they were not heard."""
    return isinstance(event, _TALK)


def clear_awaited(event: Event, viewer: Character) -> None:
    """Note that somebody has answered: words, not poses, are an answer, and only the first."""
    if isinstance(event, Said | Shouted):
        viewer.transient.awaiting_reply_from.discard(event.actor_id)


def expect_replies(actor: Character, events: Iterable[Event], world: World) -> None:
    """Let somebody who has spoken hear the next words of their addressees, even hushed ones.

    Words for nobody in particular are for everyone in the room.
    """
    if IGNORED not in actor.preferences:
        return
    for event in events:
        match event:
            case Said(text=text, to_id=""):
                here = [one for one in world.occupants(actor.room_id) if one is not actor]
                named = [one for one in here if is_named(one.name, text)]
                actor.transient.awaiting_reply_from = {one.character_id for one in named or here}
            case Said(to_id=to_id) | Whispered(to_id=to_id) | Paged(to_id=to_id):
                actor.transient.awaiting_reply_from = {to_id}


def _words(event: Event) -> str:
    """Return the words that may name somebody; of a whisper to another nobody hears them, and other acts have none."""
    match event:
        case Shared(content=content):
            return content
        case Said(text=text) | Emoted(text=text) | Shouted(text=text):
            return text
    return ""
