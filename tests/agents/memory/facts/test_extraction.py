"""What an agent learns, sentence by sentence, and that it learns the same however often it is interrupted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.facts.extraction import extract_facts
from agents.memory.facts.speech_acts import is_same_topic, takes_back, tells_of_keeping
from agents.memory.facts.store import (
    MAX_ENDED,
    MAX_FACTS_IN_A_SECTION,
    FactStore,
    fact_text,
    fit_budget,
    goals_in,
    in_order,
    matching,
    rank_by_relevance,
)
from vault.memory.facts_note import (
    LESSONS,
    PEOPLE,
    PLACES,
    PROMISES,
    REQUESTS,
    THINGS,
    Fact,
    FactsFile,
    format_facts,
    parse_facts,
)
from vault.memory.memory_line import Memory, format_line, parse_line
from vault.note import parse_note

AT = 1_795_248_000_000
MILL, WEIR = "The Mill", "The Weir"


def lived(*rows: tuple[str, ...], minutes: int = 1) -> list[Memory]:
    """Return memories of (kind, room, text) or (kind, room, text, person), so many minutes apart."""
    return [
        Memory(seq, AT + seq * minutes * 60_000, row[0], row[1], row[2], row[3:4]) for seq, row in enumerate(rows, 1)
    ]


def learnt(*rows: tuple[str, ...], minutes: int = 1) -> FactStore:
    known = FactStore()
    for memory in lived(*rows, minutes=minutes):
        extract_facts(known, memory)
    return known


def values(known: FactStore, section: str) -> dict[str, str]:
    return {fact.subject: fact.value for fact in known.facts.values() if fact.section == section}


def commitments(known: FactStore) -> list[tuple[str, str, str]]:
    facts = (f for f in in_order(known.facts.values()) if f.section in (PROMISES, REQUESTS))
    return [(fact.subject, fact.value, fact.closed) for fact in facts]


def test_what_is_put_into_something_and_taken_out_again_is_known_by_where_it_is():
    rows = [
        ("observed", MILL, "Moss takes the key out of the tin.", "Moss"),
        ("observed", MILL, "Moss puts the letter in the wicker basket.", "Moss"),
        ("result", MILL, "You take the white pebble out of the wicker basket."),
        ("result", MILL, "You put the slip in the tin."),
    ]
    assert values(learnt(*rows), THINGS) == {
        "key": "Moss has it",
        "letter": "it lies in the wicker basket",
        "white pebble": "I have it",
        "slip": "it lies in the tin",
    }
    listed = "You carry a wicker basket. ⏎ In the wicker basket: a letter and a tin. ⏎ In the tin: some keys."
    assert values(learnt(*rows, ("result", MILL, listed)), THINGS) == {
        "key": "Moss has it",
        "letter": "it lies in the wicker basket",
        "white pebble": "",
        "slip": "",
        "wicker basket": "I have it",
        "tin": "it lies in the wicker basket",
        "keys": "it lies in the tin",
    }
    assert values(learnt(("result", MILL, "In the tin: a key.")), THINGS) == {"key": "it lies in the tin"}


# People and places


def test_what_is_told_or_shouted_from_afar_is_heard_and_is_no_meeting():
    known = learnt(
        ("told", MILL, 'Moss tells you, "I promise to come to The Mill at noon."', "Moss"),  # in confidence
        ("observed", MILL, 'Odile shouts from The Weir, "Supper!"', "Odile"),
        ("observed", MILL, 'Ana says to Ben, "Please bring me the lamp."', "Ana"),
    )
    assert values(known, PEOPLE) == {"Ana": "last seen in The Mill"}
    assert [who for who, _, _ in commitments(known)] == ["Ana"]


def test_who_is_met_is_known_with_where_and_how_often():
    known = learnt(
        ("observed", MILL, "Moss arrives from The Weir.", "Moss"),
        ("observed", MILL, 'Moss says, "Good morning."', "Moss"),
        ("observed", MILL, "Moss leaves south to The Weir.", "Moss"),
        ("result", WEIR, "You go south to The Weir."),
        ("observed", WEIR, "Moss hums.", "Moss"),
        ("observed", WEIR, "Moss leaves north to The Mill.", "Moss"),
        ("observed", WEIR, "Moss arrives from The Mill.", "Moss"),
    )
    moss = known.find(PEOPLE, "moss")
    assert moss is not None
    assert (moss.value, moss.was, moss.count, moss.since, moss.last) == (
        "last seen in The Weir",
        "last seen in The Mill",
        2,
        7,
        7,
    )


def test_half_an_hour_without_a_sign_makes_the_next_one_a_new_meeting():
    rows = [("observed", MILL, "Moss hums.", "Moss"), ("observed", MILL, "Moss hums.", "Moss")]
    assert learnt(*rows, minutes=30).find(PEOPLE, "Moss").count == 1  # type: ignore[union-attr]
    assert learnt(*rows, minutes=31).find(PEOPLE, "Moss").count == 2  # type: ignore[union-attr]


def test_a_look_around_shows_who_and_what_is_there():
    known = learnt(
        ("observed", MILL, "Ana puts down the oil lamp.", "Ana"),
        ("observed", MILL, "Ana puts down the rope.", "Ana"),
        (
            "result",
            MILL,
            "The Mill ⏎ Nobody is here. ⏎ You see an oil lamp, some keys and a salt and pepper here. ⏎ "
            "Moss and Odile are here. ⏎ Exits: south (The Weir).",
        ),
    )
    assert values(known, PEOPLE) == {
        "Ana": "last seen in The Mill",
        "Moss": "last seen in The Mill",
        "Odile": "last seen in The Mill",
    }
    assert values(known, THINGS) == {
        "oil lamp": "it lies in The Mill",
        "rope": "",
        "keys": "it lies in The Mill",
        "salt and pepper": "it lies in The Mill",
    }


def test_a_look_around_a_crowd_shows_those_who_are_named():
    known = learnt(("result", MILL, "The Mill ⏎ Moss, Odile and 30 others are here. ⏎ Exits: none."))
    assert list(values(known, PEOPLE)) == ["Moss", "Odile"]


def test_a_look_around_a_room_of_another_title_shows_it_too():
    known = learnt(("result", MILL, "The Mill of Nought? ⏎ You see a rope here. ⏎ Moss is here. ⏎ Exits: none."))
    assert (values(known, PEOPLE), values(known, THINGS)) == (
        {"Moss": "last seen in The Mill"},
        {"rope": "it lies in The Mill"},
    )


def test_places_are_counted_by_visits_and_not_by_memories():
    known = learnt(*[("result", room, "You wait.") for room in (MILL, MILL, WEIR, WEIR, MILL)])
    assert {fact.subject: fact.count for fact in known.facts.values() if fact.section == PLACES} == {MILL: 2, WEIR: 1}


# Things


def test_things_are_followed_from_hand_to_hand():
    known = learnt(
        ("observed", MILL, "Moss takes the brass lantern.", "Moss"),
        ("observed", MILL, "Moss gives Ana the brass lantern.", "Moss"),
        ("observed", MILL, "Ana gives you the brass lantern.", "Ana"),
        ("result", MILL, "You give the brass lantern to Odile."),
        ("result", MILL, "You take the tin cup."),
        ("result", MILL, "You put down the tin cup."),
    )
    lantern = known.find(THINGS, "brass lantern")
    assert lantern is not None
    assert (lantern.value, lantern.was, lantern.since) == ("Odile has it", "I have it", 4)
    assert values(known, THINGS)["tin cup"] == "it lies in The Mill"


def test_a_list_of_what_one_carries_is_the_whole_of_it():
    known = learnt(
        ("result", MILL, "You take the tin cup."),
        ("result", MILL, "You carry a brass lantern and some keys."),
        ("result", MILL, "You carry no 'tin cup'. Type inventory to see what you carry."),
    )
    assert values(known, THINGS) == {"tin cup": "", "brass lantern": "I have it", "keys": "I have it"}


@pytest.mark.parametrize(
    "row",
    [
        ("observed", MILL, 'Moss says, "Ana gives you the brass lantern."', "Moss"),
        ("observed", MILL, "Moss's friend takes the brass lantern and Moss takes the tea.", "Moss"),
        ("noted", MILL, "Moss takes the brass lantern."),
        ("dreamt", MILL, "Moss takes the brass lantern."),
        ("acted", MILL, "emote takes the brass lantern."),
        ("result", MILL, "It says: You take the brass lantern."),
    ],
)
def test_what_is_only_said_noted_or_dreamt_moves_nothing(row: tuple[str, ...]):
    assert "brass lantern" not in values(learnt(row), THINGS)


# Promises and requests


def test_a_promise_is_kept_when_the_thing_is_handed_over():
    known = learnt(
        ("observed", MILL, 'Moss says, "Hello. I will bring you the brass lantern."', "Moss"),
        ("observed", MILL, 'Ana says, "I will bring you the brass lantern too."', "Ana"),
        ("observed", MILL, "Moss gives you the brass lantern.", "Moss"),
    )
    assert commitments(known) == [
        ("Moss", "I will bring you the brass lantern.", "kept"),
        ("Ana", "I will bring you the brass lantern too.", ""),
    ]


def test_another_thing_of_the_same_kind_keeps_no_promise():
    known = learnt(
        ("observed", MILL, 'Moss says, "I will bring you the oak chest."', "Moss"),
        ("observed", MILL, 'Moss says, "I promise to give you a key."', "Moss"),
        ("observed", MILL, 'Moss says, "I promise to give you three candles."', "Moss"),
        ("observed", MILL, "Moss gives you the iron chest.", "Moss"),
        ("observed", MILL, "Moss gives you the rusty key.", "Moss"),
        ("observed", MILL, "Moss gives you the white candles.", "Moss"),
    )
    assert commitments(known) == [
        ("Moss", "I will bring you the oak chest.", ""),
        ("Moss", "I promise to give you a key.", "kept"),
        ("Moss", "I promise to give you three candles.", "kept"),
    ]


def test_a_request_is_kept_when_who_asked_is_given_it():
    known = learnt(
        ("observed", MILL, 'Moss says, "Please bring me some keys."', "Moss"),
        ("acted", MILL, "say I promise to bring you the keys. | he needs them"),
        ("result", MILL, "You give the keys to Moss."),
    )
    assert commitments(known) == [
        ("I", "I promise to bring you the keys.", "kept"),
        ("Moss", "Please bring me some keys.", "kept"),
    ]


def test_a_promise_to_come_is_kept_by_coming():
    known = learnt(
        ("observed", MILL, 'Moss says, "I will meet you at the weir at noon."', "Moss"),
        ("acted", MILL, "say I'll come to the weir."),
        ("observed", MILL, "Moss arrives from The Weir.", "Moss"),
        ("result", WEIR, "You go south to The Weir."),
        ("observed", WEIR, "Moss arrives from The Mill.", "Moss"),
    )
    assert commitments(known) == [
        ("Moss", "I will meet you at the weir at noon.", "kept"),
        ("I", "I'll come to the weir.", "kept"),
    ]


def test_what_is_no_longer_asked_for_is_no_longer_owed():
    known = learnt(
        ("observed", MILL, 'Moss says, "Please bring me the umbrella."', "Moss"),
        ("observed", MILL, 'Moss says, "Please bring me the keys."', "Moss"),
        ("acted", MILL, "say I will bring the umbrella."),
        ("observed", MILL, 'Moss says, "Never mind the umbrella."', "Moss"),
        ("observed", MILL, 'Ana says, "Never mind the keys."', "Ana"),
    )
    assert commitments(known) == [
        ("I", "I will bring the umbrella.", "withdrawn"),
        ("Moss", "Please bring me the umbrella.", "withdrawn"),
        ("Moss", "Please bring me the keys.", ""),
    ]


def test_thanks_settle_what_they_are_for():
    known = learnt(
        ("acted", MILL, "say I will mend the clock."),
        ("acted", MILL, "say I will read the gauge."),
        ("observed", MILL, 'Odile says, "Thank you so much for mending the clock!"', "Odile"),
    )
    assert commitments(known) == [("I", "I will mend the clock.", "kept"), ("I", "I will read the gauge.", "")]


def test_a_promise_that_is_changed_replaces_the_one_before():
    known = learnt(
        ("observed", MILL, 'Moss says, "I will meet you at the weir at noon."', "Moss"),
        ("observed", MILL, 'Moss says, "I will meet you at the weir at three."', "Moss"),
        ("observed", MILL, 'Moss says, "I will bring bread."', "Moss"),
    )
    first, second = (fact for fact in in_order(known.facts.values()) if fact.section == PROMISES)
    assert (first.value, first.was) == ("I will meet you at the weir at three.", "I will meet you at the weir at noon.")
    assert second.value == "I will bring bread."


def test_two_matters_with_a_word_in_common_are_two():
    assert not is_same_topic("I promise to bring the lantern to Ana.", "I promise to bring bread to Ana.")
    assert is_same_topic("I will bring two apples.", "I will bring three apples.")
    assert not is_same_topic("I promise!", "I swear!")


def test_taking_back_and_keeping_are_heard_only_where_they_are_said():
    assert takes_back("I changed my mind about the lantern.")
    assert takes_back("I cannot come to the weir after all.")
    assert not takes_back("The weir is dangerous.")
    assert tells_of_keeping("Here is the lantern.")
    assert not tells_of_keeping("Have you kept your promise?")


# Bounds, telling, finding


def test_facts_stay_few_enough_to_be_read_and_those_remarked_on_stay():
    known = FactStore()
    known.put(Fact(PEOPLE, "Old", "last seen in The Mill", 1, 1, remark="my brother"))
    known.put(Fact(PEOPLE, "Hand", "last seen in The Mill"))
    for seq in range(2, MAX_FACTS_IN_A_SECTION + 50):
        extract_facts(known, Memory(seq, AT, "observed", MILL, f"P{seq} hums.", (f"P{seq}",)))
    people = [fact for fact in known.facts.values() if fact.section == PEOPLE]
    assert len(people) == MAX_FACTS_IN_A_SECTION
    assert known.find(PEOPLE, "Old")
    assert known.find(PEOPLE, "Hand")
    assert not known.find(PEOPLE, "P2")


def test_of_what_is_settled_the_newest_stay():
    rows = []
    for number in range(MAX_ENDED + 5):
        rows.append(("observed", MILL, f'Moss says, "I will fetch item{number} now."', "Moss"))
        rows.append(("observed", MILL, f'Moss says, "I have brought item{number}."', "Moss"))
    found = commitments(learnt(*rows))
    assert len(found) == MAX_ENDED
    assert {ending for _, _, ending in found} == {"kept"}


def test_who_is_present_and_what_is_owed_come_first():
    known = learnt(
        ("result", WEIR, "You wait."),
        ("observed", MILL, "Odile takes the tin cup.", "Odile"),
        ("observed", MILL, 'Moss says, "I will bring you the brass lantern."', "Moss"),
        ("observed", WEIR, "Ana hums.", "Ana"),
    )
    ranked = [fact.subject for fact in rank_by_relevance(known.facts.values(), frozenset({"Moss"}), MILL)]
    assert ranked[:2] == ["Moss", "Moss"]
    assert ranked[2] in (MILL, "Odile")
    assert set(ranked[-2:]) <= {WEIR, "Ana", "tin cup"}


def test_what_is_to_be_remembered_comes_before_who_was_seen_where():
    known = learnt(
        ("observed", MILL, 'Odile says, "Remember that the north gate is locked at dusk."', "Odile"),
        ("observed", MILL, "Ana hums.", "Ana"),
    )
    ranked = [fact.section for fact in rank_by_relevance(known.facts.values(), frozenset(), WEIR)]
    assert ranked[0] == LESSONS


def test_lines_within_a_budget_are_whole():
    assert fit_budget(["a b", "c d e f", "g"], lambda text: len(text.split()), 3) == ["a b", "g"]
    assert fit_budget(["a b"], lambda text: len(text.split()), 0) == []


def test_a_question_finds_the_facts_that_share_its_words():
    known = learnt(
        ("observed", MILL, "Moss takes the brass lantern.", "Moss"),
        ("observed", MILL, 'Ana says, "I will mend the lantern."', "Ana"),
        ("observed", MILL, "Odile hums.", "Odile"),
    )
    assert [fact.subject for fact in matching(in_order(known.facts.values()), "the lantern?")] == [
        "brass lantern",
        "Ana",
    ]


def test_goals_are_read_from_the_profile():
    profile = "You are Eliza.\n\n## Goals\n- Find the lost page.\n2. Ask Moss a tenth question.\n\n## Habits\n- tea\n"
    assert goals_in(profile) == ("Find the lost page.", "Ask Moss a tenth question.")
    assert goals_in("You are Eliza.") == ()


# The same memories give the same facts

names = st.sampled_from(["Moss", "Ana", "Odile"])
things = st.sampled_from(["brass lantern", "keys", "tin cup"])
rooms = st.sampled_from([MILL, WEIR])
speech = st.sampled_from(
    [
        "I will bring you the brass lantern.",
        "Please bring me the keys. I will come to the mill!",
        "Never mind the keys.",
        "Thank you for the tin cup.",
        "Remember that the gate closes at nine.",
        "Remember that the gate closes at ten.",
        "I will bring you the brass lantern (seen 2026-01-01 10:00; since [[x#^m1]]) **x** ^m3.",
        "Hm.",
        "The page is under the third step. Tell nobody.",
        "The page is under the fourth step now. Tell nobody.",
        "Remember this. The weir has (seen 2026) two locks.",
        "Forget what I said about the page.",
    ]
)
seen = st.one_of(
    st.builds(lambda n, t: ("observed", f'{n} says, "{t}"', n), names, speech),
    st.builds(lambda n, t: ("told", f'{n} whispers to you, "{t}"', n), names, speech),
    st.builds(lambda t: ("acted", f"say {t} | reason", ""), speech),
    st.builds(lambda n, t: ("observed", f"{n} takes the {t}.", n), names, things),
    st.builds(lambda n, t: ("observed", f"{n} puts down the {t}.", n), names, things),
    st.builds(lambda n, t: ("observed", f"{n} gives you the {t}.", n), names, things),
    st.builds(lambda n, m, t: ("observed", f"{n} gives {m} the {t}.", n), names, names, things),
    st.builds(lambda n, t: ("result", f"You give the {t} to {n}.", ""), names, things),
    st.builds(lambda t: ("result", f"You carry a {t}.", ""), things),
    st.builds(lambda n, r: ("observed", f"{n} arrives from {r}.", n), names, rooms),
    st.builds(lambda n, r: ("observed", f"{n} leaves north to {r}.", n), names, rooms),
    st.builds(lambda text: ("observed", text, "Moss"), st.text(max_size=30)),
)
lives = st.lists(st.tuples(seen, rooms, st.integers(1, 60)), max_size=40)


def memories_of(life: list[tuple[tuple[str, str, str], str, int]]) -> list[Memory]:
    """Return the memories as a journal gives them back."""
    found, at = [], AT
    for seq, ((kind, text, person), room, minutes) in enumerate(life, 1):
        at += minutes * 60_000
        memory = Memory(seq, at, kind, room, text, (person,) if person else ())
        kept = parse_line(format_line(memory), memory.day)
        assert kept is not None
        found.append(kept)
    return found


@given(lives, st.lists(st.integers(0, 40), max_size=4))
def test_facts_written_and_read_at_any_moments_go_on_as_if_never_interrupted(life, breaks):
    through, restarted = FactStore(), FactStore()
    for memory in memories_of(life):
        extract_facts(through, memory)
        extract_facts(restarted, memory)
        extract_facts(restarted, memory)  # a memory that is read twice counts once
        if memory.seq in breaks:
            file = FactsFile(restarted.upto, restarted.place, facts=in_order(restarted.facts.values()))
            text = format_facts(file, "Eliza", lambda seq: f"[[2026-11-21#^m{seq}]]")
            found = parse_facts(parse_note(text, "facts.md"))
            restarted = FactStore(found.upto, found.place, {fact.key: fact for fact in found.facts})
    assert in_order(restarted.facts.values()) == in_order(through.facts.values())
    assert (restarted.upto, restarted.place) == (through.upto, through.place)


def test_what_is_let_go_of_is_the_same_after_an_interruption():
    rows = [("observed", MILL, f"P{number * 7 % 400} hums.", f"P{number * 7 % 400}") for number in range(900)]
    through, restarted = FactStore(), FactStore()
    for memory in lived(*rows):
        extract_facts(through, memory)
        extract_facts(restarted, memory)
        if memory.seq % 100 == 0:
            kept = {fact.key: fact for fact in in_order(restarted.facts.values())}
            restarted = FactStore(restarted.upto, restarted.place, kept)
    assert in_order(restarted.facts.values()) == in_order(through.facts.values())


@given(st.text(max_size=80), st.sampled_from(["observed", "result", "acted", "told", "noted"]))
def test_no_memory_makes_learning_fail_and_every_fact_can_be_told(text, kind):
    known = FactStore()
    extract_facts(known, Memory(1, AT, kind, MILL, text, ("Moss",)))
    assert all(fact_text(fact) for fact in known.facts.values())
