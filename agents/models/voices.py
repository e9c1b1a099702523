"""The models of a queue, seen as one: what is asked of whichever of them answers, and with which options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from agents.models.endpoint import Route
from agents.models.model import Capabilities, Completion, CountsSlowly, LanguageModel, Request, Uncounted, Voice

T = TypeVar("T")

MOST_AT_ONCE = 900
A_LINE = 200
"""So many characters may be counted while a request is built, each new line for as many more as it takes besides: a few
milliseconds. What is beyond that is counted ahead, and the request is begun again."""


class Voices:
    """Speaks for the model that a request is being built for; else for the one that would be asked first."""

    def __init__(self, routes: Sequence[Route], now: Callable[[], float]) -> None:
        self.routes = tuple(routes)
        self._now = now
        self._meant: LanguageModel | None = None
        self._may_count: float = 0

    @property
    def name(self) -> str:
        return self._voice.name

    @property
    def capabilities(self) -> Capabilities:
        return self._voice.capabilities

    @property
    def context_tokens(self) -> int:
        return self._voice.context_tokens

    def count_tokens(self, text: str) -> int:
        """Return how many tokens a text has. Raises: Uncounted, while a request is built and that would take long."""
        voice = self._voice
        if self._meant and isinstance(voice, CountsSlowly):
            self._may_count -= sum(A_LINE + len(line) for line in voice.uncounted(text))
            if self._may_count < 0:
                raise Uncounted(text)
        return voice.count_tokens(text)

    @contextmanager
    def standing_for(self, model: LanguageModel, may_count: float = MOST_AT_ONCE) -> Iterator[None]:
        """Speak for one of the models until the end; it counts no more than so many characters for that."""
        before, self._meant, self._may_count = self._meant, model, may_count
        try:
            yield
        finally:
            self._meant = before

    @property
    def _voice(self) -> Voice:
        if self._meant:
            return self._meant
        now = self._now()
        well = [route for route in self.routes if route.endpoint.breaker.state(now) != "open"]
        return min(well or self.routes, key=lambda route: route.tier).model


@dataclass(frozen=True)
class Asked:
    """What a profile wants otherwise than whoever asks; None is as they want. Prices are per million tokens."""

    temperature: float | None = None
    top_p: float | None = None
    repeat_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    max_tokens: int | None = None
    timeout_seconds: float | None = None
    price_in: float = 0.0
    price_out: float = 0.0

    def applied(self, request: Request) -> Request:
        """Return a request with these options; its own stops stay."""
        return replace(
            request,
            temperature=_or(self.temperature, request.temperature),
            top_p=_or(self.top_p, request.top_p),
            repeat_penalty=_or(self.repeat_penalty, request.repeat_penalty),
            seed=_or(self.seed, request.seed),
            stop=tuple(dict.fromkeys([*request.stop, *self.stop])),
            max_tokens=_or(self.max_tokens, request.max_tokens),
            timeout_seconds=_or(self.timeout_seconds, request.timeout_seconds),
        )

    def price(self, completion: Completion) -> float:
        """Return what a completion costs by the prices of the profile."""
        return (completion.prompt_tokens * self.price_in + completion.completion_tokens * self.price_out) / 1e6


def _or(wanted: T | None, given: T) -> T:
    return given if wanted is None else wanted
