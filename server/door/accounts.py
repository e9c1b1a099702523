"""Who somebody is: from a name given at the door to an account, and from an account to a character."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum, auto

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.door.accounts_file import AccountsFile
from server.door.accounts_text import Account, Change, Records, key
from server.door.bans import Bans
from server.door.lockout import is_loopback
from server.door.names import LONGEST, RESERVED, SHORTEST, look_alike, well_formed
from vault.agent_notes import agent_names
from vault.folder import Vault
from vault.world_notes import save_person
from world.model import Character, Role, World

log = logging.getLogger(__name__)


class NameRefused(Exception):
    """A name that will not do; the message says why and what would."""


class Standing(Enum):
    """How somebody stands who gives a name."""

    GUEST = auto()
    NEW = auto()
    UNCLAIMED = auto()  # somebody from before there were passwords
    KNOWN = auto()


@dataclass(frozen=True)
class Claim:
    """Whom somebody says they are: a name as it is written here (empty for a guest) and how it stands."""

    name: str
    standing: Standing


class Accounts:
    """Everybody's account, and `bans`. What changes is on disk when a Deferred fires or a method returns."""

    def __init__(
        self,
        file: AccountsFile,
        vault: Vault,
        world: World,
        settings: ServerSettings,
        now_ms: Callable[[], int],
    ) -> None:
        self._file = file
        self._vault = vault
        self._world = world
        self._settings = settings
        self._now_ms = now_ms
        self.bans = Bans(file, world, self._now)

    # At the door

    def who(self, given: str, host: str) -> Claim:
        """Return whom somebody says they are. Raises: NameRefused if it cannot be so."""
        say, settings = self._world.wording, self._settings
        if key(given.strip()) == "guest":
            if not settings.guests:
                raise NameRefused(say("door.no_guests"))
            return Claim("", Standing.GUEST)
        name = well_formed(given)
        if name is None:
            raise NameRefused(say("door.name_rule", name=given[:40], shortest=SHORTEST, longest=LONGEST))
        if ban := self.bans.on(name):
            raise NameRefused(self.bans.text(ban))
        account, character = self.account(name), self._character(name)
        if character and character.is_agent:
            raise NameRefused(say("door.is_agent", name=character.name))
        if account and account.password:
            return Claim(account.name, Standing.KNOWN)
        if character or account:
            if not is_loopback(host):
                raise NameRefused(say("door.unclaimed_elsewhere", name=name))
            return Claim(character.name if character else name, Standing.UNCLAIMED)
        self._check_new(name)
        if not settings.new_accounts:
            raise NameRefused(say("door.nobody_new", name=name))
        return Claim(name, Standing.NEW)

    def character_of(self, name: str) -> tuple[Character, bool]:
        """Return the character of an account, and whether it was made just now.

        Raises: NameRefused if its note cannot be read, NoteError if a new one cannot be written.
        """
        found = self._character(name)
        character = found or self._made(name)
        character.role = self.role_of(name)
        return character, found is None

    # Passwords, of which only hashes come here

    def claim(self, name: str, kept: str) -> Deferred[None]:
        """Give a name that has no password yet its first one, and make the account if there is none.

        The Deferred fires when it is kept. It fails with NameRefused if somebody was quicker, with NoteError if it
        cannot be kept.
        """
        created = _text(self._now())

        def change(records: Records) -> Records:
            account = records.accounts.get(key(name)) or Account(name, self._settings.new_role, created=created)
            if account.password:
                return records
            return records.with_account(replace(account, password=kept, one_time=False))

        def check(_: None) -> None:
            account = self.account(name)
            if account is None or account.password != kept:
                raise NameRefused(self._world.wording("door.was_quicker", name=name))

        return self._file.keep(change).addCallback(check)

    def set_password(self, name: str, kept: str) -> Deferred[None]:
        """Keep the password that somebody has chosen; the Deferred fails with NoteError if it cannot be kept."""
        return self._file.keep(_of(name, lambda account: replace(account, password=kept, one_time=False)))

    def renew_password(self, name: str, before: str, kept: str) -> None:
        """Keep the same password in another form, unless there is another one by now."""

        def change(account: Account) -> Account:
            return replace(account, password=kept) if account.password == before else account

        self._note(_of(name, change))

    def give_one_time(self, name: str, kept: str) -> Deferred[None]:
        """Give somebody who has lived here a password for one time, as whoever comes in with it must choose another.

        The Deferred fails with NoteError if it cannot be kept. Raises: NameRefused if there is nobody of that name.
        """
        new = self._new_account(name)
        return self._file.keep(
            lambda records: records.with_account(
                replace(records.accounts.get(key(name), new), password=kept, one_time=True)
            )
        )

    def note_wrong(self, name: str) -> None:
        """Count a wrong password."""
        self._note(_of(name, lambda account: replace(account, failed=account.failed + 1)))

    def note_seen(self, name: str, came_in: bool = False) -> None:
        """Note that somebody is here at this moment; whoever comes in has been told of wrong passwords."""
        now = _text(self._now())
        self._note(_of(name, lambda account: replace(account, last_seen=now, failed=0 if came_in else account.failed)))

    # What is known of somebody

    def account(self, name: str) -> Account | None:
        """Return the account of a name, in whatever case."""
        return self._file.records.accounts.get(key(name))

    def role_of(self, name: str) -> Role:
        """Return what somebody may do; an agent's role is its note's, and who has no account counts as new."""
        account, character = self.account(name), self._character(name)
        if account:
            return Role[account.role.upper()]
        if character and (character.is_agent or character.role is Role.GUEST):
            return character.role
        return Role[self._settings.new_role.upper()]

    def set_role(self, name: str, role: Role) -> None:
        """Let somebody do more or less, at once. Raises: NameRefused if there is nobody, NoteError."""
        new, character = self._new_account(name), self._character(name)
        self._file.change(
            lambda records: records.with_account(replace(records.accounts.get(key(name), new), role=role.name.lower()))
        )
        if character:
            character.role = role

    def is_only_admin(self, name: str) -> bool:
        """Return whether somebody is an admin and nobody else is."""
        admins = [one for one in self._file.records.accounts.values() if one.role == Role.ADMIN.name.lower()]
        return [key(one.name) for one in admins] == [key(name)]

    def last_seen(self, name: str) -> datetime | None:
        """Return when somebody came or went last, or None if that is not known."""
        account = self.account(name)
        return datetime.fromisoformat(account.last_seen) if account and account.last_seen else None

    def ban(self, name_or_host: str, until: datetime | None, why: str) -> None:
        """Keep a name or an address out, as `Bans.put`."""
        self.bans.put(name_or_host, until, why)

    def unban(self, name_or_host: str) -> bool:
        """Let a name or an address in again, as `Bans.lift`."""
        return self.bans.lift(name_or_host)

    def adopt(self, settings: ServerSettings) -> None:
        """Go on with other settings."""
        self._settings = settings

    def close(self) -> None:
        """Keep what was only noted. Raises: NoteError."""
        self._file.close()

    def _character(self, name: str) -> Character | None:
        found = self._world.characters.get(name)
        folded = key(name)
        return found or next((one for one in self._world.characters.values() if key(one.name) == folded), None)

    def _new_account(self, name: str) -> Account:
        """Return the account of somebody who has lived here, made if need be. Raises: NameRefused."""
        account, character = self.account(name), self._character(name)
        if account:
            return account
        if character is None or character.is_agent or character.role is Role.GUEST:
            raise NameRefused(self._world.wording("door.no_account", name=name[:40]))
        return Account(character.name, self._settings.new_role, created=_text(self._now()))

    def _check_new(self, name: str) -> None:
        """Raises: NameRefused if it is, or looks like, a name of something or somebody else."""
        say, folded = self._world.wording, key(name)
        taken = {key(one) for one in (*self._world.rooms, *self._world.things, *agent_names(self._vault), *RESERVED)}
        if folded in taken:
            raise NameRefused(say("door.is_taken", name=name))
        people = self._vault.names("people")
        if folded in map(key, people):
            # Left out at the start, because it is not valid: whoever mends it should find it as it is.
            raise NameRefused(say("door.unreadable_note", name=name))
        accounts = (account.name for account in self._file.records.accounts.values())
        others = (*self._world.characters, *agent_names(self._vault), *people, *accounts, *RESERVED)
        if other := look_alike(name, others):
            raise NameRefused(say("door.look_alike", name=name, other=other))

    def _made(self, name: str) -> Character:
        if key(name) in map(key, self._vault.names("people")):
            raise NameRefused(self._world.wording("door.unreadable_note", name=name))
        character = Character(name, self._world.start_room_id)
        save_person(self._vault, character)
        self._world.add_character(character)
        return character

    def _now(self) -> datetime:
        return datetime.fromtimestamp(self._now_ms() / 1000, UTC)

    def _note(self, change: Change) -> None:
        self._file.keep(change).addErrback(_log)


def _of(name: str, change: Callable[[Account], Account]) -> Change:
    """Return a change of one account; where there is none, nothing changes."""

    def applied(records: Records) -> Records:
        account = records.accounts.get(key(name))
        return records.with_account(change(account)) if account else records

    return applied


def _text(time: datetime) -> str:
    return time.isoformat(timespec="seconds")


def _log(failure: Failure) -> None:
    log.error("an account could not be kept: %s", failure.getErrorMessage())
