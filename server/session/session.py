"""A session: one player at one connection, first logging in, then playing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from functools import partial

from twisted.internet.defer import Deferred

from server.accounts.accounts import AccountState, LoginName, NameRefused
from server.accounts.dialogue import Dialogue
from server.accounts.login import Login, LoginResult
from server.accounts.password_change import PasswordChange, PasswordChangeRequested, issue_one_time_password
from server.accounts.passwords import Origin
from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.base import Connection
from server.connection.connection import MARKED, SCENE, Door, Identification
from server.gmcp.client import GmcpClient, Outcome
from server.session.puppet import Puppet
from server.session.registry import MAX_MISSED, SessionRegistry
from vault.errors import NoteError
from world.entities import Character
from world.events import (
    Announced,
    Arrived,
    Event,
    Output,
    Paged,
    QuitRequested,
    Refused,
    RoomMessage,
    Said,
    Shouted,
    Whispered,
)
from world.message_catalog import strip_markup
from world.preferences import uses_screen_reader
from world.room_view import render_arrival

WAIT_SECONDS = 0.3
"""Maximum wait, in seconds. A client answers four questions in turn, and the first room's look depends on them."""


class CapabilityWait:
    """Waits for what one client may still tell, if its player comes in before it could.

    A client that has said nothing yet has its time from the call on, so that nobody who types their name waits for a
    client that never tells. A client that is telling has it from now on, because it may be far away.
    """

    __slots__ = ("_clock", "_connection", "_end", "_known", "_since")

    def __init__(self, connection: Connection, clock: ReactorClock) -> None:
        self._connection = connection
        self._clock = clock
        self._since = clock.seconds()
        self._known: Deferred[None] | None = None
        self._end: DelayedCall | None = None

    def wait(self) -> Deferred[None] | None:
        """Return a Deferred that fires when the client is known, or its time is up; None if there is no wait."""
        seconds = self._seconds()
        if seconds <= 0:
            return None
        self._known = Deferred(lambda _: cancel(self._end))
        self._end = self._clock.callLater(seconds, self.end)
        return self._known

    def end(self) -> None:
        """Wait no longer: the client is known, or its time is over."""
        cancel(self._end)
        known, self._known = self._known, None
        if known:
            known.callback(None)

    def _seconds(self) -> float:
        match self._connection.identification:
            case Identification.ANSWERING:
                return WAIT_SECONDS
            case Identification.ASKED:
                return self._since + WAIT_SECONDS - self._clock.seconds()
        return 0.0


PROMPT = "> "
KIND_OF: Mapping[type[Event], str] = {
    Said: "speech",
    Shouted: "speech",
    Paged: "private",
    Whispered: "private",
    Announced: "notice",
    RoomMessage: "ambience",
    Refused: "refusal",
}
"""The kind of what somebody perceives of an event, a style's name. Of other events it is empty."""


