"""An estimate of token counts, calibrated by what a server reports about whole prompts."""

from __future__ import annotations

import math
from collections import deque

CAUTIOUS_RATIO = 0.30  # tokens a byte before anything is known: English has about 0.23
LOWEST_RATIO = 0.20  # below this a server counted only the uncached part of a prompt
HIGHEST_RATIO = 1.1  # byte-level tokenizers cannot exceed one token a byte, plus the opening token
HEADROOM = 1.05
SHORTEST_BYTES = 200  # shorter prompts say little: the opening token weighs too much
KEPT = 16


class TokenEstimate:
    """Tokens per byte of UTF-8, learned from the servers' own counts.

    Some servers count the whole prompt, some only what was not cached. A partial count is always too low,
    so the highest ratio lately seen is the one to believe.
    """

    def __init__(self) -> None:
        self._ratios: deque[float] = deque(maxlen=KEPT)

    def count(self, text: str) -> int:
        """Return the estimated number of tokens of the text, rather too high than too low."""
        return math.ceil(_bytes(text) * self._ratio())

    @property
    def is_calibrated(self) -> bool:
        """Whether a server has counted a prompt yet."""
        return bool(self._ratios)

    def can_learn_from(self, text: str) -> bool:
        """Return whether a count of this text would say something."""
        return _bytes(text) >= SHORTEST_BYTES

    def observe(self, text: str, tokens: int) -> None:
        """Learn that a server counted `tokens` in the text, unless the figure cannot be the whole count."""
        size = _bytes(text)
        if self.can_learn_from(text) and LOWEST_RATIO <= tokens / size <= HIGHEST_RATIO:
            self._ratios.append(tokens / size)

    def _ratio(self) -> float:
        return max(self._ratios) * HEADROOM if self._ratios else CAUTIOUS_RATIO


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
