"""Notes of one's own: written, read and listed by their owner; admins may read them too."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from vault.errors import NoteError
from vault.personal_notes import OwnNotes
from vault.vault import check_name
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event, Recalled, Saw
from world.matching import suggestions
from world.parsing import one_spaced
from world.sanitize import clean_line
from world.world import World

LONGEST_TITLE = 60
LONGEST_ENTRY = 2000
LONGEST_NOTE = 20_000
MOST_NOTES = 200
"""How long a title, what is written at a time and a note may be, in characters, and how many notes one may have."""

ARROW = "->"
T = TypeVar("T")


def note_commands(notes: OwnNotes) -> tuple[Command, ...]:
    """Return the commands for notes."""

    @command(
        "note <name> -> <text>",
        category="mind",
        role=Role.PLAYER,
        also=("note read <name>", "note list <anyone>", "note list"),
    )
    def note(world: World, actor: Character, name: str = "", text: str = "", anyone: str = "") -> list[Event]:
        """Write a note for yourself, or add a line to it; `note read <title>` and `note list` bring notes back.

        note Breakfast -> Moss had a seed bun.
        note read Breakfast
        Admins may read others': note list Eliza, note read Eliza/Breakfast.
        """
        if text:
            return _written(world, actor, notes, name, text)
        # `note list -> eggs` and `note read me -> later` write notes that are called `list` and `read me`.
        if ARROW in f"{name} {anyone}".split():
            title, _, text = (f"read {name}" if name else f"list {anyone}").partition(ARROW)
            return _written(world, actor, notes, title, text)
        return _safely(lambda: _read(world, actor, notes, name) if name else _listed(world, actor, notes, anyone))

    @command("@overwrite-note <name> -> <text>", category="mind", role=Role.PLAYER, for_agents=False)
    def overwrite_note(world: World, actor: Character, name: str, text: str) -> list[Event]:
        """Give one of your notes another text; the old one is kept beside it."""
        title, line = _safely(lambda: _meant(world, actor, notes, name)), _checked(world, name, text)
        kept = _safely(lambda: notes.overwrite(actor, title, line))
        return [Saw(actor.character_id, world.wording("notes.overwritten", title=title, file=kept))]

    return (note, overwrite_note)


def _written(world: World, actor: Character, notes: OwnNotes, name: str, text: str) -> list[Event]:
    title, line = one_spaced(clean_line(name)), _checked(world, name, text)
    known = _safely(lambda: notes.title_of(actor, title))
    if not known:
        _check_title(world, title)
        if len(_safely(lambda: notes.titles(actor))) >= MOST_NOTES:
            raise CommandError(world.wording("notes.too_many", count=MOST_NOTES))
    elif len(_safely(lambda: notes.read(actor, known))) + len(line) > LONGEST_NOTE:
        raise CommandError(world.wording("notes.full", title=known, most=LONGEST_NOTE))
    _safely(lambda: notes.add(actor, title, line))
    key = "notes.added" if known else "notes.written"
    return [Saw(actor.character_id, world.wording(key, title=known or title))]


def _read(world: World, actor: Character, notes: OwnNotes, wanted: str) -> list[Event]:
    owner, wanted = _owner_and_title(world, actor, wanted)
    title = _meant(world, owner, notes, wanted)
    text = world.wording("notes.reads", title=title, text=notes.read(owner, title))
    return [Recalled(actor.character_id, text, world.wording("notes.you_read", title=title))]


def _listed(world: World, actor: Character, notes: OwnNotes, anyone: str) -> list[Event]:
    owner = _allowed(world, actor, anyone) if anyone else actor
    titles = notes.titles(owner)
    key = "notes.list" if titles else "notes.none"
    text = world.wording(key, who=owner.name, titles="".join(f"\n  {title}" for title in titles))
    return [Recalled(actor.character_id, text, world.wording("notes.you_list"))]


def _owner_and_title(world: World, actor: Character, wanted: str) -> tuple[Character, str]:
    name, slash, title = wanted.partition("/")
    return (_allowed(world, actor, name.strip()), title.strip()) if slash else (actor, wanted)


def _allowed(world: World, actor: Character, name: str) -> Character:
    """Return whose notes an actor may read. Raises: CommandError if there is nobody like that, or they are private."""
    owner = next((one for key, one in world.characters.items() if key.casefold() == name.casefold()), None)
    if owner is not actor and actor.role < Role.ADMIN:
        raise CommandError(world.wording("notes.private"))
    if owner is None:
        raise CommandError(world.wording("notes.nobody", wanted=name))
    return owner


def _meant(world: World, owner: Character, notes: OwnNotes, wanted: str) -> str:
    title = notes.title_of(owner, wanted)
    if title:
        return title
    close = suggestions(wanted, notes.titles(owner))
    if close:
        raise CommandError(world.wording("notes.did_you_mean", wanted=wanted, titles=world.wording.any_of(close)))
    raise CommandError(world.wording("notes.no_such", wanted=wanted))


def _checked(world: World, name: str, text: str) -> str:
    """Return what is to be written, as it will stand there. Raises: CommandError if it is empty or too long."""
    line = one_spaced(clean_line(text))
    if not line or not one_spaced(clean_line(name)):
        raise CommandError(world.wording("notes.empty"))
    if len(line) > LONGEST_ENTRY:
        raise CommandError(world.wording("notes.too_long", most=LONGEST_ENTRY))
    return line


def _check_title(world: World, title: str) -> None:
    try:
        check_name(title)
    except NoteError as error:
        raise CommandError(world.wording("notes.bad_title", title=title)) from error
    if len(title) > LONGEST_TITLE:
        raise CommandError(world.wording("notes.long_title", most=LONGEST_TITLE))


def _safely(make: Callable[[], T]) -> T:
    try:
        return make()
    except NoteError as error:
        raise CommandError(str(error)) from error
