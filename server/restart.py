"""Shutdown and graceful restart (copyover): signals, stages, systemd, and sessions that continue after `execve`."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, maybeDeferred, succeed
from twisted.python.systemd import ListenFDs

from agents.attending.turn_taking import Awareness, owed_rows, restore_owed
from agents.population import Population
from config.settings import ServerSettings
from server.clock import DelayedCall, ReactorClock, cancel
from server.listeners import TELNET, TLS, WEB, AdoptedSockets, RequestedPorts
from server.session.registry import SessionRegistry
from vault.backup import SessionSnapshot, load_and_clear_snapshot, save_snapshot
from vault.vault import Vault
from world.entities import Character, TransientState
from world.game import Game
from world.navigation import start_following

log = logging.getLogger(__name__)

Act = Callable[[], None]

Stage = tuple[str, Callable[[], Deferred[None] | None]]
_LISTEN = ("LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES")
_UNNAMED = "unknown"
MAX_STAGE_SECONDS = 0.4
"""Maximum length of each stage of closing before a restart, in seconds: all of it takes less than 2."""

VARIABLE = "FALLWATER_LISTENING"
_OF_A_CONNECTION = frozenset({"is_linkdead", "client_uses_screen_reader"})


def install_signal_handlers(close: Act, restart: Act) -> None:
    """Call `close` at each SIGINT and SIGTERM from now on, instead of what the reactor would do.

    SIGHUP calls `restart`, or `close` if the world was started in a terminal that has gone. A SIGHUP that the parent
    process ignores, as `nohup` does, stays ignored.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: close())
    had_terminal = has_terminal()
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: close() if had_terminal and not has_terminal() else restart())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGHUP})  # a restart has blocked it


def has_terminal() -> bool:
    """Return whether the process reads from or writes to a terminal that is still there."""
    return any(_is_terminal(stream.fileno()) for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__) if stream)


def _is_terminal(descriptor: int) -> bool:
    try:
        return os.isatty(descriptor)
    except OSError:
        return False


class ShutdownRequest:
    """A request to close or to restart. A request to close always wins.

    `stop` stops the reactor; it is called once.
    """

    def __init__(self, stop: Callable[[], None]) -> None:
        self.restarts = False
        self._has_begun = False
        self._stop = stop

    def close(self) -> None:
        """Close it, even if a restart was asked for."""
        self.restarts = False
        self._begin()

    def restart(self) -> None:
        """Restart it, unless it closes already."""
        self.restarts = self.restarts or not self._has_begun
        self._begin()

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._stop()


def run_stages(clock: ReactorClock, seconds: float, stages: Sequence[Stage], in_haste: bool = False) -> Deferred[None]:
    """Do the stages one after the other; one that fails or takes too long is logged and the next one follows.

    That one takes too long is no error `in_haste`.
    """
    done: Deferred[None] = succeed(None)
    for stage in stages:
        done.addCallback(_bounded, stage, clock, seconds, logging.INFO if in_haste else logging.ERROR)
    return done


def _bounded(_: None, stage: Stage, clock: ReactorClock, seconds: float, level: int) -> Deferred[None]:
    name, act = stage
    ended: Deferred[None] = Deferred()

    def end(problem: object = None, level: int = logging.ERROR) -> None:
        if not ended.called:
            if problem:
                log.log(level, "%s did not end well: %s", name, problem)
            ended.callback(None)

    late = clock.callLater(seconds, end, f"it took longer than {seconds:g} seconds", level)
    doing = maybeDeferred(act)
    doing.addCallbacks(lambda _: end(), lambda failure: end(None if failure.check(CancelledError) else failure))
    ended.addCallback(lambda _: cancel(late))
    return ended


def sockets_given(environ: MutableMapping[str, str]) -> dict[str, list[int]]:
    """Return the sockets that this process was started with, as descriptors by service.

    The services are `telnet`, `tls` and `web`; of sockets with another name the first is for telnet. The variables that
    name them are taken out of `environ`, so that no other program believes that they are meant for it.
    """
    count = environ.get("LISTEN_FDS", "")
    names = environ.get("LISTEN_FDNAMES") or ":".join([_UNNAMED] * (int(count) if count.isdecimal() else 0))
    descriptors = ListenFDs.fromEnvironment({**environ, "LISTEN_FDNAMES": names}).inheritedDescriptors()
    for variable in _LISTEN:
        environ.pop(variable, None)
    found: dict[str, list[int]] = {}
    for name, descriptor in zip(names.split(":"), descriptors, strict=False):
        service = name if name in (TELNET, TLS, WEB) else TELNET
        if service != name and TELNET in names.split(":") + list(found):
            log.warning("the socket called %r is not used; name it %s, %s or %s", name, TELNET, TLS, WEB)
            continue
        found.setdefault(service, []).append(descriptor)
    return found


