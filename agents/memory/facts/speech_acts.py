"""Speech acts: promises, requests, lessons, what takes them back, and secrets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache

from vault.memory.facts_note import LESSONS, PROMISES, REQUESTS

MAX_SENTENCE_CHARACTERS = 240
SAME_TOPIC_SHARE = 0.5
"""Minimum share of words that two sentences about the same matter have in common, times and numbers aside."""

_SENTENCE = re.compile(r"[^.!?…\n]+(?:[.!?…]+[\"'”’)]*|(?=\n)|$)")
_DEED = (
    r"bring|give|fetch|get|help|meet|come|tell|show|find|wait|return|keep|make|send|write|take|mend|lend|pay|look|"
    r"go|carry|leave|ask|teach|hold|save|read|sing|open|close|light|cook|be there|be back"
)
_PROMISE = re.compile(
    rf"\bI (?:do |hereby |solemnly )?(?:promise|swear)\b|\byou have my word\b|"
    rf"\bI(?:['’]ll| will| shall|['’]m going to| am going to) (?:[a-z]+ly |also |then )?(?:{_DEED})\b",
    re.IGNORECASE,
)
_NO_PROMISE = re.compile(r"\b(?:did|do|can't|cannot|never|if|don't|didn't|should) (?:I )?(?:promise|swear)\b", re.I)
_REQUEST = re.compile(
    rf"\bplease,? (?:[a-z]+ )?(?:{_DEED})\b|\b(?:{_DEED})\b.*\bplease\b|"
    rf"\b(?:can|could|would|will) you (?:please |kindly |also )?(?:{_DEED})\b|"
    rf"^(?:(?:and|so|then|now),? )?(?:\w+, )?(?:bring|give|fetch|get|show|tell|lend|send) (?:me|us)\b|"
    rf"\bI(?:'d| would) like you to (?:{_DEED})\b|\bI need you to\b|\bdo not forget to\b|\bdon['’]t forget to\b",
    re.IGNORECASE,
)
_ASKED = (
    r"(?:(?:^|[,;:—–-] )(?:(?:and|so|but|then|now|oh|well|hey|just|also|please|always|do),? )*(?:[^\W\d_]+, )?"
    r"|\b(?:please|you (?:must|should|have to|need to|ought to)|(?:can|could|will|would) you|"
    r"(?:want|need|ask|asked|beg|like|trust|told) you to),? )(?:please,? |always |kindly |also )*"
)
_TO_MIND = (
    r"(?:remember|don['’]t (?:you )?(?:ever )?forget|do not (?:ever )?forget|never forget|(?:keep|bear) in mind|"
    r"make (?:a )?(?:mental )?note|take note|mark my words|note(?= that\b|:)|commit to memory)"
)
_LESSON = re.compile(rf"{_ASKED}{_TO_MIND}\b(?! to\b)", re.IGNORECASE)
_KEEP_WHAT = re.compile(r"^(?:[^\W\d_]+, )?(?:please,? )?(?:keep|bear) .+ in mind\b", re.IGNORECASE)
_TASK = re.compile(rf"{_ASKED}remember to\b", re.IGNORECASE)
_ASKED_KINDLY = re.compile(r"\b(?:can|could|will|would) you\b", re.IGNORECASE)
_OF_MINDING = frozenset(
    "remember forget ever mind keep bear mental note mark my words well commit memory always must should need ought "
    "can could kindly want ask trust told let know that thing things all what say said tell hear hey listen".split()
)
_WITHDRAWN = re.compile(
    r"\bnever mind\b|\bforget (?:it|about|what I)\b|\bI take (?:it|that|this|my \w+) back\b|"
    r"\bafter all\b.*\b(?:not|n['’]t)\b|"
    r"\b(?:can['’]t|cannot|won['’]t|will not|could not|couldn['’]t) .*\bafter all\b|\bchanged my mind\b|"
    r"\byou (?:need not|needn['’]t|don['’]t (?:need|have) to|no longer (?:need|have) to)\b|\bno longer (?:need|want)\b",
    re.IGNORECASE,
)
_FORGOTTEN = re.compile(r"\bforget (?:it|about|what I)\b", re.IGNORECASE)
_RELEASED = re.compile(
    r"\byou (?:need not|needn['’]t|don['’]t (?:need|have) to|no longer (?:need|have) to)\b", re.IGNORECASE
)
_KEPT = re.compile(
    r"\bthank(?:s| you)\b.* for\b|\bas (?:I )?promised\b|\bkept (?:my|your|his|her) (?:word|promise)\b|"
    r"\bhere (?:is|are) (?:the|your)\b|"
    r"\bI(?:['’]ve| have)? (?:just )?"
    r"(?:brought|mended|found|fetched|finished|done|delivered|returned|wrote|written|paid)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    r"\d+|(?:mon|tues|wednes|thurs|fri|satur|sun)day|noon|midnight|dawn|dusk|morning|afternoon|evening|night|tonight|"
    r"today|tomorrow|o['’]clock|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PLAIN = frozenset(
    "a an the and or but so then now to of in on at by for from with as is are was be am will shall would could can i "
    "me my mine you your yours he she it its they them we us our this that these those there here not no do does did "
    "have has had if please promise swear bring give get fetch take thank thanks just again soon very too also some "
    "any i'll i’ll i'm i’m i've you'll it's after all never mind forget about back what longer need needn't want don't "
    "can't won't cannot changed word kept brought".split()
)

SPEECH_IN_PIECES = 8
"""Maximum number of pieces of one speech that are kept."""

FOREIGN_LETTERS = 4
"""Number of letters foreign to English that make a word count as two: some scripts know no spaces."""

_SECRECY = re.compile(
    r"\btell (?:no ?body|no[- ]one|not a soul)\b|\bpromise not to tell\b|\bnot a word\b|\bto yourself\b|"
    r"\b(?:do not|don['’]t|never|must not|mustn['’]t|may not) "
    r"(?:tell (?!me\b|us\b)|repeat (?:it|this|that)\b|mention this\b|breathe a\b|let (?:it|this|that) (?:out|slip)\b)|"
    r"\bbetween (?:you and (?:me|I)|us|ourselves)\b|\b(?:strictest|strict|in) confidence\b|\bconfidential\b|"
    r"\b(?:no ?body|no[- ]one)(?: else)? (?:must|may|should|can|is to|has to|knows)\b|"
    r"\b(?:keep|tell you|have|know) (?:\w+ )?(?:a|this|that|it|my|our) (?:\w+ )?(?:secret|quiet|hidden|private)\b|"
    r"\b(?:is|['’]s) (?:a|our) (?:little )?secret\b|\b(?:didn['’]t|did not) hear (?:it|this|that) from\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    r"\b(?:now|no longer|any ?more|instead|actually|moved|changed|new|correction|but in truth)\b", re.IGNORECASE
)
_DETAIL = re.compile(r"\d|(?<=[\w,;:] )[^\W\d_a-z][^\W\d_]+")
_SMALL_TALK = frozenset(
    "hello hi hey ho greetings welcome goodbye bye farewell yes yeah yep nope well ok okay oh ah hm hmm um psst pst "
    "listen look wait come closer good bad nice fine great lovely beautiful morning day evening night sorry excuse "
    "sure really think know feel see hope like love how what why who when where which glad happy".split()
)
_SECRETIVE = frozenset(
    "tell told nobody noone one body else secret secrets secretly between ourselves yourself confidence confidential "
    "word soul keep hear remember let know".split()
)


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence of a speech begins and ends, white space around it aside."""
    for match in _SENTENCE.finditer(text):
        sentence = match[0]
        if any(character.isalnum() for character in sentence):
            start = match.start() + len(sentence) - len(sentence.lstrip())
            yield start, match.start() + len(sentence.rstrip())


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a speech, trimmed; of an endless one the beginning."""
    for sentence in uncut_sentences(text):
        yield sentence[:MAX_SENTENCE_CHARACTERS]


def uncut_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a speech, trimmed, each to its end."""
    for start, end in spans(text):
        yield text[start:end]


