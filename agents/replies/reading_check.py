"""What is wrong with an answer that a model has read from a talk: nobody said it, or it is not what was asked."""

from __future__ import annotations

import re
from collections.abc import Set
from itertools import combinations

from agents.attending.questions import (
    MEASURED,
    answer_type,
    asks_of_own_words,
    is_of_type,
    subject_of,
    values_of,
    wants_more_than_yes,
)
from agents.memory.facts.extraction import Utterance
from agents.memory.facts.speech_acts import sentences
from agents.reflection.speech_facts import key_words
from agents.replies.heard import FIRST_PERSON, SAYING_NOTHING, Heard, words_of
from agents.replies.persons import takes_over
from agents.replies.speech_check import Fault, invented
from world.message_catalog import Wording
from world.parsing import has_phrase, is_named

SPEECH = "earlier.speech"
"""The sentence that tells who said what."""

MOST_RECKONED = 4
"""Of no more different numbers somebody is taken to have reckoned a sum."""

_ASKS_BACK = re.compile(r"\W*(?:what|which|who|whose|where|when|why|how)\b.*\?", re.IGNORECASE)
_CORRECTS = re.compile(
    r"\b(?:no|not|wait|hang on|i mean|i meant|actually|wrong|rather|make that|after all|scrap that|sorry)\b",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(r"\bhow many (\w+)", re.IGNORECASE)
_YES_NO = re.compile(r"\W*(?:yes|no|ja|nein|oui|non|s[ií])\b", re.IGNORECASE)


def reading_fault(words: str, name: str, heard: Heard, wording: Wording, is_outdated: bool = False) -> Fault:
    """Return what is wrong with an answer that was read: it asks back, says nothing, or a thing that nobody said.

    What stands in the lines that were read is an answer, whatever the engine finds by itself, unless it `is_outdated`
    because a later line has put it right; see `put_right`.
    """
    if has_phrase(wording("talk.does_not_know"), words):
        return "misses" if heard.answer and not heard.again and not heard.is_unanswerable else ""
    if all(_ASKS_BACK.match(one) for one in sentences(words)):
        return "misses"
    kind = answer_type(heard.words)
    is_untold = heard.is_unanswerable and kind in MEASURED and asks_of_own_words(heard.words)
    if is_untold and not is_of_type(kind, words):
        return "invents"
    said, asked = key_words(words) - SAYING_NOTHING, key_words(heard.words)
    is_others = has_phrase(wording("asked.asks_other"), heard.words)  # what others have said is wanted
    is_empty = not (said - asked or values_of("number", words))
    if is_empty and (wants_more_than_yes(heard.words) or not _YES_NO.match(words)):
        return "misses"
    if heard.partner and re.search(rf"\b(?:her|his|its|their|['’]s) name is {re.escape(heard.partner)}\b", words):
        return "invents"  # who asks is not who is asked about
    due = key_words(heard.recalled) - asked
    if due & said and takes_over(words, heard, due):
        return "misses"
    if _contradicts(words, heard) or is_outdated:
        return "misses"
    if subject_of(heard.words) == "asker" and not is_others and _is_of_others(said - asked, name, heard, wording):
        return "claims"
    unknown = said - key_words(heard.known)
    is_new = 2 * len(unknown) > len(said) and not _is_reckoned(words, heard)
    if is_new or unknown & key_words(heard.examples):
        return "invents"
    made_up = [one for one in invented(words, heard.known) if not _is_reckoned(one, heard)]
    return "invents" if made_up else ""


def put_right(words: str, name: str, heard: Heard, wording: Wording) -> Utterance | None:
    """Return the line that has put right what was asked for, if words have a number, hour or colour from before it.

    `name` is the agent's. Where the value stands in a line about the very thing, no other line puts it right.
    """
    kind, asked = answer_type(heard.words), key_words(heard.words) - key_words(f"{name} {heard.partner}")
    values = values_of(kind, words) if kind in MEASURED else set()
    is_said = bool(values & values_of(kind, heard.known))
    if not values or (not is_said and _is_reckoned(words, heard)):
        return None
    found = None
    for line in heard.known.split("\n"):
        said = wording.read(SPEECH, line)
        if said is None or said["words"].endswith("?"):
            continue
        own = values_of(kind, said["words"])
        if own & values and asked & key_words(said["words"]):
            return None
        if own and _CORRECTS.search(said["words"]):
            found = None if own & values else Utterance(said["who"], said["words"])
    return found


def _is_reckoned(number: str, heard: Heard) -> bool:
    """Return whether a number is a sum or difference of two that the asker has told, where they ask for a number.

    "I had nine eggs", "Two are broken", "How many are left?". Of many numbers nearly any is a sum.
    """
    if answer_type(heard.words) != "number":
        return False
    told = {int(one) for one in values_of("number", "\n".join(heard.told)) if one.isdigit()}
    reckoned = {str(of) for one, other in combinations(told, 2) for of in (one + other, abs(one - other))}
    return len(told) <= MOST_RECKONED and values_of("number", number) <= reckoned and bool(values_of("number", number))


def _is_of_others(told: Set[str], name: str, heard: Heard, wording: Wording) -> bool:
    """Return whether most of these key words stand only in what others than the two who talk say of themselves."""
    by_others, by_both = set[str](), set[str]()
    for line in heard.known.split("\n"):
        found = wording.read(SPEECH, line) or {"who": name, "words": line}
        is_other = found["who"] not in (name, heard.partner) and not is_named(heard.partner, found["words"])
        is_other = is_other and bool(FIRST_PERSON & words_of(found["words"]))
        (by_others if is_other else by_both).update(key_words(found["words"]))
    return 2 * len(told & by_others - by_both) > len(told)


def _contradicts(words: str, heard: Heard) -> bool:
    """Return whether words hold another number, colour or day than the line that tells of the very thing.

    What was put right later may differ.
    """
    kind, asked = answer_type(heard.words), key_words(heard.words) - SAYING_NOTHING
    known = values_of(kind, heard.recalled) if asked & key_words(heard.recalled) else set()
    if counted := _HOW_MANY.search(heard.words):  # "forty stops" is how many stops, whatever took six years
        told = re.findall(rf"([\w-]+) {re.escape(counted[1])}\b", heard.known, re.IGNORECASE)
        known |= values_of("number", " ".join(told))
    put_right = " ".join(line for line in heard.known.split("\n") if _CORRECTS.search(line))
    other = values_of(kind, words) - known - values_of(kind, put_right)
    return bool(known and other) and not _is_reckoned(words, heard)
