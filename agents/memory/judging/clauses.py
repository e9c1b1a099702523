"""Reading prose as clauses: who does it, with which verbs, and what else is named. A rough reading, of English.

What is not clear stays open: a subject that may be several people is None, which agrees with everybody.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

from agents.memory.english import (
    AUXILIARIES,
    BASES,
    BE,
    COORDINATORS,
    DETERMINERS,
    FINITE,
    FUNCTION_WORDS,
    OBJECT_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    SAYING,
    SUBJECT_PRONOUNS,
    SUBORDINATORS,
    THINKING,
    is_negation,
    stem,
)
from agents.memory.judging.entities import plain
from agents.memory.judging.tokens import (
    MARK,
    NAME,
    NUMBER,
    PLACE,
    SEPARATOR,
    WORD,
    Gazetteer,
    Token,
    sentences,
    without_quotes,
)

THIRD_PERSONS = frozenset("he him his himself she her hers herself".split())
SOMEBODY = ""
"""The mark among the names for a person whose name is unknown."""


@dataclass
class Discourse:
    """The people talked about last: `before` are those of the sentence before.

    `i` and `you` are the people meant by these words, None if unknown.
    """

    people: frozenset[str]
    i: str | None = None
    you: str | None = None
    before: list[str] = field(default_factory=list)


def resolved_persons(tokens: list[Token], named: list[str], discourse: Discourse) -> Iterator[str | None]:
    """Yield the person that each word means: a name, or the person of a pronoun."""
    known = list(named)
    for at, token in enumerate(tokens):
        if is_person(tokens, at, discourse.people):
            known.append(token.value)
        yield token.value if token.kind == NAME else _meant(token.word, known, discourse)


def is_person(tokens: list[Token], at: int, people: frozenset[str]) -> bool:
    return tokens[at].kind == NAME and tokens[at].value in people


def _meant(word: str, named: list[str], discourse: Discourse) -> str | None:
    """Return who is meant by a pronoun; by one of the third person the only one whom it can mean."""
    if word in ("i", "me", "my", "mine", "myself", "i'm", "i've", "i'll", "i'd"):
        return discourse.i
    if word in ("you", "your", "yours", "yourself"):
        return discourse.you
    if word.partition("'")[0] not in THIRD_PERSONS:
        return None
    others = {*discourse.before, *named} - {discourse.i, discourse.you}
    return (min(others) or None) if len(others) == 1 else None


_NOMINATIVE = frozenset("i he she we they".split())
_HAVE = frozenset("have has had".split())
_SOMEBODIES = frozenset("nobody everybody somebody anybody everyone someone".split())
CONTENT_OPENINGS = frozenset("that whether if how why what where when".split())
_PRESUPPOSED = frozenset("that because since although though who which".split())
"""The openings of those clauses in a question whose content is taken for granted."""

_STANDS_ALONE = frozenset({";", ":", "(", ")", "—", "–", "-"}) | (SUBORDINATORS - {"as", "than", "before", "after"})


@dataclass(frozen=True)
class Clause:
    """A part of a sentence with a verb.

    `subject` is a name, or None if it is not clear who does it. `opening` is the conjunction that it begins with.
    `is_asked` is true in the part of a question that may be so or not.
    """

    tokens: tuple[Token, ...]
    subject: str | None
    verbs: frozenset[str]
    opening: str = ""
    passive: bool = False
    owners: tuple[tuple[str, str], ...] = ()
    persons: tuple[str | None, ...] = ()
    is_asked: bool = False

    @cached_property
    def text(self) -> str:
        return " ".join(token.written for token in self.tokens)

    @cached_property
    def start(self) -> int:
        """The position of its beginning in the text."""
        return min(token.start for token in self.tokens if token.kind != MARK)

    @cached_property
    def verb_places(self) -> list[int]:
        """The positions of its verbs."""
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
        """The items that the clause is about: stems, names, places and numbers."""
        found = {_item(token) for token in self.tokens}
        return frozenset(item for item in found | self.verbs | {f"@{name}" for name in self.names} if item)

    @cached_property
    def is_negated(self) -> bool:
        behind = [*(token.word for token in self.tokens[1:]), ""]
        denied = (is_negation(token.word) and after != "else" for token, after in zip(self.tokens, behind, strict=True))
        return sum(denied) % 2 == 1  # "I, and nobody else, heard it" denies nothing of me


def _item(token: Token) -> str:
    if token.kind == NAME:
        return f"@{token.value}"
    if token.kind == PLACE:
        return f"%{token.value}"
    if token.kind == NUMBER:
        return f"#{token.value}"
    return "" if token.kind == MARK or token.word in FUNCTION_WORDS or is_negation(token.word) else token.value


def read(text: str, gazetteer: Gazetteer, discourse: Discourse) -> Iterator[list[Clause]]:
    """Yield the clauses of each sentence; `talk` goes on with them."""
    for sentence in sentences(gazetteer.tokens(without_quotes(plain(text)))):
        if clauses := _clauses(sentence, discourse):
            yield clauses


def _clauses(sentence: list[Token], discourse: Discourse) -> list[Clause]:
    asked_from = _question_start(sentence)
    found: list[Clause] = []
    named: list[str] = []
    people = {one.start: one.value for at, one in enumerate(sentence) if is_person(sentence, at, discourse.people)}
    for opening, tokens in _segments(sentence):
        own = [tokens[at].value for at in range(len(tokens)) if is_person(tokens, at, discourse.people)]
        last = max(((at, name) for at, name in people.items() if at < tokens[0].start), default=(0, None))[1]
        persons = tuple(resolved_persons(tokens, named, discourse))
        subject, is_inherited = _subject(tokens, opening, persons, last)
        if is_inherited and found and opening in COORDINATORS | {"", ",", "who", "which", "that"}:
            subject = found[-1].subject if not _is_open(opening, found) else None
        verbs = frozenset(stem(tokens[at].word) for at in verb_places(tokens) if tokens[at].word not in AUXILIARIES)
        owners = tuple(_owners(tokens, persons))
        is_asked = tokens[-1].start >= asked_from and (not found or opening not in _PRESUPPOSED)
        found.append(Clause(tuple(tokens), subject, verbs, opening, _is_passive(tokens), owners, persons, is_asked))
        named += own
    meant = [
        person or SOMEBODY
        for clause in found
        for token, person in zip(clause.tokens, clause.persons, strict=True)
        if token.word in THIRD_PERSONS
    ]
    discourse.before = [*named, *meant] or discourse.before
    return found


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
        if (merged and not verb_places(tokens) and opening not in _STANDS_ALONE) or (
            joins and (merged[-1][1] or opening in (",", ""))
        ):
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
        return before.kind != MARK and before.word not in SUBORDINATORS | COORDINATORS | AUXILIARIES
    is_told = before.kind == NAME or before.word in OBJECT_PRONOUNS
    verb = sentence[at - 2] if is_told and at > 1 else before
    return sentence[at].kind == NAME and not sentence[at].owns and verb.value in SAYING | THINKING and verb.kind == WORD


def _is_open(opening: str, found: list[Clause]) -> bool:
    """Return whether a coordinated clause may go on with the main clause: `Ana, who said that Ben came, and left`."""
    is_embedded = opening in COORDINATORS and found[-1].opening in CONTENT_OPENINGS | {"who", "which"}
    return is_embedded and len(found) > 1 and found[-1].subject != found[0].subject


def _question_start(sentence: list[Token]) -> float:
    """Return where in the text a question begins: at the first `will you`, else at once; nowhere if none is asked."""
    if sentence[-1].word != "?":
        return math.inf
    for token, behind in pairwise(sentence):
        if token.word in AUXILIARIES and (behind.word in SUBJECT_PRONOUNS or behind.kind == NAME):
            return token.start
    return sentence[0].start


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
    if before is None and word in BASES:
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
    if word.endswith("ing") and len(word) > 4 and before.word in BE:
        return True
    after_name = before.kind == NAME and (word.endswith("s") or word in BASES)
    after_subject = before.word in SUBJECT_PRONOUNS or after_name
    return after_subject or before.word == "to" or before.word in AUXILIARIES - BE - _HAVE or is_negation(before.word)


def _subject(
    tokens: list[Token], opening: str, persons: tuple[str | None, ...], last: str | None
) -> tuple[str | None, bool]:
    """Return who does it, and whether the clause leaves that out, so that the one before says it."""
    if opening in ("who", "which", "whom"):
        if opening == "who" and _is_verb_first(tokens):
            return last, False
        pronoun = next((at for at, token in enumerate(tokens) if token.word in SUBJECT_PRONOUNS), None)
        return (None if pronoun is None else persons[pronoun]), opening == "which" and pronoun is None
    if tokens[0].word == "to" and _is_verb(tokens, 1 if len(tokens) > 1 else 0):
        return None, True
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
        if token.word in DETERMINERS | _SOMEBODIES or token.kind in (PLACE, NUMBER):
            return None, False
        if _is_verb(tokens, at):
            if token.word in AUXILIARIES and following and following.word in SUBJECT_PRONOUNS:
                return persons[at + 1], False
            return None, not seen_noun
        if token.word not in FUNCTION_WORDS and not token.word.endswith("ly"):
            seen_noun = following is None or not (following.kind == NAME or following.word in SUBJECT_PRONOUNS)
        at += 1
    return None, True


def _is_fronted(tokens: list[Token], at: int) -> bool:
    """Return whether somebody else does it, as in `Ana I followed` and `Ana, come here`."""
    behind = next((token for token in tokens[at + 1 : at + 3] if token.kind != MARK), None)
    is_called = at == 0 and len(tokens) > 2 and tokens[1].kind == MARK and tokens[2].kind != NAME
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
    while at < len(tokens) and (tokens[at].word in DETERMINERS or tokens[at].word in POSSESSIVES or tokens[at].owns):
        at += 1
    at += 1
    while at < len(tokens) and tokens[at].kind == WORD and not _is_verb(tokens, at):
        if tokens[at].word in FUNCTION_WORDS:
            break
        at += 1
    return at


def _is_passive(tokens: list[Token]) -> bool:
    """Return whether a form of `be` comes before a participle, at most two words away."""
    places = set(verb_places(tokens))
    for at, token in enumerate(tokens):
        if token.word in BE:
            for behind in range(at + 1, min(at + 4, len(tokens))):
                word = tokens[behind].word
                if behind in places and word not in AUXILIARIES and not word.endswith("ing"):
                    return True
    return False


def _owners(tokens: list[Token], persons: tuple[str | None, ...]) -> Iterator[tuple[str, str]]:
    """Yield the owner and the stem of what is owned: the last of up to three words behind."""
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
            if nouns:
                yield owner, nouns[-1]
