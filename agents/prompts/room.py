"""The room that a prompt has for the verbatim tail, in tokens."""

from __future__ import annotations

from collections.abc import Callable

from agents.memory.cost import tail_sizes
from agents.memory.view import View
from agents.prompts.prompt import Prompt

LEAST = 4
"""However much else a prompt tells, the tail may have one part in so many of its share."""


def tail_tokens(
    view: View,
    last: Prompt,
    make: Callable[[], Prompt],
    budget_tokens: int,
    share: float,
    count_tokens: Callable[[str], int],
) -> int:
    """Return how many tokens the verbatim tail may have: its share of the budget, or what the rest of a prompt leaves.

    `last` is the last prompt that was asked with; `make` returns that of this moment, which counts where room is tight.
    """
    sizes, most = tail_sizes(view, count_tokens), max(1, int(budget_tokens * share))

    def room(prompt: Prompt) -> int:
        told = prompt.unshown or prompt.shown
        if not told or told.first <= view.covered:  # of before the last summary
            return most
        shown = sum(size for seq, size in sizes.items() if seq in prompt.shown)
        left = budget_tokens - (count_tokens(prompt.text) - shown)
        # What had no room has to go, however its lines are counted.
        return max(most // LEAST, 1, min(most, left, shown if prompt.unshown else left))

    found = room(last)
    return found if 2 * sum(sizes.values()) < found else min(found, room(make()))
