"""Moderation: kicking, banning, and permissions of people and agents."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from server.accounts.accounts import Accounts, NameRefused
from server.accounts.schema import Ban
from server.accounts.store import BanRefused, until_text
from server.session.registry import SessionRegistry
from vault.errors import NoteError
from world.command import CommandTable, command
from world.entities import Character, Role
from world.errors import CommandError
from world.events import EntityChanged, Event, Output
from world.sanitize import clean_line
from world.world import World

log = logging.getLogger(__name__)

MAX_REASON_CHARACTERS = 200
MAX_DAYS = 3650

_TIME = re.compile(r"(?P<count>\d{1,5})\s*(?P<unit>m|h|d|w)[a-z]*", re.IGNORECASE)
_MINUTES = {"m": 1, "h": 60, "d": 60 * 24, "w": 60 * 24 * 7}


class ModerationCommands:
    """The commands that keep order. `now` returns the present time, with its zone."""

    def __init__(
        self, accounts: Accounts, registry: SessionRegistry, commands: CommandTable, now: Callable[[], datetime]
    ) -> None:
        self._accounts = accounts
        self._registry = registry
        self._commands = commands
        self._now = now

    @command("@kick <anyone>", also=("@kick <anyone> -> <text>",), category="admin", role=Role.ADMIN, for_agents=False)
    def kick(self, world: World, actor: Character, anyone: str, text: str = "") -> list[Event]:
        """Disconnect somebody, with a reason: @kick Ben -> Take a walk. They may come back."""
        who = next((one for one in self._registry.names_connected() if one.casefold() == anyone.casefold()), "")
        if not who:
            raise CommandError(world.wording("order.not_connected", wanted=anyone))
        if who == actor.character_id:
            raise CommandError(world.wording("order.not_yourself"))
        _check_below(world, actor, world.characters[who])
        self._registry.kick(who, world.wording("order.kicked", why=_reason(world, text)))
        return [Output(actor.character_id, world.wording("order.sent_home", who=who))]

    @command("@ban <name>", also=("@ban <name> -> <text>",), category="admin", role=Role.ADMIN, for_agents=False)
    def ban(self, world: World, actor: Character, name: str, text: str = "") -> list[Event]:
        """Ban a name, an address or a network, and disconnect its players.

        @ban Ben -> Enough.              until @unban Ben
        @ban Ben for 3 days -> Enough.   minutes, hours, days or weeks
        @ban 203.0.113.0/24              every connection from there
        """
        who, _, time = (part.strip() for part in name.partition(" for "))
        until = _until(world, time, self._now()) if time else None
        target = world.characters.get(who) or _named(world, who)
        if target is actor:
            raise CommandError(world.wording("order.not_yourself"))
        if target:
            _check_below(world, actor, target)
        key = "order.banned_until" if until else "order.banned"
        sentence = world.wording(key, who=who, until=f"{until:%Y-%m-%d %H:%M} UTC" if until else "")

        def banned(_: None) -> str:
            self._send_banned_home(actor)
            return sentence

        try:
            kept = self._accounts.bans.ban(target.name if target else who, until, _reason(world, text))
        except BanRefused as error:
            raise CommandError(str(error)) from error
        return self._answer_when_saved(actor, kept, banned)

    @command("@unban [<name>]", category="admin", role=Role.ADMIN, for_agents=False)
    def unban(self, world: World, actor: Character, name: str = "") -> list[Event]:
        """Unban a name or an address. Without one, list the bans."""
        if not name:
            lines = [_ban_line(world, ban) for ban in self._accounts.bans.active_bans()]
            return [Output(actor.character_id, "\n".join(lines) or world.wording("order.nobody_banned"))]
        if not self._accounts.bans.has(name):
            raise CommandError(world.wording("order.not_banned", who=name))
        lifted = self._accounts.bans.unban(name)
        return self._answer_when_saved(actor, lifted, lambda _: world.wording("order.let_in", who=name))

    @command("@grant <name> <role>", category="admin", role=Role.ADMIN, for_agents=False)
    def grant(self, world: World, actor: Character, name: str, role: str) -> list[Event]:
        """Set a role: guest, player, observer, builder or admin. Or grant an agent one command.

        @grant Ben builder
        @grant Moss @dig     permissions of agents are in agent.md
        """
        target, wanted = _find_character(world, name), role.lower()
        _check_below(world, actor, target)
        if wanted.upper() in Role.__members__:
            return self._set_role(world, actor, target, Role[wanted.upper()])
        found = self._commands.get(wanted)
        if found is None or not target.is_agent:
            roles = world.wording.join_or([one.name.lower() for one in Role])
            key = "order.no_right" if target.is_agent else "order.no_role"
            raise CommandError(world.wording(key, wanted=role, roles=roles))
        if not found.allows(actor):
            raise CommandError(world.wording("order.above_yours", wanted=found.verb))
        target.grants |= {found.verb}
        return _answer(world, actor, target, world.wording("order.granted", who=target.name, verb=found.verb))

    @command("@revoke <name> [<role>]", category="admin", role=Role.ADMIN, for_agents=False)
    def revoke(self, world: World, actor: Character, name: str, role: str = "") -> list[Event]:
        """Set the role back to player: @revoke Ben. Or revoke one command of an agent: @revoke Moss @dig."""
        target, verb = _find_character(world, name), role.lower()
        _check_below(world, actor, target)
        if verb.startswith("@"):
            if verb not in target.grants:
                raise CommandError(world.wording("order.not_granted", who=target.name, verb=verb))
            target.grants -= {verb}
            return _answer(world, actor, target, world.wording("order.revoked", who=target.name, verb=verb))
        if verb and verb != target.role.name.lower():
            raise CommandError(
                world.wording("order.has_no_such_role", who=target.name, role=role, own=_role_name(world, target.role))
            )
        target.grants = frozenset()
        return self._set_role(world, actor, target, Role.PLAYER)

    def _set_role(self, world: World, actor: Character, target: Character, role: Role) -> list[Event]:
        if role > actor.role:
            raise CommandError(world.wording("order.above_yours", wanted=role.name.lower()))
        sentence = world.wording("order.is_now", who=target.name, role=_role_name(world, role))
        if target.is_agent:
            target.role = role
            return _answer(world, actor, target, sentence)
        if role < Role.ADMIN and self._accounts.is_only_admin(target.name):
            raise CommandError(world.wording("order.last_admin", who=target.name))
        try:
            kept = self._accounts.set_role(target.name, role)
        except NameRefused as error:
            raise CommandError(str(error)) from error
        return self._answer_when_saved(actor, kept.addCallback(self._tell_pages), lambda _: sentence)

    def _tell_pages(self, _: None) -> None:
        """Update what pages show of their visitors' permissions."""
        self._registry.gmcp_updates.on_events(())

    def _answer_when_saved(self, actor: Character, kept: Deferred[Any], sentence: Callable[[Any], str]) -> list[Event]:
        """Tell the actor a sentence once something is on disk, or why it could not be kept."""

        def failed(failure: Failure) -> str:
            if not failure.check(NameRefused, NoteError):
                log.error("a moderation command failed: %s", failure.getTraceback())
            return failure.getErrorMessage()

        kept.addCallback(sentence).addErrback(failed)
        kept.addCallback(lambda text: self._registry.game.tell(actor.character_id, text))
        return []

    def _send_banned_home(self, actor: Character) -> None:
        accounts, registry = self._accounts, self._registry
        for name, session in list(registry.playing.items()):
            found = accounts.bans.ban_of(name) or accounts.bans.ban_of(session.host)
            if found and name != actor.character_id:
                session.end(accounts.bans.ban_message(found))
        for name in registry.linkdead.names:  # whose connection was lost, and who could only wait for nothing
            if accounts.bans.ban_of(name):
                registry.kick(name, "")


