"""Rules on persons: who spoke, who did something, and to, for or with whom."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from agents.memory.english import BE, DENIALS, KINSHIP, LIGHT, SAYING, stem, stems
from agents.memory.judging.clauses import Clause
from agents.memory.judging.entities import folded
from agents.memory.judging.events import FIND, GIVING, TAKING, actions_of, complements, main_verb, person_behind
from agents.memory.judging.evidence import Evidence, Proposition
from agents.memory.judging.matching import (
    HALF_COVERED,
    PERCEIVING,
    SPEECH_ACTS,
    Claim,
    Fault,
    any_proposition,
    closest,
    display_names,
    has_same_verb,
    is_named,
    is_telling,
    shares_topic,
    telling_verbs,
    topics_of,
)
from agents.memory.judging.modality import is_realized
from agents.memory.judging.tokens import MARK, NAME, WORD

HELPING = stems("help let make")
THANKING = stems("thank")
ASKING = frozenset("what who whom why how where when".split())
PARTNERS = frozenset("to for with from about".split())
_CONDITIONAL = frozenset("would might".split())
_INDEFINITE = frozenset("somebody someone anybody anyone".split())
_PRONOUNS = frozenset("it them they him her he she that this we us one".split())


def unknown_person(claim: Claim, evidence: Evidence) -> Fault | None:
    who = claim.clause.subject
    if who and who != evidence.agent and not {folded(part) for part in who.split()} & evidence.vocabulary:
        return "wrong-person", f"no memory tells of {who}."
    return None


def self_as_other(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether the agent is said to do something to itself, as if its name were somebody else's."""
    tokens = claim.clause.tokens
    named = [at for at, token in enumerate(tokens) if (token.kind, token.value) == (NAME, evidence.agent)]
    for at, own in product(named, [at for at, token in enumerate(tokens) if token.word in ("i", "me")]):
        between = tokens[min(at, own) + 1 : max(at, own)]
        is_action = any(one.value in claim.clause.verbs and one.word not in BE for one in between)
        if is_action and not tokens[at].owns and MARK not in [one.kind for one in between]:
            return "wrong-person", f"{evidence.agent} is who tells this, and nobody else: {claim.clause.text!r}."
    return None


def wrong_speaker(claim: Claim, evidence: Evidence) -> Fault | None:
    if claim.speaker is None or claim.is_hedged:
        return None
    near = closest(claim.clause, evidence, any_proposition)
    speakers = {one.speaker for one in near}
    if not near or None in speakers or claim.speaker in speakers.union(*(one.answers for one in near)):
        return None
    return (
        "wrong-person",
        f"{display_names(evidence, speakers)} said this, not {display_names(evidence, [claim.speaker])}.",
    )


