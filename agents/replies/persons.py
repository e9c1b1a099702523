"""Whether words mistake who is who: they take what is the other's for the agent's own, or swap the persons.

The patterns are English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from agents.attending.conversation import is_question
from agents.attending.questions import asks_what, subject_of, values_of, written_out
from agents.memory.facts.speech_acts import sentences
from agents.reflection.speech_facts import KIN_WORDS, key_words
from agents.repetition.loop_detector import Shingles, shingles
from agents.replies.heard import FIRST_PERSON, SECOND_PERSON, Heard, words_of
from world.message_catalog import Wording
from world.parsing import is_named

RETOLD, STEM = 2, 4
"""So many key words, equal in so many first letters, retell a sentence of the other."""

SHORTEST_OFFER = 3
"""More pairs of words than these are an offer that can be taken over."""

CLAIMED = 0.5
"""Who says so many of the pairs of words of what the other told, or tells no more than that in a sentence, a first
person among them, takes it for its own."""

SAME = 0.6
"""Who says so many of the pairs of words that it has just heard, both in the first person, has swapped the persons."""

_REMEMBERS = re.compile(r"\bI (?:do |have )?(?:remember|recall|know|think|believe|heard|wrote|noted)\w*", re.IGNORECASE)
_MAY_I = re.compile(r"\b(should|can|could|may|might|must|shall) i\b")
_MAY_I_DO = re.compile(r"\b(?:can|could|may|might|shall) i ([a-z]+)\b")
_WILL_I = r"(?:(?:yes|no|oh|well|sure|of course)\W+)?i(?:['’]ll| will| can| shall| may)"
_MINE = re.compile(r"\bmy ([^\W_]{3,})")
_YOU_DO = re.compile(r"\W*(?:(?:yes|no|oh|well|indeed|of course)\W+)+you\b(?! (?:know|see|mean)\b)", re.IGNORECASE)
_HAVE_YOU = re.compile(r"\bhave you\b", re.IGNORECASE)
_YOU_HAVE = re.compile(r"\W*(?:(?:yes|no|oh|well|indeed|of course)\W+)*you (?:have|do)\b(?! not told)", re.IGNORECASE)
_YOU_DID = re.compile(r"\W*you [a-z]+\b", re.IGNORECASE)
_AM_KIN = re.compile(rf"\bI(?:['’]m| am)(?: [\w'’-]+,)? your {KIN_WORDS}\b", re.IGNORECASE)
_YOUR_KIN = re.compile(rf"\byour ({KIN_WORDS})\b", re.IGNORECASE)
_I_AM_A = re.compile(r"\bi(?:['’]m| am) an? ([^\W_]{3,})")
_AGREES = re.compile(
    r"\b(?:too|also|as well|never|not|neither|nor|either|so do i|like you|as you)\b|n['’]t\b", re.IGNORECASE
)
_DEED = re.compile(
    r"(?:just |only |nearly |almost )?(?!need|indeed|red\b|bed\b)(?:[a-z]{2,}ed|lost|forgot|came|went|saw|met|ran|fell|"
    r"left|broke|found|got|slept|made|took|bought|sold|caught|had|was|been)\b(?! (?:you|to you|by)\b)",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(r"\b(?:my name(?:['’]s| is)|I(?:['’]m| am) called) ([^\W\d_]+)", re.IGNORECASE)


def claims(words: str, name: str, heard: Heard, wording: Wording) -> bool:
    """Return whether the agent called `name` has what is the other's for its own, or another name."""
    return (
        any(own.casefold() not in name.casefold().split() for own in _OWN_NAME.findall(words))
        or claims_as_own(words, (*heard.told, *_elided(heard.words)))
        or takes_measure(words, heard, wording)
        or retells(words, heard, wording)
        or owns(words, heard, wording)
        or answers_as_asker(words, heard.words)
    )


