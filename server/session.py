"""One player at one terminal: naming, then playing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from twisted.internet.defer import Deferred

from server.accounts import Accounts, NameRefused
from server.screen import wrapped
from server.telnet.interface import DelayedCall, ReactorClock, Terminal
from vault.notes import NoteError
from world.events import Arrived, Departed, Event
from world.game import Game
from world.model import Character
from world.narration import scene

log = logging.getLogger(__name__)

PROMPT = "> "
ASK_NAME = "By what name shall we know you? "


@dataclass(frozen=True)
class Texts:
    """What the server says of its own accord; each from a note in `text/`."""

    welcome: str
    first_steps: str
    farewell: str


@dataclass
class Lobby:
    """What all sessions share, and which of them plays which character."""

    game: Game
    accounts: Accounts
    texts: Texts
    clock: ReactorClock
    login_seconds: float
    max_sessions: int
    entered: Callable[[Character], None] = lambda character: None
    sessions: set[Session] = field(default_factory=set)
    playing: dict[str, Session] = field(default_factory=dict)
    emptied: Deferred[None] | None = None

    def announce(self, text: str) -> None:
        """Say something to everyone who is connected."""
        for session in list(self.sessions):
            session.show(text)

    def send_home(self) -> Deferred[None] | None:
        """End every session; the Deferred fires when the last connection has gone, None if there is none to go."""
        if not self.sessions:
            return None
        self.emptied = Deferred()
        for session in list(self.sessions):
            session.end(self.texts.farewell)
        return self.emptied

    def gone(self, session: Session) -> None:
        """Forget a session whose connection has gone."""
        self.sessions.discard(session)
        if self.emptied and not self.emptied.called and not self.sessions:
            self.emptied.callback(None)


class Session:
    """Listens to one terminal. Bad input is answered and never ends it."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._character: Character | None = None
        self._terminal: Terminal | None = None
        self._too_late: DelayedCall | None = None
        self._prompting: DelayedCall | None = None
        self._at_prompt = False

    # What the connection tells

    def connection_made(self, terminal: Terminal) -> None:
        """Greet, unless the house is full."""
        self._terminal = terminal
        lobby = self._lobby
        if len(lobby.sessions) >= lobby.max_sessions:
            self.show(
                f"There are {lobby.max_sessions} people here, and that is as many as we can hold. Come back later."
            )
            terminal.close()
            return
        lobby.sessions.add(self)
        self._too_late = lobby.clock.callLater(lobby.login_seconds, self._give_up)
        self.show(lobby.texts.welcome)

    def line_received(self, text: str) -> None:
        """Take a name, or else a command."""
        self._at_prompt = False
        if self._character:
            if text.strip():
                self._lobby.game.perform(self._character.character_id, text)
        elif text.strip():
            self._enter(text)
        self._prompt_soon()

    def size_changed(self, width: int, height: int) -> None:
        """Nothing to do: every text is wrapped to the width of its moment."""

    def terminal_identified(self) -> None:
        """Nothing to do yet: colour and screen readers are asked for where they matter."""

    def connection_lost(self, reason: str) -> None:
        """Let the character fall asleep, unless somebody else has taken it over."""
        for call in (self._too_late, self._prompting):
            if call and call.active():
                call.cancel()
        character, self._character = self._character, None
        if character and self._lobby.playing.get(character.character_id) is self:
            del self._lobby.playing[character.character_id]
            self._lobby.game.sleep(character.character_id)
            log.info("%s left (%s)", character.name, reason)
        self._lobby.gone(self)

    # What goes to the screen

    def show(self, text: str) -> None:
        """Write a message of whole lines, on lines of its own, and the prompt behind it at the end of the turn."""
        terminal = self._terminal
        if terminal is None or not terminal.is_open:
            return
        terminal.write(f"{chr(10) if self._at_prompt else ''}{wrapped(text, terminal.width)}\n")
        self._at_prompt = False
        self._prompt_soon()

    def end(self, text: str) -> None:
        """Say a last thing and close."""
        self.show(text)
        if self._terminal:
            self._terminal.close()

    def _prompt_soon(self) -> None:
        if self._prompting is None or not self._prompting.active():
            self._prompting = self._lobby.clock.callLater(0, self._prompt)

    def _prompt(self) -> None:
        if self._terminal and self._terminal.is_open and not self._at_prompt:
            self._terminal.prompt(PROMPT if self._character else ASK_NAME)
            self._at_prompt = True

    # Naming and playing

    def _enter(self, given: str) -> None:
        assert self._terminal is not None
        try:
            character, new = self._lobby.accounts.enter(given, self._terminal.host)
        except (NameRefused, NoteError) as error:
            self.show(str(error))
            return
        if self._too_late and self._too_late.active():
            self._too_late.cancel()
        self._character = character
        other = self._lobby.playing.pop(character.character_id, None)
        self._lobby.playing[character.character_id] = self
        if other:
            other.hand_over()
        log.info("%s entered from %s", character.name, self._terminal.host)
        if new:
            self.show(self._lobby.texts.first_steps)
        self.show(scene(self._lobby.game.world, character))
        self._lobby.game.wake(character.character_id, self._perceive)
        self._lobby.entered(character)

    def hand_over(self) -> None:
        """Give the character up to a newer session of the same name."""
        self._character = None
        self.end("You have connected from somewhere else, and go on there.")

    def _perceive(self, event: Event, text: str) -> None:
        character = self._character
        if character is None:
            return
        if text:
            self.show(text)
        if event.actor_id != character.character_id:
            return
        if isinstance(event, Arrived) and event.from_room_id:
            self.show(scene(self._lobby.game.world, character))
        elif isinstance(event, Departed):
            self.end(self._lobby.texts.farewell)

    def _give_up(self) -> None:
        self.end("Nobody gave a name, so the door closes. Connect again whenever you like.")
