"""Which lines a clause retells, whose words it gives, and whether its places, things and numbers are theirs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from agents.memory.english import (
    BE,
    DETERMINERS,
    FUNCTION_WORDS,
    LIGHT,
    MUTUAL,
    OPPOSITES,
    PREPOSITIONS,
    SAYING,
    TIMES,
    stem,
    stems,
)
from agents.memory.judging.claims import MARK, NAME, NUMBER, UNCOUNTED, WORD, Token, folded
from agents.memory.judging.clauses import CONTENT_OPENINGS, Clause
from agents.memory.judging.events import (
    GIVE,
    GIVING,
    TAKE,
    Act,
    Transfer,
    acts_of,
    counted,
    is_done,
    numbered,
    person_behind,
    transfers_of,
)
from agents.memory.judging.evidence import (
    HALF_COVERED,
    Account,
    Fault,
    Proposition,
    Said,
    any_proposition,
    called,
    closest,
)


def attributed(sentence: Sequence[Clause]) -> list[Said]:
    """Return the clauses of a sentence with whose words they give."""
    found: list[Said] = []
    speaker: str | None = None
    for clause in sentence:
        if by := _according_to(clause):
            found.append(Said(clause, by))
            speaker = by
            continue
        at = next((at for at in clause.verb_places if clause.tokens[at].value in SAYING), None)
        if at is None:
            if clause.opening in ("but", ";", "so") or (clause.opening == "and" and clause.subject):
                speaker = None
            found.append(Said(clause, speaker))
            continue
        outer = speaker if clause.opening in CONTENT_OPENINGS else None
        speaker = _speaker(clause, at) or outer
        has_content = _has_content(clause, at)
        found.append(Said(clause, speaker if has_content else None))
        if not has_content and clause is sentence[-1] and len(sentence) > 1:
            found = [replace(one, speaker=one.speaker or speaker) for one in found]
    return found


def _has_content(clause: Clause, at: int) -> bool:
    """Return whether a clause itself tells what was said, behind the verb and whom it was said to."""
    begin = at + 2 if at + 1 < len(clause.tokens) and clause.persons[at + 1] else at + 1
    return any(token.word not in FUNCTION_WORDS and token.kind != MARK for token in clause.tokens[begin:])


def _according_to(clause: Clause) -> str | None:
    for at, token in enumerate(clause.tokens[:-2]):
        if token.word == "according":
            return clause.persons[at + 2]
    return None


def _speaker(clause: Clause, at: int) -> str | None:
    if clause.passive:
        return person_behind(clause, ("by",), at)
    behind = clause.tokens[at + 1] if at + 1 < len(clause.tokens) else None
    if at == 0 and behind and behind.kind == NAME and not behind.owns and clause.tokens[at].word.endswith(("s", "id")):
        return behind.value  # says Tomas
    return clause.subject


def telling_verbs(clause: Clause) -> frozenset[str]:
    """Return the verbs of a clause that not everything has."""
    return frozenset(verb for verb in clause.verbs if verb not in LIGHT)


def has_same_verb(clause: Clause, one: Proposition) -> bool:
    """Return whether both have a verb in common that tells something, or neither need have any."""
    verbs = telling_verbs(clause) - SAYING
    if clause.verbs & SAYING and not verbs:
        return True
    if verbs:
        return bool(verbs & telling_verbs(one.clause))
    return bool(BE & clause.words or clause.verbs & one.clause.verbs)


FACE_TO_FACE = SAYING | GIVING | stems("meet talk speak")


def wrong_place(said: Said, account: Account) -> Fault | None:
    clause = said.clause
    for place in clause.places:
        there = account.places.get(place, set())
        if not there and (clause.subject or clause.names):
            return "wrong-place", f"no memory is of {place}."
        who, is_there = clause.subject, is_located(clause, place)
        is_met = who != account.agent and is_named(clause) and is_there and clause.verbs & FACE_TO_FACE
        if who and is_met and place not in account.present.get(who, {place}):
            return "wrong-place", f"no memory has {who} at {place}."
        if place not in account.rooms:
            continue
        for one in _beside(clause, place, account):
            if (seen := account.where.get(one)) and not seen & there:
                return "wrong-place", f"no memory has {one.lstrip('@')} at {place}."
    return None


def is_named(clause: Clause) -> bool:
    """Return whether a clause names its subject, and does not only mean it by a pronoun."""
    return any(token.value == clause.subject for token in clause.tokens)


def wrong_topic(said: Said, account: Account) -> Fault | None:
    """Return whether the lines have another name behind the same preposition: `in Carrow` for `in Marrow`."""
    pairs = _placed_names(said.clause, account)
    near = closest(said.clause, account, any_proposition, HALF_COVERED) if pairs else []
    verbs = telling_verbs(said.clause)
    names = {name for _, name in pairs}
    for one in near:
        told = {pair for pair in _placed_names(one.clause, account) if f"@{pair[1]}" in one.items}
        others = {pair for pair in told if pair[0] in {word for word, _ in pairs}}
        is_same = bool(verbs & one.clause.verbs) or all(f"@{name}" in said.clause.items for name in names)
        if others and is_same and not any(names & {name.lstrip("@") for name in other.items} for other in near):
            return "wrong-place", f"the memories have {' '.join(min(others))} here, not {' '.join(min(pairs))}."
    return None


def _placed_names(clause: Clause, account: Account) -> set[tuple[str, str]]:
    """Return each name behind `in`, `at` or `from`, and each noun behind one of them and `the`, with this word."""
    found = set()
    for at, token in enumerate(clause.tokens[:-1]):
        if token.word in ("in", "at", "from"):
            behind = clause.tokens[at + 1]
            is_noun = behind.word == "the" and at + 2 < len(clause.tokens) and clause.tokens[at + 2].kind == WORD
            named = clause.tokens[at + 2] if is_noun else behind
            if is_noun or (named.kind == NAME and f"@{named.value}" not in account.people):
                found.add((token.word, named.value))
    return found


def strange_thing(said: Said, account: Account) -> Fault | None:
    for at, thing in account.things.within(said.clause.tokens, only_whole=True):
        if thing not in account.where and said.clause.tokens[at].word not in account.vocabulary:
            return "wrong-thing", f"no memory tells of the {thing}."
    return None


def _beside(clause: Clause, place: str, account: Account) -> list[str]:
    """Return who and what is named with a place: in the same part of a list."""
    tokens = list(clause.tokens)
    at = next(at for at, token in enumerate(tokens) if token.value == place)
    marks = [number for number, token in enumerate(tokens) if token.kind == MARK]
    begin = max((number for number in marks if number < at), default=-1) + 1
    part = tokens[begin : min((number for number in marks if number > at), default=len(tokens))]
    return _named(part, account)


def is_located(clause: Clause, place: str) -> bool:
    """Return whether a clause says that it happened at a place, and not from where or whereto."""
    at = next(at for at, token in enumerate(clause.tokens) if token.value == place)
    words = [token.word for token in clause.tokens[:at] if token.word not in DETERMINERS]
    before = words[-1] if words else ""
    return before in ("in", "on", "at") or before not in PREPOSITIONS


def _named(tokens: Sequence[Token], account: Account) -> list[str]:
    explicit = {f"@{token.value}" for token in tokens if token.kind == NAME} - {f"@{account.agent}"}
    return sorted(explicit | {thing for _, thing in account.things.within(tokens)})


def wrong_number(said: Said, account: Account) -> Fault | None:
    for count, noun in counted(said.clause.tokens):
        known = account.counts.get(noun)
        if known and not {count} & (known | account.uncounted | UNCOUNTED) and noun not in LIGHT:
            return "wrong-number", f"the memories have {called(account, known)} here, not {count}."
    pairs = _number_pairs(said.clause)
    near = closest(said.clause, account, any_proposition) if pairs else []
    same_act = [one for one in near if telling_verbs(said.clause) & one.clause.verbs]
    exact = {pair for pair in pairs if pair[0] in TIMES or pair[0] == "at"} | set(numbered(said.clause.tokens))
    for noun in sorted({noun for noun, _ in pairs}):
        said_numbers = {number for word, number in pairs if word == noun}
        told = _beside_noun(noun, same_act)
        if not told:
            told = _beside_noun(noun, near)
            said_numbers -= set() if (noun, min(said_numbers)) in exact else account.uncounted
        if told and said_numbers and not told & said_numbers:
            there = called(account, told)
            return "wrong-number", f"the memories have {noun} {there} here, not {called(account, said_numbers)}."
    return None


def _beside_noun(noun: str, told: Sequence[Proposition]) -> set[str]:
    return {number for one in told for word, number in _number_pairs(one.clause) if word == noun}


def _number_pairs(clause: Clause) -> set[tuple[str, str]]:
    """Return each word with the number that stands beside it: `gate 9`, `silver 40`, `at 7`, `may 3`."""
    pairs = {*numbered(clause.tokens), *((noun, count) for count, noun in counted(clause.tokens))}
    for at, token in enumerate(clause.tokens):
        if token.kind == NUMBER:
            behind = [one.word for one in clause.tokens[at + 1 : at + 3]]
            pairs |= {(word, token.value) for word in behind if word in TIMES}
            if at and clause.tokens[at - 1].word == "at":
                pairs.add(("at", token.value))
    return pairs


def wrong_time(said: Said, account: Account) -> Fault | None:
    """Return whether a number or a day stands in no line of the matter, while the lines of the matter have another."""
    clause = said.clause
    numbers = _numbers(clause)
    topics = {item for item in clause.items - account.people - numbers if item not in LIGHT}
    for number in sorted(numbers):
        have = account.with_any([number])
        if any(item.startswith(f"{number}:") or item.endswith(f":{number[1:]}") for item in account.numbers):
            continue
        if number[1:] in UNCOUNTED or any(topics & (one.items | one.around) for one in have):
            continue
        if any(clause.subject in (one.subject, one.speaker) for one in have):
            continue
        near = closest(said.clause, account, any_proposition, HALF_COVERED)
        others = [one for one in near if _numbers(one.clause) - {f"#{one}" for one in UNCOUNTED}]
        is_other = len(others) == len(near) or any(has_same_verb(clause, one) for one in others)
        if near and is_other and not any(number in _line_items(one, account) for one in near):
            return "wrong-number", f"the memories do not have {number.lstrip('#')} here: {near[0].clause.text!r}."
    return None


def _numbers(clause: Clause) -> set[str]:
    """Return the items of a clause that are numbers, days or months."""
    days = {token.value for token in clause.tokens if token.word in TIMES and token.written[0].isupper()}
    return days | {f"#{token.value}" for token in clause.tokens if token.kind == NUMBER}


def _line_items(one: Proposition, account: Account) -> set[str]:
    return {item for other in account.propositions if abs(other.line - one.line) < 2 for item in other.items}


ARRIVING = stems("come arrive return visit")


def never_met(said: Said, account: Account) -> Fault | None:
    """Return whether somebody of whom there was only talk is said to have come, spoken or given something."""
    clause, who = said.clause, said.clause.subject
    if not who or who in account.met or not account.is_whole or said.speaker or said.is_hedged or clause.passive:
        return None
    met = FACE_TO_FACE if account.agent in clause.names else ARRIVING if clause.places & account.rooms else frozenset()
    if any(clause.tokens[at].value in met and is_done(clause, at) for at in clause.verb_places):
        return "invented-deed", f"no memory has {who} in person."
    return None


def wrong_transfer(said: Said, account: Account) -> Fault | None:
    for one in transfers_of(said.clause, account.things, it=said.it):
        events = account.transfers.get(one.thing, set())
        if any(one.agrees(other) for other in events):
            if fault := _wrong_place_of_gift(one, said.clause, account):
                return fault
            continue
        if one.giver is None and one.receiver is None:
            continue
        if events:
            told = min(events, key=lambda event: (event.giver is None, event.receiver is None, str(event)))
            who = called(account, [told.giver]) or "somebody"
            whom = "me" if told.receiver == account.agent else told.receiver or "somebody"
            return "wrong-person", f"in the memories {who} gave the {one.thing} to {whom}."
        if one.giver and one.receiver:
            giver = called(account, [one.giver])
            return "invented-deed", f"no memory tells that {giver} gave the {one.thing} to {one.receiver}."
    return None


def _wrong_place_of_gift(gift: Transfer, clause: Clause, account: Account) -> Fault | None:
    places = {place for place in clause.places if is_located(clause, place)} & account.rooms
    given = [one for one in account.events if one.act == GIVE and one.thing == gift.thing]
    if given and len(places) == 1 and not any(places & one.places for one in given):
        return "wrong-place", f"in the memories the {gift.thing} was not given at {min(places)}."
    return None


def wrong_act(said: Said, account: Account) -> Fault | None:
    """Return whether the world would have told an act of a clause, and has told it of somebody else, or not at all."""
    if said.speaker or said.is_hedged or not account.is_whole:
        return None
    for act in acts_of(said.clause, account.things):
        match act.act:
            case "go":
                fault = _wrong_way(act, account)
            case "follow":
                fault = _wrong_following(act, account)
            case _:
                fault = _wrong_handling(act, account)
        if fault:
            return fault
    return None


def _wrong_way(act: Act, account: Account) -> Fault | None:
    seen = account.where[f"@{act.actor}"]
    known = account.visited[act.actor] | {place for place, lines in account.places.items() if lines & seen}
    if act.place not in known:
        return "wrong-place", f"no memory has {called(account, [act.actor])} going to {act.place} or coming from there."
    return None


def _wrong_following(act: Act, account: Account) -> Fault | None:
    told = account.with_any(["follow"])
    if any({act.actor, act.other} <= one.clause.names | {one.subject} for one in told):
        return None
    if any(one.act == act.act and (one.actor, one.other) == (act.actor, act.other) for one in account.events):
        return None
    return "invented-deed", f"no memory has {called(account, [act.actor])} following {called(account, [act.other])}."


def _wrong_handling(act: Act, account: Account) -> Fault | None:
    events = [one for one in account.events if one.thing == act.thing]
    did = [one for one in events if (one.act, one.actor) == (act.act, act.actor)]
    did += [one for one in events if act.act == TAKE and one.act == GIVE and one.other == act.actor]
    if did and act.place in account.rooms and not any(act.place in one.places for one in did):
        return "wrong-place", f"the memories do not have the {act.thing} at {act.place} here."
    if did or _speaks_of(act, account):
        return None
    others, who = {one.actor for one in events if one.act == act.act}, called(account, [act.actor])
    if others:
        return "wrong-person", f"{called(account, others)} did this with the {act.thing}, not {who}."
    return "invented-deed", f"no memory has {who} doing this with the {act.thing}."


def _speaks_of(act: Act, account: Account) -> bool:
    told = account.with_any({stem(act.thing.rpartition(" ")[2])})
    told = [one for one in told if one.subject == act.actor and account.lines[one.line].speaker]
    return any(act.actor != account.agent or one.speaker != account.agent for one in told)


def wrong_owner(said: Said, account: Account) -> Fault | None:
    given = {stem(thing.rpartition(" ")[2]) for thing in account.transfers}
    for owner, noun in said.clause.owners:
        known = account.owners.get(noun, set())
        if noun in MUTUAL and any(owner in one.clause.names for one in account.with_any([noun])):
            continue
        if owner and known - {""} and owner not in known and noun not in LIGHT and noun not in given:
            told = called(account, known)
            return "wrong-person", f"the memories speak of {told} here, not of {called(account, [owner])}."
    return None


def opposite(said: Said, account: Account) -> Fault | None:
    """Return whether somebody is said to be or do the opposite of what the lines have, and never that."""
    clause, who = said.clause, said.clause.subject
    if who is None or clause.is_negated or said.is_hedged or said.is_open:
        return None
    for words, others in OPPOSITES:
        told = [one for one in account.with_any(others) if one.subject == who and account.lines[one.line].event is None]
        told = [one for one in told if said.speaker in (None, one.speaker)]
        same = [one for one in account.with_any(words) if one.subject in (None, who)]
        if clause.items & words and told and not same and not any(one.clause.is_negated for one in told):
            return "negation", f"the memories have the opposite: {told[0].clause.text!r}."
    return None


def stranger(said: Said, account: Account) -> Fault | None:
    who = said.clause.subject
    if who and who != account.agent and not {folded(part) for part in who.split()} & account.vocabulary:
        return "wrong-person", f"no memory tells of {who}."
    return None


def own_double(said: Said, account: Account) -> Fault | None:
    """Return whether the agent is said to do something to itself, as if its name were somebody else's."""
    tokens = said.clause.tokens
    named = [at for at, token in enumerate(tokens) if (token.kind, token.value) == (NAME, account.agent)]
    for at, own in product(named, [at for at, token in enumerate(tokens) if token.word in ("i", "me")]):
        between = tokens[min(at, own) + 1 : max(at, own)]
        is_act = any(one.value in said.clause.verbs and one.word not in BE for one in between)
        if is_act and not tokens[at].owns and MARK not in [one.kind for one in between]:
            return "wrong-person", f"{account.agent} is who tells this, and nobody else: {said.clause.text!r}."
    return None
