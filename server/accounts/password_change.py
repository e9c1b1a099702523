"""The command `@password`, its dialogue, and one-time passwords for the first admin and for resets."""

from __future__ import annotations

import difflib
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from server.accounts.database import AccountDatabase
from server.accounts.dialogue import Dialogue, LoginServices, LoginView, NewPassword
from server.accounts.passwords import Hasher
from server.accounts.schema import Account, key
from vault.errors import NoteError
from vault.vault import Vault, agent_names
from world.command import Command, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import Event
from world.naming import RESERVED, normalize_name
from world.world import World

MAX_NAMES_LISTED = 20
"""Maximum number of names listed to somebody who asked for an unknown one."""


@dataclass(frozen=True)
class PasswordChangeRequested(Event):
    """The actor wants another password: its own, or one for one time for `name`. Its session does the rest."""

    audience = "actor"

    name: str = field(default="", repr=False)  # which may be a password that was typed there


@command("@password [<secret>]", category="self", for_agents=False)
def password(world: World, actor: Character, secret: str = "") -> list[Event]:
    """Change your password: type @password alone, then the old and the new one.

    Admins reset a password with @password Ana, which shows a one-time password.
    """
    if actor.is_agent or actor.role is Role.GUEST:
        raise CommandError(world.wording("door.has_no_password"))
    if secret and actor.role < Role.ADMIN:
        # Not repeated: it may be a password that somebody has typed where everybody would see it scroll by.
        raise CommandError(world.wording("door.password_alone"))
    return [PasswordChangeRequested(actor.character_id, secret)]


@command("connect [<secret>]", "login", "create", category="self", for_agents=False)
def connect(world: World, actor: Character, secret: str = "") -> list[Event]:
    """Log in, which you have done. To play another name, type quit and connect again."""
    raise CommandError(world.wording("door.already_connected"))


ACCOUNT_COMMANDS: tuple[Command, ...] = (password, connect)


class PasswordChange(Dialogue):
    """Asks a player for both passwords; `changed` is called once there is another one.

    `over` is called with what to say when it has come to an end.
    """

    def __init__(
        self,
        caller: LoginView,
        services: LoginServices,
        name: str,
        changed: Callable[[], None],
        over: Callable[[str], None],
    ) -> None:
        super().__init__(caller, services)
        self._name = name
        self._changed = changed
        self._over = over
        self.ask("door.ask_old_password", self._on_password, hidden=True)

    def _on_password(self, password: str) -> None:
        if password:
            self.try_password(self._name, password, self._on_outcome, self._over)
        else:
            self._give_up()

    def _on_outcome(self, is_right: bool) -> None:
        if not is_right:
            self._over(self.say("door.not_changed_wrong"))
            return
        former = self.password_of(self._name)
        NewPassword(
            self,
            self._name,
            lambda kept: self.wait_for(
                self.services.accounts.set_password(self._name, kept, former), lambda _: self._finish(), self._over
            ),
            self._give_up,
        ).ask("door.ask_new_password")

    def _finish(self) -> None:
        self._changed()
        self._over(self.say("door.password_changed"))

    def _give_up(self) -> None:
        self._over(self.say("door.password_unchanged"))


def one_time_password() -> str:
    """Return a password that can be read out and typed: ten syllables, 62 bits."""
    syllables = [secrets.choice("bdfghjklmnprstvz") + secrets.choice("aeiou") for _ in range(10)]
    return "-".join("".join(syllables[start : start + 2]) for start in range(0, 10, 2))


def first_admin(database: AccountDatabase, vault: Vault, name: str, hasher: Hasher) -> str:
    """Make an admin of this name if there is none. Return what the operator should read, or nothing.

    Raises: NoteError if nobody can be called that, or the account cannot be kept.
    """
    admins = database.admins()
    try:
        only = database.account(admins[0]) if len(admins) == 1 else None
        found = database.account(name)
    except NoteError as error:
        return f"{database.path}: {error}"
    remedy = f"fallwater reset-password NAME --vault {vault.root}".replace
    if only and only.one_time:
        lost = remedy("NAME", only.name)
        return f"The admin {only.name} has not chosen a password yet. If the one-time password is lost: {lost}"
    if admins:
        return ""
    own = f"config/server.md: admin_name is {name!r}, and the first admin cannot be called that: "
    taken = {key(one) for one in (*vault.names("rooms"), *vault.names("things"), *agent_names(vault), *RESERVED)}
    if normalize_name(name) != name:
        raise NoteError(f"{own}a name has Latin letters alone and begins with a capital one.")
    if key(name) in taken:
        raise NoteError(f"{own}it is the name of something else.")
    if found and found.password:
        lost = remedy("NAME", f"{found.name} --role admin")
        return f"There is no admin: {found.name} is somebody else. Make somebody one with: {lost}"
    password = _issue(database, name, "admin", hasher)
    return (
        f"The admin of this world is {name}, with the one-time password {password}\n"
        "Log in with that name and password to run the world; you choose your own then. It is shown only here."
    )


def reset_password(
    database: AccountDatabase, vault: Vault, given: str, role: str, new_role: str, hasher: Hasher
) -> str:
    """Give somebody a new password for one time, and a role unless it is empty; return what to read out.

    Who has lived here but has no account yet gets one.
    Raises: NoteError if there is nobody of that name.
    """
    account = database.account_to_repair(given, new_role)
    people = {key(name): name for name in vault.names("people")}
    name = account.name if account else people.get(key(given))
    if name is None:
        raise NoteError(
            f"There is nobody called {given!r} in {vault.root}. {_suggest_names(given, database, people.values())}"
        )
    password = _issue(database, name, role or (account.role if account else new_role), hasher)
    return f"The one-time password of {name} is {password}\nIt must be changed at the first login."


def _suggest_names(given: str, database: AccountDatabase, people: Iterable[str]) -> str:
    """Return who might be meant."""
    names = sorted({*database.names(), *people})
    if len(names) <= MAX_NAMES_LISTED:
        return f"Its people: {', '.join(names) or 'none yet'}."
    near = difflib.get_close_matches(given.capitalize(), names)
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    return f"It has {len(names)} people.{meant}"


def _issue(database: AccountDatabase, name: str, role: str, hasher: Hasher) -> str:
    password = one_time_password()
    kept, created = hasher.hash(password), datetime.now(UTC).isoformat(timespec="seconds")
    with database.transaction():
        account = database.account_to_repair(name, role) or Account(name, role, created=created)
        database.put_account(replace(account, role=role, password=kept, one_time=True, trusted=""))
    return password


def issue_one_time_password(
    name: str, caller: LoginView, services: LoginServices, given: Callable[[str], None]
) -> None:
    """Give somebody a password for one time and show it to the admin who calls, or why it cannot be.

    `given` is called with the full name, once it holds.
    """
    password = one_time_password()

    def show(_: None) -> None:
        account = services.accounts.account(name)
        who = account.name if account else name
        given(who)
        caller.show(services.wording()("door.one_time_given", name=who, password=password))

    hashed = services.passwords.hash(password, caller.host)
    hashed.addCallback(lambda kept: services.accounts.set_one_time_password(name, kept))
    hashed.addCallbacks(show, lambda failure: caller.show(failure.getErrorMessage()))
