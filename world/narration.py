"""Narration: the audience of an event, and the one sentence for each viewer.

The sentences are in the vault's `text/narration.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from world.entities import Character, Detail, Room, Thing
from world.events import (
    Announced,
    Arrived,
    Built,
    Dropped,
    Emoted,
    Event,
    Followed,
    Gave,
    Left,
    LookedAt,
    Output,
    Paged,
    PutIn,
    ReadThing,
    Recalled,
    Refused,
    RoomMessage,
    Said,
    Shared,
    Shouted,
    SystemMessage,
    Thought,
    Took,
    TookFrom,
    Unfollowed,
    Used,
    Whispered,
    Wrote,
)
from world.message_catalog import strip_markup
from world.navigation import companions, is_in_party_of, party
from world.parsing import strip_article
from world.world import World

_ENDINGS = (".", "!", "?", "…", '"', "'", ")")


def audience_of(event: Event, world: World) -> list[Character]:
    """Return everyone who perceives an event, by its reach: the room, near by, everyone, or its actor alone.

    In a crowd, arrivals and departures are noticed only by those who go along.
    """
    actor = world.characters.get(event.actor_id)
    match event.audience:
        case "room":
            room_id: str = event.room_id  # type: ignore[attr-defined]
            passing = isinstance(event, Arrived | Left) and actor and world.is_crowded(room_id)
            present = _party_members(actor, room_id, world) if passing and actor else world.occupants(room_id)
            walked = isinstance(event, Left) and event.to_room_id and actor and actor.awake
            return [*present, actor] if walked and actor else present
        case "near":
            return _within_earshot(event.room_id, world)  # type: ignore[attr-defined]
        case "pair":
            other = world.characters.get(event.to_id)  # type: ignore[attr-defined]
            return [one for one in (actor, other) if one]
        case "world":
            return world.awake()
        case "nobody":
            return []
        case _:
            return [actor] if actor else []


def narrate(event: Event, viewer: Character, world: World) -> str:
    """Return the text that one viewer perceives of an event; an empty string if it perceives nothing.

    A result of a command may have several lines; everything that others do is one.
    """
    own = event.actor_id == viewer.character_id
    return _own(event, world) if own else _of_another(event, viewer, world)


class Perceptions:
    """The perceptions of one event by its viewers: viewers to whom it is alike share one sentence.

    A perception is a sentence, and whether it has words that the viewer hears. Those `concerned` have their own: the
    actor, the addressee, and those who came along. All others in a room, nearly everybody in a crowd, share one.
    """

    __slots__ = ("_event", "_shared", "_world", "concerned")

    def __init__(self, event: Event, world: World) -> None:
        self._event = event
        self._world = world
        self._shared: dict[str, tuple[str, bool]] = {}
        self.concerned = {event.actor_id, getattr(event, "to_id", "")}
        if isinstance(event, Arrived) and (leader := world.characters.get(event.actor_id)):
            self.concerned.update(one.character_id for one in party(world, leader))

    def of(self, viewer: Character) -> tuple[str, bool]:
        """Return the perception of one viewer."""
        is_shared = viewer.character_id not in self.concerned
        if is_shared and viewer.room_id in self._shared:
            return self._shared[viewer.room_id]
        sentence = narrate(self._event, viewer, self._world)
        made = sentence, is_speech_for(self._event, viewer.character_id)
        if is_shared:
            self._shared[viewer.room_id] = made
        return made


SENTENCES: Mapping[type[Event], tuple[str, str]] = {
    Followed: ("narration.you_follow", "narration.follows_you"),
    Unfollowed: ("narration.you_follow_no_more", "narration.follows_you_no_more"),
    Took: ("narration.you_take", "narration.takes"),
    Dropped: ("narration.you_drop", "narration.drops"),
    PutIn: ("narration.you_put_in", "narration.puts_in"),
    TookFrom: ("narration.you_take_from", "narration.takes_from"),
    Used: ("narration.you_use", "narration.uses"),
    ReadThing: ("narration.you_read", "narration.reads"),
    Wrote: ("narration.you_write", "narration.writes"),
}
"""The sentences of an event for its actor and for everybody else; see `values_of`."""

_PLAIN = (Output, Recalled, Refused, SystemMessage, Announced)


def values_of(event: Event, who_id: str, world: World) -> dict[str, str]:
    """Return an event's values for the sentences of `SENTENCES`. `who` is the actor or, to the actor, the other."""
    things = {name: _thing(getattr(event, f"{name}_id", ""), world) for name in ("thing", "container")}
    return {"who": _name(who_id, world), "text": getattr(event, "text", ""), **things}


def _own(event: Event, world: World) -> str:
    say = world.wording
    if sentences := SENTENCES.get(type(event)):
        return say(sentences[0], **values_of(event, getattr(event, "to_id", ""), world))
    if isinstance(event, _PLAIN):
        return strip_markup(event.text) if isinstance(event, Output) and event.is_own else event.text
    match event:
        case Said(text=text, to_id=to) if to:
            return say("narration.you_say_to", to=_name(to, world), text=text)
        case Said(text=text):
            return say("narration.you_say", text=text)
        case Shouted(text=text):
            return say("narration.you_shout", text=text)
        case Paged(text=text, to_id=to):
            return say("narration.you_tell", who=_name(to, world), text=text)
        case Whispered(text=text, to_id=to):
            return say("narration.you_whisper", who=_name(to, world), text=text)
        case Emoted(actor_id=actor, text=text):
            return format_pose(_name(actor, world), text)
        case Thought(text=text):
            return say("narration.you_think", text=text)
        case Left(exit=exit, to_room_id=room_id, after_id=leader) if room_id and leader:
            room = room_name(room_id, world)
            return say("narration.you_go_along", who=_name(leader, world), exit=_exit_phrase(exit, world), room=room)
        case Left(exit=exit, to_room_id=room_id) if room_id:
            key = "narration.you_go" if exit else "narration.you_are_taken"
            return say(key, exit=_exit_phrase(exit, world), room=room_name(room_id, world))
        case Shared(label=label, content=content, scope=scope):
            return say(f"narration.you_share_{'world' if scope == 'world' else 'here'}", label=label, content=content)
        case Gave(thing_id=thing, to_id=to):
            return say("narration.you_give", thing=_thing(thing, world), to=_name(to, world))
        case Built(action=action, name=name, to=to):
            return say(f"building.you_{action}", name=name, to=to)
        case _:
            return ""