def _answer(world: World, actor: Character, target: Character, sentence: str) -> list[Event]:
    """Return the sentence for the actor, and that an agent's note is to be written; people's rights are in no note."""
    saved: list[Event] = (
        [EntityChanged(actor.character_id, "character", target.character_id)] if target.is_agent else []
    )
    return [Output(actor.character_id, sentence), *saved]


def _named(world: World, name: str) -> Character | None:
    return next((one for one in world.characters.values() if one.name.casefold() == name.casefold()), None)


def _find_character(world: World, name: str) -> Character:
    found = _named(world, name)
    if found is None:
        raise CommandError(world.wording("order.nobody", wanted=name))
    return found


def _check_below(world: World, actor: Character, target: Character) -> None:
    """Raises: CommandError if somebody may do more than the actor."""
    if target.role > actor.role:
        raise CommandError(world.wording("order.above_you", who=target.name, role=_role_name(world, target.role)))


def _role_name(world: World, role: Role) -> str:
    return world.wording(f"roles.{role.name.lower()}")


def _reason(world: World, text: str) -> str:
    return clean_line(text).strip()[:MAX_REASON_CHARACTERS] or world.wording("order.no_reason")


def _until(world: World, text: str, now: datetime) -> datetime:
    """Return when `3 days` have passed. Raises: CommandError if that is no time."""
    found = _TIME.fullmatch(text.strip())
    minutes = int(found["count"]) * _MINUTES[found["unit"].lower()] if found else 0
    if not 0 < minutes <= MAX_DAYS * 24 * 60:
        raise CommandError(world.wording("order.no_time", time=text))
    return now.astimezone(UTC) + timedelta(minutes=minutes)


def _ban_line(world: World, ban: Ban) -> str:
    key = "order.ban_until" if ban.until else "order.ban"
    return world.wording(key, who=ban.who, until=until_text(ban.until), why=ban.why)