class SystemdNotifier:
    """Tells systemd how the world is, if it wants to know; it asks by what it puts into `environ`.

    It sends a sign of life twice in each span that a watchdog allows, for as long as the reactor turns.
    """

    def __init__(self, environ: MutableMapping[str, str], pid: int, clock: ReactorClock) -> None:
        self._address = environ.get("NOTIFY_SOCKET", "")
        self._clock = clock
        self._next: DelayedCall | None = None
        self._alive_seconds = _watchdog_seconds(environ, pid) / 2

    def notify_ready(self) -> None:
        """Players can come in."""
        self._notify("READY=1")
        if self._alive_seconds and self._address:
            self._notify_watchdog()

    def notify_reloading(self) -> None:
        """The world restarts in the same process."""
        self._notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def notify_stopping(self) -> None:
        """The world is about to end."""
        self._notify("STOPPING=1")
        cancel(self._next)

    def _notify_watchdog(self) -> None:
        self._notify("WATCHDOG=1")
        self._next = self._clock.callLater(self._alive_seconds, self._notify_watchdog)

    def _notify(self, *states: str) -> None:
        if not self._address.startswith(("/", "@")):
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notifier:
                notifier.setblocking(False)
                notifier.sendto("\n".join(states).encode(), address)
        except OSError as error:
            log.warning("cannot notify systemd of %s: %s", states[0], error)


def _watchdog_seconds(environ: MutableMapping[str, str], pid: int) -> float:
    micros = environ.get("WATCHDOG_USEC", "")
    is_meant = environ.get("WATCHDOG_PID", str(pid)) == str(pid)
    return int(micros) / 1e6 if micros.isdecimal() and is_meant else 0.0


@dataclass(frozen=True)
class Inherited:
    """Sockets that listen already; `asked` has the settings of the ones that a world opened itself."""

    sockets: AdoptedSockets = field(default_factory=dict)
    asked: RequestedPorts = field(default_factory=dict)


def inherited_sockets(environ: MutableMapping[str, str], pid: int) -> Inherited:
    """Return the sockets that this process has from the world before it, or else from systemd.

    What says so is taken out of `environ`.
    """
    from_systemd = sockets_given(environ)
    text = environ.pop(VARIABLE, "")
    try:
        kept = json.loads(text) if text else {}
        if kept.get("pid") != pid:  # they are for another process, our parent
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


class SessionRestore:
    """Keeps everybody's state when a world closes, and restores it when it opens within `return_seconds`."""

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

    def save_state(self, stay_awake: bool) -> None:
        """Save the state before anybody is sent home; with `stay_awake`, characters that are awake are saved so."""
        world, guests = self._game.world, self._registry.guests
        lasting = [one for one in world.characters.values() if not guests.is_guest(one)]
        awake = tuple(one.character_id for one in lasting if one.awake and stay_awake)
        transient = {one.character_id: one.transient for one in lasting}
        save_snapshot(
            self._vault, SessionSnapshot(awake, transient, owed_rows(self._pending_stimuli())), self._now_ms()
        )

    def last_word(self, character: Character | None, returns: bool) -> str:
        """Return the last message to a player when the world restarts.

        None is somebody who has not logged in. `returns` says that the client connects again by itself.
        """
        say = self._game.world.wording
        if character is None:
            return say("admin.connect_again_at_the_door")
        as_whom = "_as_guest" if self._registry.guests.is_guest(character) else ""
        return say(f"admin.{'connects_again' if returns else 'connect_again'}{as_whom}")

    def resume(self) -> None:
        """Restore everybody: people who stayed awake become link-dead, agents perceive from now on."""
        world, seconds = self._game.world, self._settings().return_seconds
        before = load_and_clear_snapshot(self._vault, world, self._now_ms(), seconds)
        for one_id, transient in before.transient.items():
            _restore_character(world.characters[one_id], transient)
        for one in [world.characters[one_id] for one_id in before.transient]:
            if leader := world.characters.get(one.transient.following_id):
                start_following(one, leader)
        for one_id in before.awake:
            self._wait_for_player(world.characters[one_id])
        restore_owed(self._pending_stimuli(), before.owed, world)
        if before.awake:
            log.info("%d characters resumed", len(before.awake))

    def _pending_stimuli(self) -> dict[str, Awareness]:
        return {name: agent.awareness for name, agent in self._agents.items()}

    def _wait_for_player(self, character: Character) -> None:
        agent = self._agents.get(character.character_id)
        if agent:
            character.awake = True  # silently: for everybody in the world it never slept
            self._game.wake(agent.name, agent.perceive)
        elif not character.is_agent:
            self._registry.linkdead.wait_for(character)


def _restore_character(character: Character, transient: TransientState) -> None:
    """Give somebody back what they were about, but not what their next connection has to tell."""
    for one in fields(TransientState):
        if one.name not in _OF_A_CONNECTION:
            setattr(character.transient, one.name, getattr(transient, one.name))
