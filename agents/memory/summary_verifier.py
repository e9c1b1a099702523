"""The verdict on a summary: accept it or not, by names, numbers and the summary verifier. Deterministic.

Names and numbers have to be known, whatever the language. An English summary is also read: each of its claims is held
against the evidence that tells most nearly the same. Only what is clear on both sides counts against a summary.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from agents.memory.english import FUNCTION_WORDS, LIGHT, SAYING, is_english, stem
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.judging import circumstances, participants
from agents.memory.judging.clauses import Discourse, read
from agents.memory.judging.entities import Mention, Support, entities, folded, mentions, plain, words_of
from agents.memory.judging.events import is_hearsay, is_hedged
from agents.memory.judging.evidence import Evidence, evidence_of
from agents.memory.judging.matching import Claim, Fault, attributed_claims
from agents.memory.summaries.form import (
    copy_faults,
    is_ended,
    is_of_another_self,
    person_faults,
    phrase_faults,
    short,
    structure_faults,
)
from agents.memory.summaries.formats import (
    memory_of_line,
    mentions_memory,
    picked_words,
    section_faults,
    without_headings,
)
from vault.memory.memory_line import Memory

MOST_SHOWN = 5
FEWEST_KNOWN = 4
"""Of so many names in its source and more a summary has to keep one, or tell of so many other things in it:"""

FEWEST_TOPICS = 1

UNTRUE = frozenset({"wrong-person", "wrong-place", "wrong-thing", "wrong-number", "negation", "invented-event"})
MENDABLE = UNTRUE | {"unknown-name", "unknown-number", "cut-off", "repetition"}
"""The objections to single sentences: without these, the others may still be a sound summary."""

_SENTENCE_END = re.compile(r"[.!?…][\"”’»)]*\s+")

_STOP_STEMS = frozenset(map(stem, FUNCTION_WORDS))

RULES = (*participants.RULES, *circumstances.RULES)
"""The rules for a clause of a summary, in this order: the first fault counts."""

_EMPTY = ("empty", "The summary is empty; it should tell in the first person what happened.")


@dataclass(frozen=True)
class Source:
    """The source of a summary, and its limits.

    `memories` are word for word and may be empty for a long-term step; `previous` are the texts of the summaries
    that it was made from. `roster` are the names that the world knows: people, rooms, things. `name` is the agent whose
    memory it is, `prompt` what the model was given. `counted` is the text that the model got instead of memories, with
    numbers that none of them has. `reading` reads the world's sentences. Pins and open promises are facts, and no
    matter of summaries.
    """

    memories: tuple[Memory, ...]
    previous: tuple[str, ...]
    roster: frozenset[str] = frozenset()
    name: str = ""
    prompt: str = ""
    cap_tokens: int = 300
    first_person: bool = True
    counted: str = ""
    reading: NarrationParser = ENGLISH

    @property
    def text(self) -> str:
        """All that was to be summarised, a line a memory."""
        return "\n".join((*self.previous, *(memory.text for memory in self.memories)))

    @property
    def people(self) -> set[str]:
        """Everyone whom the memories name as present."""
        return {person for memory in self.memories for person in memory.people}


@dataclass(frozen=True)
class Objection:
    """A reason to refuse a summary: a short stable kind, and a sentence for people and for the model's second try."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Verdict:
    """The verdict on a summary.

    `scores` has tokens_in, tokens_out, unsupported_share (of the names and numbers) and entities_kept.
    """

    objections: tuple[Objection, ...]
    scores: dict[str, float]

    @property
    def accepted(self) -> bool:
        """True if there is no objection."""
        return not self.objections


def judge(text: str, source: Source, count_tokens: Callable[[str], int]) -> Verdict:
    """Judge a summary in prose. No text makes it raise."""
    found = mentions(text, _support(source))
    tokens = (count_tokens(source.text), count_tokens(text))
    scores = _scores(text, tokens, found, source)
    written = plain(text)
    if not _says_something(written):
        return _verdict([_EMPTY], scores)
    faults = [
        *phrase_faults(written, source.text),
        *structure_faults(written),
        *copy_faults(written, (m.text for m in source.memories), source.previous, source.prompt),
        *_over_cap(tokens[1], source),
        *_not_smaller(*tokens, smallest_saving=1),
        *(person_faults(written, source.name) if source.first_person else ()),
        *_mention_faults(found),
        *_too_little(written, source, scores),
        *(_claim_faults(written, source) if tokens[1] <= source.cap_tokens else ()),
    ]
    return _verdict(faults, scores)


