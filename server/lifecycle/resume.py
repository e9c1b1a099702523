"""Restores who was where, and who owed an answer, after a restart."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import fields

from agents.population import Population
from agents.resuming import owe_again, owed_by
from config.settings import ServerSettings
from server.session.registry import SessionRegistry
from vault.session_snapshot import SessionSnapshot, load_and_clear_snapshot, save_snapshot
from vault.vault import Vault
from world.entities import Character, TransientState
from world.follow import start_following
from world.game import Game

log = logging.getLogger(__name__)

_OF_A_CONNECTION = frozenset({"is_linkdead", "client_uses_screen_reader"})


class SessionRestore:
    """Keeps what everybody is about when a world closes, and takes it up when it opens within `return_seconds`."""

    def __init__(
        self,
        vault: Vault,
        game: Game,
        agents: Population,
        registry: SessionRegistry,
        settings: Callable[[], ServerSettings],
        now_ms: Callable[[], int],
    ) -> None:
        self._vault = vault
        self._game = game
        self._agents = agents
        self._registry = registry
        self._settings = settings
        self._now_ms = now_ms

    def keep(self, stay_awake: bool) -> None:
        """Write it down, before anybody is sent home; those who `stay_awake` fall asleep for nobody."""
        world, guests = self._game.world, self._registry.guests
        lasting = [one for one in world.characters.values() if not guests.is_guest(one)]
        awake = tuple(one.character_id for one in lasting if one.awake and stay_awake)
        transient = {one.character_id: one.transient for one in lasting}
        save_snapshot(self._vault, SessionSnapshot(awake, transient, owed_by(self._agents)), self._now_ms())

    def last_word(self, character: Character | None) -> str:
        """Return the last message to a player when the world restarts; None is somebody who has not logged in."""
        say = self._game.world.wording
        if character is None:
            return say("admin.connect_again_at_the_door")
        return say(
            "admin.connect_again_as_guest" if self._registry.guests.is_guest(character) else "admin.connect_again"
        )

    def resume(self) -> None:
        """Let everybody go on; people who stayed awake are waited for, agents hear what is said from now on."""
        world, seconds = self._game.world, self._settings().return_seconds
        before = load_and_clear_snapshot(self._vault, world, self._now_ms(), seconds)
        for one_id, transient in before.transient.items():
            _take_up(world.characters[one_id], transient)
        for one in [world.characters[one_id] for one_id in before.transient]:
            if leader := world.characters.get(one.transient.following_id):
                start_following(one, leader)
        for one_id in before.awake:
            self._stand(world.characters[one_id])
        owe_again(self._agents, before.owed, world)
        if before.awake:
            log.info("%d characters go on where they were", len(before.awake))

    def _stand(self, character: Character) -> None:
        agent = self._agents.get(character.character_id)
        if agent:
            character.awake = True  # silently: for everybody in the world it never slept
            self._game.wake(agent.name, agent.perceive)
        elif not character.is_agent:
            self._registry.linkdead.wait_for(character)


def _take_up(character: Character, transient: TransientState) -> None:
    """Give somebody back what they were about, but not what their next connection has to tell."""
    for one in fields(TransientState):
        if one.name not in _OF_A_CONNECTION:
            setattr(character.transient, one.name, getattr(transient, one.name))
