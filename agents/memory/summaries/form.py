"""Faults of form in a summary: empty headings, a missing end, loops, copies, talk about the task.

Each function yields a reason and a sentence for every fault; texts are in the plain spelling of `entities.plain`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from string import whitespace

from agents.memory.english import UNFINISHED_AT, is_english
from agents.memory.judging.entities import folded, plain

_FLAGS = re.IGNORECASE | re.MULTILINE
_START = r"(?:^|(?<=[.!?]\s))[ \t>*_#-]*"
_GIVEN = r"(?:memor(?:y|ies)|input|context|content|conversation|text|information|log|entries|prompt)"


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), _FLAGS)


_ERROR = _any_of(
    r"^[^\w\n]*traceback \(most recent call last\)",
    r"^[^\w\n]*(?:\w*error|\w*exception)\s*[:(\[]",
    r"^[^\w\n]*(?:error|http(?:/\S+)?|status) ?\d{3}\b",
    r"^[^\w\n]*[45]\d\d (?:internal|bad|service|not found|too many|gateway|unauthorized|forbidden|timeout)",
    r"^[^\w\n]*(?:internal server error|service unavailable|bad gateway|connection (?:refused|reset|error|timed out)"
    r"|request timed out|timeout|too many requests|(?:cuda )?out of memory|null|none|undefined|nan)\W*$",
    r"\bmodel ['\"][^'\"\n]+['\"],? not found",
    r"\bcontext (?:length|window|size) (?:was )?exceeded|\brate limit (?:reached|exceeded)",
)
_NOT_PROSE = _any_of(
    r"^[ \t]*\{\s*['\"]|^[ \t]*\[\s*[{\"]|\"(?:role|content|command|args|summary)\"\s*:",
    r"</?(?:html|head|body|div|p|br|span|think|thinking|tool_call|function|output|summary|s|unk|pad|eos)\b[^>\n]*>",
    r"<\|[^|>\n]{1,40}\|>|\[/?inst\]|<<?/?sys>>?|<(?:start|end)_of_turn>",
    r"^[ \t]*(?:```|~~~)",
)
_TRANSCRIPT = _any_of(
    r"^[ \t]*~\w[^>\n]{0,40}>", r"^[^\w\n]*(?:user|assistant|system|human|ai|model|command|reason)\W*:"
)
_REFUSAL = _any_of(
    r"\bas an? (?:ai|artificial intelligence|large language|language model|virtual assistant)\b",
    r"\bi(?:'m| am) (?:just |only )?an? (?:ai|(?:large )?language model|virtual assistant)\b",
    rf"{_START}i(?:'m| am)? ?(?:can'?t|cannot|can not|won't|will not|not able to|unable to|not allowed to) "
    r"(?:assist|help (?:you|with (?:this|that))|summari[sz]e|fulfil|comply|continue (?:with )?th|generate"
    r"|create (?:a|this)|provide (?:a|an|any|that|this)\b|process (?:this|that|your))",
    r"\bi(?:'m| am) sorry,? but i (?:can|do|am|won)|\bmy apologies\b|\bi apologi[sz]e\b",
    r"\b(?:not|n't|no) (?:\w+ )?(?:enough|sufficient) (?:information|context|content|memories)",
    rf"\bno {_GIVEN} (?:was|were|is|are|has been|have been) (?:provided|given|available|supplied|included)",
    r"\b(?:there (?:is|are)|i (?:see|find)) (?:no memories|nothing to summari[sz]e)",
    rf"\bi (?:don't|do not) have (?:access|any (?:personal )?{_GIVEN})",
    rf"(?:{_START}|\bcould you )please (?:provide|share|give me|paste|send|supply)",
    r"\bagainst my (?:guidelines|policy|programming)\b",
)
_PREAMBLE = _any_of(
    r"\A\W*(?:sure|sure thing|certainly|of course|absolutely|okay|ok|great|alright|understood)\s*[,!.:]",
    r"\A\W*(?:(?:the|a|my|your|short|long|recent|brief|updated|new|final|first|memory|term|person|past|older)[\s-])*"
    r"(?:summary|recap|tl;?dr|synopsis)\b",
    r"\A\W*here(?:'s| is| are) (?:a|an|the|my|your|what|some)\b",
    r"\A\W*(?:below (?:is|are)|the following (?:is|are|summary|text)|output|answer|response)\b\W*",
    r"^[^\w\n]*(?:\w+[\s-]){0,3}summary\b[^.\w\n]*$",
    r"^[^.\n]*\(summary\)",
    r"\bhere(?:'s| is) (?:a|an|the|my|your) (?:[\w-]+ ){0,3}(?:summary|recap)\b",
    r"\b(?:this|the above|the following|my) (?:[\w-]+ )?(?:summary|recap|transcript)\b",
    r"\bi(?:'ve| have|'ll| will) (?:now )?summari[sz]ed?\b",
    rf"\bbased on the (?:{_GIVEN}|provided|given|above)\b|\bthe (?:provided|given|above) {_GIVEN}\b",
    rf"\bthe {_GIVEN} (?:above|below|provided|given|describes?|shows?|says?|mentions?)\b",
    rf"{_START}(?:let me know (?:if|whether)|would you like me to|feel free to"
    r"|i hope (?:this|that) (?:helps|summary))\b",
    r"\b(?:word|token|character) count\s*:|\(\s*(?:about |~)?\d+ (?:words|tokens|characters)\s*\)",
    rf"{_START}\(?note\s*:\s*(?:this|the|i)\b",
    r"\bthe (?:user|narrator)\b",
)
_INSTRUCTION = _any_of(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:instructions?|rules|guidelines|prompts?"
    r"|everything (?:above|before)|(?:previous|prior|earlier) (?:text|messages))\b",
    r"\bsystem prompt\b|\bdeveloper mode\b",
    r"\b(?:you|the reader) (?:must|should|shall|need to|have to|are to|will now|may not|are now|ought to)\b",
    r"\bfrom now on,? (?:you|always|never|respond|answer|act|only)\b",
    r"\byour (?:task|job|goal|instructions?|new role) (?:is|are)\b",
    rf"{_START}(?:please |now,? |always |never )?(?:ignore|disregard|obey|pretend (?:to|that|you)|act (?:as|like)"
    r"|(?:respond|reply) (?:with|only|in|to|as)|output (?:the|only|your)|print (?:the|out|your)|repeat (?:after|the)"
    r"|reveal (?:the|your)|execute|make sure|be sure|ensure (?:that|the)|note that|keep in mind"
    r"|remember (?:to|that you)|summari[sz]e|continue the|write (?:a|the|in|only)\b|list the|do not|don't|trust"
    r"|follow (?:him|her|them|the|these)|(?:give|tell|send|bring|ask) \w+"
    r"|hand (?:over|him|her|it|the)|open (?:the|your|it|every|all)|type|go (?:to|and|north|south|east|west|up|down))\b",
    rf"{_START}(?:please|always|never) (?:give|tell|say|go|trust|answer|send|hand|ask|open|call|keep|use|do|be|let)\b",
)

FAULTS = (
    ("error-text", _ERROR, "an error message"),
    ("not-prose", _NOT_PROSE, "markup, data or a control token"),
    ("transcript", _TRANSCRIPT, "a line of a log or a chat"),
    ("refusal", _REFUSAL, "the declining of a task"),
    ("preamble", _PREAMBLE, "talk about the summary"),
    ("instruction", _INSTRUCTION, "an instruction to the reader"),
)
"""Text that no summary contains outside quoted speech: reason, pattern, and what it is."""


Fault = tuple[str, str]

COPY_WORDS = 6
RUN_WORDS = 8
MAX_REPEATS = 2
WORDS_A_PRONOUN = 100
SILENT_WORDS = 80
SHOWN_CHARACTERS = 60

# No quotation holds its own opening mark, so that each mark is looked at once.
_QUOTED = re.compile(r'"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»')
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)
_SECOND_PERSON = re.compile(r"\b(?:you|your|yours|yourself)\b", re.IGNORECASE)
_HASHES = re.compile(r"\s*(#{1,6})(?:\s.*)?")
_BOLD_LINE = re.compile(r"\s*(\*\*|__)[^*_]{1,80}\1\s*:?\s*")
_COLON_LINE = re.compile(r"[^.!?]{1,80}:\s*")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d+[.)])(?:\s|$)")
_SENTENCE = re.compile(r"[^.!?\n]+")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_REPORTED = re.compile(r"\b(?:said|says|told|tells|asked|asks|warned|warns|wrote|heard|thinks|thought) ", re.IGNORECASE)
_ASCRIBED = re.compile(r"[.!]\s+(?:so )?[^\W\d_a-z]\w+(?:'s (?:words|orders|advice|warning)| (?:said|says|told me)\b)")
_TO_DO = re.compile(r"\b(?:to do|to-do|todo|pending|open|next|plans?|tasks?|errands?|promise[sd]?)\b", re.IGNORECASE)
_ENDS = (".", "!", "?", "…", "。", "！", "？", "।", "؟")
_CLOSING = '"”»)]'
_NO_HEADING = 9


def spaced(text: str) -> str:
    """Return text for comparing: `folded`, with every white space one space."""
    return " ".join(folded(plain(text)).split())


def as_words(text: str) -> str:
    """Return the words of a text, `folded`, between single spaces."""
    return f" {' '.join(_WORD.findall(folded(plain(text))))} "


def short(text: str) -> str:
    """Return the beginning of a text, to be shown in a sentence."""
    text = " ".join(text.split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS].rstrip()}…"


def phrase_faults(text: str, source_text: str) -> Iterator[Fault]:
    """Yield phrases that no summary has, unless they are quoted speech from the source."""
    said = _without_quotes_of(text, source_text)
    for reason, pattern, what in FAULTS:
        found = pattern.finditer(said)
        if match := next((one for one in found if reason != "instruction" or not _is_told(said, one.start())), None):
            shown = short(said[match.start() : match.start() + 200])
            yield reason, f"{shown!r} is {what}; only what happened belongs here, speech in quotation marks."


def _is_told(text: str, start: int) -> bool:
    """Return whether an order is somebody's in reported speech, or a point of a list of what is to be done."""
    begin = max(text.rfind(mark, 0, start) for mark in ".!?\n") + 1
    end = min((at for mark in ".!?\n" if (at := text.find(mark, start)) >= 0), default=len(text))
    if _REPORTED.search(text, begin, start) or _ASCRIBED.match(text, end):
        return True
    line = text.rfind("\n", 0, start + 1) + 1
    heading = text.rfind(":\n", 0, line + 1)
    return heading >= 0 and bool(_TO_DO.search(text, text.rfind("\n", 0, heading) + 1, heading + 1))


