"""Speaking and posing, to those who are here or near by."""

from __future__ import annotations

from collections.abc import Iterable

from world.command import command
from world.crowds import named_here
from world.errors import CommandError
from world.events import Emoted, Event, Said, Shouted, Whispered
from world.matching import find
from world.model import Character, Role, Room, Thing, World
from world.narration import posed
from world.note_names import name_key

PRETENCES = (
    "leaves is_taken arrives wakes falls_asleep takes drops puts_in takes_from gives gives_you uses "
    "says says_to says_to_you shouts tells_you whispers whispers_to_you follows_you"
).split()
"""The sentences of `text/narration.md` that a pose must not read as."""


@command("say <text>", "speak", category="speech", noticed="room", also=("say to <person> <text>",))
def say(world: World, actor: Character, text: str, person: str = "") -> list[Event]:
    """Say something to everyone in the room. `'hello` is short for `say hello`.

    say to Moss Good morning.       everyone hears it, and for whom it is
    """
    to_id = someone_here(world, actor, person).character_id if person else ""
    return [Said(actor.character_id, actor.room_id, unquoted(text), to_id=to_id)]


@command("shout <text>", "yell", category="speech", role=Role.PLAYER, for_agents=False, noticed="near")
def shout(world: World, actor: Character, text: str) -> list[Event]:
    """Say something so loud that it is heard in the rooms next to this one, too."""
    return [Shouted(actor.character_id, actor.room_id, unquoted(text))]


@command("emote <text>", "pose", "me", category="speech", noticed="room")
def emote(world: World, actor: Character, text: str) -> list[Event]:
    """Show what you do: `emote waves` or `:waves` shows your name and `waves`."""
    if _pretends(posed(actor.name, text), actor, world):
        raise CommandError(world.wording("social.pretending"))
    return [Emoted(actor.character_id, actor.room_id, text)]


@command("whisper <person> <text>", category="speech", noticed="named")
def whisper(world: World, actor: Character, person: str, text: str) -> list[Event]:
    """Say something to one person here; others see only that you whisper."""
    listener = someone_here(world, actor, person)
    listener.doings.answer_to_id = actor.character_id
    return [Whispered(actor.character_id, actor.room_id, listener.character_id, unquoted(text))]


def someone_here(world: World, actor: Character, wanted: str) -> Character:
    """Return the other character in the room that is meant.

    Raises: CommandError naming who is here.
    """
    others = [c for c in world.occupants(actor.room_id) if c is not actor]
    here = named_here(world, actor) or world.wording("social.nobody_else")
    name = wanted.rstrip(",:")
    if name_key(name) in ("me", "myself", name_key(actor.name)):
        raise CommandError(world.wording("social.yourself"))
    key = "social.one_is_here" if len(others) < 2 else "social.some_are_here"
    return find(name, others, world.wording(key, wanted=wanted, who=here), world.wording)


def _pretends(sentence: str, actor: Character, world: World) -> bool:
    """Return whether a pose is the very sentence by which everyone would know that something happened."""
    for name in PRETENCES:
        values = world.wording.read(f"narration.{name}", sentence)
        if values is not None and name_key(values.pop("who", actor.name)) == name_key(actor.name):
            real = {variable: _names(world, variable) for variable in values}
            if all(name_key(value) in real[variable] for variable, value in values.items() if real[variable]):
                return True
    return False


def _names(world: World, variable: str) -> set[str]:
    """Return what a variable of a sentence can stand for, by key; nothing if it can be anything."""
    among: Iterable[Room | Thing | Character] = ()
    match variable:
        case "thing" | "container":
            among = world.things.values()
        case "room":
            among = world.rooms.values()
        case "to":
            among = world.characters.values()
    return {name_key(one.name) for one in among}


def unquoted(text: str) -> str:
    """Return speech without one pair of quotes around the whole of it."""
    inner = text[1:-1]
    whole = len(text) > 2 and text[0] == text[-1] == '"' and '"' not in inner
    return inner.strip() if whole else text


COMMANDS = (say, emote, whisper, shout)