def swaps(words: str, name: str, heard: Heard, wording: Wording) -> bool:
    """Return whether the agent called `name` has somebody else for itself, for the other, or for one of their kin."""
    return (
        is_kin(words, heard)
        or answers_as_asked(words, heard.words, wording)
        or swaps_persons(words, name, heard.others, wording)
        or any(calls(words, one, heard.words) for one in heard.absent)
    )


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


def tells_of(words: str, partner: str, heard: str) -> bool:
    """Return whether words tell of the partner as of somebody else.

    That is narration, `Mira yawns.`; a play, `Mira: "No."`; or `It was Mira.`, where they have not asked of themselves.
    """
    who, is_of_asker = re.escape(partner), bool({"me", *FIRST_PERSON} & words_of(heard))
    begins = rf"(?:^|[.!?…] ){who}(?: (?:[a-z]+(?:s|ed)|made|had|did|will|went|came|took|gave|built|told)\b|: ?['\"“‘])"
    is_named = rf"(?i)(?<!\byou )(?<!\bname )\b(?:is|was|are|were|by|called) {who}(?:[.!…]|$)"
    return bool(partner) and bool(re.search(begins, words) or (not is_of_asker and re.search(is_named, words)))


def offers_the_same(words: str, heard: str) -> bool:
    """Return whether words are mostly what was heard, and both in the first person, as of who takes over an offer."""
    said, pairs = shingles(words), shingles(heard)
    is_first = all(any(FIRST_PERSON & set(pair) for pair in one) for one in (said, pairs))
    return is_first and len(said) > SHORTEST_OFFER and len(said & pairs) >= SAME * len(said)


def claims_as_own(words: str, told: Iterable[str]) -> bool:
    """Return whether words tell in the first person what the other has told of themselves."""
    said = [shingles(one) for one in sentences(words)]
    said.append(frozenset().union(*said))
    return any(_is_mostly(one, pairs) or _is_mostly(pairs, one) for pairs in map(shingles, told) for one in said)


def _elided(heard: str) -> list[str]:
    """Return the sentences of what was heard that leave out "I", with it: "Stepped in the river." """
    return [f"I {one}" for one in sentences(heard) if _DEED.match(one)]


def takes_measure(words: str, heard: Heard, wording: Wording) -> bool:
    """Return whether words say of oneself a number that the other has just told: "It took six years." "I took six." """
    told = " ".join(one for one in sentences(heard.words) if not is_question(one, wording))
    ours = values_of("number", " ".join((heard.profile, *heard.own)))
    theirs = values_of("number", told) - ours - {"1"}
    own = _told_of_itself(words) if theirs else ()
    return any(theirs & values_of("number", _REMEMBERS.sub("", one)) for one in own)


def retells(words: str, heard: Heard, wording: Wording) -> bool:
    """Return whether words say of oneself what the other has just told of themselves, whatever its grammar.

    "Yes i step in river by accident." "I stepped in the river by accident." Who says that they do so too has not.
    """
    if is_question(heard.words, wording) or _AGREES.search(words):
        return False
    theirs = [_stems(one) for one in sentences(heard.words) if FIRST_PERSON & words_of(one)]
    said = map(_stems, _told_of_itself(words))
    return any(len(one & told) >= RETOLD and len(one & told) > CLAIMED * len(one) for one in said for told in theirs)


def _stems(sentence: str) -> set[str]:
    """Return the beginnings of the key words of a sentence, which are the same in "step" and "stepped"."""
    return {one[:STEM] for one in key_words(sentence)}


def _told_of_itself(words: str) -> list[str]:
    """Return the sentences of words that tell of the one who says them, and of nobody whom they speak to."""
    told = (one for one in sentences(words) if not one.endswith("?"))
    return [one for one in told if FIRST_PERSON & words_of(one) and not SECOND_PERSON & words_of(one)]


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
    if any(re.match(rf"{_WILL_I} {re.escape(one)}\b", words.casefold()) for one in _MAY_I_DO.findall(heard.casefold())):
        return True
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