def structure_faults(text: str) -> Iterator[Fault]:
    """Yield headings with nothing under them, a text that breaks off, and sentences said over and over."""
    lines = [line for line in text.splitlines() if line.strip()]
    levels = [*map(_heading_level, lines), 0]
    for line, level, following in zip(lines, levels, levels[1:], strict=False):
        if level < _NO_HEADING and following <= level:
            yield (
                "empty-heading",
                f"There is nothing under {short(line)!r}; leave the heading out or write what happened.",
            )
    words = _WORD.findall(text)
    last = lines[-1] if lines else ""
    prose = not _BULLET.match(last) and len(_WORD.findall(last)) > COPY_WORDS
    if not is_ended(text) and ((words and words[-1].lower() in UNFINISHED_AT) or prose):
        yield "cut-off", f"The summary breaks off at {short(last[-SHOWN_CHARACTERS:])!r}; end it with a whole sentence."
    sentences = Counter(as_words(sentence) for sentence in _SENTENCE.findall(text))
    for sentence, count in sentences.items():
        if count > MAX_REPEATS and len(sentence.split()) > 2:
            yield "repetition", f"{short(sentence)!r} stands there {count} times; once is enough."


def copy_faults(text: str, memories: Iterable[str], previous: tuple[str, ...], prompt: str) -> Iterator[Fault]:
    """Yield the passages that were copied instead of summarised."""
    told = [memory.strip() for memory in memories]
    words = as_words(text)
    if _is_one_of(words, told):
        yield "copy-of-memory", "The summary is a single memory over again; it should tell what all of them amount to."
    lines = [spaced(line) for line in text.splitlines() if line.strip()]
    known = set(map(spaced, told)) if len(lines) > 1 else set()
    copied = sum(line.lstrip("-*• ") in known for line in lines)
    if copied > 1 and copied * 2 >= len(lines):
        yield (
            "copy-of-memory",
            f"{copied} of {len(lines)} lines are memories word for word; retell them in fewer words.",
        )
    if any(spaced(text) == spaced(p) for p in previous) and len(previous) + len(told) > 1:
        yield "copy-of-summary", "The summary is the one before word for word; what has happened since is missing."
    sentence = _from_prompt(text, prompt, "\n".join((*told, *previous))) if prompt else ""
    if sentence:
        yield (
            "copy-of-prompt",
            f"{short(sentence)!r} is from the instructions; only what happened belongs in a summary.",
        )


