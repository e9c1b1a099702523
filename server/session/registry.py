"""The session registry: who plays which character, guests, link-death, and idle times.

A link-dead character stays in place for a while, and its player can return. `server.session.puppet` declares a
character link-dead; a browser that is back on its own session misses nothing either (`server.session.session`).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from typing import Protocol

from twisted.internet.defer import Deferred

from server.accounts.dialogue import LoginServices
from server.accounts.schema import key
from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.connection import MARKED, Door, RefusalReason, Traffic, new_traffic
from server.connection.limits import ConnectionLimiter, is_loopback, network_of
from server.gmcp.updates import GmcpUpdates
from server.session.speech import SpeechThrottle
from vault.config_notes import load_text
from vault.vault import Vault
from world.entities import Character, Role
from world.events import Dropped, EntityChanged, Event
from world.game import Game
from world.world import Presence

log = logging.getLogger(__name__)

STEM = "Guest"

MAX_MISSED = 50
"""Maximum number of the last sentences that are kept for a player who is absent."""


class Guests:
    """Makes the characters of guests, and removes them."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._here: set[str] = set()

    def is_guest(self, character: Character) -> bool:
        """Return whether a character was made here."""
        return character.character_id in self._here

    def is_guest_name(self, name: str) -> bool:
        """Return whether a name is that of a guest who is here."""
        return name in self._here

    def make(self) -> Character:
        """Return a new character under a number that no guest had before; names of people have no digits."""
        world = self._game.world
        name = self._free_name()
        guest = Character(name, world.start_room_id, role=Role.GUEST)
        world.add_character(guest)
        self._here.add(name)
        return guest

    def leave(self, guest: Character) -> None:
        """Remove a guest; its things stay in the room."""
        game = self._game
        for thing in game.world.things_at(guest.character_id):
            thing.place_id = guest.room_id
            game.publish((Dropped(guest.character_id, guest.room_id, thing.thing_id),))
        game.sleep(guest.character_id)
        del game.world.characters[guest.character_id]
        for one in game.world.characters.values():
            if one.transient.reply_to_id == guest.character_id:
                one.transient.reply_to_id = ""
        self._here.discard(guest.character_id)
        game.publish((EntityChanged("", "character", guest.character_id),))

    def _free_name(self) -> str:
        """Return the next one: who had it before would be taken for the same by all who remember."""
        world = self._game.world
        while True:
            world.last_guest += 1
            name = f"{STEM}{world.last_guest}"
            if world.id_ignoring_case(name) is None:
                return name


@dataclass
class _Absence:
    """The absence of a player, with the texts they miss, oldest first, until the wait for them ends.

    `host` is the address from which they played, empty if nobody knows.
    """

    end: DelayedCall
    host: str
    missed: deque[str] = field(default_factory=lambda: deque(maxlen=MAX_MISSED))

    def perceive(self, event: Event, text: str) -> None:
        if text:
            self.missed.append(text)


