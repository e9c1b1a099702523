"""Restarting in the same process: the ports stay open, and everybody goes on where they were."""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

from agents.attending.floor import Awareness, owed_rows, restore_owed
from agents.population import Population
from config.settings import ServerSettings
from server.lifecycle.systemd import sockets_given
from server.net.listeners import AdoptedSockets, RequestedPorts
from server.session.registry import SessionRegistry
from vault.session_snapshot import SessionSnapshot, load_and_clear_snapshot, save_snapshot
from vault.vault import Vault
from world.entities import Character, TransientState
from world.follow import start_following
from world.game import Game

log = logging.getLogger(__name__)

STAGE_SECONDS = 0.4
"""How long each stage of closing may take before a restart: all of it within 2 seconds."""

VARIABLE = "FALLWATER_LISTENING"


@dataclass(frozen=True)
class Inherited:
    """Sockets that listen already; `asked` says of those that a world opened itself what its settings were."""

    sockets: AdoptedSockets = field(default_factory=dict)
    asked: RequestedPorts = field(default_factory=dict)


def inherited(environ: MutableMapping[str, str], pid: int) -> Inherited:
    """Return the sockets that this process has from the world before it, or else from systemd.

    What says so is taken out of `environ`.
    """
    from_systemd = sockets_given(environ)
    text = environ.pop(VARIABLE, "")
    try:
        kept = json.loads(text) if text else {}
        if kept.get("pid") != pid:  # another's, of whom we are a child
            return Inherited(from_systemd)
        sockets = {service: [int(one) for one in several] for service, several in kept["sockets"].items()}
        asked = {service: (str(host), int(port)) for service, (host, port) in kept["asked"].items()}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        log.warning("%s is not valid, so the ports are opened again: %s", VARIABLE, error)
        return Inherited(from_systemd)
    for descriptor in (one for several in sockets.values() for one in several):
        os.set_inheritable(descriptor, False)
    return Inherited(sockets, asked)


def this_program() -> list[str]:
    """Return the command that executes this program as it was started: with this Python, and all that was given."""
    return [sys.executable, *sys.orig_argv[1:]]


def reexec(
    sockets: AdoptedSockets,
    asked: RequestedPorts,
    environ: Mapping[str, str] = os.environ,
    execute: Callable[[str, list[str], dict[str, str]], Any] = os.execve,
) -> str:
    """Execute this program again in this process, which goes on listening on these sockets.

    Does not return unless that fails, and then why: the world is closed, with everything saved.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # nobody reads it any more
            stream.flush()
    for descriptor in (one for several in sockets.values() for one in several):
        os.set_inheritable(descriptor, True)
    kept = {
        "pid": os.getpid(),
        "sockets": {name: list(several) for name, several in sockets.items()},
        "asked": asked,
    }
    # A SIGHUP would end the next world until it handles signals. Blocked, it waits; ignored, it would stay ignored.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGHUP})
    try:
        execute(sys.executable, this_program(), {**environ, VARIABLE: json.dumps(kept)})
        return ""
    except OSError as error:
        return f"the world is closed and cannot restart: {sys.executable} cannot be executed: {error.strerror}."
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
        save_snapshot(self._vault, SessionSnapshot(awake, transient, owed_rows(self._minds())), self._now_ms())

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
        restore_owed(self._minds(), before.owed, world)
        if before.awake:
            log.info("%d characters go on where they were", len(before.awake))

    def _minds(self) -> dict[str, Awareness]:
        return {name: agent.awareness for name, agent in self._agents.items()}

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