class Session:
    """Listens to one connection. Bad input is answered and never ends it.

    A dialogue, while there is one, has all lines to itself: they reach no command, no log and no other screen.
    With a `claim`, the door has asked for the password already, and there is no dialogue to come in.
    """

    def __init__(self, registry: SessionRegistry, door: Door = "telnet", claim: LoginName | None = None) -> None:
        self.door: Door = door
        self._registry = registry
        self._claim = claim
        self._number = next(registry.numbers)
        self._puppet: Puppet | None = None
        self._character: Character | None = None
        self._connection: Connection | None = None
        self._capability_wait: CapabilityWait | None = None
        self._dialogue: Dialogue | None = None
        self._gmcp: GmcpClient | None = None
        self._login_timer: DelayedCall | None = None
        self._was_ended = False
        self._password_hash: int | None = None
        self._missed: deque[str] | None = None
        """The texts shown while the link was lost; None while it is not."""

    # Calls of the connection

    def connection_made(self, connection: Connection) -> None:
        """Greet, unless the house is full or nobody from there may come in."""
        registry, self._connection = self._registry, connection
        self._capability_wait = CapabilityWait(connection, registry.clock)
        if why := registry.rejection_for(connection.host, self.door):
            self.end(why)
            return
        registry.sessions.add(self)
        if self._claim:
            self._come_in(self._claim)
            return
        self._wait_for_login()
        self.show(registry.texts.welcome, MARKED)
        self._dialogue = Login(self, registry.login_services, self._enter)

    def prompt(self, is_answer: bool) -> str:
        """Return the prompt; somebody who listens gets a prompt for a command only behind an answer."""
        if self._dialogue:
            return self._dialogue.prompt
        if self._character and not is_answer and uses_screen_reader(self._character):
            return ""  # it would be read out behind each message
        return PROMPT

    def line_received(self, text: str) -> None:
        """Take an answer, or else a command."""
        if self._puppet:
            self._puppet.idle.note_line()
        if self._dialogue:
            self._dialogue.line_received(text)
        elif self._gmcp and self._gmcp.is_login_again(text):
            pass  # nobody's password is a command, and none is to stand in a log
        elif self._is_password(text):
            self.show(self._say("door.was_password"))
        elif self._character and text.strip():
            self._registry.speech.perform(self._character.character_id, text, lambda why: self.show(why, "refusal"))

    def redact(self, text: str) -> str:
        """Return a line as it may be shown and stored, without a password in it."""
        if self._is_password(text):
            return "…"
        return self._registry.game.redact(self._character.character_id, text) if self._character else text

    def capabilities_changed(self) -> None:
        """Note whether the player listens instead of looking, and wait no longer for a client that has told all."""
        connection = self._connection
        if connection is None:
            return
        if self._capability_wait and connection.identification is Identification.FINAL:
            self._capability_wait.end()
        if self._character:
            self._character.transient.client_uses_screen_reader = connection.capabilities.screen_reader

    def data_received(self, package: str, payload: object) -> None:
        """Pass a message of the client's program to its GMCP client."""
        if self._connection is None or self not in self._registry.sessions:
            return  # turned away
        if self._gmcp is None:
            self._gmcp = GmcpClient(self._connection, self._registry.gmcp_updates, self._registry.clock, self._log_in)
            if self._character:
                self._gmcp.enter(self._character)
        self._gmcp.received(package, payload)

    def link_lost(self) -> None:
        """Mark the character as link-dead, and keep the texts that its player misses; they may come back here."""
        self._missed = deque(maxlen=MAX_MISSED)
        if self._character:
            self._character.transient.is_linkdead = True

    def link_restored(self) -> None:
        """The player is back at the same connection, or there for the first time, and reads what they have missed."""
        self._missed = None
        if self._character and self._character.transient.is_linkdead:
            self._character.transient.is_linkdead = False
            self._registry.traffic[self.door].resumes += 1

    def connection_lost(self, reason: str) -> None:
        """Release the character, unless another session has taken it over."""
        cancel(self._login_timer)
        if self._dialogue:
            self._dialogue.stop()
            self._dialogue = None
        if self._gmcp:
            self._gmcp.leave()
            self._gmcp = None
        puppet, self._puppet, self._character = self._puppet, None, None
        if puppet:
            was_awaited = puppet.character.transient.is_linkdead
            puppet.character.transient.is_linkdead = False
            puppet.detach(reason, self._was_ended or was_awaited)
        self._registry.remove(self)

    @property
    def character(self) -> Character | None:
        """The character that it plays; None while logging in."""
        return self._character

    @property
    def fairness_key(self) -> str:
        """The room in which a line is done; empty at the door."""
        return self._character.room_id if self._character else ""

    @property
    def is_absent(self) -> bool:
        """True while the link is lost and the player may still come back to it."""
        return self._missed is not None

    # The interface for dialogues

    @property
    def host(self) -> str:
        """The address of the other side."""
        return self._connection.host if self._connection else ""

    @property
    def origin(self) -> Origin:
        """The address, by which wrong passwords are counted."""
        return Origin(self.host)

    @property
    def returns(self) -> bool:
        """True if the client connects again by itself when the world restarts."""
        return self._connection is not None and self._connection.capabilities.returns

    @property
    def idle_seconds(self) -> float:
        """Seconds since the player typed last."""
        return self._puppet.idle.idle_seconds if self._puppet else 0.0

    def show(self, text: str, kind: str = "") -> None:
        """Show a message of whole lines, and the prompt behind it at the end of the turn. `kind` is what it is."""
        if self._connection:
            self._connection.show(text, kind)

    def end(self, text: str, kind: str = "") -> None:
        """Say a last thing and close."""
        self._was_ended = True
        self.show(text, kind)
        if self._gmcp:
            self._gmcp.say_goodbye(strip_markup(text) if kind == MARKED else text)
        if self._connection:
            self._connection.close()

    def hide_typing(self, hidden: bool) -> None:
        """Ask the client not to show what is typed, or to show it again."""
        if self._connection:
            self._connection.hide_typing(hidden)

    def hold(self, held: bool) -> None:
        """Queue lines without a prompt while held; take them when not."""
        if self._connection:
            self._connection.hold(held)
            if not held:
                self._connection.prompt()

    def note_password(self, password: str) -> None:
        """Keep a hash of the player's password as long as the session lasts; its key is that of this process."""
        self._password_hash = hash(password.strip())

    def _is_password(self, text: str) -> bool:
        return self._password_hash == hash(text.strip())

    def wait_for_capabilities(self) -> Deferred[None] | None:
        """Return a Deferred that fires when the client is known well enough for the first room; None if it is now."""
        return self._capability_wait.wait() if self._capability_wait else None

    def _say(self, key: str, **values: object) -> str:
        return self._registry.game.world.wording(key, **values)

    def _come_in(self, claim: LoginName) -> None:
        try:
            self._enter(claim)
        except (NameRefused, NoteError) as error:
            self.end(str(error))

    def _enter(self, claim: LoginName) -> None:
        registry = self._registry
        if why := registry.entry_refusal(self, claim.name):
            self.end(why)
            return
        if claim.state is AccountState.GUEST:
            character, is_new = registry.guests.make(), True
        else:
            character, is_new = registry.login_services.accounts.character_of(claim.name)
        self._dialogue = self._capability_wait = None
        cancel(self._login_timer)
        self._puppet, self._character = Puppet(registry, character, self, self._number), character
        if self._connection:
            self._connection.prefer(lambda: character.preferences)
        self.capabilities_changed()
        self._puppet.attach(is_new, self._perceive)
        if self._gmcp:
            self._gmcp.enter(character)
        registry.entered(character)

    def _log_in(self, given: str, password: str, on_result: Outcome) -> None:
        if isinstance(self._dialogue, Login):
            self._dialogue.try_credentials(
                given, password, lambda result, message: on_result(result is LoginResult.SUCCESS, message)
            )
        else:
            on_result(False, self._say("gmcp.already_in"))

    def hand_over(self) -> list[str]:
        """Give the character up to a newer session of the same name; return what its player has missed."""
        if self._puppet:
            self._puppet.idle.stop()
            self._puppet.character.transient.is_linkdead = False
            self._puppet = self._character = None
        if self._gmcp:
            self._gmcp.leave()
        self.end(self._say("door.taken_over"))
        return list(self._missed or ())

    def _perceive(self, event: Event, text: str) -> None:
        character, connection = self._character, self._connection
        if character is None or connection is None:
            return
        if self._gmcp:
            self._gmcp.perceive(event, text)
        if text and self._missed is not None:
            self._missed.append(text)
        kind = KIND_OF.get(type(event))
        if kind is None:
            self._perceive_plain(event, text, character)
        elif text:
            connection.show(text, kind)

    def _perceive_plain(self, event: Event, text: str, character: Character) -> None:
        """Show what has no kind of its own, and do what comes of what the player did."""
        if text and isinstance(event, Output) and event.is_own:
            self.show(event.text, MARKED)
        elif text and isinstance(event, Output) and text.startswith(f"{self._room_name(character)}\n"):
            self.show(text, SCENE)
        elif text:
            self.show(text)
        if event.actor_id != character.character_id:
            return
        match event:
            case Arrived(from_room_id=room_id) if room_id:
                self.show(render_arrival(self._registry.game.world, character), SCENE)
            case QuitRequested():
                self.end(self._registry.texts.farewell, MARKED)
            case PasswordChangeRequested(name=""):
                services, name = self._registry.login_services, character.name
                changed = partial(self._registry.end_sessions, name, self)
                self._dialogue = PasswordChange(self, services, name, changed, self._resume_play)
            case PasswordChangeRequested(name=name):
                given = partial(self._end_reset_sessions, character.name)
                issue_one_time_password(name, self, self._registry.login_services, given)

    def _end_reset_sessions(self, admin: str, name: str) -> None:
        self._registry.reset(admin, name)
        self._registry.end_sessions(name, self)

    def _room_name(self, character: Character) -> str:
        return self._registry.game.world.room_of(character).name

    def _resume_play(self, text: str) -> None:
        """Play on after a dialogue."""
        self._dialogue = None
        self.hide_typing(False)
        self.show(text)

    def _wait_for_login(self) -> None:
        self._login_timer = self._registry.clock.callLater(
            self._registry.login_services.settings.login_seconds, self._give_up
        )

    def _give_up(self) -> None:
        if self._dialogue and not self._dialogue.prompt:
            self._wait_for_login()  # a password is being looked at, which may have to wait for long
        else:
            self.end(self._say("door.too_late"))
