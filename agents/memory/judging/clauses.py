"""Reading prose as clauses: who does it, with which verbs, and what else is named. A rough reading, of English.

What is not clear stays open: a subject that may be several people is None, which agrees with everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from agents.memory.english import (
    AUXILIARIES,
    BE,
    COORDINATORS,
    DETERMINERS,
    FINITE,
    FUNCTION_WORDS,
    IRREGULAR,
    NEGATIONS,
    OBJECT_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    SAYING,
    SUBJECT_PRONOUNS,
    SUBORDINATORS,
    stem,
)
from agents.memory.judging.claims import (
    MARK,
    NAME,
    NUMBER,
    PLACE,
    SEPARATOR,
    WORD,
    Cast,
    Token,
    plain,
    sentences,
    without_quotes,
)

_NOMINATIVE = frozenset("i he she we they".split())
_HAVE = frozenset("have has had".split())
_ANYBODY = frozenset("nobody everybody somebody anybody everyone someone else it that who".split())
_THIRD_PERSON = frozenset("he she him her his hers".split())
_SOMEBODY = ""
"""Stands among the names for somebody of whom nobody knows who it is."""
_STANDS_ALONE = frozenset({";", ":", "(", ")", "—", "–", "-"}) | (SUBORDINATORS - {"as", "than", "before", "after"})
_BASES = frozenset(IRREGULAR.values())


@dataclass(frozen=True)
class Clause:
    """A part of a sentence with a verb.

    `subject` is a name, or None if it is not clear who does it. `opening` is the conjunction that it begins with.
    """

    tokens: tuple[Token, ...]
    subject: str | None
    verbs: frozenset[str]
    opening: str = ""
    passive: bool = False
    owners: tuple[tuple[str, str], ...] = ()
    persons: tuple[str | None, ...] = ()

    @cached_property
    def text(self) -> str:
        return " ".join(token.written for token in self.tokens)

    @cached_property
    def start(self) -> int:
        """Where it begins in the text."""
        return min(token.start for token in self.tokens if token.kind != MARK)

    @cached_property
    def verb_places(self) -> list[int]:
        """Where its verbs are."""
        return verb_places(self.tokens)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token.word for token in self.tokens)

    @cached_property
    def names(self) -> frozenset[str]:
        """Everyone who is named in it, or meant by a pronoun."""
        return frozenset(name for name in self.persons if name)

    @cached_property
    def places(self) -> frozenset[str]:
        return frozenset(token.value for token in self.tokens if token.kind == PLACE)

    @cached_property
    def items(self) -> frozenset[str]:
        """What it is about: stems, names, places and numbers."""
        found = {_item(token) for token in self.tokens}
        return frozenset(item for item in found | {f"@{name}" for name in self.names} if item)

    @cached_property
    def is_negated(self) -> bool:
        return sum(is_negation(token.word) for token in self.tokens) % 2 == 1


def is_negation(word: str) -> bool:
    """Return whether a folded word negates."""
    return word in NEGATIONS or word.endswith("n't")


def _item(token: Token) -> str:
    if token.kind == NAME:
        return f"@{token.value}"
    if token.kind == PLACE:
        return f"%{token.value}"
    if token.kind == NUMBER:
        return f"#{token.value}"
    return "" if token.kind == MARK or token.word in FUNCTION_WORDS or is_negation(token.word) else token.value


def read(text: str, cast: Cast, i: str | None, you: str | None) -> Iterator[list[Clause]]:
    """Yield the clauses of each sentence; `i` and `you` are who is meant by these words, None if nobody knows."""
    mentioned: list[str] = []
    for sentence in sentences(cast.tokens(without_quotes(plain(text)))):
        clauses, mentioned = _clauses(sentence, i, you, mentioned, cast.people)
        if clauses:
            yield clauses


def _clauses(
    sentence: list[Token], i: str | None, you: str | None, before: list[str], people: frozenset[str]
) -> tuple[list[Clause], list[str]]:
    found: list[Clause] = []
    named: list[str] = []
    for opening, tokens in _segments(sentence):
        own = [tokens[at].value for at in range(len(tokens)) if _is_person(tokens, at, people)]
        last = next((name for name in reversed(named)), None)
        persons = tuple(_persons(tokens, i, you, named, before, people))
        subject, is_inherited = _subject(tokens, opening, persons, last)
        is_aside = opening == "," and bool(found) and found[-1].opening in SUBORDINATORS
        if is_inherited and found and not is_aside and opening in COORDINATORS | {"", ",", "who", "which", "that"}:
            subject = found[-1].subject
        verbs = frozenset(stem(tokens[at].word) for at in verb_places(tokens) if tokens[at].word not in AUXILIARIES)
        owners = tuple(_owners(tokens, persons))
        found.append(Clause(tuple(tokens), subject, verbs, opening, _is_passive(tokens), owners, persons))
        named += own
    meant = [
        person or _SOMEBODY
        for clause in found
        for token, person in zip(clause.tokens, clause.persons, strict=True)
        if token.word in _THIRD_PERSON
    ]
    return found, [*named, *meant] or before


def _persons(
    tokens: list[Token], i: str | None, you: str | None, named: list[str], before: list[str], people: frozenset[str]
) -> Iterator[str | None]:
    """Yield who is meant by each word: a name, or whom a pronoun stands for."""
    known = [*before, *named]
    for at, token in enumerate(tokens):
        if _is_person(tokens, at, people):
            known.append(token.value)
        yield token.value if token.kind == NAME else _Meant(i, you, known).by(token.word)


def _is_person(tokens: list[Token], at: int, people: frozenset[str]) -> bool:
    """Return whether a name may be that of a person: known as one, or not behind a preposition."""
    if tokens[at].kind != NAME:
        return False
    return tokens[at].value in people or not at or tokens[at - 1].word not in PREPOSITIONS


@dataclass(frozen=True)
class _Meant:
    """Who is meant by pronouns; by those of the third person the only one of whom there was talk."""

    i: str | None
    you: str | None
    named: list[str]

    def by(self, word: str) -> str | None:
        if word in ("i", "me", "my", "mine", "myself", "i'm", "i've", "i'll", "i'd"):
            return self.i
        if word in ("you", "your", "yours", "yourself"):
            return self.you
        others = set(self.named) - {self.i, self.you}
        is_one = word.partition("'")[0] in _THIRD_PERSON and len(others) == 1
        return (next(iter(others)) if is_one else None) or None


def _segments(sentence: list[Token]) -> list[tuple[str, list[Token]]]:
    """Return the parts of a sentence that have a verb each, with the conjunction or mark before."""
    parts: list[tuple[str, list[Token]]] = [("", [])]
    contents = _contents(sentence)
    for at, token in enumerate(sentence):
        if token.kind == MARK or (token.kind == WORD and token.word in SUBORDINATORS | COORDINATORS):
            if parts[-1][1] or token.kind != MARK:
                parts.append((token.word, []))
            continue
        if at in contents:
            parts.append(("that" if any(one.value in SAYING for one in sentence[max(0, at - 2) : at]) else "", []))
        parts[-1][1].append(token)
    merged: list[tuple[str, list[Token]]] = []
    for opening, tokens in parts:
        if not tokens:
            if merged and opening in SUBORDINATORS:
                merged.append((opening, []))
            continue
        joins = merged and not verb_places(merged[-1][1])
        if merged and not verb_places(tokens) and opening not in _STANDS_ALONE:
            behind = merged[-1]
            if len(merged) > 1 and behind[0] in SUBORDINATORS and tokens[0].word in PREPOSITIONS and opening != "than":
                behind = merged[-2]  # of the mill, which she likes, and of the house
            behind[1].extend([SEPARATOR, *tokens])
        elif joins and (merged[-1][1] or opening in (",", "")):
            merged[-1][1].extend([SEPARATOR, *tokens])
        elif joins:
            merged[-1] = (merged[-1][0] or opening, tokens)
        else:
            merged.append((opening, list(tokens)))
    return [(opening, tokens) for opening, tokens in merged if tokens]


def _contents(sentence: list[Token]) -> set[int]:
    """Return where a clause begins that nothing opens: what was said, without a `that`, or a pronoun behind a verb."""
    found: set[int] = set()
    has_verb = False
    for at, token in enumerate(sentence[:-1]):
        if token.kind == MARK or token.word in SUBORDINATORS or token.word in COORDINATORS:
            has_verb = False
        elif has_verb and _begins_content(sentence, at):
            found.add(at)
        has_verb = has_verb or _is_verb(sentence, at)
    return found


def _begins_content(sentence: list[Token], at: int) -> bool:
    if not _is_verb(sentence, at + 1):
        return False
    before = sentence[at - 1]
    if sentence[at].word in _NOMINATIVE:
        return before.kind != MARK and before.word not in SUBORDINATORS | COORDINATORS
    is_told = before.kind == NAME or before.word in OBJECT_PRONOUNS
    verb = sentence[at - 2] if is_told and at > 1 else before
    return sentence[at].kind == NAME and not sentence[at].owns and verb.value in SAYING and verb.kind == WORD


def verb_places(tokens: list[Token] | tuple[Token, ...]) -> list[int]:
    """Return where the verbs are."""
    return [at for at in range(len(tokens)) if _is_verb(tokens, at)]


def _is_verb(tokens: list[Token] | tuple[Token, ...], at: int) -> bool:
    token = tokens[at]
    word = token.word
    if token.kind != WORD or token.owns:
        return False
    if word in AUXILIARIES or word in ("i'm", "i've", "i'll", "i'd", "he's", "she's", "it's"):
        return True
    before = tokens[at - 1] if at else None
    if word in _BASES if before is None else before.word in _ANYBODY and word.removesuffix("s") in _BASES:
        return True
    if word in ("like", "likes", "need") and before and (before.word in SUBJECT_PRONOUNS or before.kind == NAME):
        return True
    if word in FUNCTION_WORDS or word.endswith("ly"):
        return False
    if before and (before.word in DETERMINERS or before.word in POSSESSIVES or before.owns):
        return False
    if word in FINITE or (word.endswith("ed") and len(word) > 4):
        return True
    if before is None:
        return False
    after_name = before.kind == NAME and (word.endswith("s") or word in _BASES)
    after_subject = before.word in SUBJECT_PRONOUNS or after_name
    return after_subject or before.word == "to" or before.word in AUXILIARIES - BE - _HAVE or is_negation(before.word)


def _subject(
    tokens: list[Token], opening: str, persons: tuple[str | None, ...], last: str | None
) -> tuple[str | None, bool]:
    """Return who does it, and whether nothing is said of that, so that it is who did what stands before."""
    if opening in ("who", "which", "whom"):
        if opening == "who" and _is_verb_first(tokens):
            return last, False
        pronoun = next((at for at, token in enumerate(tokens) if token.word in SUBJECT_PRONOUNS), None)
        return (None if pronoun is None else persons[pronoun]), opening == "which" and pronoun is None
    at, seen_noun = 0, False
    while at < len(tokens):
        token = tokens[at]
        following = tokens[at + 1] if at + 1 < len(tokens) else None
        if token.word in PREPOSITIONS or token.word == "according":
            at = _behind_phrase(tokens, at)
            continue
        if token.word in SUBJECT_PRONOUNS or token.word in ("i'm", "i've", "i'll", "i'd"):
            several = any(one.kind == NAME and not one.owns for one in tokens[at + 1 : _first_verb(tokens, at)])
            return (None if several else persons[at]), False
        if token.kind == NAME and not token.owns and not _is_fronted(tokens, at):
            several = any(one.kind == NAME and not one.owns for one in tokens[at + 1 : _first_verb(tokens, at)])
            return (None if several else token.value), False
        if token.word in POSSESSIVES or token.owns:
            named = [one for one in tokens[at + 1 : at + 4] if one.kind == NAME and not one.owns]
            return (named[0].value if named else None), False
        if token.word in DETERMINERS or token.kind in (PLACE, NUMBER):
            return None, False
        if _is_verb(tokens, at):
            return None, not seen_noun
        if token.word not in FUNCTION_WORDS and not token.word.endswith("ly"):
            seen_noun = following is None or not (following.kind == NAME or following.word in SUBJECT_PRONOUNS)
        at += 1
    return None, True


def _is_fronted(tokens: list[Token], at: int) -> bool:
    """Return whether somebody else does it, as in `Ana I followed` and `Ana, come here`."""
    behind = next((token for token in tokens[at + 1 : at + 3] if token.kind != MARK), None)
    is_called = at == 0 and len(tokens) > 1 and tokens[1].kind == MARK
    return is_called or (behind is not None and behind.word in SUBJECT_PRONOUNS)


def _is_verb_first(tokens: list[Token]) -> bool:
    first = next((at for at, token in enumerate(tokens) if token.kind != MARK), len(tokens))
    if first == len(tokens) or tokens[first].word in SUBJECT_PRONOUNS or tokens[first].kind == NAME:
        return False
    return bool(verb_places(tokens[first : first + 2])) or tokens[first].word.endswith(("s", "ed"))


def _first_verb(tokens: list[Token], start: int) -> int:
    return next((at for at in verb_places(tokens) if at > start), len(tokens))


def _behind_phrase(tokens: list[Token], at: int) -> int:
    """Return where a phrase ends that begins with a preposition."""
    at += 1
    if at < len(tokens) and tokens[at].word in PREPOSITIONS:
        at += 1
    while at < len(tokens) and (tokens[at].word in DETERMINERS or tokens[at].word in POSSESSIVES or tokens[at].owns):
        at += 1
    at += 1
    while at < len(tokens) and tokens[at].kind == WORD and not _is_verb(tokens, at):
        if tokens[at].word in FUNCTION_WORDS:
            break
        at += 1
    return at


def _is_passive(tokens: list[Token]) -> bool:
    """Return whether a form of `be` stands before a participle, at most two words away."""
    places = set(verb_places(tokens))
    for at, token in enumerate(tokens):
        if token.word in BE:
            for behind in range(at + 1, min(at + 4, len(tokens))):
                word = tokens[behind].word
                if behind in places and word not in AUXILIARIES and not word.endswith("ing"):
                    return True
    return False


def _owners(tokens: list[Token], persons: tuple[str | None, ...]) -> Iterator[tuple[str, str]]:
    """Yield the owner and the stem of what is owned: the word behind, or the last of two or three."""
    for at, token in enumerate(tokens):
        owner = token.value if token.owns and token.kind == NAME else None
        if token.word in POSSESSIVES and not token.owns:
            owner = persons[at] or ""
        if owner is not None:
            nouns = []
            for behind in range(at + 1, min(at + 4, len(tokens))):
                one = tokens[behind]
                if one.kind != WORD or one.word in FUNCTION_WORDS or _is_verb(tokens, behind):
                    break
                nouns.append(one.value)
            for noun in nouns[:1] + nouns[-1:]:
                yield owner, noun
