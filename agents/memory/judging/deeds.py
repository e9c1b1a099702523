"""Who did what to whom: each clause of a summary is held against the lines of its source that tell most nearly that.

Only what is clear on both sides counts against a summary; what the rules cannot read passes. They read English.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from agents.memory.english import (
    BE,
    DENIALS,
    LIGHT,
    SAYING,
    SUBJECT_PRONOUNS,
    stem,
    stems,
)
from agents.memory.judging.claims import MARK, NAME, WORD, folded
from agents.memory.judging.clauses import Clause, read
from agents.memory.judging.comparing import (
    COVERED,
    WHOLE,
    Fault,
    Said,
    any_proposition,
    attributed,
    called,
    closest,
    has_same_verb,
    strange_thing,
    telling_verbs,
    wrong_number,
    wrong_place,
    wrong_topic,
)
from agents.memory.judging.evidence import (
    GIVING,
    TAKING,
    Account,
    Proposition,
    person_behind,
    transfers_of,
)

GRAVE = (
    (stems("die drown"), stems("die drown"), True),
    (stems("kill murder stab poison"), stems("kill murder stab poison die"), True),
    (stems("steal rob"), stems("steal rob theft thief"), True),
    (stems("marry wed"), stems("marry wed wife husband bride"), False),
    (stems("sell buy trade"), stems("sell buy trade sale pay price cost owe penny silver coin"), False),
)
"""Grave deeds, what in a line bears them out, and whether the line has to be about whoever is said to have done it."""
PERCEIVING = stems("see hear watch notice")
_PRONOUNS = frozenset("it them they him her he she that this we us one".split())


def deed_faults(text: str, account: Account) -> Iterator[Fault]:
    """Yield what a summary tells otherwise than its source: persons, places, numbers, denials and grave deeds."""
    for _, faults in faults_by_sentence(text, account):
        yield from faults


def faults_by_sentence(text: str, account: Account) -> Iterator[tuple[int, list[Fault]]]:
    """Yield for each sentence of a summary where it begins, and what it tells otherwise than its source."""
    for sentence in read(text, account.cast, account.agent, None):
        words = {token.word for clause in sentence for token in clause.tokens}
        denials = [clause.is_negated for clause in sentence]
        faults: list[Fault] = []
        for said in attributed(sentence):
            others = sum(denials) > said.clause.is_negated
            clear = replace(said, is_hedged=bool(words & DENIALS), is_open=others)
            faults += _clause_faults(clear, account)
        yield min(clause.start for clause in sentence), faults


def _clause_faults(said: Said, account: Account) -> Iterator[Fault]:
    for rule in RULES:
        if why := rule(said, account):
            reason, detail = why
            yield reason, f"{said.clause.text!r}: {detail}"
            return


def _wrong_speaker(said: Said, account: Account) -> Fault | None:
    if said.speaker is None or said.is_hedged:
        return None
    near = closest(said, account, any_proposition)
    speakers = {one.speaker for one in near}
    if not near or None in speakers or said.speaker in speakers.union(*(one.answers for one in near)):
        return None
    return "wrong-person", f"{called(account, speakers)} said this, not {called(account, [said.speaker])}."


def _wrong_transfer(said: Said, account: Account) -> Fault | None:
    for one in transfers_of(said.clause, account.things):
        events = account.transfers.get(one.thing, set())
        if any(one.agrees(other) for other in events):
            continue
        if one.giver is None and one.receiver is None:
            continue
        if events:
            told = min(events, key=lambda event: (event.giver is None, event.receiver is None, str(event)))
            who = called(account, [told.giver]) or "somebody"
            whom = "me" if told.receiver == account.agent else told.receiver or "somebody"
            return "wrong-person", f"in the memories {who} gave the {one.thing} to {whom}."
        if one.giver and one.receiver:
            return (
                "invented-deed",
                f"no memory tells that {called(account, [one.giver])} gave the {one.thing} to {one.receiver}.",
            )
    return None


def _doer(said: Said) -> str | None:
    if said.clause.passive:
        return person_behind(said.clause, ("by",))
    return said.clause.subject


def _wrong_doer(said: Said, account: Account) -> Fault | None:
    clause, doer = said.clause, _doer(said)
    if doer is None or clause.words & DENIALS or clause.verbs & (SAYING | PERCEIVING):
        return None
    near = closest(said, account, lambda one: has_same_verb(clause, one) and one.clause.is_negated == clause.is_negated)
    if not telling_verbs(clause):
        near = [one for one in near if _is_telling(clause, one)]
    doers = {one.subject for one in near}
    if not near or None in doers or doer in doers or any(doer == one.speaker for one in near):
        return None
    if person_behind(clause, ("from", "by", "with", "of", "for")) in doers or _listed(clause) & doers:
        return None
    return "wrong-person", f"{called(account, doers)} did this, not {called(account, [doer])}."


def _is_telling(clause: Clause, one: Proposition) -> bool:
    """Return whether what two clauses share tells enough although their verb may be that of anything."""
    shared = clause.items & one.items - {f"@{clause.subject}"} - LIGHT
    is_same = clause.verbs & one.clause.verbs or (BE & clause.words and BE & one.clause.words)
    return len({item for item in shared if item[0] != "%"}) >= (2 if is_same else 3)


def _listed(clause: Clause) -> set[str | None]:
    """Return who is named right behind a comma: `Ines wants a letter, Tomas his money`."""
    pairs = zip(clause.tokens, clause.tokens[1:], strict=False)
    return {token.value for before, token in pairs if before.kind == MARK and token.kind == NAME}


def _wrong_denial(said: Said, account: Account) -> Fault | None:
    clause = said.clause
    if said.is_hedged:
        return None
    if said.is_open and not clause.is_negated:
        return None
    denied = _denied(clause)
    if clause.is_negated and not denied:
        return None

    def fits(one: Proposition) -> bool:
        is_speaker = said.speaker is None or one.speaker in (None, said.speaker)
        is_verb = bool(denied & one.clause.verbs) if denied else has_same_verb(clause, one)
        return is_verb and is_speaker and (clause.subject is None or one.subject in (None, clause.subject))

    is_anybodys = clause.subject is None and said.speaker is None
    if is_anybodys and (clause.is_negated or not clause.words & SUBJECT_PRONOUNS):
        return None
    near = closest(said, account, fits, WHOLE if is_anybodys else COVERED)
    if near and all(_is_contrary(clause, one.clause) for one in near):
        how = "say the contrary" if clause.is_negated else "deny this"
        return "negation", f"the memories {how}: {near[0].clause.text!r}."
    return None


def _is_contrary(clause: Clause, other: Clause) -> bool:
    return clause.is_negated != other.is_negated and bool(_denied(clause) or _denied(other))


def _denied(clause: Clause) -> frozenset[str]:
    """Return the stems of the words behind a `not`."""
    words = [token.word for token in clause.tokens]
    places = [at for at, word in enumerate(words) if word in ("not", "never", "cannot") or word.endswith("n't")]
    return frozenset(token.value for at in places for token in clause.tokens[at + 1 : at + 3] if token.kind == WORD)


def _wrong_object(said: Said, account: Account) -> Fault | None:
    """Return whom or what a deed is said to have been done to, if the lines have another."""
    clause = said.clause
    if clause.subject is None or clause.passive:
        return None
    verbs = telling_verbs(clause)
    near = [
        one for one in account.with_any(verbs) if verbs & one.clause.verbs and one.subject in (None, clause.subject)
    ]
    if not near or any(one.subject is None or one.clause.words & _PRONOUNS for one in near):
        return None
    others = {token.value for token in clause.tokens if token.kind == NAME} - {clause.subject, account.agent}
    told = [one.clause.names - {clause.subject} for one in near]
    if others and all(told) and not any(others & (names | one.people) for names, one in zip(told, near, strict=True)):
        return "wrong-person", f"the memories have {called(account, told[0])} here, not {called(account, others)}."
    owned = _owned(clause, account)
    same = [_owned(one.clause, account) for one in near]
    words = {stem(word) for name in owned for word in name.split()}
    if owned and any(same) and not any(words & one.items for one in near):
        return "wrong-thing", f"the memories have no {called(account, owned)} here: {near[0].clause.text!r}."
    return None


def _owned(clause: Clause, account: Account) -> set[str]:
    """Return the things in a clause, and what is said to be somebody's in it."""
    things = {thing for _, thing in account.things.within(clause.tokens)}
    return things or {noun for _, noun in clause.owners if noun not in LIGHT}


