"""The inn as admins run it: accounts, an audit log, settings and the agent Rook on disk, and nobody connected yet."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from twisted.internet.task import Clock

from agents.commands.agent_commands import Possession
from agents.population import Population
from server.admin.admin_commands import Administration, AdminServices
from server.admin.audit import AuditLog
from server.connection.connection import Door
from tests.agents.templates import TEMPLATES
from tests.server.front_door import NOW_MS, FakeHasher, at_once, lobby_of
from tests.vault.vault_of import vault_of
from tests.world.inn import Player, inn_game
from vault.backup import Backup
from vault.config_notes import load_settings
from world.entities import Role
from world.events import Left

NOTES = TEMPLATES | {
    "agents/Rook/agent.md": "---\nroom: '[[The Kitchen]]'\n---\nYou are Rook.\n",
    "config/models.md": "# The models\n\n**timeout_seconds**: 60\nHow long.\n",
}


class LoginView:
    """Somebody's connection: it remembers the last word."""

    idle_seconds = 0.0
    returns = is_absent = False
    door: Door = "telnet"

    def __init__(self, host: str = "203.0.113.7") -> None:
        self.host = host
        self.last_word = ""

    def show(self, text: str, kind: str = "") -> None: ...

    def end(self, text: str, kind: str = "") -> None:
        self.last_word = text

    def hand_over(self) -> list[str]:
        return []


class AdministeredInn:
    """Ana is an admin and plays from 203.0.113.7; Ben, Cat and Rook play too."""

    def __init__(self, root: Path, back_up: Any = None, writer: Any = at_once) -> None:
        self.root = root
        self.vault = vault_of(root / "vault", NOTES)
        self.game = inn_game()
        self.clock = Clock()
        self.audit = AuditLog(
            root / "accounts" / "audit", self.game, lambda who: self.registry.host_of(who), lambda: NOW_MS
        )
        self.leading = Possession(self.game, self.audit.record_possessed_line)
        self.registry = lobby_of(root, self.game, clock=self.clock, writer=writer, perform=self.leading.perform)
        self.game.subscribe_lines("audit", self.audit.record_line, first=True)
        self.game.subscribe("leading", self.leading.on_events, (Left,), first=True)
        self.accounts = self.registry.login_services.accounts
        self.settings = load_settings(self.vault)
        self.saved = self.closed = 0
        self.problems: list[str] = []
        self.agents = Population(self.vault, self.settings, self.game, random.Random(1), lambda: NOW_MS)
        services = AdminServices(
            self.game,
            self.registry,
            self.accounts,
            self.agents,
            self.vault,
            self.audit,
            self.leading,
            lambda: self.settings,
            self.clock,
            lambda: NOW_MS,
            self._save,
            back_up or (lambda: Backup(root / "backups" / "vault.tar.gz")),
            lambda: self.problems,
            self._close,
            at_once,
        )
        self.administration = Administration(services)
        for name in ("Ana", "Ben", "Cat"):
            self.accounts.set_role(name, Role.PLAYER)
            self.accounts.claim(name, FakeHasher().hash("a long secret"))
        self.accounts.set_role("Ana", Role.ADMIN)
        self.players = {name: Player(self.game, name) for name in ("Ana", "Ben", "Cat")}
        self.callers = {name: LoginView() for name in ("Ana", "Ben", "Cat")}
        self.registry.playing.update(self.callers)
        for player in self.players.values():
            player.screen()

    def shown(self, name: str, line: str) -> list[str]:
        """Return what somebody's screen shows of a line that they type."""
        self.players[name].screen()
        self.players[name].types(line)
        return self.players[name].screen()

    def _save(self) -> None:
        self.saved += 1

    def _close(self, restart: bool) -> None:
        self.closed += 1
        self.restarts = restart
