"""The shared board: putting up, taking down and reading what is meant for others word for word."""

from __future__ import annotations

import re

from world.board import SCOPES
from world.cleaning import clean_line
from world.command import command
from world.errors import CommandError
from world.events import Event, Saw, Shared
from world.model import Character, Role, World
from world.parsing import one_spaced

LONGEST_CONTENT = 2000
LONGEST_LABEL = 40
MOST_OF_ONE_AUTHOR = 16
"""How long a type and what is shared may be, in characters, and how many types one author may share at a time."""

_LABEL = re.compile(r"[\w' -]+")


@command("share <label> -> <text>", category="speech", role=Role.PLAYER, noticed="room")
def share(world: World, actor: Character, label: str, text: str) -> list[Event]:
    """Share something that others here read word for word until you leave.

    share plan -> We meet at noon.
    share world plan -> …    for everyone in the world, until you take it down
    share turn plan -> …     only until the next thing you do
    Sharing the same type again replaces it.
    """
    first, _, rest = label.partition(" ")
    scope, kind = (first.lower(), rest) if first.lower() in SCOPES else ("scene", label)
    kind, content = one_spaced(clean_line(kind)).lower(), one_spaced(clean_line(text))
    _check(world, actor, kind, content)
    entry = world.board.share(actor.character_id, actor.room_id, kind, content, scope)
    return [Shared(actor.character_id, actor.room_id, entry.label, entry.content, entry.scope, entry.entry_id)]


@command("unshare <label>", category="speech", role=Role.PLAYER, for_agents=False)
def unshare(world: World, actor: Character, label: str) -> list[Event]:
    """Take down what you have shared under a type."""
    if not world.board.withdraw(actor.character_id, label):
        own = sorted({entry.label for entry in world.board.up() if entry.author_id == actor.character_id})
        labels = world.wording.all_of(own) or world.wording("lists.nothing")
        raise CommandError(world.wording("sharing.no_such", label=label, labels=labels))
    return [Saw(actor.character_id, world.wording("sharing.taken_down", label=label.lower()))]


@command("board [<label>]", category="speech", for_agents=False)
def board(world: World, actor: Character, label: str = "") -> list[Event]:
    """Read what is shared with you here, all of it or one type."""
    lines = board_lines(world, actor, label.lower())
    return [Saw(actor.character_id, "\n".join(lines) or world.wording("sharing.nothing"))]


def _check(world: World, actor: Character, label: str, content: str) -> None:
    """Raises: CommandError if a type or what is shared is empty or too long, or somebody shares too much."""
    own = {entry.label for entry in world.board.up() if entry.author_id == actor.character_id}
    if not _LABEL.fullmatch(label) or not content:
        raise CommandError(world.wording("sharing.usage"))
    if len(label) > LONGEST_LABEL or len(content) > LONGEST_CONTENT:
        raise CommandError(world.wording("sharing.too_long", label=LONGEST_LABEL, content=LONGEST_CONTENT))
    if label not in own and len(own) >= MOST_OF_ONE_AUTHOR:
        labels = world.wording.all_of(sorted(own))
        raise CommandError(world.wording("sharing.too_many", count=len(own), labels=labels))


def board_lines(world: World, actor: Character, label: str = "") -> list[str]:
    """Return what somebody reads on the board, an entry a line: type, author and the content to the letter."""
    found = world.board.readable(actor.room_id, label)
    say = world.wording
    return [say("sharing.entry", label=e.label, who=e.author_id, content=e.content) for e in found]


COMMANDS = (share, unshare, board)