@lru_cache(maxsize=4096)  # everybody in a room hears the same
def classify(sentence: str) -> str:
    """Return `Promises`, `Requests` or `To remember` for a sentence that is one, else nothing."""
    if _is_lesson(sentence):
        return LESSONS
    if _PROMISE.search(sentence) and not sentence.endswith("?") and not _NO_PROMISE.search(sentence):
        return PROMISES
    return REQUESTS if _REQUEST.search(sentence) or _TASK.search(sentence) else ""


def is_bare_reminder(sentence: str) -> bool:
    """Return whether a sentence asks to keep something in mind that it does not say: `Remember this.`"""
    return _is_lesson(sentence) and not content_words(sentence) - _OF_MINDING


def _is_lesson(sentence: str) -> bool:
    asks = sentence.endswith("?") and not _ASKED_KINDLY.search(sentence)
    return not asks and bool(_LESSON.search(sentence) or _KEEP_WHAT.search(sentence))


def takes_back(sentence: str) -> bool:
    """Return whether a sentence withdraws a promise or a request."""
    return bool(_WITHDRAWN.search(sentence))


def wants_forgotten(sentence: str) -> bool:
    """Return whether a sentence asks to forget something said before."""
    return bool(_FORGOTTEN.search(sentence))


def releases(sentence: str) -> bool:
    """Return whether a sentence tells the other that what it promised is not needed."""
    return bool(_RELEASED.search(sentence))


