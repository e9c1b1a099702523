"""When an answer that is still being written has given its command, so that the rest need not be waited for."""

from __future__ import annotations

from collections.abc import Callable

from agents.models.adapter import has_thought, without_thoughts
from agents.replies.reply import Reply
from world.parsing import split_at_bar

LONGEST_LABEL = 24
"""So many characters of the line behind a command show that it is not its reason (`My private reasoning: `)."""

Read = Callable[[str], Reply]


def is_enough(text: str, read: Read) -> bool:
    """Return whether a reply has its command, whatever else may come; `read` is what a whole reply comes to.

    A command counts when its line has ended, and either has its reason or is followed by something that is none.
    """
    if "\n" not in text:
        return False
    ended, _, rest = text.rpartition("\n")
    found = read(ended)
    if not found.line:
        return False
    if split_at_bar(found.line)[1] or read(_without_last_line(ended)).line:
        return True
    return len(rest.strip()) > LONGEST_LABEL and read(text) == found


class Listener:
    """Listens to an answer as it grows; called with the text so far it says whether that is enough.

    A model that shows its thoughts is waited for until it has ended them, and may then write `most_tokens` more.
    """

    def __init__(self, read: Read, thinks: bool, most_tokens: int, count_tokens: Callable[[str], int]) -> None:
        self._read = read
        self._thinks = thinks
        self._most_tokens = most_tokens
        self._count_tokens = count_tokens
        self._judged = ""

    def __call__(self, text: str) -> bool:
        if not self._is_news(text):
            return False
        self._judged = text
        if self._thinks and not has_thought(text):
            return False
        if self._thinks and self._count_tokens(without_thoughts(text)) > self._most_tokens:
            return True
        return is_enough(text, self._read)

    def _is_news(self, text: str) -> bool:
        """Return whether the text has gone on far enough to be judged anew: at each line, and well into one."""
        return "\n" in text[len(self._judged) :] or len(text) - len(self._judged) > LONGEST_LABEL


def _without_last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[0]