def person_faults(text: str, name: str) -> Iterator[Fault]:
    """Yield an objection if a text tells of the agent called `name` as of somebody else, or as of its reader.

    A short text may do without a pronoun. In another language than English only the name counts.
    """
    said = _QUOTED.sub('""', text)
    first, second = len(_FIRST_PERSON.findall(said)), len(_SECOND_PERSON.findall(said))
    own = len(re.findall(rf"\b{re.escape(plain(name))}\b", said, re.IGNORECASE)) if name else 0
    words = _WORD.findall(said)
    silent = first * WORDS_A_PRONOUN + SILENT_WORDS < len(words) and is_english(map(folded, words))
    if own > first or second > first or silent:
        who = f"{own} times {name!r}, " if own else ""
        yield (
            "not-first-person",
            f"It says {who}{second} times 'you' and {first} times 'I' or 'my' in {len(words)} words; "
            f"{name or 'the agent'} should tell it as 'I'.",
        )


def is_of_another_self(sentence: str, name: str) -> bool:
    """Return whether a sentence has the agent's own name otherwise than to say who is meant by `I`."""
    if not name:
        return False
    own = re.escape(plain(name))
    introduced = rf"\b(?:as|am|is|called|i,) {own}\b|\A{own}, (?=I\b)"
    said = re.sub(introduced, "", _QUOTED.sub('""', sentence), flags=re.IGNORECASE)
    return bool(re.search(rf"\b{own}\b", said, re.IGNORECASE))


