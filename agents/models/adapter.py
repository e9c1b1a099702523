"""The common parts of all models: a token estimate (tokenizer-free), and refused constraints."""

from __future__ import annotations

import logging
import math
import re
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agents.models.model import Completion, ModelError, Request

log = logging.getLogger(__name__)

_KEY = re.compile(r"(?<=//)[^/\s]+@")  # a password may have an @ in it, too

DEFAULT_RATIO = 0.30  # tokens a byte before anything is known: English has about 0.23
MIN_RATIO = 0.20  # below this a server counted only the uncached part of a prompt
MAX_RATIO = 1.1  # byte-level tokenizers cannot exceed one token a byte, plus the opening token
HEADROOM = 1.05
MIN_CALIBRATION_BYTES = 200  # shorter prompts say little: the opening token weighs too much
MAX_RATIOS = 16

MAX_REFUSALS = 3

_SIZE = re.compile(r"(?:(\d+)x)?(\d+(?:\.\d+)?)\s*([MB])", re.IGNORECASE)

_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def redact_address(address: str) -> str:
    """Return an address without its password: addresses appear in logs, archives and recordings."""
    return _KEY.sub("...@", address)


class TokenEstimate:
    """Tokens per byte of UTF-8, learned from the servers' own counts.

    Some servers count the whole prompt, some only what was not cached. A partial count is always too low,
    so the highest recent ratio counts.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=MAX_RATIOS)

    def count(self, text: str) -> int:
        """Return the estimated number of tokens of the text; it errs on the high side."""
        return math.ceil(_bytes(text) * self._ratio())

    @property
    def is_calibrated(self) -> bool:
        """True once a server has counted a prompt."""
        return bool(self._ratios)

    def can_learn_from(self, text: str) -> bool:
        """Return whether the text is long enough to calibrate with."""
        return _bytes(text) >= MIN_CALIBRATION_BYTES

    def observe(self, text: str, tokens: int) -> None:
        """Calibrate with a server's count of the text; a count that cannot be of the whole text is ignored."""
        size = _bytes(text)
        if self.can_learn_from(text) and MIN_RATIO <= tokens / size <= MAX_RATIO:
            self._ratios.append(tokens / size)

    def _ratio(self) -> float:
        return max(self._ratios) * HEADROOM if self._ratios else DEFAULT_RATIO


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


class ConstraintFallback:
    """Asks again without a schema or grammar that was refused; after three refusals in a row, none are sent any more.

    `problem` is why the first one was refused; empty if none was.
    """

    def __init__(self, name: str) -> None:
        self.problem = ""
        self._name = name
        self._in_a_row = 0

    @property
    def is_off(self) -> bool:
        """True once no schema or grammar is sent any more."""
        return self._in_a_row >= MAX_REFUSALS

    async def complete(
        self,
        request: Request,
        ask: Callable[[Request], Awaitable[Completion]],
        is_refusal: Callable[[ModelError], bool],
    ) -> Completion:
        """Return what `ask` answers to the request, or else to the same without its schema and grammar.

        Raises: ModelError.
        """
        free = replace(request, schema=None, grammar=None)
        if request == free:
            return await ask(free)
        try:
            completion = await ask(request)
        except ModelError as error:
            if not is_refusal(error):
                raise
            completion = await ask(free)
            self._refuse(error.problem)
        else:
            if not self.is_off:
                self._in_a_row = 0
        return completion

    def _refuse(self, why: str) -> None:
        self._in_a_row += 1
        if not self.problem:
            log.warning("%s refuses a schema or grammar, and answers without it: %s", self._name, why)
        if self.is_off:
            log.warning("%s has refused %d of them in a row, and gets none from now on.", self._name, MAX_REFUSALS)
        self.problem = self.problem or why


def gbnf_literal(text: str) -> str:
    """Return a text as a GBNF string."""
    return f'"{text.translate(_ESCAPES)}"'


def billions(size: str | None) -> float | None:
    """Return the parameters of a size such as `268.10M`, `1.8B` or `8x7B`, in billions; None if it is no size."""
    found = _SIZE.fullmatch((size or "").strip())
    if not found:
        return None
    times, number, unit = found.groups()
    return int(times or 1) * float(number) / (1000 if unit.upper() == "M" else 1)