def _swapped(said: Said, account: Account) -> Fault | None:
    """Return whether a clause has two people the other way round than every line that has what it tells."""
    clause = said.clause
    others = clause.names - {clause.subject}
    if clause.subject is None or clause.passive or not others:
        return None
    if person_behind(clause, ("from", "by", "with")):
        return None
    for verb in sorted(telling_verbs(clause) - GIVING - TAKING):
        told = [one for one in account.with_any([verb]) if verb in one.clause.verbs]
        if not told or any(one.subject in (None, clause.subject) for one in told):
            continue
        if all(one.subject in others and clause.subject in one.clause.names for one in told):
            return "wrong-person", f"the memories have it the other way round: {told[0].clause.text!r}."
    return None


def _grave(said: Said, account: Account) -> Fault | None:
    clause = said.clause
    if clause.is_negated or said.is_open or said.is_hedged:
        return None
    said_stems = {clause.tokens[at].value for at in clause.verb_places}
    said_stems |= {token.value for token in clause.tokens if token.word == "dead"}
    for kind, evidence, is_personal in GRAVE:
        if not said_stems & kind:
            continue
        told = account.with_any(evidence)
        if not told:
            return "invented-deed", "no memory tells of such a deed."
        who = clause.subject
        if is_personal and who and not any(who in one.clause.names or who == one.subject for one in told):
            return "invented-deed", f"no memory tells this of {called(account, [who])}."
    return None


