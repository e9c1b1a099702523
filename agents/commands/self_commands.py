"""Commands about oneself: notes, persona (profile) and description."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from agents.agent import Agent
from agents.commands.agent_commands import find_agent, refusing_at_note_errors
from agents.commands.late_answers import Publish
from agents.commands.mind_commands import Dreamer, MindCommands
from agents.models.queue import ModelQueue
from agents.population import Population
from config.settings import AgentSettings
from config.validation import SettingsError, SourcedValue, override
from vault.entities.agent_notes import PersonalNotes, ProfileHistory
from vault.errors import NoteError
from vault.vault import Vault, check_name
from world.command import Command, command, commands_of
from world.entities import Character, Role
from world.errors import CommandError
from world.events import EntityChanged, Event, Output, Recalled
from world.find import validate_text
from world.parsing import collapse_whitespace, suggestions
from world.sanitize import clean_line
from world.world import World

AdoptNotes = Callable[[Agent], None]
"""Has an agent go on with what its notes say now. Raises: NoteError."""

MAX_TITLE_CHARACTERS = 60
MAX_ENTRY_CHARACTERS = 2000
MAX_NOTE_CHARACTERS = 20_000
MAX_NOTES = 200
"""Maximum length of a title, of one entry and of a note, in characters, and maximum number of notes."""

ARROW = "->"


class SelfCommands:
    """The commands about who one is, and how one looks."""

    def __init__(self, agents: Mapping[str, Agent], profiles: ProfileHistory, take_in: AdoptNotes) -> None:
        self._agents = agents
        self._profiles = profiles
        self._take_in = take_in

    @command("@my-profile", category="self", role=Role.PLAYER, for_agents=False)
    def my_profile(self, world: World, actor: Character) -> list[Event]:
        """Show your profile, or your description if you are a person."""
        agent = self._agents.get(actor.name)
        return _show_note(world, actor, actor, agent.note.profile if agent else actor.description)

    @command("@set-profile <text>", category="self", role=Role.PLAYER, for_agents=False)
    def set_profile(self, world: World, actor: Character, text: str) -> list[Event]:
        r"""Replace your profile; \n is a new line. @undo-profile undoes it."""
        agent = self._agents.get(actor.name)
        whose = text.partition("->")[0].strip().casefold()
        if "->" in text and whose in {name.casefold() for name in self._agents} - {actor.name.casefold()}:
            raise CommandError(world.wording("self.not_yours"))
        return self._set_profile(world, actor, agent, text) if agent else self._describe(world, actor, text)

    @command("@undo-profile [<agent>]", category="self", role=Role.PLAYER, for_agents=False)
    def undo_profile(self, world: World, actor: Character, agent: str = "") -> list[Event]:
        """Undo the last change of your profile; repeat to redo it. Admins may name an agent."""
        if agent and actor.role < Role.ADMIN and agent.casefold() != actor.name.casefold():
            raise CommandError(world.wording("self.not_yours"))
        found = find_agent(world, self._agents, agent) if agent else self._agents.get(actor.name)
        if found is None:
            return self._undescribe(world, actor)
        if not self._profiles.undo_profile(found.character):
            raise CommandError(world.wording("self.no_former_profile", who=found.name))
        self._take_in(found)
        return [Output(actor.character_id, world.wording("self.profile_undone", who=found.name))]

    @command("@my-description", category="self", role=Role.PLAYER, for_agents=False)
    def my_description(self, world: World, actor: Character) -> list[Event]:
        """Show your description, which others see when they look at you."""
        return _show_note(world, actor, actor, actor.description)

    @command("@set-description <text>", category="self", role=Role.PLAYER, for_agents=False)
    def set_description(self, world: World, actor: Character, text: str) -> list[Event]:
        r"""Set your description, which others see; \n is a new line. @undo-description undoes it."""
        return self._describe(world, actor, text)

    @command("@undo-description", category="self", role=Role.PLAYER, for_agents=False)
    def undo_description(self, world: World, actor: Character) -> list[Event]:
        """Undo the last change of your description; repeat to redo it."""
        return self._undescribe(world, actor)

    @command("@show-profile <agent>", category="agents", role=Role.OBSERVER, for_agents=False)
    def show_profile(self, world: World, actor: Character, agent: str) -> list[Event]:
        """Show the profile of an agent."""
        found = find_agent(world, self._agents, agent)
        return _show_note(world, actor, found.character, found.note.profile)

    @command("@edit-profile <agent> -> <text>", category="agents", role=Role.ADMIN, for_agents=False)
    def edit_profile(self, world: World, actor: Character, agent: str, text: str) -> list[Event]:
        r"""Replace the profile of an agent; \n is a new line. @undo-profile <agent> undoes it."""
        return self._set_profile(world, actor, find_agent(world, self._agents, agent), text)

    @command("@edit-interval <agent> <number>", category="agents", role=Role.ADMIN, for_agents=False)
    def edit_interval(self, world: World, actor: Character, agent: str, number: str) -> list[Event]:
        """Set the seconds between an agent's thoughts: @edit-interval Eliza 30."""
        found = find_agent(world, self._agents, agent)
        seconds = _seconds(world, number)
        self._profiles.set_interval(found.character, f"{seconds:g}")
        self._take_in(found)
        found.on_addressed()  # or it would wait until the end of a long pause before the short ones begin
        text = world.wording("self.interval", who=found.name, seconds=f"{seconds:g}")
        return [Output(actor.character_id, text)]

    def _set_profile(self, world: World, actor: Character, agent: Agent, text: str) -> list[Event]:
        profile = validate_text(world, text)
        if not profile:
            raise CommandError(world.wording("self.empty"))
        self._profiles.set_profile(agent.character, profile)
        self._take_in(agent)
        return [Output(actor.character_id, world.wording("self.profile_set", who=agent.name))]

    def _describe(self, world: World, actor: Character, text: str) -> list[Event]:
        wanted = validate_text(world, text)
        if not wanted:
            raise CommandError(world.wording("self.empty"))
        return self._looks(world, actor, wanted, world.wording("self.description_set"))

    def _undescribe(self, world: World, actor: Character) -> list[Event]:
        former = self._profiles.former_description(actor)
        if former is None:
            raise CommandError(world.wording("self.no_former_description"))
        return self._looks(world, actor, former, world.wording("self.description_undone"))

    def _looks(self, world: World, actor: Character, description: str, said: str) -> list[Event]:
        actor.description = self._profiles.set_description(actor, description)
        agent = self._agents.get(actor.name)
        if agent:
            self._take_in(agent)
        return [Output(actor.character_id, said), EntityChanged(actor.character_id, "character", actor.character_id)]