def _of_another(event: Event, viewer: Character, world: World) -> str:
    who, me, say = _name(event.actor_id, world), viewer.character_id, world.wording
    if sentences := SENTENCES.get(type(event)):
        return say(sentences[1], **values_of(event, event.actor_id, world))
    match event:
        case RoomMessage(text=text) | Announced(text=text):
            return text
        case Said(text=text, to_id=to):
            key = "narration.says_to_you" if to == me else "narration.says_to" if to else "narration.says"
            return say(key, who=who, to=_name(to, world), text=text)
        case Shouted(text=text, room_id=room_id):
            key = "narration.shouts" if viewer.room_id == room_id else "narration.shouts_from"
            return say(key, who=who, text=text, room=room_name(room_id, world))
        case Paged(text=text):
            return say("narration.tells_you", who=who, text=text)
        case Whispered(text=text, to_id=to):
            key = "narration.whispers_to_you" if to == me else "narration.whispers"
            return say(key, who=who, to=_name(to, world), text=text)
        case Emoted(text=text):
            return format_pose(who, text)
        case Left(exit=exit, to_room_id=room_id):
            key = "narration.leaves" if exit else "narration.is_taken" if room_id else "narration.falls_asleep"
            return say(key, who=who, exit=_exit_phrase(exit, world), room=room_name(room_id, world))
        case Arrived(actor_id=actor) if is_in_party_of(world, viewer, actor):
            return ""  # who follows has come along
        case Arrived(from_room_id=room_id):
            return say("narration.arrives" if room_id else "narration.wakes", who=who, room=room_name(room_id, world))
        case Shared(label=label, content=content, scope=scope):
            key = f"narration.shares_{'world' if scope == 'world' else 'here'}"
            return say(key, who=who, label=label, content=content)
        case Gave(thing_id=thing, to_id=to):
            key = "narration.gives_you" if to == me else "narration.gives"
            return say(key, who=who, to=_name(to, world), thing=_thing(thing, world))
        case Built(action=action, name=name, to=to):
            return say(f"building.{action}", who=who, name=name, to=to)
        case LookedAt(to_id=to):
            return say("narration.looks_at_you", who=who) if to == me else ""
        case _:
            return ""


def is_speech_for(event: Event, character_id: str) -> bool:
    """Return whether an event is words that somebody hears; of others' whispers nobody hears the words."""
    match event:
        case Said() | Shouted() | Paged() | Announced():
            return True
        case Whispered(actor_id=actor, to_id=to):
            return character_id in (actor, to)
        case _:
            return False


def room_name(room_id: str, world: World) -> str:
    """Return the name of a room; its id if there is no such room any more."""
    return world.rooms[room_id].name if room_id in world.rooms else room_id


def with_article(thing: Thing) -> str:
    """Return a thing's name with its own article, or else the English one: `a lamp`, `an oar`, `some keys`, `木箱`."""
    name = thing.name
    if thing.article:
        return f"{thing.article} {name}"
    if name[0].isalpha() and name[0].lower() == name[0].upper():
        return name  # in a script without capitals: there English has no say
    if name.endswith("s") and not name.endswith(("ss", "us")):
        return f"some {name}"
    return f"an {name}" if name[:1].lower() in "aeiou" else f"a {name}"


def list_things(things: Iterable[Thing], world: World) -> str:
    """Return things as a list, each with its article; empty if there are none."""
    return world.wording.join_and([with_article(thing) for thing in things])


def noun_phrase(subject: Room | Thing | Character | Detail, world: World) -> str:
    """Return the name of something within a sentence: `the lamp`; rooms and characters by their names."""
    return world.wording("building.the", name=subject.name) if isinstance(subject, Thing | Detail) else subject.name


def _party_members(actor: Character, room_id: str, world: World) -> list[Character]:
    """Return who in a room minds that somebody comes or goes: itself, whom it follows, and who follows it."""
    return [one for one in (actor, *companions(world, actor)) if one.awake and one.room_id == room_id]


def _within_earshot(room_id: str, world: World) -> list[Character]:
    near = dict.fromkeys([room_id, *(exit.room_id for exit in world.rooms[room_id].exits.values())])
    return [one for near_id in near for one in world.occupants(near_id)]


def _exit_phrase(exit: str, world: World) -> str:
    """Return how one goes by an exit: `north`, `by the hatch`."""
    if exit in world.wording("narration.directions").split(", "):
        return exit
    return world.wording("narration.by", exit=strip_article(exit))


def _name(character_id: str, world: World) -> str:
    known = world.characters.get(character_id)
    return known.name if known else character_id


def _thing(thing_id: str, world: World) -> str:
    return world.things[thing_id].name if thing_id in world.things else thing_id


def format_pose(name: str, text: str) -> str:
    """Return a pose as everyone perceives it: the name and what it does, as a sentence."""
    joined = f"{name}{text}" if text.startswith(("'", ",")) else f"{name} {text}"
    return joined if joined.endswith(_ENDINGS) else f"{joined}."
