"""One player at one terminal: a dialogue at the door, then playing."""

from __future__ import annotations

import logging

from twisted.internet.defer import Deferred

from server.door.account_commands import AskedPassword
from server.door.accounts import Claim, Standing
from server.door.acquaintance import Acquaintance
from server.door.dialogue import Dialogue
from server.door.idle import IdleWatch
from server.door.login import Login
from server.door.one_time import one_time_password
from server.door.password_change import PasswordChange
from server.gmcp.client import GmcpClient
from server.gmcp.logging_in import Outcome
from server.lobby import Lobby
from server.screens.coloring import MARKED, SCENE, shown_of
from server.screens.sight import Sight
from server.telnet.interface import DelayedCall, Terminal
from world.events import Arrived, Departed, Event
from world.marks import without_marks
from world.model import Character, Role
from world.preferences import reads_aloud
from world.presence import MINUTE, span
from world.scenes import arrival, scene

log = logging.getLogger(__name__)

PROMPT = "> "


class Session:
    """Listens to one terminal. Bad input is answered and never ends it.

    A dialogue, while there is one, has all lines to itself: they reach no command, no log and no other screen.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._number = next(lobby.numbers)
        self._character: Character | None = None
        self._terminal: Terminal | None = None
        self._sight: Sight | None = None
        self._acquaintance: Acquaintance | None = None
        self._dialogue: Dialogue | None = None
        self._gmcp: GmcpClient | None = None
        self._idle: IdleWatch | None = None
        self._too_late: DelayedCall | None = None
        self._at_prompt = False
        self._has_typed = False
        self._is_hidden = False
        self._was_ended = False

    # What the connection tells

    def connection_made(self, terminal: Terminal) -> None:
        """Greet, unless the house is full or nobody from there may come in."""
        lobby, self._terminal, self._sight = self._lobby, terminal, Sight(terminal)
        self._acquaintance = Acquaintance(terminal, lobby.clock)
        if why := lobby.turned_away(terminal.host):
            self.end(why)
            return
        lobby.sessions.add(self)
        self._wait_for_login()
        self.show(lobby.texts.welcome, kind=MARKED)
        self._dialogue = Login(self, lobby.door, self._enter)

    def line_received(self, text: str) -> None:
        """Take an answer, or else a command."""
        self._at_prompt, self._has_typed = False, True
        if self._idle:
            self._idle.note_line()
        if self._is_hidden and self._terminal:
            self._terminal.write("\n")  # the player's own was not shown
        if self._dialogue:
            self._dialogue.line_received(text)
        elif self._gmcp and self._gmcp.is_login_again(text):
            pass  # nobody's password is a command, and none is to stand in a log
        elif self._character and text.strip():
            self._lobby.perform(self._character.character_id, text)
        self._prompt_soon()

    def size_changed(self, width: int, height: int) -> None:
        """Nothing to do: every text is wrapped to the width of its moment."""

    def terminal_identified(self) -> None:
        """Note whether the player listens instead of looking."""
        if self._acquaintance:
            self._acquaintance.end()
        if self._character and self._terminal:
            self._character.doings.client_reads_aloud = self._terminal.screen_reader

    def gmcp_received(self, package: str, payload: object) -> None:
        """Let the client's other side see to it."""
        if self._terminal is None or self not in self._lobby.sessions:
            return  # turned away
        if self._gmcp is None:
            self._gmcp = GmcpClient(self._terminal, self._lobby.audience, self._lobby.clock, self._log_in)
            if self._character:
                self._gmcp.enter(self._character)
        self._gmcp.received(package, payload)

    def connection_lost(self, reason: str) -> None:
        """Let go of the character, unless somebody else has taken it over."""
        if self._too_late and self._too_late.active():
            self._too_late.cancel()
        for listening in (self._idle, self._dialogue):
            if listening:
                listening.stop()
        self._dialogue = None
        if self._gmcp:
            self._gmcp.leave()
            self._gmcp = None
        character, self._character = self._character, None
        if character and self._lobby.playing.get(character.character_id) is self:
            del self._lobby.playing[character.character_id]
            self._leave(character, reason)
        self._lobby.gone(self)

    @property
    def place(self) -> str:
        """The room in which a line is done; empty at the door."""
        return self._character.room_id if self._character else ""

    # What a dialogue may do

    @property
    def host(self) -> str:
        """The address of the other side."""
        return self._terminal.host if self._terminal else ""

    @property
    def idle_seconds(self) -> float:
        """For how long the player has typed nothing."""
        return self._idle.idle_seconds if self._idle else 0.0

    def show(self, text: str, as_it_is: bool = False, kind: str = "") -> None:
        """Write a message of whole lines, on lines of its own, and the prompt behind it at the end of the turn.

        It is wrapped to the screen, unless that is read aloud or it is to stay `as_it_is`. `kind` is what it is.
        """
        terminal, sight = self._terminal, self._sight
        if terminal is None or sight is None or not terminal.is_open:
            return
        lines = text if as_it_is else sight.rendered(text, kind, self._character, self._lobby.palette)
        terminal.write(f"{chr(10) if self._at_prompt else ''}{lines}\n")
        self._at_prompt = False
        self._prompt_soon()

    def end(self, text: str, kind: str = "") -> None:
        """Say a last thing and close."""
        self._was_ended = True
        self.show(text, kind=kind)
        if self._gmcp:
            self._gmcp.say_goodbye(without_marks(text) if kind == MARKED else text)
        if self._terminal:
            self._terminal.close()

    def hide_typing(self, hidden: bool) -> None:
        """Ask the client not to show what is typed, or to show it again."""
        if self._terminal and hidden != self._is_hidden:
            self._is_hidden = hidden
            if hidden:
                self._terminal.hide_input()
            else:
                self._terminal.show_input()

    def hold(self, held: bool) -> None:
        """Let lines wait, without a prompt, or go on with them."""
        if self._terminal and held:
            self._terminal.hold_input()
        elif self._terminal:
            self._terminal.release_input()
            self._prompt_soon()

    def until_known(self) -> Deferred[None] | None:
        """Return what fires when the client is known well enough to show the first room; None if it is by now."""
        return self._acquaintance.wait() if self._acquaintance else None

    def _prompt_soon(self) -> None:
        if self._terminal:
            self._terminal.at_turn_end(self._prompt)

    def _prompt(self) -> None:
        if self._character and not self._dialogue and not self._has_typed and reads_aloud(self._character):
            return  # a prompt after each message would be read out each time
        prompt = self._dialogue.prompt if self._dialogue else PROMPT
        if self._terminal and self._terminal.is_open and prompt and not self._at_prompt:
            self._terminal.prompt(prompt)
            self._at_prompt, self._has_typed = True, False

    def _say(self, key: str, **values: object) -> str:
        return self._lobby.game.world.wording(key, **values)

    # Coming, playing, going

    def _enter(self, claim: Claim) -> None:
        lobby, accounts = self._lobby, self._lobby.door.accounts
        if claim.standing is Standing.GUEST:
            character, is_new = lobby.guests.make(), True
        else:
            character, is_new = accounts.character_of(claim.name)
        self._dialogue = self._acquaintance = None
        if self._too_late and self._too_late.active():
            self._too_late.cancel()
        self._character = character
        self.terminal_identified()
        other = lobby.playing.pop(character.character_id, None)
        lobby.playing[character.character_id] = self
        if other:
            other.hand_over()
        missed = lobby.returning.take_back(character)
        log.info("%s entered from %s", character.name, self.host, extra=self._told_of(character))
        self._welcome(character, is_new)
        if missed:
            self.show("\n".join([self._say("door.missed"), *missed]))
        lobby.game.wake(character.character_id, self._perceive)
        if self._gmcp:
            self._gmcp.enter(character)
        self._watch_idle(character)
        lobby.entered(character)

    def _log_in(self, given: str, password: str, told: Outcome) -> None:
        if isinstance(self._dialogue, Login):
            self._dialogue.try_at_once(given, password, told)
        else:
            told(False, self._say("gmcp.already_in"))

    def _welcome(self, character: Character, is_new: bool) -> None:
        if is_new:
            self.show(self._lobby.texts.first_steps, kind=MARKED)
        account = self._lobby.door.accounts.account(character.name)
        if account:
            if account.failed:
                self.show(self._say("door.failed_since", count=account.failed))
            self._lobby.door.accounts.note_seen(account.name, came_in=True)
        self.show(scene(self._lobby.game.world, character), kind=SCENE)

    def _watch_idle(self, character: Character) -> None:
        minutes = self._lobby.door.settings.idle_minutes
        self._idle = IdleWatch(
            self._lobby.clock,
            minutes,
            lambda: character.role >= Role.BUILDER,
            lambda: self.show(self._say("door.idle_warning")),
            lambda: self.end(self._say("door.idle_end", time=span(minutes * MINUTE, self._lobby.game.world.wording))),
        )

    def _leave(self, character: Character, reason: str) -> None:
        lobby = self._lobby
        if lobby.guests.is_one(character):
            lobby.guests.leave(character)
        else:
            if not self._was_ended:
                lobby.returning.wait_for(character)
            elif not lobby.stays_awake:
                lobby.game.sleep(character.character_id)
            lobby.door.accounts.note_seen(character.name)
        log.info("%s left (%s)", character.name, reason, extra=self._told_of(character))

    def _told_of(self, character: Character) -> dict[str, object]:
        return {"character": character.name, "host": self.host, "connection": self._number}

    def hand_over(self) -> None:
        """Give the character up to a newer session of the same name."""
        self._character = None
        if self._gmcp:
            self._gmcp.leave()
        self.end(self._say("door.taken_over"))

    def _perceive(self, event: Event, text: str) -> None:
        character = self._character
        if character is None:
            return
        if self._gmcp:
            self._gmcp.perceive(event, text)
        if text:
            shown, kind = shown_of(event, text, self._lobby.game.world.room_of(character).name)
            self.show(shown, kind=kind)
        if event.actor_id != character.character_id:
            return
        match event:
            case Arrived(from_room_id=room_id) if room_id:
                self.show(arrival(self._lobby.game.world, character), kind=SCENE)
            case Departed():
                self.end(self._lobby.texts.farewell, MARKED)
            case AskedPassword(name=""):
                self._dialogue = PasswordChange(self, self._lobby.door, character.name, self._go_on)
            case AskedPassword(name=name):
                self._give_one_time(name, character)

    def _go_on(self, text: str) -> None:
        """Play on after a dialogue."""
        self._dialogue = None
        self.hide_typing(False)
        self.show(text)

    def _give_one_time(self, name: str, admin: Character) -> None:
        lobby, door, password = self._lobby, self._lobby.door, one_time_password()

        def given(_: None) -> None:
            account = door.accounts.account(name)
            lobby.reset(admin.name, account.name if account else name)
            self.show(self._say("door.one_time_given", name=account.name if account else name, password=password))

        hashed = door.passwords.hash(password, self.host)
        hashed.addCallback(lambda kept: door.accounts.give_one_time(name, kept))
        hashed.addCallbacks(given, lambda failure: self.show(failure.getErrorMessage()))

    def _wait_for_login(self) -> None:
        self._too_late = self._lobby.clock.callLater(self._lobby.door.settings.login_seconds, self._give_up)

    def _give_up(self) -> None:
        if self._dialogue and not self._dialogue.prompt:
            self._wait_for_login()  # a password is being looked at, which may have to wait for long
        else:
            self.end(self._say("door.too_late"))