def judge_in_form(text: str, schema: str, source: Source, count_tokens: Callable[[str], int]) -> Verdict:
    """Judge a summary in the form that its template asks for; of one in sections the content, and the form as well."""
    if schema != "sections":
        return judge(text, source, count_tokens)
    told = judge(without_headings(text), replace(source, first_person=False), count_tokens)
    faults = (Objection(reason, detail) for reason, detail in section_faults(text))
    return Verdict((*faults, *told.objections), told.scores)


def scores_of(text: str, source: Source, count_tokens: Callable[[str], int]) -> dict[str, float]:
    """Return the scores of a summary alone, without the faults, which take far longer to find."""
    tokens = (count_tokens(source.text), count_tokens(text))
    return _scores(text, tokens, mentions(text, _support(source)), source)


async def read_ahead(text: str, source: Source) -> None:
    """Read what a summary is going to be judged by, a line at a time, so that others can go on in between."""
    for _ in _support(source).read_on():
        await asyncio.sleep(0)
    if not is_english(words_of(text)):
        return
    for _ in _evidence(source).read_on():
        await asyncio.sleep(0)


def without_faults(text: str, source: Source) -> tuple[str, str]:
    """Return what is left of a summary in prose without the sentences that are wrong, and all of it but repetitions.

    A sentence is wrong if it tells something otherwise than its source, has a name or number that no source has,
    tells of the agent as of somebody else, or breaks off.
    """
    found = list(judged_sentences(text, source))
    return " ".join(one for one, is_wrong in found if not is_wrong), " ".join(dict.fromkeys(one for one, _ in found))


def judged_sentences(text: str, source: Source) -> Iterator[tuple[str, bool]]:
    """Yield each sentence of a summary in prose, and whether it is wrong, as `without_faults` takes it."""
    written = plain(text)
    support = _support(source)
    found = list(faults_by_sentence(written, _evidence(source)))
    starts = [start for start, _ in found]
    cuts = [0, *(_end_between(written, one, next_one) for one, next_one in pairwise(starts)), len(written)]
    seen = set[str]()
    for (start, end), (_, faults) in zip(pairwise(cuts), found, strict=True):
        sentence = written[start:end].strip()
        is_wrong = bool(faults) or sentence in seen or not is_ended(sentence)
        seen.add(sentence)
        is_of_another = source.first_person and is_of_another_self(sentence, source.name)
        is_unknown = any(not mention.supported for mention in mentions(sentence, support))
        yield sentence, is_wrong or is_of_another or is_unknown


def _end_between(text: str, one: int, other: int) -> int:
    """Return where a sentence ends whose first clause begins at `one`, and that of the next at `other`.

    What leads in to that clause, as `After that`, belongs to the next sentence.
    """
    return max((end.end() for end in _SENTENCE_END.finditer(text, one, other)), default=other)


def judge_picked(
    text: str, source: Source, resolve: Callable[[int], Memory | None], count_tokens: Callable[[str], int]
) -> Verdict:
    """Judge an extractive summary: each line has to be its memory's, as `formats.picked_line` writes it.

    A line of a summary before may be kept unchanged, though a person has worded it. `resolve` gives the memory of a
    number, or None. Tokens are counted without the links, as a prompt shows the lines; to carry all lines on is no
    fault, to add to them is.
    """
    lines, known = _lines(text), _lines("\n".join(source.previous))
    before = "\n".join([*map(_shown, known), *map(picked_words, source.memories)])
    shown = "\n".join(map(_shown, lines))
    tokens = (count_tokens(before), count_tokens(shown))
    scores = _scores(text, tokens, [], source)
    if not _says_something(shown):
        return _verdict([_EMPTY], scores)
    faults = [
        *_unresolved([line for line in lines if line not in known and not _is_told(line, resolve)]),
        *_picked_twice(lines),
        *_over_cap(tokens[1], source),
        *_not_smaller(*tokens, smallest_saving=0),
    ]
    return _verdict(faults, scores)


def _verdict(faults: Iterable[tuple[str, str]], scores: dict[str, float]) -> Verdict:
    return Verdict(tuple(Objection(reason, detail) for reason, detail in faults), scores)


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _scores(text: str, tokens: tuple[int, int], found: list[Mention], source: Source) -> dict[str, float]:
    known = _names_in(source.previous, source.memories)
    return {
        "tokens_in": float(tokens[0]),
        "tokens_out": float(tokens[1]),
        "unsupported_share": _share(sum(not mention.supported for mention in found), len(found), of_nothing=0.0),
        "entities_kept": _share(len(known & words_of(text)), len(known), of_nothing=1.0),
    }


def _share(part: int, whole: int, of_nothing: float) -> float:
    return round(part / whole, 3) if whole else of_nothing


def _over_cap(tokens: int, source: Source) -> Iterator[tuple[str, str]]:
    if tokens > source.cap_tokens:
        yield "too-long", f"The summary has {tokens} tokens; it may have {source.cap_tokens} at most."