class LinkDead:
    """Keeps the characters of players who may come back within some `seconds`, and then lets them sleep."""

    def __init__(self, game: Game, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._game = game
        self._clock = clock
        self._seconds = seconds
        self._absent: dict[str, _Absence] = {}

    @property
    def names(self) -> list[str]:
        """The names of the characters whose players are waited for."""
        return list(self._absent)

    def hosts_but_of(self, name: str) -> list[str]:
        """Return the addresses of those who are waited for, without one of them."""
        return [absence.host for who, absence in self._absent.items() if who != name]

    def wait_for(self, character: Character, host: str = "") -> None:
        """Keep a character in its place as link-dead, unnoticed by others."""
        seconds, who = self._seconds(), character.character_id
        if not seconds:
            self._game.sleep(who)
            return
        absence = _Absence(self._clock.callLater(seconds, self.expire, who), host)
        self._absent[who] = absence
        character.awake = character.transient.is_linkdead = True
        self._game.wake(who, absence.perceive)

    def take_missed(self, character: Character) -> list[str]:
        """Return the texts missed by somebody who is here again; empty if nobody has waited for them."""
        absence = self._absent.pop(character.character_id, None)
        if absence is None:
            return []
        cancel(absence.end)
        character.transient.is_linkdead = False
        return list(absence.missed)

    def expire(self, who: str) -> None:
        """End the wait for a link-dead character: it falls asleep."""
        character = self._game.world.characters.get(who)
        if who not in self._absent:
            return
        if character is None:  # its note was removed meanwhile
            absence = self._absent.pop(who)
            cancel(absence.end)
            return
        self.take_missed(character)
        self._game.sleep(who)
        log.info("%s did not come back", who)

    def expire_all(self) -> None:
        """End the wait for all link-dead characters: the world closes."""
        for who in self.names:
            self.expire(who)


FarewellOf = Callable[[Character | None, bool], str]
"""Returns the last word to whom a session plays, given whether its client connects again by itself."""


class Connected(Protocol):
    """A session, as others see it."""

    @property
    def host(self) -> str: ...
    @property
    def idle_seconds(self) -> float: ...
    @property
    def door(self) -> Door: ...
    @property
    def returns(self) -> bool: ...
    @property
    def is_absent(self) -> bool: ...
    def show(self, text: str, kind: str = "") -> None: ...
    def end(self, text: str, kind: str = "") -> None: ...
    def hand_over(self) -> list[str]: ...


@dataclass(frozen=True)
class Texts:
    """The long texts of the server, each from a note in `text/`."""

    welcome: str
    first_steps: str
    farewell: str


def load_texts(vault: Vault) -> Texts:
    """Return the long texts of the server. Raises: NoteError."""
    return Texts(load_text(vault, "welcome"), load_text(vault, "first-steps"), load_text(vault, "farewell"))


@dataclass
class SessionRegistry:
    """Everybody who is connected. `sessions` also holds those who log in, `playing` who plays, by character id.

    `numbers` has a number for the next connection. `perform` does a line that somebody typed. `entered` is called with
    each character that enters, `reset` with an admin and the name that the admin gave a one-time password, `keep_login`
    with a session that goes on although its password is another one. `traffic` counts by door. While `stays_awake`, who
    leaves does not fall asleep: the world restarts in a moment.
    """

    game: Game
    login_services: LoginServices
    texts: Texts
    clock: ReactorClock
    perform: Callable[[str, str], object]
    entered: Callable[[Character], None] = lambda character: None
    reset: Callable[[str, str], None] = lambda admin, name: None
    keep_login: Callable[[Connected], None] = lambda session: None
    sessions: set[Connected] = field(default_factory=set)
    playing: dict[str, Connected] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    emptied: Deferred[None] | None = None
    stays_awake: bool = False
    traffic: Traffic = field(default_factory=new_traffic)

    def __post_init__(self) -> None:
        self.guests = Guests(self.game)
        self.limiter = ConnectionLimiter(lambda: self.login_services.settings, self.clock, self.traffic)
        self.linkdead = LinkDead(self.game, self.clock, lambda: self.login_services.settings.return_seconds)
        self.gmcp_updates = GmcpUpdates(self.game, self.clock)
        self.login_services.accounts.on_password_reset(self.end_sessions)
        self.speech = SpeechThrottle(self.game, self.perform, lambda: self.login_services.settings, self.clock)

    def rejection_for(self, host: str, door: Door) -> str:
        """Return why nobody, or nobody from an address, may come in, and count it; empty if they may."""
        limiter, say, bans = self.limiter, self.game.world.wording, self.login_services.accounts.bans
        if len(self.sessions) >= limiter.room:
            why: RefusalReason = "full"
            text = say("door.full", count=len(self.sessions))
        elif limiter.exceeds_address_limit(host):
            why = "too_many_from_there"
            text = self._too_many()
        elif ban := bans.ban_of(host):
            why, text = "banned", bans.ban_message(ban)
        else:
            return ""
        limiter.refuse(network_of(host), why, door)
        return text

    def entry_refusal(self, session: Connected, name: str) -> str:
        """Return why somebody may not play yet, and count it: too many of their address are absent or connected.

        The absent hold a place for their return, of whatever door; whoever returns to one's own place takes none. Of
        this machine only absent guests count: behind a proxy that is not known as one, everybody plays from here.
        """
        network, limiter, is_here = network_of(session.host), self.limiter, is_loopback(session.host)
        playing = [(who, one.host) for who, one in self.playing.items() if one.is_absent and who != name]
        hosts = [host for who, host in playing if not is_here or self.guests.is_guest_name(who)]
        hosts += [] if is_here else self.linkdead.hosts_but_of(name)
        absent = [host for host in hosts if host and network_of(host) == network]
        if not limiter.exceeds_address_limit(session.host, len(absent)):
            return ""
        limiter.refuse(network, "too_many_from_there", session.door)
        return self._too_many()

    def _too_many(self) -> str:
        most = self.login_services.settings.connections_per_address
        return self.game.world.wording("door.too_many_from_there", count=most)

    def host_of(self, character_id: str) -> str:
        """Return the address from which somebody plays; empty if nobody does."""
        return self.playing[character_id].host if character_id in self.playing else ""

    def names_connected(self) -> list[str]:
        """Return the names of the characters that somebody plays, in the order in which they came; then the absent."""
        return [*self.playing, *self.linkdead.names]

    def kick(self, character_id: str, text: str) -> None:
        """End the session that plays a character, with a last word. A link-dead character falls asleep."""
        self.linkdead.expire(character_id)
        if session := self.playing.get(character_id):
            session.end(text)

    def end_sessions(self, name: str, keep: Connected | None = None) -> None:
        """End the sessions of a name whose password was changed, but for the one in which that was done."""
        for character_id, session in list(self.playing.items()):
            if key(character_id) == key(name) and session is not keep:
                session.end(self.game.world.wording("door.password_reset"))
        if keep:
            self.keep_login(keep)

    def announce(self, text: str) -> None:
        """Say something to everyone who is connected."""
        for session in list(self.sessions):
            session.show(text)

    def send_home(self, last_word: FarewellOf | None = None) -> Deferred[None] | None:
        """End every session; the Deferred fires when the last connection has gone, None if there is none to go.

        With a last word, instead of the farewell, everybody is to come back at once: nobody falls asleep. It depends
        on whom a session plays, None while logging in, and on whether its client connects again by itself.
        """
        self.stays_awake = last_word is not None
        if not last_word:
            self.linkdead.expire_all()
        if not self.sessions:
            return None
        self.emptied = Deferred()
        played = {session: self.game.world.characters.get(who) for who, session in self.playing.items()}
        for session in list(self.sessions):
            if last_word:
                session.end(last_word(played.get(session), session.returns))
            else:
                session.end(self.texts.farewell, MARKED)
        return self.emptied

    def remove(self, session: Connected) -> None:
        """Forget a session whose connection has gone."""
        self.sessions.discard(session)
        if self.emptied and not self.emptied.called and not self.sessions:
            self.emptied.callback(None)


def presence_by(
    playing: Mapping[str, Connected],
    last_seen: Callable[[str], datetime | None],
    now_ms: Callable[[], int],
) -> Callable[[str], Presence]:
    """Return a function from a character to its idle time, if somebody plays it, or else the time since it was gone."""

    def presence(character_id: str) -> Presence:
        session = playing.get(character_id)
        if session:
            return Presence(idle_seconds=int(session.idle_seconds))
        seen = last_seen(character_id)
        if seen is None:
            return Presence()
        away = datetime.fromtimestamp(now_ms() / 1000, UTC) - seen
        return Presence(away_seconds=max(0, int(away.total_seconds())))

    return presence
