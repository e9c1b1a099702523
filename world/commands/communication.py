"""Communication commands: say, emote, whisper, tell, shout, think, and the shared board. No other channels."""

from __future__ import annotations

import re
from collections.abc import Iterable

from world.command import command
from world.entities import Character, Role, Room, Thing
from world.errors import CommandError
from world.events import Emoted, Event, Output, Paged, Said, Shared, Shouted, Thought, Whispered
from world.find import called_elsewhere, find_character
from world.narration import format_pose, room_name
from world.parsing import collapse_whitespace, find, strip_quotes
from world.room_view import afk_text, location_text, visible_names
from world.sanitize import clean_line, name_key
from world.world import SCOPES, World

SPOOFABLE = (
    "leaves is_taken arrives wakes falls_asleep takes drops puts_in takes_from gives gives_you uses "
    "says says_to says_to_you shouts tells_you whispers whispers_to_you follows_you"
).split()
"""The sentences of `text/narration.md` that a pose must not read as."""


@command("say <text>", "speak", category="speech", visible_to="room", also=("say to <person> <text>",))
def say(world: World, actor: Character, text: str, person: str = "") -> list[Event]:
    """Say something to everyone in the room. `'hello` is short for `say hello`.

    say to Moss Good morning.       everyone hears it, and for whom it is
    """
    to_id = find_person_here(world, actor, person).character_id if person else ""
    meant_for_id = actor.transient.speaks_to_id
    said = Said(actor.character_id, actor.room_id, strip_quotes(text), to_id=to_id, meant_for_id=meant_for_id)
    is_alone = world.count_occupants(actor.room_id) < 2
    absent = None if actor.is_agent or to_id else called_elsewhere(world, actor.room_id, said.text, is_alone)
    if absent is None:
        return [said]
    where = world.wording("social.out_of_hearing", who=absent.name, room=room_name(absent.room_id, world))
    return [said, Output(actor.character_id, where)]


@command("shout <text>", "yell", category="speech", role=Role.PLAYER, for_agents=False, visible_to="near")
def shout(world: World, actor: Character, text: str) -> list[Event]:
    """Say something so loud that it is heard in the rooms next to this one, too."""
    return [Shouted(actor.character_id, actor.room_id, strip_quotes(text))]


@command("emote <text>", "pose", "me", category="speech", visible_to="room")
def emote(world: World, actor: Character, text: str) -> list[Event]:
    """Show what you do: `emote waves` or `:waves` shows your name and `waves`."""
    if _spoofs(format_pose(actor.name, text), actor, world):
        raise CommandError(world.wording("social.pretending"))
    return [Emoted(actor.character_id, actor.room_id, text)]


@command("whisper <person> <text>", category="speech", visible_to="named")
def whisper(world: World, actor: Character, person: str, text: str) -> list[Event]:
    """Say something to one person here; others see only that you whisper."""
    listener = find_person_here(world, actor, person)
    listener.transient.reply_to_id = actor.character_id
    return [Whispered(actor.character_id, actor.room_id, listener.character_id, strip_quotes(text))]


def find_person_here(world: World, actor: Character, wanted: str) -> Character:
    """Return the other character in the room that is meant.

    Raises: CommandError naming who is here.
    """
    others = [c for c in world.occupants(actor.room_id) if c is not actor]
    here = visible_names(world, actor) or world.wording("social.nobody_else")
    name = wanted.rstrip(",:")
    if name_key(name) in ("me", "myself", name_key(actor.name)):
        raise CommandError(world.wording("social.yourself"))
    key = "social.one_is_here" if len(others) < 2 else "social.some_are_here"
    return find(name, others, world.wording(key, wanted=wanted, who=here), world.wording)


def _spoofs(sentence: str, actor: Character, world: World) -> bool:
    """Return whether a pose is the very sentence by which everyone would know that something happened."""
    for name in SPOOFABLE:
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


@command("tell <anyone> <text>", "page", category="speech", visible_to="named")
def tell(world: World, actor: Character, anyone: str, text: str) -> list[Event]:
    """Say something to one person, wherever they are; nobody else hears it."""
    return _page(world, actor, _listener(world, actor, anyone), text)


