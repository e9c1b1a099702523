"""What is wrong with words that a model found for an agent: they are not its own, not true, or not what is due.

Each fault has a name. Under `again_NAME` in `text/talk.md` stands what the model is told when it is asked once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Literal

from agents.attending.conversation import is_farewell, is_question
from agents.attending.questions import asks_what, says_you, subject_of, whole_question
from agents.components.dialogue import act_of
from agents.memory.english import FUNCTION_WORDS
from agents.memory.facts.extraction import Utterance
from agents.memory.facts.speech_acts import sentences
from agents.memory.facts.store import ME
from agents.memory.judging.entities import Support, mentions
from agents.reflection.speech_facts import UNSPACED_SIGN, key_words
from agents.repetition.loop_detector import Shingles, is_similar, shingles
from agents.replies.heard import SAYING_NOTHING, SECOND_PERSON, THIRD_PERSON, WORD, Heard, word_list, words_of
from agents.replies.persons import claims, offers_the_same, swaps, takes_over, tells_of
from world.message_catalog import Wording
from world.parsing import has_phrase, is_named

Fault = Literal[
    "",
    "assistant",
    "narrates",
    "claims",
    "echoes",
    "swaps",
    "reveals",
    "misses",
    "invents",
    "evades",
    "thankless",
    "stays",
    "repeats",
]
"""An assistant's talk; the narrator's words; the other's facts as its own; a part of what was heard; swapped persons;
a secret told; nothing of what is asked for again; a name or number that nobody told; a mere greeting to one who asks;
no thanks; no farewell; what was said a moment ago."""

TOLD: Collection[Fault] = ("assistant", "reveals", "misses", "invents", "evades", "thankless", "stays", "repeats")
"""Faults that a model is told how to mend."""

SHORTEST_NARRATION = 12
"""Shorter narration, in characters, may well be spoken: Moss nods."""

SHORTEST_PART = 3
"""So many words are more than a greeting that is given back."""

SHORTEST_AGAIN = 6
"""So many words in a sentence, that were said before or just heard, are a repetition."""

SHORTEST_WHOLE = 5
"""So many words are a sentence that nobody repeats from its beginning to its end, only to go on."""

SHORTEST_ECHO, ECHOED = 8, 0.6
"""So many words, and such a share of their runs of three from what was just heard, say it back."""

REVEALING = 2
"""So many key words of what was whispered, that nobody has said aloud to it, give a secret away; one in words about
its teller does."""

SHORTEST_RECITAL, RECITED = 6, 0.5
"""So many pairs of words, and such a share of them from the profile, are no words for the one who listens."""

NOT_KNOWING = key_words("know idea sure")
"""Words that say nothing but that one does not know."""

MERE_THANKS = 4
"""So many words at most are thanks and nothing else."""

NO_MERE_THANKS = frozenset({"good_news", "sad", "hurt", "dream", "insult", "apology"})
"""What somebody tells, by its act, that is not answered by thanks alone."""

MATTER = 5
"""So many key words tell of something, which is not answered by a greeting."""

_ACCUSES = re.compile(r"\b(?:admit|confess|own up|you (?:did it|stole|took|broke|cut|killed))\b", re.IGNORECASE)
_CONFESSES = re.compile(r"\bI (?:admit|confess|did it|stole|took|broke|cut|killed)\b|\bit was me\b", re.IGNORECASE)
_GREETING = re.compile(r"(?i)\b(?:good )?(?:morning|day|evening|afternoon)\b|\b(?:hello|hi|hey|hiya|welcome)\b")
_PLACEHOLDER = re.compile(r"\[[^\]]*\]|<[^>]*>")
"""`[your name]`: what a model leaves to be filled in."""

_STUCK = re.compile(r"\b(\w+(?:\W+\w+){0,4})(?:\W+\1\b){3,}", re.IGNORECASE)
"""The same few words four times in a row: the model has run into a loop."""

_ASKS_MAY_I = re.compile(r"\b(?:can|could|may|shall) (?:I|we)\b", re.IGNORECASE)
_GRANTS = re.compile(r"\W*(?:yes|no|of course|sure)\b", re.IGNORECASE)
"""Who is asked for leave may give it in the same words, as in "Yes, you can stay here a little"."""

_CALLING = re.compile(r"^\w+, (?=\w)")


def fault_in(words: str, name: str, heard: Heard, wording: Wording) -> Fault:
    """Return what is wrong with words of the agent called `name`; empty if nothing is.

    What is due in words that were read from a talk is held against it in `reading_check`.
    """
    if has_phrase(wording("talk.assistant_talk"), words) or changes_script(words, heard) or _PLACEHOLDER.search(words):
        return "assistant"
    is_told = any(_recites(one, shingles(heard.again)) for one in sentences(words))
    if is_told or narrates(words, heard.narration):
        return "narrates"
    if not heard.is_understood and (mixed_up := _mixed_up(words, name, heard, wording)):
        return mixed_up
    if any(reveals(words, one, heard.words) for one in heard.secrets):
        return "reveals"
    if copies(words, heard, wording) or _STUCK.search(words):
        return "repeats"
    if _CONFESSES.search(words) and _ACCUSES.search(heard.words):
        return "invents"
    if heard.is_understood:
        return _what_is_surely_due(words, heard, wording)
    return "" if heard.examples else _what_is_due(words, name, heard, wording)


def _mixed_up(words: str, name: str, heard: Heard, wording: Wording) -> Fault:
    """Return how words mix up who is who, or who says what; empty if they do not."""
    if tells_of(words, heard.partner, heard.words):
        return "narrates"
    if claims(words, name, heard, wording):
        return "claims"
    if says_back(words, heard.words) or offers_the_same(words, heard.words):
        return "echoes"
    return "swaps" if swaps(words, name, heard, wording) else ""


def _what_is_surely_due(words: str, heard: Heard, wording: Wording) -> Fault:
    if _is_thankless(words, heard, wording):
        return "thankless"
    is_known = bool(heard.answer) and not heard.is_unanswerable  # by the world or lore
    if is_known and all(has_phrase(wording("talk.does_not_know"), one) for one in sentences(words)):
        return "misses"
    return "invents" if _makes_up(words, heard) else ""


def _is_thankless(words: str, heard: Heard, wording: Wording) -> bool:
    return heard.is_gift and not has_phrase(wording("talk.thanks"), words)


def _makes_up(words: str, heard: Heard) -> bool:
    return bool(heard.known and invented(words, heard.known))


def _what_is_due(words: str, name: str, heard: Heard, wording: Wording) -> Fault:
    due = key_words(heard.recalled) - key_words(heard.words)
    if due and (not due & key_words(words) or takes_over(words, heard, due)):
        return "misses"
    does_not_know = has_phrase(wording("talk.does_not_know"), words)
    if does_not_know and heard.words and not is_question(heard.words, wording):
        return "assistant"  # nobody has asked
    if (
        does_not_know
        and not heard.is_unanswerable
        and _asks_of_agent(heard.words)
        and not key_words(words) - NOT_KNOWING
    ):
        return "evades"
    if heard.answer and does_not_know and not heard.is_unanswerable:
        return "misses"
    if heard.is_unanswerable and not does_not_know and not has_phrase(wording("talk.not_told"), words):
        return "invents"
    if _is_thankless(words, heard, wording):
        return "thankless"
    if takes_leave(heard.words, wording) and not is_farewell(words, wording):
        return "" if has_phrase(wording("talk.thanks"), words) else "stays"
    if _only_thanks(words, wording) and act_of(heard.words, wording) in NO_MERE_THANKS:
        return "evades"
    is_what = asks_what(heard.words) and is_question(heard.words, wording)
    if (is_what or len(key_words(heard.words)) >= MATTER) and _only_greets(words, name, heard):
        return "evades"
    return "invents" if _makes_up(words, heard) else ""


def _asks_of_agent(heard: str) -> bool:
    """Return whether somebody asks what only the agent knows of itself: "You are so quiet. Why is this?"."""
    subject = subject_of(heard)
    return asks_what(heard) and (subject == "asked" or (not subject and says_you(whole_question(heard))))


def _only_thanks(words: str, wording: Wording) -> bool:
    """Return whether words are no more than thanks, as in "Thank you, Ines."."""
    return len(words.split()) <= MERE_THANKS and has_phrase(wording("talk.thanks"), words)


def _only_greets(words: str, name: str, heard: Heard) -> bool:
    """Return whether words greet and at most ask back, as in "Morning, Uri. How are you?"."""
    told = [one for one in sentences(words) if not one.endswith("?")]
    left = key_words(_GREETING.sub("", " ".join(told)))
    return bool(_GREETING.search(words)) and not left - key_words(f"{heard.partner} {name}")


def takes_leave(words: str, wording: Wording) -> bool:
    """Return whether words say good-bye and ask nothing more."""
    return is_farewell(words, wording) and not is_question(words, wording)


def invented(words: str, known: str) -> list[str]:
    """Return the names and numbers in words that stand nowhere in what is known, as they are written."""
    return [one.written for one in mentions(words, Support((), (known,), ())) if not one.supported]


def reveals(words: str, secret: Utterance, heard: str) -> bool:
    """Return whether words give away what was whispered, beyond what the other has just said themselves.

    So does the name of the teller where the other asks about the very thing.
    """
    asked, told = key_words(heard), key_words(secret.text)
    if secret.speaker != ME and told & asked and is_named(secret.speaker, words):
        return not is_named(secret.speaker, heard)
    hidden = told - asked
    is_of_teller = bool(hidden) and (is_named(secret.speaker, words) or bool(THIRD_PERSON & words_of(words)))
    given_away = (hidden - SAYING_NOTHING if is_of_teller else hidden) & key_words(words)
    return len(given_away) >= (1 if is_of_teller else min(REVEALING, len(hidden) or REVEALING))


def copies(words: str, heard: Heard, wording: Wording) -> bool:
    """Return whether a sentence is the agent's own from elsewhere, with no word of what is to be answered.

    So are words that begin with its profile, where it is not asked of itself. Greetings are too short to count, and a
    question to the other behind an answer may be a habit.
    """
    if is_farewell(words, wording) or has_phrase(wording("talk.does_not_know"), words):
        return False
    first, *others = [one for one in sentences(words) if len(WORD.findall(one)) >= SHORTEST_PART] or [""]
    said = [first, *(one for one in others if _is_long(one))]
    apart = [one for one in said if one and not key_words(one) & key_words(heard.words)]
    own = [shingles(one) for speech in heard.own for one in sentences(speech)]
    is_foreign = FUNCTION_WORDS.isdisjoint(WORD.findall(heard.words.casefold()))  # what it asks for is not known
    is_of_itself = is_question(heard.words, wording) and (is_foreign or subject_of(heard.words) == "asked")
    if is_of_itself and (heard.again or is_foreign):
        return False  # what it says of itself twice it means
    is_recited = first in apart and not is_of_itself and _recites(first, shingles(heard.profile))
    return is_recited or any(is_similar(shingles(one), own) for one in apart)


def _is_long(sentence: str) -> bool:
    """Return whether a sentence is no habit: "What did you have for breakfast?" is."""
    count, is_asked = len(WORD.findall(sentence)), sentence.endswith("?")
    return count >= SHORTEST_PART and not SECOND_PERSON & words_of(sentence) if is_asked else count >= SHORTEST_AGAIN


def changes_script(words: str, heard: Heard) -> bool:
    """Return whether words go over to a script without blanks that nobody has used, such as Chinese."""
    return bool(UNSPACED_SIGN.search(words)) and not UNSPACED_SIGN.search(heard.words + heard.profile)


def _recites(sentence: str, profile: Shingles) -> bool:
    said = shingles(sentence)
    return len(said) >= SHORTEST_RECITAL and len(said & profile) >= RECITED * len(said)


def narrates(words: str, narration: Iterable[str]) -> bool:
    """Return whether words say what the narrator told, word for word."""
    told, said = (text.strip().rstrip(".!…").casefold() for text in narration), words.casefold()
    return any(len(text) >= SHORTEST_NARRATION and text in said for text in told)


def says_back(words: str, heard: str) -> bool:
    """Return whether words are no more than parts of what was heard, begin with a sentence of it, or mostly are."""
    if _GRANTS.match(words) and _ASKS_MAY_I.search(heard):
        return False
    words = _CALLING.sub("", words)
    said, whole = [word_list(one) for one in sentences(words)], word_list(words)
    if any(len(one) >= SHORTEST_WHOLE and whole[: len(one)] == one for one in map(word_list, sentences(heard))):
        return True
    if len(said) > 1 and all(_is_part_of(one, heard) for one in said):
        return True
    long = [one for one in said if len(one) >= SHORTEST_AGAIN]
    if any(len(one) >= SHORTEST_PART and _is_part_of(one, heard) for one in (whole, *long)):
        return True
    runs, known = _runs_of_three(whole), set(_runs_of_three(word_list(heard)))
    return len(whole) >= SHORTEST_ECHO and len([one for one in runs if one in known]) >= ECHOED * len(runs)


def _runs_of_three(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + 3]) for at in range(len(words) - 2)]


def _is_part_of(said: Sequence[str], heard: str) -> bool:
    return f" {' '.join(said)} " in f" {' '.join(word_list(heard))} "