def is_ended(text: str) -> bool:
    """Return whether a text ends with the end of a sentence, with any closing marks behind it."""
    told = text.rstrip(f"{whitespace}{_CLOSING}'*_")
    return told.endswith(_ENDS) or any(mark in _CLOSING for mark in text[len(told) :])


def _without_quotes_of(text: str, source_text: str) -> str:
    if not _QUOTED.search(text):
        return text
    heard = as_words(source_text)
    return _QUOTED.sub(lambda quote: '""' if as_words(quote[0]) in heard else quote[0], text)


def _heading_level(line: str) -> int:
    if hashes := _HASHES.fullmatch(line):
        return len(hashes[1])
    if _BOLD_LINE.fullmatch(line):
        return 7
    return 8 if _COLON_LINE.fullmatch(line) else _NO_HEADING


def _is_one_of(words: str, memories: list[str]) -> bool:
    """Return whether the words are one memory's, a long part of it, or hardly more than it."""
    count = words.count(" ") - 1
    for memory in memories:
        if len(memory) * 2 < len(words):
            continue
        told = as_words(memory)
        if words == told or (count >= COPY_WORDS and words in told):
            return True
        if told in words and told.count(" ") - 1 >= max(COPY_WORDS, 0.8 * count):
            return True
    return False


def _from_prompt(text: str, prompt: str, source_text: str) -> str:
    """Return a sentence, or a run of words, that the prompt has and the source has not; empty if there is none."""
    asked, heard = spaced(prompt), ""
    for words in _runs(text):
        if words in asked:
            heard = heard or spaced(source_text)
            if words not in heard:
                return words
    return ""


def _runs(text: str) -> Iterator[str]:
    for sentence in _SENTENCE.findall(text):
        words = spaced(sentence).split()
        if len(words) >= COPY_WORDS:
            yield " ".join(words)
        # In steps, for speed: any copied run half as long again contains one of these whole.
        for first in range(0, len(words) - RUN_WORDS + 1, RUN_WORDS // 2):
            yield " ".join(words[first : first + RUN_WORDS])
