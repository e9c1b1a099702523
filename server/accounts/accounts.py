"""Accounts: valid names, the account of a name at login, and its character."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.accounts.database import AccountDatabase, Change
from server.accounts.schema import Account, key
from server.accounts.store import AccountStore, Bans
from server.connection.limits import is_loopback
from vault.entities.schema import save_entity
from vault.vault import Vault
from world.entities import Character, Role
from world.naming import MAX_LENGTH, MIN_LENGTH, RESERVED, normalize_name, plain_letters
from world.world import World

MAX_TRUSTED_PLACES = 16
"""Maximum number of devices and addresses that are trusted for one name."""

log = logging.getLogger(__name__)


class NameIndex:
    """Names by how they look and by how they are spelled, found among any number at the same cost."""

    def __init__(self) -> None:
        self._by_look: dict[str, str | tuple[str, ...]] = {}

    def add(self, name: str) -> None:
        """Add a name; one that is there already stays as it is."""
        for look in lookalike_keys(name):
            there = self._by_look.setdefault(look, name)
            if there == name:
                continue
            names = there if isinstance(there, tuple) else (there,)
            if name not in names:
                self._by_look[look] = (*names, name)

    def lookalikes(self, name: str) -> list[str]:
        """Return the names for which somebody could take this one, itself among them if it is there."""
        found: dict[str, None] = {}
        for look in lookalike_keys(name):
            there = self._by_look.get(look, ())
            found.update(dict.fromkeys(there if isinstance(there, tuple) else (there,)))
        return list(found)


def lookalike_keys(name: str) -> set[str]:
    """Return a name as the eye may take it: without accents, hyphens and cases, a capital I also as a small l.

    Two letters that are read as one are that one.
    """
    forms = (name, name.replace("I", "l")) if "I" in name else (name,)
    return {_fold_digraphs(plain_letters(one)) for one in forms} - {""}


def _fold_digraphs(plain: str) -> str:
    return plain.replace("vv", "w").replace("rn", "m")


class NameRefused(Exception):
    """A rejected name; the message says why, and what would be accepted."""


class AccountState(Enum):
    """The state of an account whose name was given at login."""

    GUEST = auto()
    NEW = auto()
    UNCLAIMED = auto()  # somebody without a password, such as a note that was put into the vault by hand
    KNOWN = auto()


@dataclass(frozen=True)
class LoginName:
    """The name given at login, as it is written here (empty for a guest), and the state of its account."""

    name: str
    state: AccountState


class Accounts:
    """Everybody's account, and `bans`. A change counts, and is on disk, when its Deferred fires."""

    def __init__(
        self,
        store: AccountStore,
        vault: Vault,
        world: World,
        settings: ServerSettings,
        now_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._vault = vault
        self._world = world
        self._settings = settings
        self._now_ms = now_ms
        self.bans = Bans(store, world, self._now)
        self._names = NameIndex()
        self._last_rank = 0
        for name in (*RESERVED, *vault.names("people")):
            self._names.add(name)
        store.on_names_changed(self._names.add)
        self.on_password_reset = store.on_password_reset

    # At the door

    def identify(self, given: str, host: str) -> LoginName:
        """Return the account that a given name means. Raises: NameRefused."""
        say, settings = self._world.wording, self._settings
        if key(given.strip()) == "guest":
            if not settings.guests:
                raise NameRefused(say("door.no_guests"))
            return LoginName("", AccountState.GUEST)
        name = normalize_name(given)
        if name is None:
            raise NameRefused(say("door.name_rule", shortest=MIN_LENGTH, longest=MAX_LENGTH))
        if ban := self.bans.ban_of(name):
            raise NameRefused(self.bans.ban_message(ban))
        account, character = self.account(name), self._character(name)
        if character and character.is_agent:
            raise NameRefused(say("door.is_agent", name=character.name))
        if account is None and self._store.has(name):
            raise NameRefused(say("door.unreadable_account", name=name))
        if account and account.password:
            return LoginName(account.name, AccountState.KNOWN)
        if character or account:
            if not is_loopback(host):
                raise NameRefused(say("door.unclaimed_elsewhere", name=name))
            return LoginName(character.name if character else name, AccountState.UNCLAIMED)
        self._check_new(name)
        if not settings.new_accounts:
            raise NameRefused(say("door.nobody_new", name=name))
        return LoginName(name, AccountState.NEW)

    def character_of(self, name: str) -> tuple[Character, bool]:
        """Return the character of an account, and whether it was made just now.

        Raises: NameRefused if its note cannot be read, NoteError if a new one cannot be written.
        """
        found = self._character(name)
        character = found or self._make_character(name)
        character.role = self.role_of(name)
        return character, found is None

    # Passwords; only their hashes come here

    def claim(self, name: str, kept: str) -> Deferred[None]:
        """Give a name that has no password yet its first one, and make the account if there is none.

        Its role is that of somebody new, whatever it was: nobody has proved to be who had it.
        The Deferred fails with NameRefused if somebody was quicker, with NoteError if it cannot be kept.
        """
        new = self._newcomer(name)

        def change(database: AccountDatabase) -> None:
            account = database.account(name) or new
            if account.password:
                raise NameRefused(self._world.wording("door.was_quicker", name=name))
            database.put_account(replace(account, role=new.role, password=kept, one_time=False))

        return self._store.change(change)

    def set_password(self, name: str, kept: str, former: str) -> Deferred[None]:
        """Keep the password that somebody has chosen instead of their `former` one.

        The Deferred fails with NameRefused if there is another one by now, with NoteError if it cannot be kept.
        """

        def change(account: Account) -> Account:
            if account.password != former:
                raise NameRefused(self._world.wording("door.password_was_changed"))
            return replace(account, password=kept, one_time=False)

        return self._store.change(_change_of(name, change))

    def set_one_time_password(self, name: str, kept: str) -> Deferred[None]:
        """Set a one-time password for somebody who has an account or a note; they choose another when they log in.

        The Deferred fails with NoteError if it cannot be kept. Raises: NameRefused if there is nobody of that name.
        """
        new = self._new_account(name, "that name")  # which may be a password that was typed there
        role = self._settings.new_role

        def change(database: AccountDatabase) -> None:
            account = database.account_to_repair(name, role) or new
            database.put_account(replace(account, password=kept, one_time=True, trusted=""))

        return self._store.change(change)

    def record_failed_login(self, name: str) -> None:
        """Count a wrong password."""
        self._change_in_background(name, lambda account: replace(account, failed=account.failed + 1))

    def record_seen(self, name: str, came_in: bool = False) -> None:
        """Record that somebody is here now. A login resets the count of wrong passwords."""
        now = _time_text(self._now())
        self._change_in_background(
            name, lambda account: replace(account, last_seen=now, failed=0 if came_in else account.failed)
        )

    def trust(self, name: str, places: Sequence[str]) -> None:
        """Keep the places from which somebody came in, the latest last, no more than `MAX_TRUSTED_PLACES`."""

        def change(account: Account) -> Account:
            former = [place for place in account.trusted.split() if place not in places]
            return replace(account, trusted=" ".join([*former, *places][-MAX_TRUSTED_PLACES:]))

        self._change_in_background(name, change)

    def refresh(self) -> Deferred[None]:
        """Read the changes of another process, such as `fallwater reset-password`."""
        return self._store.refresh()

    # What is known of somebody

    def account(self, name: str) -> Account | None:
        """Return the account of a name, in any case of letters."""
        return self._store.account(name)

    def role_of(self, name: str) -> Role:
        """Return the role of somebody; an agent's is its note's, and somebody without a password counts as new."""
        account, character = self.account(name), self._character(name)
        if account and account.password:
            return Role[account.role.upper()]
        if character and (character.is_agent or character.role is Role.GUEST):
            return character.role
        return Role[self._settings.new_role.upper()]

    def set_role(self, name: str, role: Role) -> Deferred[None]:
        """Set the role of somebody. Raises: NameRefused if there is nobody of that name.

        The Deferred fails with NameRefused if there would be no admin any more, with NoteError if it cannot be kept.
        """
        new, character = self._new_account(name), self._character(name)

        def change(database: AccountDatabase) -> None:
            account = database.account(name) or new
            if role < Role.ADMIN and database.admins() == [account.name]:
                raise NameRefused(self._world.wording("order.last_admin", who=account.name))
            database.put_account(replace(account, role=role.name.lower()))

        def use(_: None) -> None:
            if character:
                character.role = role

        return self._store.change(change).addCallback(use)

    def is_only_admin(self, name: str) -> bool:
        """Return whether somebody is an admin with a password and nobody else is."""
        return list(map(key, self._store.admins())) == [key(name)]

    def last_seen(self, name: str) -> datetime | None:
        """Return when somebody came or went last, or None if that is not known."""
        account = self.account(name)
        return datetime.fromisoformat(account.last_seen) if account and account.last_seen else None

    def adopt(self, settings: ServerSettings) -> None:
        """Go on with other settings."""
        self._settings = settings

    def _character(self, name: str) -> Character | None:
        characters = self._world.characters
        if name in characters:
            return characters[name]
        return next(
            (characters[one] for one in self._lookalikes(name) if key(one) == key(name) and one in characters), None
        )

    def _lookalikes(self, name: str) -> list[str]:
        """Return the names that look like this one, of characters, accounts and notes that there are or were."""
        self._last_rank, new = self._world.characters.ids_since(self._last_rank)
        for one in new:
            self._names.add(one)
        return self._names.lookalikes(name)

    def _new_account(self, name: str, shown: str = "") -> Account:
        """Return the account of somebody who has lived here, made if need be. Raises: NameRefused with `shown`."""
        account, character = self.account(name), self._character(name)
        if account:
            return account
        if self._store.has(name):
            return self._newcomer(name)
        if character is None or character.is_agent or character.role is Role.GUEST:
            raise NameRefused(self._world.wording("door.no_account", name=shown or name[:40]))
        return self._newcomer(character.name)

    def _newcomer(self, name: str) -> Account:
        """Return the account of somebody new, without a password yet."""
        return Account(name, self._settings.new_role, created=_time_text(self._now()))

    def _check_new(self, name: str) -> None:
        """Raises: NameRefused if it is, or looks like, a name of something or somebody else."""
        say, folded, world = self._world.wording, key(name), self._world
        agents = self._vault.folders("agents")
        if folded in RESERVED or any(key(one) == folded for one in (*world.rooms, *world.things, *agents)):
            raise NameRefused(say("door.is_taken", name=name))
        self._check_no_note(name)
        for agent in agents:
            self._names.add(agent)
        for other in self._lookalikes(name):
            if other in world.characters or self._store.has(other) or other in RESERVED or other in agents:
                raise NameRefused(say("door.look_alike", name=name, other=other))
            if self._vault.exists("people", f"{other}.md"):
                key_of = "door.unreadable_note" if key(other) == folded else "door.look_alike"
                raise NameRefused(say(key_of, name=name, other=other))

    def _check_no_note(self, name: str) -> None:
        """Raises: NameRefused if somebody's note was left out because it is not valid: it is to stay as it is."""
        if self._vault.exists("people", f"{name}.md"):
            raise NameRefused(self._world.wording("door.unreadable_note", name=name))

    def _make_character(self, name: str) -> Character:
        self._check_no_note(name)
        character = Character(name, self._world.start_room_id)
        save_entity(self._vault, character)
        self._world.add_character(character)
        return character

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._now_ms() / 1000, UTC)

    def _change_in_background(self, name: str, change: Callable[[Account], Account]) -> None:
        self._store.change(_change_of(name, change)).addErrback(_log)


def _change_of(name: str, change: Callable[[Account], Account]) -> Change:
    """Return a change of one account; where there is none, nothing changes."""

    def apply(database: AccountDatabase) -> None:
        if account := database.account(name):
            changed = change(account)
            if changed != account:
                database.put_account(changed)

    return apply


def _time_text(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


def _log(failure: Failure) -> None:
    log.error("an account could not be saved: %s", failure.getErrorMessage())
