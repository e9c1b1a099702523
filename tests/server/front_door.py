"""A door with everything behind it, for tests: real accounts on a real disk, a hasher that takes no time."""

from __future__ import annotations

import base64
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, execute
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.accounts.accounts import Accounts
from server.accounts.database import AccountDatabase, read_accounts
from server.accounts.dialogue import LoginServices
from server.accounts.password_change import ACCOUNT_COMMANDS
from server.accounts.passwords import Authenticator, LoginThrottle, Passwords
from server.accounts.schema import Account, account_of
from server.accounts.store import AccountStore
from server.session.registry import SessionRegistry, Texts
from vault.vault import Vault
from world.game import Game
from world.world import World

TEXTS = Texts("Welcome to the inn.", "Type look.", "Sleep well.")
NOW_MS = 1_795_000_000_000  # 2026-11-18 11:06:40 UTC


class FakeHasher:
    """Keeps a password in the form of argon2, but as it is."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def hash(self, password: str) -> str:
        kept = base64.b64encode(password.encode()).decode().rstrip("=")
        return f"$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ${kept}"

    def is_right(self, kept: str, password: str) -> bool:
        self.asked.append(password)
        return kept == self.hash(password)


def put_accounts(folder: Path, *accounts: Account) -> None:
    """Put accounts into the database of a folder, as another process does."""
    with closing(AccountDatabase(folder)) as database, database.transaction():
        for account in accounts:
            database.put_account(account)


def accounts_in(folder: Path) -> dict[str, Account]:
    """Return the accounts that are on disk in a folder, by name."""
    contents = read_accounts(folder)
    return {row[0]: account_of(row) for row in contents.accounts.values()} if contents else {}


class Thread:
    """Another thread, as a test sees it: nothing is done until it is told to go on."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Deferred[Any], Callable[[], Any]]] = []

    def __call__(self, work: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
        done: Deferred[Any] = Deferred()
        self.jobs.append((done, lambda: work(*arguments)))
        return done

    def goes_on(self) -> None:
        """Do the oldest job."""
        done, work = self.jobs.pop(0)
        execute(work).addBoth(done.callback)


def at_once(work: Callable[..., Any], *arguments: Any) -> Deferred[Any]:
    """Do it here and now."""
    return execute(work, *arguments)


def accounts_of(
    folder: Path,
    world: World,
    settings: ServerSettings | None = None,
    now_ms: Callable[[], int] = lambda: NOW_MS,
    writer: Callable[..., Deferred[Any]] = at_once,
) -> Accounts:
    """Return accounts in `folder/accounts` for the people of a vault in `folder/vault`."""
    (folder / "vault").mkdir(exist_ok=True)
    store = AccountStore(AccountDatabase(folder / "accounts", 0.0), writer)
    return Accounts(store, Vault(folder / "vault"), world, settings or ServerSettings(), now_ms)


def lobby_of(
    folder: Path,
    game: Game,
    settings: ServerSettings | None = None,
    hasher: FakeHasher | None = None,
    in_thread: Callable[..., Deferred[Any]] = at_once,
    clock: Clock | None = None,
    writer: Callable[..., Deferred[Any]] = at_once,
    perform: Callable[[str, str], object] | None = None,
) -> SessionRegistry:
    """Return a lobby into a game, everybody asleep; lines are done by `perform`, or else by the game."""
    for character in game.world.characters.values():
        character.awake = False
    game.commands.add(ACCOUNT_COMMANDS)
    clock = clock or Clock()
    accounts = accounts_of(folder, game.world, settings, writer=writer)
    passwords = Passwords(hasher or FakeHasher(), in_thread)
    check = Authenticator(accounts, passwords, LoginThrottle(clock), clock)
    door = LoginServices(accounts, passwords, check, settings or ServerSettings(), lambda: game.world.wording)
    registry = SessionRegistry(game, door, TEXTS, clock, perform or game.perform)
    game.subscribe("gmcp", registry.gmcp_updates.on_events, first=True)
    return registry
