"""What is wrong with words that a model found for an agent: they are not its own, not true, or not what is due.

Each fault has a name. Under `again_NAME` in `text/talk.md` stands what the model is told when it is asked once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.attending.conversation import is_farewell, is_question
from agents.attending.questions import asks_what, subject_of, written_out
from agents.memory.english import FUNCTION_WORDS
from agents.memory.facts.extraction import Utterance
from agents.memory.facts.speech_acts import sentences
from agents.memory.facts.store import ME
from agents.memory.judging.entities import Support, mentions
from agents.reflection.speech_facts import KIN_WORDS, UNSPACED_SIGN, key_words
from agents.repetition.loop_detector import Shingles, is_similar, shingles
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

SHORTEST_ECHO, ECHOED = 8, 0.6
"""So many words, and such a share of their runs of three from what was just heard, say it back."""

REVEALING = 2
"""So many key words of what was whispered, that nobody has said aloud to it, give a secret away."""

FIRST_PERSON = frozenset("i i've i'm my ich mein meine meinen meiner je mon mes yo soy io mio mia jag".split())
"""In English and, as far as no English word is the same, in some neighbours of it."""

SHORTEST_RECITAL, RECITED = 6, 0.5
"""So many pairs of words, and such a share of them from the profile, are no words for the one who listens."""

SECOND_PERSON = frozenset({"you", "your", "yours"})
CLAIMED = 0.5
"""Who says so many of the pairs of words of what the other told, or tells no more than that in a sentence, a first
person among them, takes it for its own."""

SAME = 0.6
"""Who says so many of the pairs of words that it has just heard, both in the first person, has swapped the persons."""

MATTER = 5
"""So many key words tell of something, which is not answered by a greeting."""
_ACCUSES = re.compile(r"\b(?:admit|confess|own up|you (?:did it|stole|took|broke|cut|killed))\b", re.IGNORECASE)
_CONFESSES = re.compile(r"\bI (?:admit|confess|did it|stole|took|broke|cut|killed)\b|\bit was me\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_GREETING = re.compile(r"(?i)\b(?:good )?(?:morning|day|evening|afternoon)\b|\b(?:hello|hi|hey|hiya|welcome)\b")
_REMEMBERS = re.compile(r"\bI (?:do |have )?(?:remember|recall|know|think|believe|heard|wrote|noted)\w*", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[[^\]]*\]|<[^>]*>")
"""`[your name]`: what a model leaves to be filled in."""

_MAY_I = re.compile(r"\b(should|can|could|may|might|must|shall) i\b")
_MINE = re.compile(r"\bmy ([^\W_]{3,})")
_YOU_DO = re.compile(r"\W*(?:(?:yes|no|oh|well|indeed|of course)\W+)+you\b(?! (?:know|see|mean)\b)", re.IGNORECASE)
_HAVE_YOU = re.compile(r"\bhave you\b", re.IGNORECASE)
_YOU_HAVE = re.compile(r"\W*(?:(?:yes|no|oh|well|indeed|of course)\W+)*you (?:have|do)\b(?! not told)", re.IGNORECASE)
_YOU_DID = re.compile(r"\W*you [a-z]+\b", re.IGNORECASE)
_AM_KIN = re.compile(rf"\bI(?:['’]m| am)(?: [\w'’-]+,)? your {KIN_WORDS}\b", re.IGNORECASE)
_YOUR_KIN = re.compile(rf"\byour ({KIN_WORDS})\b", re.IGNORECASE)
_I_AM_A = re.compile(r"\bi(?:['’]m| am) an? ([^\W_]{3,})")


@dataclass(frozen=True)
class Heard:
    """Whom an agent speaks to, and what its words are held against.

    `others` are the names of everybody else, `absent` of those whom it does not speak to, `partner` of whom it does;
    `narration` is what the agent read that nobody said, `told` is what the other has told of themselves, `words` what
    they have just said. `recalled` is what they ask to be told again, `answer` is what the world, lore and memory
    answer them, and `secrets` are what others have whispered. `known` is all that stands in the prompt; empty if names
    and numbers are not looked at. `is_gift` says that they gave something, `is_unanswerable` that they ask for what
    nobody has told. `own` is what the agent has said, or says in its example day, and `profile` is who it is. `again`
    is what its model was told when it was asked once more. `examples` is what it has read beside `known`, if it has
    read that for the answer.
    """

    others: Collection[str] = ()
    narration: Sequence[str] = ()
    told: Sequence[str] = ()
    words: str = ""
    recalled: str = ""
    answer: str = ""
    secrets: Sequence[Utterance] = ()
    known: str = ""
    is_gift: bool = False
    absent: Collection[str] = ()
    partner: str = ""
    is_unanswerable: bool = False
    own: Sequence[str] = ()
    profile: str = ""
    again: str = ""
    examples: str = ""


_CALLING = re.compile(r"^\w+, (?=\w)")
_OWN_NAME = re.compile(r"\b(?:my name(?:['’]s| is)|I(?:['’]m| am) called) ([^\W\d_]+)", re.IGNORECASE)


def fault_in(words: str, name: str, heard: Heard, wording: Wording) -> Fault:
    """Return what is wrong with words of the agent called `name`; empty if nothing is.

    What is due in words that were read from a talk is held against it in `reading_check`.
    """
    if has_phrase(wording("talk.assistant_talk"), words) or changes_script(words, heard) or _PLACEHOLDER.search(words):
        return "assistant"
    is_told = any(_recites(one, shingles(heard.again)) for one in sentences(words))
    if is_told or narrates(words, heard.narration) or tells_of(words, heard.partner, heard.words):
        return "narrates"
    if (
        any(own.casefold() not in name.casefold().split() for own in _OWN_NAME.findall(words))
        or claims_as_own(words, heard.told)
        or owns(words, heard, wording)
        or answers_as_asker(words, heard.words)
    ):
        return "claims"
    if says_back(words, heard.words) or offers_the_same(words, heard.words):
        return "echoes"
    is_wrong_person = is_kin(words, heard) or answers_as_asked(words, heard.words, wording)
    is_wrong_person = is_wrong_person or swaps_persons(words, name, heard.others, wording)
    if is_wrong_person or any(calls(words, one, heard.words) for one in heard.absent):
        return "swaps"
    if any(reveals(words, one, heard.words) for one in heard.secrets):
        return "reveals"
    if copies(words, heard, wording):
        return "repeats"
    if _CONFESSES.search(words) and _ACCUSES.search(heard.words):
        return "invents"
    return "" if heard.examples else _what_is_due(words, name, heard, wording)


def _what_is_due(words: str, name: str, heard: Heard, wording: Wording) -> Fault:
    due = key_words(heard.recalled) - key_words(heard.words)
    if due and (not due & key_words(words) or takes_over(words, heard, due)):
        return "misses"
    does_not_know = has_phrase(wording("talk.does_not_know"), words)
    if does_not_know and heard.words and not is_question(heard.words, wording):
        return "assistant"  # nobody has asked
    if heard.answer and does_not_know and not heard.is_unanswerable:
        return "misses"
    if heard.is_unanswerable and not does_not_know and not has_phrase(wording("talk.not_told"), words):
        return "invents"
    if heard.is_gift and not has_phrase(wording("talk.thanks"), words):
        return "thankless"
    if takes_leave(heard.words, wording) and not is_farewell(words, wording):
        return "" if has_phrase(wording("talk.thanks"), words) else "stays"
    is_what = asks_what(heard.words) and is_question(heard.words, wording)
    if (is_what or len(key_words(heard.words)) >= MATTER) and _only_greets(words, name, heard):
        return "evades"
    return "invents" if heard.known and invented(words, heard.known) else ""


def _only_greets(words: str, name: str, heard: Heard) -> bool:
    """Return whether words greet and at most ask back, as in "Morning, Uri. How are you?"."""
    told = [one for one in sentences(words) if not one.endswith("?")]
    left = key_words(_GREETING.sub("", " ".join(told)))
    return bool(_GREETING.search(words)) and not left - key_words(f"{heard.partner} {name}")


def takes_over(words: str, heard: Heard, due: frozenset[str]) -> bool:
    """Return whether words say of oneself what the other has asked of themselves, and what is due in them.

    "I work in Harrowgate" is no answer to "Where do I work?".
    """
    if _own(shingles(heard.words) & shingles(words)):
        return True
    telling = (words_of(_REMEMBERS.sub("", one)) for one in sentences(words) if due & key_words(one))
    return bool(SECOND_PERSON & words_of(heard.recalled)) and any(
        FIRST_PERSON & told and not SECOND_PERSON & told for told in telling
    )


def words_of(text: str) -> set[str]:
    return set(_words_list(text))


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
    return len(hidden & key_words(words)) >= min(REVEALING, len(hidden) or REVEALING)


def swaps_persons(words: str, name: str, others: Iterable[str], wording: Wording) -> bool:
    """Return whether the agent called `name` speaks as if it were one of the others, to itself, or of itself."""
    if calls(words, name) or re.search(rf"(?:^|[.!?…] ){re.escape(name)} (?:is|has|will|[a-z]+s)\b", words):
        return True
    phrases = wording("talk.takes_for_itself", name=name).split("; ")
    for other in others:
        if is_named(other, words):
            phrases += wording("talk.takes_itself_for", other=other).split("; ")
    return any(is_named(phrase, words) for phrase in phrases)


def calls(words: str, name: str, heard: str = "") -> bool:
    """Return whether words call somebody of this name.

    A name between a comma and the end of a sentence, in front before a comma, or behind another sentence does; so does
    one in front with a question mark, if what was heard does not name them and the words go on to `you`.
    """
    called = re.escape(name)
    if re.match(rf"{called}!", words):
        return True
    is_asked_for = re.match(rf"{called}\?", words) and SECOND_PERSON & words_of(words) and not is_named(name, heard)
    return bool(is_asked_for or re.search(rf", {called}\s?[.!?…]|^{called},|[.!?…] {called}[,.!?…]", words))


def copies(words: str, heard: Heard, wording: Wording) -> bool:
    """Return whether a sentence is the agent's own from elsewhere, with no word of what is to be answered.

    So are words that begin with its profile, where it is not asked of itself. Greetings are too short to count, and a
    question to the other behind an answer may be a habit.
    """
    if is_farewell(words, wording) or has_phrase(wording("talk.does_not_know"), words):
        return False
    first, *others = [one for one in sentences(words) if len(_WORD.findall(one)) >= SHORTEST_PART] or [""]
    said = [first, *(one for one in others if _is_long(one))]
    apart = [one for one in said if one and not key_words(one) & key_words(heard.words)]
    own = [shingles(one) for speech in heard.own for one in sentences(speech)]
    is_foreign = FUNCTION_WORDS.isdisjoint(_WORD.findall(heard.words.casefold()))  # what it asks for is not known
    is_of_itself = is_question(heard.words, wording) and (is_foreign or subject_of(heard.words) == "asked")
    if is_of_itself and (heard.again or is_foreign):
        return False  # what it says of itself twice it means
    is_recited = first in apart and not is_of_itself and _recites(first, shingles(heard.profile))
    return is_recited or any(is_similar(shingles(one), own) for one in apart)


def _is_long(sentence: str) -> bool:
    """Return whether a sentence is no habit: "What did you have for breakfast?" is."""
    count, is_asked = len(_WORD.findall(sentence)), sentence.endswith("?")
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


def tells_of(words: str, partner: str, heard: str) -> bool:
    """Return whether words tell of the partner as of somebody else.

    That is narration, `Mira yawns.`; a play, `Mira: "No."`; or `It was Mira.`, where they have not asked of themselves.
    """
    who, is_of_asker = re.escape(partner), bool({"me", *FIRST_PERSON} & words_of(heard))
    begins = rf"(?:^|[.!?…] ){who}(?: (?:[a-z]+(?:s|ed)|made|had|did|will|went|came|took|gave|built|told)\b|: ?['\"“‘])"
    is_named = rf"(?i)(?<!\byou )(?<!\bname )\b(?:is|was|are|were|by|called) {who}(?:[.!…]|$)"
    return bool(partner) and bool(re.search(begins, words) or (not is_of_asker and re.search(is_named, words)))


def says_back(words: str, heard: str) -> bool:
    """Return whether words are no more than parts of what was heard, or a long sentence of them is, or most of them."""
    words = _CALLING.sub("", words)
    said, whole = [_words_list(one) for one in sentences(words)], _words_list(words)
    if len(said) > 1 and all(_is_part_of(one, heard) for one in said):
        return True
    long = [one for one in said if len(one) >= SHORTEST_AGAIN]
    if any(len(one) >= SHORTEST_PART and _is_part_of(one, heard) for one in (whole, *long)):
        return True
    runs, known = _runs_of_three(whole), set(_runs_of_three(_words_list(heard)))
    return len(whole) >= SHORTEST_ECHO and len([one for one in runs if one in known]) >= ECHOED * len(runs)


def _runs_of_three(words: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + 3]) for at in range(len(words) - 2)]


def _is_part_of(said: Sequence[str], heard: str) -> bool:
    return f" {' '.join(said)} " in f" {' '.join(_words_list(heard))} "


def _words_list(text: str) -> list[str]:
    return _WORD.findall(written_out(text).casefold())


def offers_the_same(words: str, heard: str) -> bool:
    """Return whether words are mostly what was heard, and both in the first person, as of who takes over an offer."""
    said, pairs = shingles(words), shingles(heard)
    is_first = all(any(FIRST_PERSON & set(pair) for pair in one) for one in (said, pairs))
    return is_first and len(said) > SHORTEST_PART and len(said & pairs) >= SAME * len(said)


def claims_as_own(words: str, told: Iterable[str]) -> bool:
    """Return whether words tell in the first person what the other has told of themselves."""
    said = [shingles(words), *map(shingles, sentences(words))]
    return any(_is_mostly(one, pairs) or _is_mostly(pairs, one) for pairs in map(shingles, told) for one in said)


def owns(words: str, heard: Heard, wording: Wording) -> bool:
    """Return whether words call what is the other's their own: `my dog`, or `I am a binder`, where they have told so.

    What is the agent's own too, by its profile or its own words, may be so. So does `mine` where they ask for theirs.
    """
    if all("mine" in words_of(one) for one in (words, heard.words)) and is_question(heard.words, wording):
        return True
    ours = words_of(" ".join((heard.profile, *heard.own)))
    theirs = {one for told in (*heard.told, heard.words) for one in _MINE.findall(told.casefold())}
    is_theirs = any(one in theirs - ours for one in _MINE.findall(words.casefold()))
    return is_theirs or any(one in words_of(heard.words) - ours for one in _I_AM_A.findall(words.casefold()))


def answers_as_asker(words: str, heard: str) -> bool:
    """Return whether words begin by answering for oneself what the other asked of themselves.

    "What should I see?" "I should …", or "May I sit here?" "I will."
    """
    asked = _MAY_I.findall(heard.casefold())
    begins = [f"i {verb} " for verb in asked] + (["i will", "i'll", "i shall"] if asked else [])
    return words.casefold().startswith(tuple(begins)) and not SECOND_PERSON & words_of(next(iter(sentences(words))))


def answers_as_asked(words: str, heard: str, wording: Wording) -> bool:
    """Return whether words say of the other what they asked of the agent: "Have you a pen?" "Yes, you have a pen."."""
    if not is_question(heard, wording):
        return False
    if _HAVE_YOU.search(written_out(heard)) and _YOU_HAVE.match(words):
        return True
    return subject_of(heard) == "asked" and bool(_YOU_DO.match(words) or (asks_what(heard) and _YOU_DID.match(words)))


def is_kin(words: str, heard: Heard) -> bool:
    """Return whether the agent says that it is of the other's kin, or tells one who asks of kin that they never named.

    "I'm Odile, your aunt" has the agent's own aunt for the other's.
    """
    if _AM_KIN.search(words):
        return True
    if not heard.known or words.endswith("?"):
        return False
    read = heard.known if heard.examples else ""
    named = words_of(" ".join((*heard.told, heard.words, heard.recalled, heard.answer, read)))
    return any(kin.casefold() not in named for kin in _YOUR_KIN.findall(words))


def _is_mostly(one: Shingles, other: Shingles) -> bool:
    """Return whether so much of one text stands in the other, a first person with it."""
    both = one & other
    return _own(both) and len(both) > 1 and len(both) >= CLAIMED * len(one)


def _own(pairs: Shingles) -> bool:
    return any(FIRST_PERSON & set(pair) for pair in pairs)