def _show_note(world: World, actor: Character, whose: Character, text: str) -> list[Event]:
    shown = text or world.wording("self.nothing_written", who=whose.name)
    return [Recalled(actor.character_id, shown, world.wording("self.you_look", who=whose.name))]


def _seconds(world: World, number: str) -> float:
    """Return a number of seconds that will do. Raises: CommandError saying which will."""
    try:
        given = SourcedValue(float(number), 0)
        return override(AgentSettings(), {"think_seconds": given}, "").think_seconds
    except (ValueError, SettingsError) as error:
        raise CommandError(world.wording("self.bad_interval", number=number)) from error


def note_commands(notes: PersonalNotes) -> tuple[Command, ...]:
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
            return _write_note(world, actor, notes, name, text)
        # `note list -> eggs` and `note read me -> later` write notes that are called `list` and `read me`.
        if ARROW in f"{name} {anyone}".split():
            title, _, text = (f"read {name}" if name else f"list {anyone}").partition(ARROW)
            return _write_note(world, actor, notes, title, text)
        return _read_note(world, actor, notes, name) if name else _list_notes(world, actor, notes, anyone)

    @command("@overwrite-note <name> -> <text>", category="mind", role=Role.PLAYER, for_agents=False)
    def overwrite_note(world: World, actor: Character, name: str, text: str) -> list[Event]:
        """Replace the text of a note; the old text is kept beside it."""
        title, line = _find_title(world, actor, notes, name), _check_text(world, name, text)
        kept = notes.overwrite(actor, title, line)
        return [Output(actor.character_id, world.wording("notes.overwritten", title=title, file=kept))]

    return (note, overwrite_note)


