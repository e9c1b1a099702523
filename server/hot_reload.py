"""Hot reload: applies edits of the vault to the running world, in slices, once they have settled."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import partial

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.population import Population
from server.bridge import deferred_from
from server.options import merge_settings, notes_edited
from server.session.registry import SessionRegistry, load_texts
from vault.config_notes import Settings, write_setting
from vault.copies import Copies
from vault.entities.load import closed_exit_message
from vault.entities.merge_base import MergeBase
from vault.entities.reload import EntityReloader, merge_messages
from vault.errors import NoteError
from vault.locations_log import LocationsLog
from vault.lore import FOLDER as LORE
from vault.lore import load_entry, lore_titles
from vault.message_notes import load_command_texts, load_wording
from vault.trash import keep_version
from vault.vault import Vault
from vault.watch import Changes, ChangeScanner
from world.edits import hide_character, same_content
from world.errors import WorldError
from world.events import EntityChanged
from world.game import Game
from world.lore import Lore

log = logging.getLogger(__name__)

SETTINGS, TEXTS = "config", "text"


@dataclass(frozen=True)
class ReloadTargets:
    """The parts of a world that take edits in.

    `settings` and `adopt` get and set the settings that count now. `end_thoughts` stops an agent's timer. `seen` knows
    the notes as they were before the world was loaded.
    """

    game: Game
    agents: Population
    registry: SessionRegistry
    known: MergeBase
    settings: Callable[[], Settings]
    adopt: Callable[[Settings], None]
    end_thoughts: Callable[[str], None]
    seen: ChangeScanner


class HotReload:
    """Puts edited notes into force; a note that is not valid changes nothing.

    `written` are the settings of the notes, which the command line may override.
    """

    def __init__(self, vault: Vault, targets: ReloadTargets, written: Settings) -> None:
        self._vault = vault
        self._targets = targets
        self._game = game = targets.game
        self._agents = targets.agents
        self._known = known = targets.known
        self._seen = targets.seen
        self._world = EntityReloader(vault, game.world, known)
        self._written = written
        self._written_agents: dict[str, str] = {}
        agent_notes = [source for source in known.broken if source.startswith("agents/")]
        self._broken = {source.removesuffix("/agent.md"): known.broken[source] for source in agent_notes}

    @property
    def is_waiting(self) -> bool:
        """True if a note seems to be gone, and another look is due soon."""
        return self._seen.is_waiting

    def undo_scan(self) -> list[str]:
        """Take back the scan of a reload that has failed; return the notes that it had found."""
        return self._seen.undo()

    @property
    def problems(self) -> list[str]:
        """The faults of notes that are not valid now, and the exits to rooms without a note, in a sentence each."""
        closed = (closed_exit_message(room, exit) for room, exit in self._game.world.closed_exits_to())
        return [*self._broken.values(), *self._world.broken.values(), *closed]

    def steps(self, paths: Iterable[str] | None = None) -> Generator[None, None, list[str]]:
        """Take in what has changed among some notes and folders, or anywhere; return what admins should know.

        Between the short steps anything else may happen in the world.
        """
        messages = self._take_replaced()
        changes = self._seen.scan(paths if paths is None else {*paths, *self._known.busy})
        self._known.busy.clear()
        if self._concerns(changes, TEXTS):
            messages += self._guarded(TEXTS, lambda: self._texts(changes), "The sentences stay as they were.")
        taken = yield from self._world.apply_in_steps(changes)
        messages += taken.messages
        self._game.publish(tuple(taken.events))
        if self._concerns(changes, LORE):
            messages += self._guarded(LORE, lambda: self._lore(changes), "The lore stays as it was.")
        if self._concerns(changes, SETTINGS):
            messages += self._guarded(SETTINGS, self._settings, "The settings stay as they were.")
        self._follow_start_room()
        messages += [f"{source}: reloaded." for source in _note_in(changes, "templates")]
        for name in self._agents_in(changes):
            source = f"agents/{name}"
            take = partial(self._agent, name, changes)
            stays = f"{name} goes on as before." if name in self._agents else "Left out."
            messages += self._guarded(source, take, stays)
        return messages

    @property
    def has_replaced(self) -> bool:
        """True if an editor may still have a note open that was replaced."""
        return bool(self._vault.replaced)

    def _take_replaced(self) -> list[str]:
        """Put in its place what an editor wrote into a note after the world had replaced it; or else keep it aside."""
        messages = []
        for source, text in self._vault.replaced.drain_changed() if self._vault.replaced else ():
            known = self._known.texts.get(source)
            try:
                if known is not None and self._vault.read_exact_or_none(source) == known:
                    self._vault.write_text(text, source, was=known)
                    self._vault.disown(source)
                    self._known.busy.add(source)
                else:
                    kept = keep_version(self._vault, source, text)
                    messages.append(f"{source}: an editor saved a version that was replaced by then; it is in {kept}.")
            except NoteError as error:
                messages.append(f"{error} What an editor had written there is lost.")
        return messages

    def _concerns(self, changes: Changes, folder: str) -> bool:
        return bool(_note_in(changes, folder)) or (folder in self._broken and bool(changes.changed or changes.gone))

    def _texts(self, changes: Changes) -> list[str]:
        world, commands = self._game.world, self._game.commands
        wording, texts = load_wording(self._vault), load_texts(self._vault)
        command_texts = load_command_texts(self._vault, commands)
        world.wording, self._targets.registry.texts, commands.texts = wording, texts, command_texts
        return [f"{source}: reloaded." for source in _note_in(changes, TEXTS)]

    def _lore(self, changes: Changes) -> list[str]:
        self._game.world.lore = Lore(load_entry(self._vault, title) for title in lore_titles(self._vault))
        return [f"{source}: reloaded." for source in _note_in(changes, LORE)]

    def _settings(self) -> list[str]:
        now, world = loaded_strategies().load_settings(self._vault), self._game.world
        edited = notes_edited(self._written, now)
        start = now.world.start_room
        if start not in world.rooms:
            raise NoteError(
                f"config/world.md: the start room {start!r} does not exist; rooms: {', '.join(world.rooms)}."
            )
        in_force, later = merge_settings(self._targets.settings(), self._written, now)
        self._written, world.start_room_id = now, start
        self._targets.adopt(in_force)
        if edited:
            later += self._agents.reload(in_force)
        return [*(f"{source}: reloaded." for source in edited), *later]

    def _follow_start_room(self) -> None:
        """Write the new name of the start room into the settings, if its note was renamed."""
        start = self._game.world.start_room_id
        if start == self._written.world.start_room or SETTINGS in self._broken:
            return
        try:
            write_setting(self._vault, "world", "start_room", start)
            self._settings()
        except NoteError as error:
            log.error("config/world.md names the start room by its old name: %s", error)

    def _agents_in(self, changes: Changes) -> list[str]:
        sources = (*_note_in(changes, "agents"), *(key for key in self._broken if key.startswith("agents/")))
        names = [source.split("/")[1] for source in sources]
        return sorted({*names, *(self._agents if _note_in(changes, "templates") else ())})

    def _agent(self, name: str, changes: Changes) -> list[str]:
        source = f"agents/{name}/agent.md"
        if not self._vault.exists("agents", name, "agent.md"):
            return self._remove_agent(name) if name in self._agents and source in changes.gone else []
        if name not in self._agents:
            return self._add_agent(name)
        agent = self._agents[name]
        before = _comparable(agent)
        self._agents.adopt_notes(agent)
        now, ref = agent.note.character, ("character", name)
        merged = self._known.merge_edit(agent.character, now, agent.note.text)
        told = [*merge_messages(self._vault, source, merged), *self._keep_written(source, agent.note.text)]
        if merged.is_changed or told:
            self._game.publish((EntityChanged("", *ref),) if not same_content(agent.character, now) else ())
        elif before == _comparable(agent) and not _note_in(changes, f"agents/{name}/templates"):
            return []
        return [*(f"{one}: reloaded." for one in _note_in(changes, f"agents/{name}") or [source]), *told]

    def _keep_written(self, source: str, text: str) -> list[str]:
        """Keep what the world wrote into an agent's note last, once somebody has edited it; say where it is."""
        if self._vault.is_own(source):
            self._written_agents[source] = text
            return []
        written = self._written_agents.pop(source, text)
        if written == text:
            return []
        kept = keep_version(self._vault, source, written)
        return [f"{source}: was edited after the world had written it; what the world wrote is in {kept}."]

    def _add_agent(self, name: str) -> list[str]:
        try:
            if fault := Copies(self._vault, "agents", LocationsLog.names(self._vault)).fault(name):
                raise NoteError(fault)
            agent = self._agents.bring(name)
        except WorldError as error:
            raise NoteError(f"agents/{name}/agent.md: {error}") from error
        self._known.set(agent.note.character, agent.note.text)
        self._game.publish(())  # nobody perceives it, but where everyone is is to be saved
        return [f"agents/{name}/agent.md: loaded, as it is new."]

    def _remove_agent(self, name: str) -> list[str]:
        self._targets.end_thoughts(name)
        deferred_from(self._agents.let_go(name)).addErrback(
            lambda failure: log.error(
                "%s was removed, but not all of its memory is on disk: %s", name, failure.getErrorMessage()
            )
        )
        self._game.sleep(name)
        kept = keep_version(
            self._vault, f"agents/{name}/agent.md", self._known.own_text(self._game.world.characters[name])
        )
        self._game.publish(tuple(hide_character(self._game.world, name)))
        self._known.drop(("character", name), f"agents/{name}/agent.md")
        gone = f"agents/{name}/agent.md: is gone, and {name} sleeps; what it remembers stays on disk."
        return [f"{gone} What the note said is in {kept}."]

    def _guarded(self, what: str, take: Callable[[], list[str]], stays: str) -> list[str]:
        """Return the messages of taking something in, or once its fault."""
        try:
            messages = take()
        except NoteError as error:
            before, self._broken[what] = self._broken.get(what), f"{error} {stays}"
            return [] if before == self._broken[what] else [self._broken[what]]
        self._broken.pop(what, None)
        return messages


def _note_in(changes: Changes, folder: str) -> list[str]:
    return [source for source in (*changes.changed, *changes.gone) if source.startswith(f"{folder}/")]


def _comparable(agent: Agent) -> tuple[object, ...]:
    """Return all that counts of an agent's notes beyond its character."""
    note = agent.note
    return note.profile, note.yesterday, note.lines, agent.settings, agent.memory.settings
