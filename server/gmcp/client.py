"""One GMCP client: its supported packages, its login, and messages both ways."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable

from server.clock import ReactorClock
from server.connection.base import Connection
from server.connection.connection import Message
from server.connection.input import TokenBucket
from server.gmcp.packages import (
    IN_HAND,
    IN_ROOM,
    Item,
    RoomSnapshot,
    channel_list,
    channel_message,
    commands_of,
    differences,
    item_change_messages,
    item_list_message,
    items_of,
    map_of,
    name_of,
    status,
    variables,
)
from server.gmcp.updates import GmcpUpdates
from world.entities import Character, Role
from world.events import Arrived, Event, Left
from world.message_catalog import Wording
from world.sanitize import clean_line

MAX_PACKAGES = 100
MAX_NAME_CHARACTERS = 64


class Supports:
    """A client's list of packages, compared without regard to case; a package includes what stands below it.

    What a client says may be anything: what is no list of texts changes nothing, and what is too long or too much
    is left out.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._held: dict[str, bool] = {}

    def replace(self, payload: object) -> None:
        """Take the list as a whole (`Core.Supports.Set`)."""
        if isinstance(payload, list):
            self._names.clear()
            self.add(payload)

    def add(self, payload: object) -> None:
        """Take these as well (`Core.Supports.Add`): each a name and perhaps a version behind it, `Room 1`."""
        self._held.clear()
        for name in _names_in(payload):
            if len(self._names) < MAX_PACKAGES:
                self._names.add(name)

    def remove(self, payload: object) -> None:
        """Take these no longer (`Core.Supports.Remove`)."""
        self._held.clear()
        self._names.difference_update(_names_in(payload))

    def copy(self) -> Supports:
        """Return the list as it is now."""
        other = Supports()
        other._names = set(self._names)
        return other

    def holds(self, package: str) -> bool:
        """Return whether a client takes a package: it has named that, or one above it."""
        held = self._held.get(package)
        if held is None:
            parts = package.casefold().split(".")
            above = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
            held = self._held[package] = any(name in self._names for name in above)
        return held


def _names_in(payload: object) -> list[str]:
    texts = [one for one in payload if isinstance(one, str)] if isinstance(payload, list) else []
    names = [text.split(" ", 1)[0].casefold() for text in texts if len(text) <= MAX_NAME_CHARACTERS]
    return [name for name in names if name]


REPEATED_SECONDS = 10.0

Outcome = Callable[[bool, str], None]
"""Called with whether the login succeeded, and a message about it."""

LoginAttempt = Callable[[str, str, Outcome], None]
"""Tries an account and a password at the door."""


class CharLogin:
    """The login of a client by GMCP: takes its credentials and sends the result.

    A client may type the same as well, as it does where nobody offers this. What it types then is kept in mind for
    `REPEATED_SECONDS`, so that no password is taken for a command.
    """

    def __init__(
        self, send: Callable[[Message], None], say: Callable[[], Wording], log_in: LoginAttempt, clock: ReactorClock
    ) -> None:
        self._send = send
        self._say = say
        self._log_in = log_in
        self._clock = clock
        self._is_offered = False
        self._given: tuple[str, str] | None = None
        self._until = 0.0

    def offer(self) -> None:
        """Tell the client, once, that it may come in by itself."""
        if not self._is_offered:
            self._is_offered = True
            self._send(Message("Char.Login.Default", {"type": ["password-credentials"]}))

    def receive_credentials(self, payload: object) -> None:
        """Try what the client gives."""
        given = payload if isinstance(payload, dict) else {}
        account, password = given.get("account"), given.get("password")
        if not (isinstance(account, str) and isinstance(password, str) and account.strip()):
            self._tell(False, self._say()("gmcp.no_credentials"))
            return
        # As if they had been typed: then they are cleaned in the same way.
        account, password = clean_line(account), clean_line(password)

        def on_result(success: bool, message: str) -> None:
            if success:
                self._given, self._until = (account, password), self._clock.seconds() + REPEATED_SECONDS
            self._tell(success, message)

        self._log_in(account, password, on_result)

    def is_repeated(self, line: str) -> bool:
        """Return whether a line is what was given a moment ago; any other line ends that."""
        if self._given and self._clock.seconds() < self._until:
            name, password = self._given
            if line.strip().casefold() == name.strip().casefold() or (password and line == password):
                return True
        self._given = None
        return False

    def _tell(self, success: bool, message: str) -> None:
        self._send(Message("Char.Login.Result", {"success": success, "message": message}))


