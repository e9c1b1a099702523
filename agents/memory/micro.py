"""Micro-compaction: what is left of commands in a prompt once the turn that they belong to is over.

A long result is shown as a placeholder. A failed round, which is a refused command and its refusal, is left out once a
later command was done: by then the agent has learnt from it. The journal keeps both.

    [look: ok, 412 characters, "The Landing Green planks, still…" ^m12]

It is pure and needs no model. A result turns into its placeholder once, when its owner's next deed comes, and stays so,
so that the text before it can be cached. What is said, thought and posed is no result and is never touched.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory

log = logging.getLogger(__name__)

FIRST_WORDS_CHARACTERS = 32
LONGEST_VERB = 24
MARK_CHARACTERS = 80

_HELD = re.compile(r" \[… ([\d,]{1,15}) more characters: (\d{4}-\d\d-\d\d(?:-\d{1,9})?#\d{1,15})\]\Z")


@dataclass(frozen=True)
class Limits:
    """How much of a result is told, in characters.

    One longer than `result_characters` becomes a placeholder (0: none does), and of no result more than
    `cap_characters` is told.
    """

    result_characters: int = 240
    cap_characters: int = 4000

    def is_long(self, result: Memory) -> bool:
        """Return whether a result is to be told as a placeholder once its turn is over."""
        return 0 < self.result_characters < len(_plain(result.text))


LIMITS = Limits()


def held(text: str, cap_characters: int, reference: str) -> str:
    """Return the beginning of a text longer than the cap, with a mark that says how much is missing and where it is.

    The result, mark included, is no longer than the cap.
    """
    head = text[: cap_characters - MARK_CHARACTERS]
    return f"{head} [… {len(text) - len(head):,} more characters: {reference}]"


def placeholder(result: Memory, deed: str) -> str:
    """Return what stands for a result of the command line `deed`, which may be empty if it is not known."""
    verb = deed.split(maxsplit=1)[0][:LONGEST_VERB] if deed.strip() else "result"
    status = "refused" if result.refused else "ok"
    mark = _HELD.search(result.text)
    told = result.text[: mark.start()] if mark else result.text
    more, reference = (int(mark[1].replace(",", "")), mark[2]) if mark else (0, f"^m{result.seq}")
    characters = len(told.replace(LINE_BREAK, "\n")) + more
    return f'[{verb}: {status}, {characters:,} characters, "{_first_words(told)}…" {reference}]'


def result_texts(
    tail: Sequence[Memory], done: int, limits: Limits, make: Callable[[Memory, str], str] = placeholder
) -> dict[int, str]:
    """Return what is told of the results in a tail, by their place in it.

    Those among the first `done`, up to the owner's last deed, belong to turns that are over. If a placeholder cannot
    be made, the result itself is told, within the cap.
    """
    deed, texts, broken = "", dict[int, str](), list[int]()
    for place, memory in enumerate(tail):
        if memory.kind == "acted":
            deed = memory.text
        if memory.kind != "result":
            continue
        texts[place] = _capped(memory, limits.cap_characters)
        if place < done and limits.is_long(memory):
            try:
                texts[place] = min(make(memory, deed), texts[place], key=len)
            except Exception:
                broken.append(memory.seq)
                log.debug("memory %d has no placeholder", memory.seq, exc_info=True)
    if broken:
        log.warning("%d results from memory %d on are told whole: no placeholder can be made", len(broken), broken[0])
    return texts


def failed_rounds(memories: Sequence[Memory]) -> frozenset[int]:
    """Return the numbers of refused commands and of their refusals.

    A command's outcome is the first result after it. Its refusal counts alone where the command came before. What
    somebody has pinned is never a failure.
    """
    failed, deed, is_open = set[int](), None, True
    for memory in memories:
        if memory.kind == "acted":
            deed, is_open = memory, True
        elif memory.kind == "result" and is_open:
            if memory.refused:
                failed |= {one.seq for one in (deed, memory) if one and not one.pinned}
            is_open = False
    return frozenset(failed)


def outlived_failures(tail: Sequence[Memory]) -> frozenset[int]:
    """Return the numbers of the failed rounds in a tail that a later command, which was not refused, follows."""
    failed = failed_rounds(tail)
    last_done = max((one.seq for one in tail if one.kind == "acted" and one.seq not in failed), default=0)
    return frozenset(seq for seq in failed if seq < last_done)


def _capped(result: Memory, cap_characters: int) -> str:
    """Return a result's text within the cap; one held on arrival is within it already."""
    plain = _plain(result.text)
    return plain if len(plain) <= cap_characters else held(plain, cap_characters, f"^m{result.seq}")


def _plain(text: str) -> str:
    return text.replace(LINE_BREAK, " ")


def _first_words(text: str) -> str:
    words = _plain(text).strip()[: FIRST_WORDS_CHARACTERS + 1]
    return words if len(words) <= FIRST_WORDS_CHARACTERS else words.rsplit(" ", 1)[0][:FIRST_WORDS_CHARACTERS]
