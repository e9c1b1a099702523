"""The shared board: putting up, taking down and reading what is meant for others word for word."""

from __future__ import annotations

from world.board import SCOPES
from world.command import command
from world.errors import CommandError
from world.events import Event, Saw, Shared
from world.matching import listed
from world.model import Character, World


@command("share <label> -> <text>", category="speech")
def share(world: World, actor: Character, label: str, text: str) -> list[Event]:
    """Share something that others here read word for word until you leave.

    share plan -> We meet at noon.
    share world plan -> …    for everyone in the world, until you take it down
    share turn plan -> …     only until the next thing you do
    Sharing the same type again replaces it.
    """
    first, _, rest = label.partition(" ")
    scope, kind = (first.lower(), rest) if first.lower() in SCOPES else ("scene", label)
    entry = world.board.share(actor.character_id, actor.room_id, kind, text, scope)
    return [Shared(actor.character_id, actor.room_id, entry.label, entry.content, entry.scope, entry.entry_id)]


@command("unshare <label>", category="speech", for_agents=False)
def unshare(world: World, actor: Character, label: str) -> list[Event]:
    """Take down what you have shared under a type."""
    if not world.board.withdraw(actor.character_id, label):
        own = sorted({entry.label for entry in world.board.up() if entry.author_id == actor.character_id})
        raise CommandError(f"You share no {label!r}. You share: {listed(own) or 'nothing'}.")
    return [Saw(actor.character_id, f"You no longer share {label.lower()}.")]


@command("board [<label>]", category="speech", for_agents=False)
def board(world: World, actor: Character, label: str = "") -> list[Event]:
    """Read what is shared with you here, all of it or one type."""
    lines = board_lines(world, actor, label.lower())
    return [Saw(actor.character_id, "\n".join(lines) or "Nothing is shared here.")]


def board_lines(world: World, actor: Character, label: str = "") -> list[str]:
    """Return what somebody reads on the board, an entry a line: type, author and the content to the letter."""
    found = world.board.readable(actor.room_id, label)
    return [f'{entry.label}, from {entry.author_id}: "{entry.content}"' for entry in found]


COMMANDS = (share, unshare, board)