def tells_of_keeping(sentence: str) -> bool:
    """Return whether a sentence says that something promised or asked for is done."""
    return bool(_KEPT.search(sentence)) and not sentence.endswith("?")


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Return the words that say what a sentence is about, in lower case."""
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _PLAIN)


def is_same_topic(one: str, other: str) -> bool:
    """Return whether two sentences are about the same, so that the later one replaces the earlier."""
    mine, theirs = _timeless(one), _timeless(other)
    return bool(mine and theirs) and len(mine & theirs) >= SAME_TOPIC_SHARE * len(mine | theirs)


@lru_cache(maxsize=4096)
def _timeless(text: str) -> frozenset[str]:
    """Return the matter of a sentence, times and numbers aside."""
    return frozenset(word for word in content_words(text) if not _WHEN.fullmatch(word))


@lru_cache(maxsize=256)
def is_secret(text: str) -> bool:
    """Return whether a speech asks to be kept secret, in public as in private."""
    return bool(_SECRECY.search(text))


def secret_spans(text: str, spent: Collection[int] = ()) -> list[str]:
    """Return what of a speech is worth keeping, word for word: sentences that belong together, in bounded pieces.

    Left out are questions and small talk around it, and the sentences that begin at `spent`: they count already.
    """
    pieces: list[str] = []
    run: list[tuple[int, int]] = []
    for start, end in spans(text):
        if start in spent or (run and end - run[0][0] > MAX_SENTENCE_CHARACTERS):
            pieces += _piece(text, run)
            run = []
        if start not in spent:
            run.append((start, end))
    return [*pieces, *_piece(text, run)][:SPEECH_IN_PIECES]


@lru_cache(maxsize=4096)
def secret_weight(text: str) -> int:
    """Return how much words matter: 0 for an idle remark, 1 for a secret or a name or number, 2 for both."""
    return is_secret(text) + bool(_DETAIL.search(text))


def replaces(new: str, old: str) -> bool:
    """Return whether a new telling replaces an old one.

    It does if more than half of their words are the same, or half of them if the new one speaks of a change: two
    secrets about similar things stay two.
    """
    mine, theirs = _content(new), _content(old)
    if not mine or not theirs:
        return False
    share = len(mine & theirs) / len(mine | theirs)
    return share > SAME_TOPIC_SHARE or (share == SAME_TOPIC_SHARE and bool(_CHANGED.search(new)))


def _piece(text: str, run: list[tuple[int, int]]) -> list[str]:
    """Return the words from the first to the last sentence of a run that matters; none if none tells anything."""
    told = {place for place, (start, end) in enumerate(run) if _tells(text[start:end])}
    if not told:
        return []
    kept = [place for place, (start, end) in enumerate(run) if place in told or is_secret(text[start:end])]
    return [text[run[kept[0]][0] : run[kept[-1]][1]][:MAX_SENTENCE_CHARACTERS].rstrip()]


def _tells(sentence: str) -> bool:
    """Return whether a sentence states something: two words that are neither plain nor small talk, or one detail."""
    if sentence.rstrip("\"'”’)").endswith("?"):
        return False
    words = _content(sentence)
    content = words - _SMALL_TALK
    foreign = any(sum(not letter.isascii() for letter in word) >= FOREIGN_LETTERS for word in content)
    return len(content) > 1 or foreign or (content == words != frozenset() and bool(_DETAIL.search(sentence)))


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    return content_words(text) - _SECRETIVE
