"""Whose chatter somebody does not want to hear, and what of it they hear all the same: words that are for them."""

from __future__ import annotations

from collections.abc import Iterable

from world.events import Emoted, Event, Paged, Said, Shared, Shouted, Whispered
from world.matching import is_named
from world.model import Character, World

HUSH = "hush"
"""The preference that holds the names of whom somebody has hushed, with commas between them."""

AGENTS = "agents"
"""What stands among the names for every agent."""


def hushed_by(one: Character) -> list[str]:
    """Return whom somebody has hushed, in order."""
    return [name for name in one.preferences.get(HUSH, "").split(", ") if name]


def is_hushed(event: Event, viewer: Character, world: World) -> bool:
    """Return whether an event is talk of somebody whom the viewer has hushed, and not for the viewer.

    For a viewer is what is said to them or names them, and what is said by those from whom they await an answer.
    """
    if HUSH not in viewer.preferences or not isinstance(event, Said | Emoted | Shouted | Shared | Whispered):
        return False
    actor, names = world.characters.get(event.actor_id), hushed_by(viewer)
    if actor is None or actor is viewer or not (actor.name in names or (actor.is_agent and AGENTS in names)):
        return False
    if viewer.character_id == getattr(event, "to_id", "") or actor.character_id in viewer.doings.asked_ids:
        return False
    return isinstance(event, Whispered) or not is_named(viewer.name, _words(event))


def take_answer(event: Event, viewer: Character) -> None:
    """Note that somebody has answered: words, not poses, are an answer, and only the first."""
    if isinstance(event, Said | Shouted):
        viewer.doings.asked_ids.discard(event.actor_id)


def await_answers(actor: Character, events: Iterable[Event], world: World) -> None:
    """Let somebody who has spoken hear the next words of those to whom, whether they are hushed or not.

    Words for nobody in particular are for everyone in the room.
    """
    if HUSH not in actor.preferences:
        return
    for event in events:
        match event:
            case Said(text=text, to_id=""):
                here = [one for one in world.occupants(actor.room_id) if one is not actor]
                named = [one for one in here if is_named(one.name, text)]
                actor.doings.asked_ids = {one.character_id for one in named or here}
            case Said(to_id=to_id) | Whispered(to_id=to_id) | Paged(to_id=to_id):
                actor.doings.asked_ids = {to_id}


def _words(event: Said | Emoted | Shouted | Shared) -> str:
    return event.content if isinstance(event, Shared) else event.text