def wrong_speech_act(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether somebody else has thanked, wished, offered or asked for what a clause tells."""
    clause, who = claim.clause, claim.clause.subject
    if (
        not clause.verbs & SPEECH_ACTS
        or who is None
        or (not is_named(clause) and who != evidence.agent)
        or clause.passive
        or clause.is_negated
        or claim.is_hedged
    ):
        return None
    if not any(clause.tokens[at].value in SPEECH_ACTS and is_realized(clause, at) for at in clause.verb_places):
        return None
    if clause.verbs & THANKING and evidence.is_whole:
        thanks = [one for one in evidence.with_any(THANKING) if one.speaker]
        if who not in {one.speaker for one in thanks}:
            return "invented-event", f"no memory has {display_names(evidence, [who])} giving thanks."
    near = [one for one in closest(claim.clause, evidence, any_proposition, HALF_COVERED) if one.speaker]
    speakers = {one.speaker for one in near}
    if who in {one.subject for one in near}:
        return None  # somebody told it for them
    if near and who not in speakers.union(*(one.answers for one in near)):
        return "wrong-person", f"{display_names(evidence, speakers)} said this, not {display_names(evidence, [who])}."
    return None


def _actor_of(claim: Claim) -> str | None:
    if claim.clause.passive:
        return person_behind(claim.clause, ("by",))
    return claim.clause.subject


def wrong_subject(claim: Claim, evidence: Evidence) -> Fault | None:
    clause, actor = claim.clause, _actor_of(claim)
    if actor is None or clause.words & (DENIALS | _CONDITIONAL) or clause.verbs & (SAYING | HELPING):
        return None
    if (clause.verbs & PERCEIVING and actor == evidence.agent) or (
        not claim.speaker and any(one.kind != FIND for one in actions_of(clause, evidence.things))
    ):
        return None
    if not topics_of(clause) and (clause.words & _PRONOUNS or clause.opening in ASKING):
        return None

    def fits(one: Proposition) -> bool:
        is_same = has_same_verb(clause, one) and one.clause.is_negated == clause.is_negated
        return is_same and shares_topic(clause, one)

    near = closest(claim.clause, evidence, fits)
    if not telling_verbs(clause):
        near = [one for one in near if is_telling(clause, one, evidence)]
    if clause.passive and any(actor in one.clause.names for one in near):
        return None
    actors = {one.subject for one in near}
    is_own = not is_named(clause) and any(actor == one.speaker for one in near)
    if not near or None in actors or actor in actors or is_own:
        return None
    if _listed(clause) & actors:
        return None
    return "wrong-person", f"{display_names(evidence, actors)} did this, not {display_names(evidence, [actor])}."


def _listed(clause: Clause) -> set[str | None]:
    """Return who is named right behind a comma: `Ines wants a letter, Tomas his money`."""
    pairs = zip(clause.tokens, clause.tokens[1:], strict=False)
    return {token.value for before, token in pairs if before.kind == MARK and token.kind == NAME}


def wrong_object(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whom or what an act is said to have been done to, if the lines have another."""
    clause = claim.clause
    if clause.subject is None or clause.passive:
        return None
    verbs = telling_verbs(clause)
    near = [
        one for one in evidence.with_any(verbs) if verbs & one.clause.verbs and one.subject in (None, clause.subject)
    ]
    if not near or any(one.subject is None or one.clause.words & _PRONOUNS for one in near):
        return None
    others = {token.value for token in clause.tokens if token.kind == NAME} - {clause.subject, evidence.agent}
    told = [one.clause.names - {clause.subject} for one in near]
    if others and all(told) and not any(others & (names | one.people) for names, one in zip(told, near, strict=True)):
        return (
            "wrong-person",
            f"the memories have {display_names(evidence, told[0])} here, not {display_names(evidence, others)}.",
        )
    owned = _owned(clause, evidence)
    same = [_owned(one.clause, evidence) for one in near]
    words = {stem(word) for name in owned for word in name.split()}
    if owned and any(same) and not any(words & one.items for one in near):
        return "wrong-thing", f"the memories have no {display_names(evidence, owned)} here: {near[0].clause.text!r}."
    return None


def _owned(clause: Clause, evidence: Evidence) -> set[str]:
    """Return the things in a clause, and what is said to be somebody's in it."""
    things = {thing for _, thing in evidence.things.within(clause.tokens)}
    return things or {noun for _, noun in clause.owners if noun not in LIGHT}


def swapped_persons(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether a clause has two people the other way round than every line that has what it tells."""
    clause, who = claim.clause, claim.clause.subject
    if who is None or clause.passive or person_behind(clause, ("with", "by")):
        return None
    main = main_verb(clause)
    if main and not clause.verbs & SAYING and main not in GIVING | TAKING | LIGHT:
        told = [one for one in evidence.with_any([main]) if main == main_verb(one.clause)]
        if _is_mirrored(clause, told):
            return "wrong-person", f"the memories have it the other way round: {told[0].clause.text!r}."
        same = [one for one in told if shares_topic(clause, one)]
        if same and is_named(clause) and all(one.subject != who and _object_of(one, [main]) == who for one in same):
            return "wrong-person", f"the memories have it done to {who}: {same[0].clause.text!r}."
    near = closest(claim.clause, evidence, lambda one: evidence.agent not in (one.subject, one.speaker), HALF_COVERED)
    near = [one for one in near if main and main in (main_verb(one.clause), *(one.items - one.clause.verbs))]
    if _is_mirrored(clause, near):
        return "wrong-person", f"the memories have it the other way round: {near[0].clause.text!r}."
    return None


def _is_mirrored(clause: Clause, told: Sequence[Proposition]) -> bool:
    who, others = clause.subject, clause.names - {clause.subject}
    return bool(told) and all(
        one.subject in others and one.subject != who and (who in one.clause.names or _is_open_to(one)) for one in told
    )


def wrong_partner(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether something is said to be done to, for or with somebody else than in all lines that have it."""
    clause, main = claim.clause, main_verb(claim.clause)
    if not main or main in LIGHT | GIVING | TAKING or clause.passive or claim.is_hedged:
        return None
    for preposition in PARTNERS & clause.words:
        whom = person_behind(clause, (preposition,))
        told = [one for one in evidence.with_any([main]) if main in one.clause.verbs and one.speaker != evidence.agent]
        others = [person_behind(one.clause, (preposition,)) for one in told]
        if whom and others and all(others) and not any(whom in one.clause.names for one in told):
            return (
                "wrong-person",
                f"the memories have {display_names(evidence, others)} here, not {display_names(evidence, [whom])}.",
            )
    return None


def wrong_complement(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether something is said to be for, with or in another thing than in all lines that have it."""
    clause, main, who = claim.clause, main_verb(claim.clause), claim.speaker or claim.clause.subject
    if not main or claim.is_hedged or who is None:
        return None
    told = [one for one in evidence.with_any([main]) if who in (one.speaker, one.subject) and main in one.clause.items]
    if main in LIGHT:
        told = [one for one in told if (clause.items & one.items) - clause.verbs - LIGHT - evidence.people]
    for preposition, noun in sorted(complements(clause)):
        others = [dict(complements(one.clause)).get(preposition) for one in told]
        if told and all(others) and evidence.has(noun) and not any(noun in one.items | one.around for one in told):
            return "wrong-thing", f"the memories have {preposition} {others[0]} here: {told[0].clause.text!r}."
    return None


def _is_open_to(one: Proposition) -> bool:
    """Return whether it was said to an unknown hearer."""
    pairs = zip(one.clause.tokens, one.clause.persons, strict=True)
    return any(token.word in ("you", "your") and person is None for token, person in pairs)


def wrong_promise(claim: Claim, evidence: Evidence) -> Fault | None:
    clause, who = claim.clause, claim.clause.subject
    if "promis" not in clause.verbs or clause.passive or who is None or clause.is_negated:
        return None
    matter = {item for item in clause.items if item not in LIGHT and item[0] not in "@%" and item != "promis"}
    if who == evidence.agent and evidence.is_whole and not _is_of_own_words(clause, evidence):
        return "invented-event", "no memory has me promising this."
    told = evidence.with_any(matter)
    if not any(evidence.has(item) for item in matter):
        return None
    if any(one.speaker in (who, None) and one.subject in (who, None) for one in told):
        return None
    return "wrong-person", f"{display_names(evidence, [who])} did not promise this."


def _is_of_own_words(clause: Clause, evidence: Evidence) -> bool:
    """Return whether the agent has spoken, or was asked and has answered, of anything that a clause tells."""
    about = clause.items - SPEECH_ACTS - evidence.people
    told = evidence.with_any(about)
    own = (one for one in told if one.speaker is None and one.subject == evidence.agent)
    is_thought = any(evidence.lines[one.line].event is None for one in own)
    is_said = any(evidence.agent in (one.speaker, *one.answers) for one in told)
    return not told or is_thought or is_said or "myself" in clause.words


def unnamed_actor(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether somebody is said to have done what the lines only have of somebody, or of a relative of theirs."""
    clause, who = claim.clause, claim.clause.subject
    is_by_another = clause.passive or "by" in clause.words
    if not is_by_another and who and not clause.is_negated and not claim.is_hedged and topics_of(clause):
        near = closest(clause, evidence, lambda one: bool(clause.verbs & one.clause.verbs))
        if near and all(who in _related(one) for one in near):
            return "wrong-person", f"the memories tell this of a relative of {who}: {near[0].clause.text!r}."
    if who is None or is_by_another or clause.is_negated or claim.is_hedged or not telling_verbs(clause):
        return None
    verbs = telling_verbs(clause) - SAYING
    told = [one for verb in sorted(verbs) for one in evidence.with_any([verb]) if verb in one.clause.verbs | one.items]
    told = [one for one in told if shares_topic(clause, one) and not one.clause.is_negated]
    told = [one for one in told if not one.is_nonfactual]
    if not told or any(who in (one.subject, *one.answers) for one in told):
        return None
    if all(_is_of_nobody_known(one, verbs) for one in told):
        return "wrong-person", f"no memory tells who did this: {told[0].clause.text!r}."
    return None


def _is_of_nobody_known(one: Proposition, verbs: frozenset[str]) -> bool:
    """Return whether it is somebody, nobody knows who, that does it: right before the verb."""
    tokens = one.clause.tokens
    places = [at for at in one.clause.verb_places if tokens[at].value in verbs] or [
        min(one.clause.verb_places, default=0)
    ]
    return any(token.word in _INDEFINITE for at in places for token in tokens[max(0, at - 3) : at + 1])


def _first_words(one: Proposition) -> set[str]:
    first = min(one.clause.verb_places, default=0)
    return {token.word for token in one.clause.tokens[:first]}


def _related(one: Proposition) -> set[str]:
    """Return the person whose relative is the doer: a name, or the speaker by `my`, before the verb."""
    if one.subject is not None:
        return set()
    first = {stem(word) for word in _first_words(one)}
    return {owner for owner, noun in one.clause.owners if noun in first and any(noun in group for group in KINSHIP)}


def wrong_relation(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether two people are said to be relatives of a kind that no line has."""
    for owner, noun in claim.clause.owners:
        group = next((group for group in KINSHIP if noun in group), frozenset[str]())
        others = [other for one in KINSHIP for other in one - group if owner in evidence.owners.get(other, ())]
        if owner and group and others and not any(evidence.has(word) for word in group):
            return "wrong-person", f"no memory has a {noun} of {display_names(evidence, [owner])}."
    return None


def wrong_addressee(claim: Claim, evidence: Evidence) -> Fault | None:
    """Return whether somebody is said to ask for something to be done to or with another than in their own words."""
    clause, who = claim.clause, claim.clause.subject
    places = [at for at in clause.verb_places if at and clause.tokens[at - 1].word == "to"]
    if who is None or clause.passive or not clause.verbs & (SAYING | SPEECH_ACTS):
        return None
    if fault := _told_to_nobody(clause, evidence):
        return fault
    for at in places:
        verb, behind = clause.tokens[at].value, clause.tokens[at + 1 : at + 2]
        whom = behind[0].value if behind and behind[0].kind == NAME and not behind[0].owns else None
        if whom is None:
            continue
        alike = sorted(SAYING) if verb in SAYING else [verb]
        told = [one for one in evidence.with_any(alike) if one.speaker == who and one.is_nonfactual]
        others = {_object_of(one, alike) or person_behind(one.clause, ("to",)) for one in told} - {None}
        if others and whom not in others and any(before < at - 1 for before in clause.verb_places):
            return "wrong-person", f"the memories have {display_names(evidence, others)} here: {told[0].clause.text!r}."
    return None


def _told_to_nobody(clause: Clause, evidence: Evidence) -> Fault | None:
    """Return whether somebody is said to have told another what the lines only have as to be told."""
    for at in clause.verb_places:
        whom = clause.persons[at + 1] if at + 1 < len(clause.tokens) else None
        if clause.tokens[at].value not in SAYING or not is_realized(clause, at) or whom in (None, evidence.agent):
            continue
        if any((line.speaker, line.hearer) == (clause.subject, whom) for line in evidence.lines):
            continue
        topics = {item for item in clause.items - clause.verbs - evidence.people if item not in LIGHT}
        told = [one for one in evidence.with_any(SAYING) if whom in one.clause.names and topics & one.items]
        verb = clause.tokens[at].value
        told = [one for one in told if one.speaker != clause.subject or verb in one.clause.verbs]
        if told and not any(one.asserted for one in told):
            return "invented-event", f"the memories do not have this as said: {told[0].clause.text!r}."
    return None


def _object_of(one: Proposition, verbs: Sequence[str]) -> str | None:
    """Return who stands right behind one of some verbs."""
    tokens, persons = one.clause.tokens, one.clause.persons
    for at, token in enumerate(tokens[:-1]):
        if token.value in verbs and token.kind == WORD and persons[at + 1]:
            return persons[at + 1]
    return None
