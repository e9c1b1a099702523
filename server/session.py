"""One player at one terminal: a dialogue at the door, then playing."""

from __future__ import annotations

from twisted.internet.defer import Deferred

from server.clock import DelayedCall
from server.door.account_commands import AskedPassword
from server.door.accounts import Claim, Standing
from server.door.acquaintance import Acquaintance
from server.door.dialogue import Dialogue
from server.door.login import Login
from server.door.one_time_giving import give_one_time
from server.door.password_change import PasswordChange
from server.gmcp.client import GmcpClient
from server.gmcp.logging_in import Outcome
from server.lobby import Lobby
from server.rendering.ansi import MARKED, SCENE, shown_of
from server.rendering.sight import Sight
from server.stay import Stay
from server.telnet.interface import Terminal
from world.events import Arrived, Departed, Event
from world.marks import without_marks
from world.model import Character
from world.preferences import reads_aloud
from world.scenes import arrival

PROMPT = "> "


class Session:
    """Listens to one terminal. Bad input is answered and never ends it.

    A dialogue, while there is one, has all lines to itself: they reach no command, no log and no other screen.
    """

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._number = next(lobby.numbers)
        self._stay: Stay | None = None
        self._terminal: Terminal | None = None
        self._sight: Sight | None = None
        self._acquaintance: Acquaintance | None = None
        self._dialogue: Dialogue | None = None
        self._gmcp: GmcpClient | None = None
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
        self._begin_answer()
        if self._stay:
            self._stay.note_line()
        if self._dialogue:
            self._dialogue.line_received(text)
        elif self._gmcp and self._gmcp.is_login_again(text):
            pass  # nobody's password is a command, and none is to stand in a log
        elif self._character and text.strip():
            self._lobby.perform(self._character.character_id, text)

    def line_answered(self, text: str) -> None:
        """Show what the connection says to a line instead."""
        self._begin_answer()
        self.show(text)

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
        if self._dialogue:
            self._dialogue.stop()
            self._dialogue = None
        if self._gmcp:
            self._gmcp.leave()
            self._gmcp = None
        stay, self._stay = self._stay, None
        if stay:
            stay.end(reason, self._was_ended)
        self._lobby.gone(self)

    @property
    def place(self) -> str:
        """The room in which a line is done; empty at the door."""
        return self._character.room_id if self._character else ""

    @property
    def _character(self) -> Character | None:
        return self._stay.character if self._stay else None

    # What a dialogue may do

    @property
    def host(self) -> str:
        """The address of the other side."""
        return self._terminal.host if self._terminal else ""

    @property
    def idle_seconds(self) -> float:
        """For how long the player has typed nothing."""
        return self._stay.idle_seconds if self._stay else 0.0

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

    def _begin_answer(self) -> None:
        """Stand below what the player typed; a prompt is to come behind the answer, and behind an apology for it."""
        self._at_prompt, self._has_typed = False, True
        if self._is_hidden and self._terminal:
            self._terminal.write("\n")  # the player's own was not shown
        self._prompt_soon()

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
        lobby = self._lobby
        if claim.standing is Standing.GUEST:
            character, is_new = lobby.guests.make(), True
        else:
            character, is_new = lobby.door.accounts.character_of(claim.name)
        self._dialogue = self._acquaintance = None
        if self._too_late and self._too_late.active():
            self._too_late.cancel()
        self._stay = Stay(lobby, character, self, self._number)
        self.terminal_identified()
        self._stay.begin(is_new, self._perceive)
        if self._gmcp:
            self._gmcp.enter(character)
        lobby.entered(character)

    def _log_in(self, given: str, password: str, told: Outcome) -> None:
        if isinstance(self._dialogue, Login):
            self._dialogue.try_at_once(given, password, told)
        else:
            told(False, self._say("gmcp.already_in"))

    def hand_over(self) -> None:
        """Give the character up to a newer session of the same name."""
        if self._stay:
            self._stay.stop()
            self._stay = None
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
                admin = character.name
                give_one_time(name, self, self._lobby.door, lambda who: self._lobby.reset(admin, who))

    def _go_on(self, text: str) -> None:
        """Play on after a dialogue."""
        self._dialogue = None
        self.hide_typing(False)
        self.show(text)

    def _wait_for_login(self) -> None:
        self._too_late = self._lobby.clock.callLater(self._lobby.door.settings.login_seconds, self._give_up)

    def _give_up(self) -> None:
        if self._dialogue and not self._dialogue.prompt:
            self._wait_for_login()  # a password is being looked at, which may have to wait for long
        else:
            self.end(self._say("door.too_late"))