def _not_smaller(tokens_in: int, tokens_out: int, smallest_saving: int) -> Iterator[tuple[str, str]]:
    if tokens_out + smallest_saving > tokens_in:
        yield "not-smaller", f"The summary has {tokens_out} tokens and what it stands for {tokens_in}; shorten it."


def _mention_faults(found: list[Mention]) -> Iterator[tuple[str, str]]:
    for is_number, kind in ((False, "name"), (True, "number")):
        invented = [mention.written for mention in found if mention.is_number == is_number and not mention.supported]
        if invented:
            shown = ", ".join(short(word) for word in invented[:MOST_SHOWN])
            more = f" and {len(invented) - MOST_SHOWN} more" if len(invented) > MOST_SHOWN else ""
            yield (
                f"unknown-{kind}",
                f"No memory has this {kind}: {shown}{more}. Use only {kind}s that the memories have.",
            )


def _too_little(text: str, source: Source, scores: dict[str, float]) -> Iterator[tuple[str, str]]:
    """Yield an objection if a summary keeps none of many names, and hardly a topic of its source."""
    known, told = _names_in(source.previous, source.memories), folded(text)
    if scores["entities_kept"] or len(known) < FEWEST_KNOWN or any(name in told for name in known):
        return
    heard = {stem(word) for word in words_of(source.text)}
    topics = {stem(word) for word in words_of(text)} & heard - LIGHT - _STOP_STEMS
    if len(topics) < FEWEST_TOPICS:
        shown = ", ".join(sorted(source.people or known)[:MOST_SHOWN])
        yield "too-little", f"It tells nothing of what happened; say what you did and heard, and with whom: {shown}."


def _claim_faults(text: str, source: Source) -> Iterator[tuple[str, str]]:
    """Yield what an English summary tells otherwise than its source: persons, places, numbers, denials, grave acts."""
    if is_english(words_of(text)):
        for _, faults in faults_by_sentence(text, _evidence(source)):
            yield from faults


def _support(source: Source) -> Support:
    return _support_of(source.memories, (*source.previous, source.counted), (*source.roster, source.name))


# A summary is judged more than once.


@lru_cache(maxsize=4)
def _names_in(previous: tuple[str, ...], memories: tuple[Memory, ...]) -> set[str]:
    source = Source(memories, previous)
    return entities(source.text, source.people)


@lru_cache(maxsize=4)
def _support_of(memories: tuple[Memory, ...], texts: tuple[str, ...], names: tuple[str, ...]) -> Support:
    return Support(memories, texts, names)


def _evidence(source: Source) -> Evidence:
    return evidence_of(source.memories, source.previous, source.roster, source.name, source.reading)


def faults_by_sentence(text: str, evidence: Evidence) -> Iterator[tuple[int, list[Fault]]]:
    """Yield for each sentence of a summary where it begins, and what it tells otherwise than its source."""
    for _ in evidence.read_on():
        pass
    it = ""
    discourse = Discourse(evidence.gazetteer.people, evidence.agent)
    for sentence in read(text, evidence.gazetteer, discourse):
        reported = any(clause.verbs & SAYING for clause in sentence)
        denials = [clause.is_negated for clause in sentence]
        hedged = is_hedged(sentence) or is_hearsay(sentence, evidence.agent)
        faults: list[Fault] = []
        for claim in attributed_claims(sentence):
            others = sum(denials) > claim.clause.is_negated
            clear = replace(claim, is_hedged=hedged, is_open=others, is_reported=reported, it=it)
            faults += _clause_faults(clear, evidence)
            named = [thing for _, thing in evidence.things.within(claim.clause.tokens)]
            it = named[-1] if named else it
        yield min(clause.start for clause in sentence), faults


def _clause_faults(claim: Claim, evidence: Evidence) -> Iterator[Fault]:
    for rule in RULES:
        if why := rule(claim, evidence):
            reason, detail = why
            yield reason, f"{claim.clause.text!r}: {detail}"
            return


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _shown(line: str) -> str:
    told = memory_of_line(line)
    return told[1] if told else line


def _is_told(line: str, resolve: Callable[[int], Memory | None]) -> bool:
    told = memory_of_line(line)
    memory = resolve(told[0]) if told else None
    return memory is not None and mentions_memory(line, memory)


def _unresolved(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines[:MOST_SHOWN]:
        detail = "is not the memory that it links to, word for word, or links to none"
        yield "unresolved-line", f"{short(line)!r} {detail}."


def _picked_twice(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line, count in Counter(lines).items():
        if count > 1:
            yield "repetition", f"{short(line)!r} was picked {count} times; once is right."
