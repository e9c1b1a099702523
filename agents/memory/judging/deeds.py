"""Who did what to whom: each clause of a summary is held against the lines of its source that tell most nearly that.

Only what is clear on both sides counts against a summary; what the rules cannot read passes. They read English.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.memory.english import (
    DENIALS,
    LIGHT,
    NOBODY,
    QUANTIFIERS,
    SAYING,
    SUBJECT_PRONOUNS,
    stem,
    stems,
)
from agents.memory.judging.claims import MARK, NAME
from agents.memory.judging.clauses import Clause, Talk, read
from agents.memory.judging.comparing import (
    attributed,
    has_same_verb,
    is_named,
    never_met,
    opposite,
    own_double,
    strange_thing,
    stranger,
    telling_verbs,
    wrong_act,
    wrong_number,
    wrong_owner,
    wrong_place,
    wrong_time,
    wrong_topic,
    wrong_transfer,
)
from agents.memory.judging.events import GIVING, TAKING, acts_of, complements, denied, is_done, main_verb, person_behind
from agents.memory.judging.evidence import (
    COVERED,
    HALF_COVERED,
    WHOLE,
    Account,
    Fault,
    Proposition,
    Said,
    any_proposition,
    called,
    closest,
    is_telling,
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
SPEECH_ACTS = stems("thank offer invite complain apologise greet wonder demand request beg confess")
"""Verbs of what is done by words alone."""

HELPING = stems("help let make")
THANKING = stems("thank")
ASKING = frozenset("what who whom why how where when".split())
PARTNERS = frozenset("to for with from about".split())
_PRONOUNS = frozenset("it them they him her he she that this we us one".split())


def deed_faults(text: str, account: Account) -> Iterator[Fault]:
    """Yield what a summary tells otherwise than its source: persons, places, numbers, denials and grave deeds."""
    for _, faults in faults_by_sentence(text, account):
        yield from faults


def faults_by_sentence(text: str, account: Account) -> Iterator[tuple[int, list[Fault]]]:
    """Yield for each sentence of a summary where it begins, and what it tells otherwise than its source."""
    it = ""
    talk = Talk(account.cast.people, account.agent, genders=dict(account.genders))
    for sentence in read(text, account.cast, talk):
        words = {token.word for clause in sentence for token in clause.tokens}
        reported = any(clause.verbs & SAYING for clause in sentence)
        denials = [clause.is_negated for clause in sentence]
        faults: list[Fault] = []
        for said in attributed(sentence):
            others = sum(denials) > said.clause.is_negated
            clear = replace(said, is_hedged=bool(words & DENIALS), is_open=others, is_reported=reported, it=it)
            faults += _clause_faults(clear, account)
            named = [thing for _, thing in account.things.within(said.clause.tokens)]
            it = named[-1] if named else it
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
    near = closest(said.clause, account, any_proposition)
    speakers = {one.speaker for one in near}
    if not near or None in speakers or said.speaker in speakers.union(*(one.answers for one in near)):
        return None
    return "wrong-person", f"{called(account, speakers)} said this, not {called(account, [said.speaker])}."


def _wrong_speech_act(said: Said, account: Account) -> Fault | None:
    """Return whether somebody else has thanked, wished, offered or asked for what a clause tells."""
    clause, who = said.clause, said.clause.subject
    if not clause.verbs & SPEECH_ACTS or who is None or clause.passive or clause.is_negated or said.is_hedged:
        return None
    if not any(clause.tokens[at].value in SPEECH_ACTS and is_done(clause, at) for at in clause.verb_places):
        return None
    if clause.verbs & THANKING and account.is_whole:
        thanks = [one for one in account.with_any(THANKING) if one.speaker]
        if who not in {one.speaker for one in thanks}:
            return "invented-deed", f"no memory has {called(account, [who])} giving thanks."
    near = [one for one in closest(said.clause, account, any_proposition, HALF_COVERED) if one.speaker]
    speakers = {one.speaker for one in near}
    if near and who not in speakers.union(*(one.answers for one in near)):
        return "wrong-person", f"{called(account, speakers)} said this, not {called(account, [who])}."
    return None


def _only_meant(said: Said, account: Account) -> Fault | None:
    """Return whether something is told as done that the lines only have as asked for, promised or meant."""
    clause = said.clause
    if clause.subject is None or said.is_reported or said.is_hedged or said.is_open or clause.is_negated:
        return None
    verbs = {clause.tokens[at].value for at in clause.verb_places if is_done(clause, at)} - SAYING - SPEECH_ACTS
    topics = {item for item in clause.items - account.people if item not in verbs and item not in LIGHT}
    known = {item for item in topics if account.has(item)}
    for verb in sorted(verbs):
        told = [
            one
            for one in account.with_any([verb])
            if verb in one.clause.verbs and one.subject in (None, clause.subject) and known & (one.items | one.around)
        ]
        if told and all(one.is_only_meant for one in told):
            return "invented-deed", f"the memories do not have this as done: {told[0].clause.text!r}."
    return None


def _doer(said: Said) -> str | None:
    if said.clause.passive:
        return person_behind(said.clause, ("by",))
    return said.clause.subject


def _wrong_doer(said: Said, account: Account) -> Fault | None:
    clause, doer = said.clause, _doer(said)
    if doer is None or clause.words & DENIALS or clause.verbs & (SAYING | HELPING):
        return None
    if (clause.verbs & PERCEIVING and doer == account.agent) or (
        not said.speaker and any(acts_of(clause, account.things))
    ):
        return None
    if not _topics(clause) and (clause.words & _PRONOUNS or clause.opening in ASKING):
        return None

    def fits(one: Proposition) -> bool:
        is_same = has_same_verb(clause, one) and one.clause.is_negated == clause.is_negated
        return is_same and _shares_topic(clause, one)

    near = closest(said.clause, account, fits)
    if not telling_verbs(clause):
        near = [one for one in near if is_telling(clause, one, account)]
    if clause.passive and any(doer in one.clause.names for one in near):
        return None
    doers = {one.subject for one in near}
    if not near or None in doers or doer in doers or any(doer == one.speaker for one in near):
        return None
    partner = person_behind(clause, ("from", "by", "with", "of", "for"))
    if _listed(clause) & doers or (partner in doers and not all(doer in one.clause.names for one in near)):
        return None
    return "wrong-person", f"{called(account, doers)} did this, not {called(account, [doer])}."


def _listed(clause: Clause) -> set[str | None]:
    """Return who is named right behind a comma: `Ines wants a letter, Tomas his money`."""
    pairs = zip(clause.tokens, clause.tokens[1:], strict=False)
    return {token.value for before, token in pairs if before.kind == MARK and token.kind == NAME}


def _wrong_denial(said: Said, account: Account) -> Fault | None:
    clause = said.clause
    if said.is_hedged or (said.is_open and not clause.is_negated):
        return None
    verbs = denied(clause) if clause.is_negated else clause.verbs - SAYING
    if not verbs or clause.words & {"until", "till", "only"}:
        return None

    was_done = not said.is_reported and any(is_done(clause, at) for at in clause.verb_places)

    def fits(one: Proposition) -> bool:
        if one.is_quoted or (one.is_only_meant and was_done):
            return False
        is_speaker = said.speaker is None or one.speaker in (None, said.speaker)
        is_verb = bool(verbs & (one.items if clause.is_negated else one.clause.verbs))
        return is_verb and is_speaker and (clause.subject is None or one.subject in (None, clause.subject))

    is_anybodys = clause.subject is None and said.speaker is None and not clause.words & QUANTIFIERS
    if is_anybodys and (clause.is_negated or not clause.words & SUBJECT_PRONOUNS):
        return None
    covered = WHOLE if is_anybodys else HALF_COVERED if said.speaker else COVERED
    near = [one for one in closest(clause, account, fits, covered) if _shares_topic(clause, one)]
    own = [one for one in near if clause.subject and clause.subject in (one.speaker, *one.clause.names)]
    near = own or near
    if near and all(_is_contrary(clause, one.clause) for one in near):
        how = "say the contrary" if clause.is_negated else "deny this"
        return "negation", f"the memories {how}: {near[0].clause.text!r}."
    return None


def _wrong_quantity(said: Said, account: Account) -> Fault | None:
    """Return whether everybody or somebody does what the lines say of nobody, or the other way round."""
    clause = said.clause
    if said.is_hedged or not clause.words & QUANTIFIERS:
        return None
    for verb in sorted(clause.verbs - SAYING - PERCEIVING):
        told = [
            one
            for one in account.with_any([verb])
            if verb in one.clause.verbs and said.speaker in (None, one.speaker) and one.clause.words & QUANTIFIERS
        ]
        if told and all(bool(one.clause.words & NOBODY) != bool(clause.words & NOBODY) for one in told):
            return "negation", f"the memories say the contrary: {told[0].clause.text!r}."
    return None


def _shares_topic(clause: Clause, one: Proposition) -> bool:
    """Return whether both speak of the same beside the verb, or a clause speaks of nothing else."""
    topics = _topics(clause)
    return not topics or bool(topics & (one.items | one.around))


def _topics(clause: Clause) -> set[str]:
    return {item for item in clause.items - clause.verbs if item not in LIGHT and item[0] not in "@%#"}


def _is_contrary(clause: Clause, other: Clause) -> bool:
    return clause.is_negated != other.is_negated and bool(denied(clause) or denied(other))


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
    clause, who = said.clause, said.clause.subject
    others = clause.names - {who}
    if who is None or clause.passive or not others or person_behind(clause, ("with", "by")):
        return None
    main = main_verb(clause)
    if main and not clause.verbs & SAYING and main not in GIVING | TAKING | LIGHT:
        told = [one for one in account.with_any([main]) if main == main_verb(one.clause)]
        if _is_mirrored(clause, told):
            return "wrong-person", f"the memories have it the other way round: {told[0].clause.text!r}."
    near = closest(said.clause, account, lambda one: account.agent not in (one.subject, one.speaker), HALF_COVERED)
    near = [one for one in near if main and main in (main_verb(one.clause), *(one.items - one.clause.verbs))]
    if _is_mirrored(clause, near):
        return "wrong-person", f"the memories have it the other way round: {near[0].clause.text!r}."
    return None


def _is_mirrored(clause: Clause, told: Sequence[Proposition]) -> bool:
    who, others = clause.subject, clause.names - {clause.subject}
    return bool(told) and all(
        one.subject in others and one.subject != who and (who in one.clause.names or _is_open_to(one)) for one in told
    )


def _wrong_partner(said: Said, account: Account) -> Fault | None:
    """Return whether something is said to be done to, for or with somebody else than in all lines that have it."""
    clause, main = said.clause, main_verb(said.clause)
    if not main or main in LIGHT | GIVING | TAKING or clause.passive or said.is_hedged:
        return None
    for preposition in PARTNERS & clause.words:
        whom = person_behind(clause, (preposition,))
        told = [one for one in account.with_any([main]) if main in one.clause.verbs and one.speaker != account.agent]
        others = [person_behind(one.clause, (preposition,)) for one in told]
        if whom and others and all(others) and not any(whom in one.clause.names for one in told):
            return "wrong-person", f"the memories have {called(account, others)} here, not {called(account, [whom])}."
    return None


def _wrong_complement(said: Said, account: Account) -> Fault | None:
    """Return whether something is said to be for, with or in another thing than in all lines that have it."""
    clause, main, who = said.clause, main_verb(said.clause), said.speaker or said.clause.subject
    if not main or said.is_hedged or who is None:
        return None
    told = [one for one in account.with_any([main]) if who in (one.speaker, one.subject) and main in one.clause.items]
    if main in LIGHT:
        told = [one for one in told if (clause.items & one.items) - clause.verbs - LIGHT - account.people]
    for preposition, noun in sorted(complements(clause)):
        others = [dict(complements(one.clause)).get(preposition) for one in told]
        if told and all(others) and account.has(noun) and not any(noun in one.items | one.around for one in told):
            return "wrong-thing", f"the memories have {preposition} {others[0]} here: {told[0].clause.text!r}."
    return None


def _is_open_to(one: Proposition) -> bool:
    """Return whether it was said to somebody of whom nobody knows who it was."""
    pairs = zip(one.clause.tokens, one.clause.persons, strict=True)
    return any(token.word in ("you", "your") and person is None for token, person in pairs)


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
        who = clause.subject if is_named(clause) else None
        if is_personal and who and not any(who in one.clause.names or who == one.subject for one in told):
            return "invented-deed", f"no memory tells this of {called(account, [who])}."
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


RULES = (
    stranger,
    own_double,
    wrong_transfer,
    wrong_act,
    never_met,
    _wrong_speaker,
    _wrong_speech_act,
    _wrong_promise,
    _wrong_doer,
    _swapped,
    _wrong_partner,
    _wrong_complement,
    _wrong_object,
    _wrong_denial,
    _wrong_quantity,
    opposite,
    _grave,
    wrong_owner,
    wrong_place,
    wrong_topic,
    strange_thing,
    wrong_number,
    wrong_time,
    _only_meant,
)
