"""The brake on speech: a token bucket for each character, for people, programs and agents alike.

Everybody in the room reads each line of speech, and each agent there writes it down. Speech is every command of the
category `speech` that others perceive. Lines beyond the bucket wait. What others perceive keeps its order behind them,
so that nobody walks away from their own words; everything else is done at once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from config.settings import ServerSettings
from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.input import TokenBucket
from world.game import CommandResult, Game

MAX_WAITING = 20
"""Maximum number of lines of one character that wait; further ones are refused."""

MAX_SPEAKERS = 1000
"""Number of characters beyond which those whose bucket is full are forgotten."""

MAX_SHOWN = 40
"""Maximum number of characters shown of a line that is refused."""


@dataclass
class _Speaker:
    bucket: TokenBucket
    rate: tuple[float, int]
    waiting: deque[str] = field(default_factory=deque)
    next: DelayedCall | None = None


class SpeechThrottle:
    """Performs lines, speech no faster than the settings allow. `perform` does a line, of its author and at once."""

    def __init__(
        self,
        game: Game,
        perform: Callable[[str, str], object],
        settings: Callable[[], ServerSettings],
        clock: ReactorClock,
    ) -> None:
        self._game = game
        self._perform = perform
        self._settings = settings
        self._clock = clock
        self._speakers: dict[str, _Speaker] = {}

    def perform(self, character_id: str, text: str, refuse: Callable[[str], None]) -> None:
        """Do a line now, or when its turn has come; give `refuse` a sentence if too many wait already."""
        speaker = self._speakers.get(character_id)
        if speaker is None or not (speaker.waiting or speaker.bucket.wait_seconds):
            self._perform(character_id, text)
            return
        speaker = self._speaker(character_id)
        if self._may_be_now(character_id, text, speaker):
            self._perform(character_id, text)
        elif len(speaker.waiting) < MAX_WAITING:
            speaker.waiting.append(text)
            self._go_on_later(character_id, speaker)
        else:
            refuse(self._refusal(text, speaker))

    def note_line(self, character_id: str, text: str, performed: CommandResult) -> None:
        """Take a token for what somebody has said."""
        command = self._game.commands.get(performed.verb)
        if command and command.is_speech:
            self._speaker(character_id).bucket.take()

    def _may_be_now(self, character_id: str, text: str, speaker: _Speaker) -> bool:
        """Return whether a line need not wait; what it means is asked only if it may have to."""
        if not speaker.waiting and not speaker.bucket.wait_seconds:
            return True
        command = self._game.command_meant(character_id, text)
        if command is None:
            return True
        return not (command.is_speech or (speaker.waiting and command.is_perceived))

    def wait_seconds(self, character_id: str) -> float:
        """Return after how many seconds somebody may speak; 0 for at once. An agent thinks no sooner."""
        return self._speaker(character_id).bucket.wait_seconds if character_id in self._speakers else 0.0

    def forget(self, character_id: str) -> None:
        """Drop what waits: its author has gone. The bucket stays, so that coming back fills none."""
        if speaker := self._speakers.get(character_id):
            speaker.waiting.clear()
            cancel(speaker.next)

    def _speaker(self, character_id: str) -> _Speaker:
        settings = self._settings()
        rate = settings.speech_per_second, settings.speech_at_once
        speaker = self._speakers.get(character_id)
        if speaker is None or speaker.rate != rate:
            if len(self._speakers) >= MAX_SPEAKERS:
                self._speakers = {
                    who: one for who, one in self._speakers.items() if one.waiting or not one.bucket.is_full
                }
            waiting = speaker.waiting if speaker else deque[str]()
            cancel(speaker.next if speaker else None)
            self._speakers[character_id] = speaker = _Speaker(TokenBucket(self._clock, *rate), rate, waiting)
            if waiting:
                self._go_on_later(character_id, speaker)
        return speaker

    def _go_on_later(self, character_id: str, speaker: _Speaker) -> None:
        if speaker.next is None or not speaker.next.active():
            speaker.next = self._clock.callLater(speaker.bucket.wait_seconds, self._go_on, character_id)

    def _go_on(self, character_id: str) -> None:
        """Do the lines whose turn has come, in their order."""
        speaker = self._speakers[character_id]
        if speaker.waiting and not speaker.bucket.wait_seconds:
            text = speaker.waiting.popleft()
            if character_id in self._game.world.characters:
                self._perform(character_id, text)
        if speaker.waiting:
            self._go_on_later(character_id, speaker)

    def _refusal(self, text: str, speaker: _Speaker) -> str:
        rate = speaker.rate[0]
        return self._game.world.wording(
            "door.speaks_too_fast",
            line=text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 1]}…",
            count=len(speaker.waiting),
            seconds=round(len(speaker.waiting) / rate) if rate else 0,
        )