def _write_note(world: World, actor: Character, notes: PersonalNotes, name: str, text: str) -> list[Event]:
    title, line = collapse_whitespace(clean_line(name)), _check_text(world, name, text)
    known = notes.title_of(actor, title)
    if not known:
        _check_title(world, title)
        if len(notes.titles(actor)) >= MAX_NOTES:
            raise CommandError(world.wording("notes.too_many", count=MAX_NOTES))
    elif len(notes.read(actor, known)) + len(line) > MAX_NOTE_CHARACTERS:
        raise CommandError(world.wording("notes.full", title=known, most=MAX_NOTE_CHARACTERS))
    notes.add(actor, title, line)
    key = "notes.added" if known else "notes.written"
    return [Output(actor.character_id, world.wording(key, title=known or title))]


def _read_note(world: World, actor: Character, notes: PersonalNotes, wanted: str) -> list[Event]:
    owner, wanted = _owner_and_title(world, actor, wanted)
    title = _find_title(world, owner, notes, wanted)
    text = world.wording("notes.reads", title=title, text=notes.read(owner, title))
    return [Recalled(actor.character_id, text, world.wording("notes.you_read", title=title))]


def _list_notes(world: World, actor: Character, notes: PersonalNotes, anyone: str) -> list[Event]:
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


def _find_title(world: World, owner: Character, notes: PersonalNotes, wanted: str) -> str:
    title = notes.title_of(owner, wanted)
    if title:
        return title
    close = suggestions(wanted, notes.titles(owner))
    if close:
        raise CommandError(world.wording("notes.did_you_mean", wanted=wanted, titles=world.wording.join_or(close)))
    raise CommandError(world.wording("notes.no_such", wanted=wanted))


def _check_text(world: World, name: str, text: str) -> str:
    """Return a text as the note will have it. Raises: CommandError if it is empty or too long."""
    line = collapse_whitespace(clean_line(text))
    if not line or not collapse_whitespace(clean_line(name)):
        raise CommandError(world.wording("notes.empty"))
    if len(line) > MAX_ENTRY_CHARACTERS:
        raise CommandError(world.wording("notes.too_long", most=MAX_ENTRY_CHARACTERS))
    return line


def _check_title(world: World, title: str) -> None:
    try:
        check_name(title)
    except NoteError as error:
        raise CommandError(world.wording("notes.bad_title", title=title)) from error
    if len(title) > MAX_TITLE_CHARACTERS:
        raise CommandError(world.wording("notes.long_title", most=MAX_TITLE_CHARACTERS))


def own_commands(
    agents: Population,
    vault: Vault,
    publish: Publish,
    queue: Callable[[], ModelQueue | None],
    rng: random.Random,
    now_ms: Callable[[], int],
    timeout_seconds: float,
) -> tuple[Command, ...]:
    """Return the commands; `publish` brings an answer that takes a while, `queue` returns the queue of the model."""
    commands = (
        *note_commands(PersonalNotes(vault, now_ms)),
        *commands_of(MindCommands(agents, Dreamer(vault, queue, rng, timeout_seconds), publish)),
        *commands_of(SelfCommands(agents, ProfileHistory(vault, now_ms), agents.adopt_notes)),
    )
    return refusing_at_note_errors(commands)