log = logging.getLogger(__name__)

MAX_CLIENT_NAME_CHARACTERS = 40
MAX_MESSAGE_BURST = 40
MESSAGES_PER_SECOND = 4.0
"""The limits on messages of a client; more are not heard, so that answering it costs nobody else anything."""
MAX_PING_MS = 10**6
"""Maximum time that a client may report in a ping, in milliseconds. Anything else in it is not given back."""


class GmcpClient:
    """The other side of a connection that has said something by GMCP, before and after its player is in the world.

    A package goes out only if the client has said that it takes it. `client_name` is its own name, or empty.
    """

    def __init__(
        self, connection: Connection, gmcp_updates: GmcpUpdates, clock: ReactorClock, log_in: LoginAttempt
    ) -> None:
        self.client_name = ""
        self._connection = connection
        self._gmcp_updates = gmcp_updates
        self._supports = Supports()
        self._supports_before: Supports | None = None
        self._bucket = TokenBucket(clock, MESSAGES_PER_SECOND, MAX_MESSAGE_BURST)
        self._char_login = CharLogin(self.send, gmcp_updates.wording, log_in, clock)
        self._character: Character | None = None
        self._place: RoomSnapshot | None = None
        self._carried: tuple[Item, ...] = ()
        self._may: tuple[Role, frozenset[str]] | None = None
        self._status: dict[str, str] = {}

    # What the session tells

    def received(self, package: str, payload: object) -> None:
        """Handle a message of the client; unknown packages and floods are ignored."""
        if self._bucket.wait_seconds:
            return
        self._bucket.take()
        match package.casefold():
            case "core.hello":
                self._note_name(payload)
            case "core.supports.set":
                self._change_supports(self._supports.replace, payload)
            case "core.supports.add":
                self._change_supports(self._supports.add, payload)
            case "core.supports.remove":
                self._supports.remove(payload)
            case "core.ping":
                self._answer_ping(payload)
            case "char.items.inv":
                self._list_items(IN_HAND)
            case "char.items.room":
                self._list_items(IN_ROOM)
            case "char.login.credentials":
                self._char_login.receive_credentials(payload)

    def enter(self, character: Character) -> None:
        """The player is in the world as somebody."""
        self._character = character
        self._gmcp_updates.join(self, character)
        self._tell_all()

    def leave(self) -> None:
        """The player is nobody any more."""
        self._gmcp_updates.leave(self)
        self._character = self._place = None

    def perceive(self, event: Event, sentence: str) -> None:
        """Tell the client what is besides the sentence that its player reads of an event."""
        character = self._character
        if character is None:
            return
        if self._supports.holds("Comm.Channel.Text") and (message := channel_message(event, sentence, character)):
            self._connection.send_data(message)
        if event.actor_id != character.character_id:
            if isinstance(event, Left) and self._status.get("following"):
                self.refresh()  # that may have ended
            return
        if isinstance(event, Left):
            return  # who leaves arrives in the same breath
        if isinstance(event, Arrived) and event.from_room_id:
            self._place = None  # also who comes back into the same room has moved
        self.refresh()

    def say_goodbye(self, text: str) -> None:
        """Tell the client why the connection ends."""
        self._connection.send_data(Message("Core.Goodbye", text))

    def is_login_again(self, line: str) -> bool:
        """Return whether a line is the name or the password with which the client has just come in by itself."""
        return self._char_login.is_repeated(line)

    # What the audience tells

    def refresh(self) -> None:
        """Send the client what has changed since the last message."""
        character = self._character
        if character is None or character.room_id not in self._gmcp_updates.world.rooms:
            return
        if self._may != (character.role, character.grants):
            self._send_commands(character)
        before, self._place = self._place, self._gmcp_updates.places.snapshot_of(character.room_id)
        if before is None or before.room_id != self._place.room_id:
            self._send_all(self._place.messages)
        elif before is not self._place:
            self._send_all(differences(before, self._place))
        if before is None or before.about != self._place.about:
            self._send_map(character.room_id)
        carried, before_carried = self._things(), self._carried
        if carried != before_carried:
            self._carried = carried
            self._send_all(item_change_messages(IN_HAND, before_carried, carried))
        stands = status(character, self._gmcp_updates.world)
        if stands != self._status:
            payload = {key: value for key, value in stands.items() if self._status.get(key) != value}
            self._status = stands
            self.send(Message("Char.Status", payload))

    def tell_of_agent(self, agent: Character, message: Message) -> None:
        """Tell the state of an agent, if its player may know: in the same room, as an observer or as an admin."""
        mine = self._character
        if mine and (mine.role.includes(Role.OBSERVER) or (agent.awake and agent.room_id == mine.room_id)):
            self.send(message)

    def send(self, message: Message) -> None:
        """Send something if the client takes it."""
        is_known = self._supports_before is not None and self._supports_before.holds(message.package)
        if not is_known and self._supports.holds(message.package):
            self._connection.send_data(message)

    def _send_all(self, messages: Iterable[Message]) -> None:
        for message in messages:
            self.send(message)

    def _tell_all(self) -> None:
        """Tell all that there is to know, as to somebody who has just come."""
        character = self._character
        if character is None:
            self._char_login.offer()
            return
        world = self._gmcp_updates.world
        self.send(name_of(character))
        self.send(variables(world.wording))
        self.send(channel_list(self._gmcp_updates.commands, character, world.wording))
        self._send_commands(character)
        self._place, self._status, self._carried = None, {}, self._things()
        self._list_items(IN_HAND)
        self.refresh()

    def _send_commands(self, character: Character) -> None:
        self._may = character.role, character.grants
        self.send(commands_of(self._gmcp_updates.commands, character))

    def _send_map(self, room_id: str) -> None:
        if self._supports.holds("Fallwater.Map"):
            self.send(map_of(self._gmcp_updates.world, room_id))

    def _things(self) -> tuple[Item, ...]:
        character = self._character
        return items_of(self._gmcp_updates.world.things_at(character.character_id)) if character else ()

    # What the client tells

    def _note_name(self, payload: object) -> None:
        name = payload.get("client") if isinstance(payload, dict) else None
        cleaned = clean_line(name)[:MAX_CLIENT_NAME_CHARACTERS].strip() if isinstance(name, str) else ""
        if cleaned and not self.client_name:
            self.client_name = cleaned
            log.info("the client at %s is %s", self._connection.host, self.client_name)

    def _change_supports(self, change: Callable[[object], None], payload: object) -> None:
        """Change the supported packages, and send the client those that are new."""
        self._supports_before = self._supports.copy()
        change(payload)
        self._tell_all()
        self._supports_before = None

    def _answer_ping(self, payload: object) -> None:
        is_time = type(payload) is int and 0 <= payload < MAX_PING_MS
        self._connection.send_data(Message("Core.Ping", payload if is_time else None))

    def _list_items(self, location: str) -> None:
        if self._character:
            held = (
                self._carried
                if location == IN_HAND
                else self._gmcp_updates.places.snapshot_of(self._character.room_id).items
            )
            self.send(item_list_message(location, held))
