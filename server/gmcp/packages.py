"""The messages of GMCP about speech, things and characters: Comm.Channel, Char.Items, Char.Name and Char.Status."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b

from server.connection.connection import Message
from world.command import CommandTable
from world.entities import Character, Thing
from world.events import Emoted, Event, Paged, Said, Shouted, Whispered
from world.message_catalog import Wording
from world.narration import is_speech_for, room_name
from world.world import World

CHANNELS = ("say", "emote", "whisper", "tell", "shout")
"""Named like the commands by which one speaks there."""

_CHANNEL_OF: dict[type[Event], str] = {
    Said: "say",
    Emoted: "emote",
    Whispered: "whisper",
    Paged: "tell",
    Shouted: "shout",
}


def spoken(event: Event, sentence: str, viewer: Character) -> Message | None:
    """Return the message that goes with a sentence; None if it is no speech, or none that the viewer hears."""
    channel = _CHANNEL_OF.get(type(event))
    if channel is None or not sentence:
        return None
    if channel != "emote" and not is_speech_for(event, viewer.character_id):
        return None
    return _text(channel, event.actor_id, sentence)


def channel_list(commands: CommandTable, character: Character, say: Wording) -> Message:
    """Return the channels on which somebody may speak."""
    found = [(name, commands.get(name)) for name in CHANNELS]
    open_to = [name for name, command in found if command and command.allows(character)]
    return Message(
        "Comm.Channel.List",
        [{"name": name, "caption": say(f"gmcp.channel_{name}"), "command": name} for name in open_to],
    )


# The same words for everybody in a room are put into bytes once.
@lru_cache(maxsize=64)
def _text(channel: str, talker: str, text: str) -> Message:
    return Message("Comm.Channel.Text", {"channel": channel, "talker": talker, "text": text})


PACKAGE = "Char.Items"
IN_HAND, IN_ROOM = "inv", "room"


@dataclass(frozen=True)
class Item:
    """A thing as clients see it. `attrib` has `c` for a container and `t` for what can be taken."""

    id: str
    name: str
    attrib: str


def items_of(things: Iterable[Thing]) -> tuple[Item, ...]:
    """Return some things in their order."""
    return tuple(Item(_id_of(one.thing_id), one.name, "c" * one.is_container + "t" * (not one.fixed)) for one in things)


def listed(location: str, items: tuple[Item, ...]) -> Message:
    """Return all that is in a place."""
    return Message(f"{PACKAGE}.List", {"location": location, "items": [asdict(one) for one in items]})


def changed(location: str, before: tuple[Item, ...], now: tuple[Item, ...]) -> Iterator[Message]:
    """Yield what came, went or changed."""
    was, is_now = {one.id: one for one in before}, {one.id: one for one in now}
    for id, one in was.items():
        if id not in is_now:
            yield Message(f"{PACKAGE}.Remove", {"location": location, "item": asdict(one)})
    for id, one in is_now.items():
        if id not in was:
            yield Message(f"{PACKAGE}.Add", {"location": location, "item": asdict(one)})
        elif was[id] != one:
            yield Message(f"{PACKAGE}.Update", {"location": location, "item": asdict(one)})


@lru_cache(maxsize=4096)
def _id_of(thing_id: str) -> str:
    # Not the id itself: it is the name of a note, which may tell what the thing's title hides.
    return blake2b(thing_id.encode(errors="surrogatepass"), digest_size=8).hexdigest()


_VARIABLES = ("role", "room", "state", "following")


def name_of(character: Character) -> Message:
    """Return who somebody is."""
    return Message("Char.Name", {"name": character.name, "fullname": character.name})


def variables(say: Wording) -> Message:
    """Return what `Char.Status` tells, each with a caption."""
    return Message("Char.StatusVars", {name: say(f"gmcp.status_{name}") for name in _VARIABLES})


def status(character: Character, world: World) -> dict[str, str]:
    """Return a character's status: the role, the room, whether it is away, and whom it follows."""
    say, transient = world.wording, character.transient
    state = "asleep" if not character.awake else "awake" if transient.afk_message is None else "away"
    leader = world.characters.get(transient.following_id)
    return {
        "role": say(f"roles.{character.role.name.lower()}"),
        "room": room_name(character.room_id, world),
        "state": say(f"gmcp.{state}"),
        "following": leader.name if leader else "",
    }
