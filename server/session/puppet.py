"""A puppet: a character while a session plays it, and its idle timeout."""

from __future__ import annotations

import logging
from collections.abc import Callable

from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.connection import MARKED, SCENE
from server.session.registry import Connected, SessionRegistry
from world.entities import Character, Role
from world.events import Event
from world.room_view import MINUTE, format_duration, render_room

WARNING_SECONDS = 60.0


class IdleTimeout:
    """Watches one player. `is_exempt` is asked when the time has come; `warn` and `let_go` are called then."""

    def __init__(
        self,
        clock: ReactorClock,
        minutes: int,
        is_exempt: Callable[[], bool],
        warn: Callable[[], None],
        let_go: Callable[[], None],
    ) -> None:
        self._clock = clock
        self._seconds = minutes * 60.0
        self._is_exempt = is_exempt
        self._warn = warn
        self._let_go = let_go
        self._since = clock.seconds()
        self._next: DelayedCall | None = None
        if minutes:
            self._next = clock.callLater(max(0.0, self._seconds - WARNING_SECONDS), self._check)

    @property
    def idle_seconds(self) -> float:
        """Seconds since the player typed last."""
        return self._clock.seconds() - self._since

    def note_line(self) -> None:
        """Note that the player has typed something."""
        self._since = self._clock.seconds()

    def stop(self) -> None:
        """Watch no longer."""
        cancel(self._next)

    def _check(self) -> None:
        left = self._since + self._seconds - self._clock.seconds()
        if self._is_exempt():
            self._next = self._clock.callLater(self._seconds, self._check)
        elif left > WARNING_SECONDS:
            self._next = self._clock.callLater(left - WARNING_SECONDS, self._check)
        elif left > 0:
            self._next = self._clock.callLater(left, self._check)
            self._warn()
        else:
            self._let_go()


log = logging.getLogger(__name__)


class Puppet:
    """One character and the session that plays it; `number` is that of its connection. `idle` watches its player.

    `attach` it once. `detach` it when the connection has gone; when another session has the character, stop `idle`.
    """

    def __init__(self, registry: SessionRegistry, character: Character, session: Connected, number: int) -> None:
        self.character = character
        self._registry = registry
        self._session = session
        self._number = number
        minutes, wording = registry.login_services.settings.idle_minutes, registry.game.world.wording
        self.idle = IdleTimeout(
            registry.clock,
            minutes,
            lambda: character.role >= Role.BUILDER,
            lambda: session.show(self._say("door.idle_warning")),
            lambda: session.end(self._say("door.idle_end", time=format_duration(minutes * MINUTE, wording))),
        )

    def attach(self, is_new: bool, perceive: Callable[[Event, str], None]) -> None:
        """Take the character over from its session before, show where it stands, and let it perceive."""
        registry, character = self._registry, self.character
        if character.transient.is_linkdead:
            registry.traffic[self._session.door].resumes += 1
        other = registry.playing.pop(character.character_id, None)
        registry.playing[character.character_id] = self._session
        missed = other.hand_over() if other else []
        missed += registry.linkdead.take_missed(character)
        log.info("%s entered from %s", character.name, self._session.host, extra=self._log_fields)
        self._welcome(is_new)
        if missed:
            self._session.show("\n".join([self._say("door.missed"), *missed]))
        registry.game.wake(character.character_id, perceive)

    def detach(self, reason: str, was_ended: bool) -> None:
        """Release the character, unless another session has taken it over.

        `reason` is for the log. Unless it `was_ended` from here, it waits as link-dead for its player to come back.
        """
        self.idle.stop()
        registry, character = self._registry, self.character
        if registry.playing.get(character.character_id) is not self._session:
            return
        del registry.playing[character.character_id]
        registry.speech.forget(character.character_id)
        if registry.guests.is_guest(character):
            registry.guests.leave(character)
        else:
            if not was_ended:
                registry.linkdead.wait_for(character, self._session.host)
            elif not registry.stays_awake:
                registry.game.sleep(character.character_id)
            registry.login_services.accounts.record_seen(character.name)
        log.info("%s left (%s)", character.name, reason, extra=self._log_fields)

    def _welcome(self, is_new: bool) -> None:
        registry, session, accounts = self._registry, self._session, self._registry.login_services.accounts
        if is_new:
            session.show(registry.texts.first_steps, kind=MARKED)
        account = accounts.account(self.character.name)
        if account:
            if account.failed:
                session.show(self._say("door.failed_since", count=account.failed))
            accounts.record_seen(account.name, came_in=True)
        session.show(render_room(registry.game.world, self.character), kind=SCENE)

    @property
    def _log_fields(self) -> dict[str, object]:
        return {"character": self.character.name, "host": self._session.host, "connection": self._number}

    def _say(self, key: str, **values: object) -> str:
        return self._registry.game.world.wording(key, **values)