def _wrong_owner(said: Said, account: Account) -> Fault | None:
    given = {stem(thing.rpartition(" ")[2]) for thing in account.transfers}
    for owner, noun in said.clause.owners:
        known = account.owners.get(noun, set())
        if owner and known - {""} and owner not in known and noun not in LIGHT and noun not in given:
            return (
                "wrong-person",
                f"the memories speak of {called(account, known)} here, not of {called(account, [owner])}.",
            )
    return None


def _wrong_promise(said: Said, account: Account) -> Fault | None:
    clause, who = said.clause, said.clause.subject
    if "promis" not in clause.verbs or clause.passive or who is None or clause.is_negated:
        return None
    matter = {item for item in clause.items if item not in LIGHT and item[0] not in "@%" and item != "promis"}
    told = account.with_any(matter)
    if not any(account.has(item) for item in matter):
        return None
    if any(one.speaker in (who, None) and one.subject in (who, None) for one in told):
        return None
    return "wrong-person", f"{called(account, [who])} did not promise this."


def _stranger(said: Said, account: Account) -> Fault | None:
    who = said.clause.subject
    if who and who != account.agent and not {folded(part) for part in who.split()} & account.vocabulary:
        return "wrong-person", f"no memory tells of {who}."
    return None


RULES = (
    _stranger,
    _wrong_transfer,
    _wrong_speaker,
    _wrong_promise,
    _wrong_doer,
    _swapped,
    _wrong_object,
    _wrong_denial,
    _grave,
    _wrong_owner,
    wrong_place,
    wrong_topic,
    strange_thing,
    wrong_number,
)