@command("reply <text>", "r", category="speech", for_agents=False, visible_to="named")
def reply(world: World, actor: Character, text: str) -> list[Event]:
    """Answer the last person who told or whispered something to you."""
    listener = world.characters.get(actor.transient.reply_to_id)
    if listener is None:
        raise CommandError(world.wording("social.nobody_to_answer"))
    return _page(world, actor, listener, text)


def _listener(world: World, actor: Character, wanted: str) -> Character:
    found = find_character(world, actor, wanted)
    if found is actor:
        raise CommandError(world.wording("social.yourself"))
    return found


def _page(world: World, actor: Character, listener: Character, text: str) -> list[Event]:
    if not listener.awake:
        raise CommandError(location_text(world, listener))
    listener.transient.reply_to_id = actor.character_id
    paged = Paged(actor.character_id, listener.character_id, strip_quotes(text))
    away = afk_text(world, listener)
    return [paged, Output(actor.character_id, away)] if away else [paged]


MAX_CONTENT_LENGTH = 2000
MAX_LABEL_LENGTH = 40
MAX_LABELS_PER_AUTHOR = 16
"""Maximum length of a type and of a text, in characters, and maximum number of types that one author shares."""

_LABEL = re.compile(r"[\w' -]+")


@command("share <label> -> <text>", category="speech", role=Role.PLAYER, visible_to="room")
def share(world: World, actor: Character, label: str, text: str) -> list[Event]:
    """Share something that others here read word for word until you leave.

    share plan -> We meet at noon.
    share world plan -> …    for everyone in the world, until you take it down
    share turn plan -> …     only until the next thing you do
    Sharing the same type again replaces it.
    """
    first, _, rest = label.partition(" ")
    scope, kind = (first.lower(), rest) if first.lower() in SCOPES else ("scene", label)
    kind, content = collapse_whitespace(clean_line(kind)).lower(), collapse_whitespace(clean_line(text))
    _check_shared(world, actor, kind, content)
    entry = world.board.share(actor.character_id, actor.room_id, kind, content, scope)
    return [Shared(actor.character_id, actor.room_id, entry.label, entry.content, entry.scope, entry.entry_id)]


@command("unshare <label>", category="speech", role=Role.PLAYER, for_agents=False)
def unshare(world: World, actor: Character, label: str) -> list[Event]:
    """Take down what you have shared under a type."""
    if not world.board.withdraw(actor.character_id, label):
        own = sorted({entry.label for entry in world.board.active() if entry.author_id == actor.character_id})
        labels = world.wording.join_and(own) or world.wording("lists.nothing")
        raise CommandError(world.wording("sharing.no_such", label=label, labels=labels))
    return [Output(actor.character_id, world.wording("sharing.taken_down", label=label.lower()))]


@command("board [<label>]", category="speech", for_agents=False)
def board(world: World, actor: Character, label: str = "") -> list[Event]:
    """Read what is shared with you here, all of it or one type."""
    lines = board_lines(world, actor, label.lower())
    return [Output(actor.character_id, "\n".join(lines) or world.wording("sharing.nothing"))]


def _check_shared(world: World, actor: Character, label: str, content: str) -> None:
    """Raises: CommandError if a type or what is shared is empty or too long, or somebody shares too much."""
    own = {entry.label for entry in world.board.active() if entry.author_id == actor.character_id}
    if not _LABEL.fullmatch(label) or not content:
        raise CommandError(world.wording("sharing.usage"))
    if len(label) > MAX_LABEL_LENGTH or len(content) > MAX_CONTENT_LENGTH:
        raise CommandError(world.wording("sharing.too_long", label=MAX_LABEL_LENGTH, content=MAX_CONTENT_LENGTH))
    if label not in own and len(own) >= MAX_LABELS_PER_AUTHOR:
        labels = world.wording.join_and(sorted(own))
        raise CommandError(world.wording("sharing.too_many", count=len(own), labels=labels))


def board_lines(world: World, actor: Character, label: str = "") -> list[str]:
    """Return what somebody reads on the board, an entry a line: type, author and the content to the letter."""
    found = world.board.readable(actor.room_id, label)
    say = world.wording
    return [say("sharing.entry", label=e.label, who=e.author_id, content=e.content) for e in found]


@command("think <text>", "ponder", category="mind", role=Role.PLAYER)
def think(world: World, actor: Character, text: str) -> list[Event]:
    """Think something to yourself; nobody else perceives it."""
    return [Thought(actor.character_id, text)]
