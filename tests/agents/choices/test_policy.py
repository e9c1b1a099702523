"""What the engine decides: who is answered, when an errand goes on, whom to greet, what is left if nothing is due."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from agents.attending.conversation import Manners
from agents.attending.perception import Address
from agents.choices.policy import FEW_POSES, MENU_LINES, Decision, Policy, without_repeats
from agents.choices.possible import (
    NOTHING,
    Possible,
    Situation,
    possible,
    ways_back,
    ways_to_others,
)
from agents.components.errands import Step
from tests.agents.choices.test_possible import TABLE, a_world
from vault.entities.agent_notes import Errand
from world.entities import Character
from world.world import World

DRAWS = 150
BY_PERSON = Address(True, by_person=True, by_id="Dot", text="Where is the bell?")
BY_AGENT = Address(True, by_id="Old Ben", text="How are you?")


def a_landing() -> World:
    """Return Ana's world with Dot, a person, on the landing too."""
    world = a_world()
    world.characters["Dot"].room_id = "Landing"
    return world


def here() -> Possible:
    world = a_landing()
    return possible(world, world.characters["Ana"], TABLE)


def company(*names: str) -> tuple[Character, ...]:
    """Return some of those on the landing; Old Ben is an agent, Dot is a person."""
    world = a_landing()
    return tuple(world.characters[name] for name in names)


def decisions(now: Situation, among: Possible | None = None) -> list[Decision]:
    """Return many decisions of one situation."""
    policy, among = Policy(random.Random(1)), among or here()
    return [policy.decide(among, now) for _ in range(DRAWS)]


def causes(now: Situation, among: Possible | None = None) -> Counter[str]:
    return Counter(one.cause for one in decisions(now, among))


def free_verbs(now: Situation, among: Possible | None = None) -> Counter[str]:
    """Return how often each verb is drawn when nothing is due."""
    found = decisions(now, among)
    return Counter(verb for one in found if one.cause == "free" for verb in one.forms)


def test_the_same_seed_decides_the_same():
    now = Situation(company=company("Old Ben"))
    assert decisions(now) == decisions(now)


@pytest.mark.parametrize("manners", [Manners(), Manners(is_waiting=True, words_here=9), Manners(others_talk=True)])
def test_a_person_is_always_answered_in_words(manners):
    now = Situation(("say One.",) * 8, BY_PERSON, manners, company("Dot", "Old Ben"))
    assert {(one.cause, one.kind, one.opening()) for one in decisions(now)} == {("answer", "speech", "say")}
    assert {one.partner.name for one in decisions(now) if one.partner} == {"Dot"}


def test_an_agent_is_answered_less_and_less_and_not_after_leave_was_taken_of_it():
    first, later, parted, other = (
        causes(Situation(address=BY_AGENT, manners=manners, company=company("Old Ben")))["answer"]
        for manners in (
            Manners(),
            Manners(words_here=4),
            Manners(parted=frozenset({"Old Ben"})),
            Manners(parted=frozenset({"Dot"})),
        )
    )
    assert first > 0.85 * DRAWS > 0.4 * DRAWS > later > parted == 0
    assert other > 0.85 * DRAWS


def test_who_whispers_is_answered_in_a_whisper_and_who_tells_from_afar_is_told():
    whispered = replace(BY_PERSON, channel="whisper")
    now = Situation(address=whispered, company=company("Dot", "Old Ben"))
    assert {one.opening() for one in decisions(now)} == {"whisper Dot"}
    world = a_world()
    world.characters["Ana"].transient.reply_to_id = "Dot"
    among = possible(world, world.characters["Ana"], TABLE)
    told = Situation(address=replace(BY_PERSON, channel="tell", from_afar=True))
    assert {one.opening() for one in decisions(told, among)} == {"tell Dot"}


def test_who_has_gone_cannot_be_answered():
    assert causes(Situation(address=BY_PERSON))["answer"] == 0


def test_a_gift_is_answered_in_words():
    gift = Situation(address=replace(BY_PERSON, is_gift=True, text=""), company=company("Dot"))
    assert {(one.cause, one.kind, one.opening()) for one in decisions(gift)} == {("answer", "speech", "say")}


def test_an_errand_is_done_without_asking_a_model_but_never_away_from_a_person_in_talk():
    step = Step(Errand("", "Mill"), "go north", is_going=True)
    alone = decisions(Situation(errand=step))
    assert Counter(one.line for one in alone if one.cause == "errand")["go north"] > 0.35 * DRAWS
    in_talk = Situation(
        errand=step, company=company("Dot"), manners=Manners(in_talk_with="Dot", spoken_to=frozenset({"Dot"}))
    )
    assert not [
        one for one in decisions(in_talk) if one.cause == "errand" or one.verb == "go" or one.line.startswith("go")
    ]


def test_a_step_of_an_errand_that_needs_neither_a_walk_nor_words_is_done_in_the_middle_of_a_talk():
    step = Step(Errand("Dot", "drop letter"), "drop letter")
    in_talk = Situation(errand=step, company=company("Dot"), manners=Manners(in_talk_with="Dot"))
    assert causes(in_talk)["errand"] > 0.5 * DRAWS
    assert not causes(replace(in_talk, errand=Step(Errand("Dot", "say hello"), "say hello")))["errand"]


def test_a_step_that_is_a_talk_is_a_speech_to_that_person():
    now = Situation(errand=Step(Errand("talk", "Old Ben"), talk_to="Old Ben"), company=company("Old Ben"))
    found = [one for one in decisions(now) if one.cause == "errand"]
    assert {(one.kind, one.opening(), one.partner.name if one.partner else "") for one in found} == {
        ("speech", "say", "Old Ben")
    }


def test_who_is_new_is_greeted_a_person_first_and_nobody_twice():
    now = Situation(company=company("Old Ben", "Dot"))
    greeted = [one for one in decisions(now) if one.cause == "greet"]
    assert len(greeted) > 0.5 * DRAWS
    assert {one.partner.name for one in greeted if one.partner} == {"Dot"}
    known = replace(now, manners=Manners(spoken_to=frozenset({"Old Ben", "Dot"})))
    assert causes(known)["greet"] == 0


def test_a_person_who_is_new_is_greeted_before_an_agent_is_answered():
    now = Situation(address=BY_AGENT, company=company("Old Ben", "Dot"))
    assert {(one.cause, one.partner.name) for one in decisions(now) if one.partner} == {("greet", "Dot")}
    known = replace(now, manners=Manners(spoken_to=frozenset({"Dot"})))
    assert causes(known)["answer"] > 0.5 * DRAWS


def test_nobody_turns_away_from_a_person_to_greet_a_neighbour():
    now = Situation(company=company("Old Ben", "Dot"))
    with_dot = replace(now, manners=Manners(in_talk_with="Dot", spoken_to=frozenset({"Dot"})))
    known = replace(now, manners=Manners(spoken_to=frozenset({"Dot"})))
    assert (causes(with_dot)["greet"], causes(known)["greet"] > 0) == (0, True)


@pytest.mark.parametrize(
    "manners",
    [Manners(is_waiting=True), Manners(others_talk=True), Manners(parted=frozenset({"Old Ben", "Dot"}))],
)
def test_nobody_speaks_unasked_while_it_is_not_polite(manners):
    old_ben, dot = company("Old Ben", "Dot")
    now = Situation(company=(old_ben, dot), manners=manners, delivers_to=dot)
    assert not [one for one in decisions(now) if one.kind == "speech"]


def test_who_has_taken_leave_of_one_still_speaks_to_another():
    old_ben, dot = company("Old Ben", "Dot")
    parted = Manners(spoken_to=frozenset({"Old Ben"}), parted=frozenset({"Old Ben"}))
    now = Situation(company=(old_ben, dot), manners=parted)
    assert causes(now) == Counter({"greet": DRAWS})
    assert causes(replace(now, delivers_to=dot)) == Counter({"deliver": DRAWS})
    assert not causes(replace(now, delivers_to=old_ben))["deliver"]


def test_what_is_shunned_is_not_drawn():
    assert free_verbs(Situation(shunned=frozenset({"go"})))["go"] == 0
    assert free_verbs(Situation())["go"] > 0


def test_alone_nobody_is_spoken_to_given_anything_or_followed():
    assert free_verbs(Situation()).keys().isdisjoint({"say", "whisper", "give", "follow"})


def test_a_model_that_is_not_asked_for_free_words_is_given_lines_to_choose_from():
    found = [one for one in decisions(Situation(finds_words=False)) if one.cause == "free"]
    menus = [one.menu(random.Random(1)) for one in found]
    assert all(0 < len(menu) <= MENU_LINES for menu in menus)
    assert {one.line for one, menu in zip(found, menus, strict=True) if len(menu) == 1} == {
        menu[0] for menu in menus if len(menu) == 1
    }


def test_of_poses_a_few_are_offered():
    menus = [one.menu(random.Random(1)) for one in decisions(Situation()) if "emote" in one.forms]
    assert menus
    assert all(len(menu) <= FEW_POSES for menu in menus)


def test_what_was_done_just_now_is_no_choice():
    fresh = without_repeats(here(), Situation(("look bell", "examine river")))
    assert not {"bell", "river"} & {*fresh["look"].choices["sight"], *fresh["examine"].choices["sight"]}
    assert NOTHING not in without_repeats(here(), Situation(("look",)))["look"].choices["sight"]


def test_the_way_back_is_taken_only_where_there_is_no_other():
    forms = here()
    exits = forms["go"].choices["exit"]
    back = frozenset(exits[:1])
    assert set(without_repeats(forms, Situation(ways_back=back))["go"].choices["exit"]) == set(exits) - back
    everywhere = Situation(ways_back=frozenset(exits))
    assert set(without_repeats(forms, everywhere)["go"].choices["exit"]) == set(exits)


def test_ways_lead_back_and_to_others():
    world = a_world()
    room = world.rooms["Landing"]
    first = next(iter(room.exits.values()))
    assert ways_back(room, [first.room_id, "Landing"]) == {first.name}
    world.characters["Old Ben"].room_id, world.characters["Old Ben"].awake = first.room_id, True
    assert first.name in ways_to_others(world, world.characters["Ana"])


def test_lines_are_suggested_that_can_be_typed_and_none_twice():
    lines = Policy(random.Random(1)).suggest(here(), Situation())
    assert len(set(lines)) == len(lines) == 3
    assert all(TABLE.get(line.split()[0]) for line in lines)


def test_a_step_that_is_to_be_done_at_once_is_always_done_and_never_while_a_person_talks_with_the_agent():
    step = Step(Errand("Dot", "talk"), "go north", is_going=True, is_at_once=True)
    assert causes(Situation(errand=step)) == Counter({"errand": DRAWS})
    assert not causes(Situation(errand=step, manners=Manners(in_talk_with="Dot")))["errand"]


def test_what_it_was_given_it_neither_puts_down_nor_hands_on_by_a_whim():
    world = a_landing()
    world.things["letter"].place_id = "Ana"
    among = possible(world, world.characters["Ana"], TABLE)
    assert {"drop", "give"} <= set(without_repeats(among, Situation(company=company("Dot"))))
    kept = without_repeats(among, Situation(company=company("Dot"), gifts=tuple(among["give"].choices["carried"])))
    assert not {"drop", "give"} & set(kept)


def test_who_is_led_is_neither_greeted_in_each_room_nor_left():
    dot = company("Dot")
    going = Step(Errand("Dot", "talk"), "go north", is_going=True, is_at_once=True, led="Dot")
    for step, line in ((going, "go north"), (replace(going, line="", is_going=False), "")):
        now = Situation(company=dot, errand=step, manners=Manners(in_talk_with="Dot"))
        assert {one.line for one in decisions(now)} == {line}
        assert set(causes(now)) == {"errand" if line else "rest"}
        assert set(causes(replace(now, address=BY_PERSON))) == {"answer"}


@pytest.mark.parametrize(("privately", "opening"), [(False, "say"), (True, "whisper Dot")])
def test_a_promise_is_kept_after_an_answer_and_before_all_else_in_confidence_if_it_was_given_so(privately, opening):
    (dot,) = company("Dot")
    errand = Step(Errand("", "Mill"), "go north", is_going=True, is_at_once=True)
    now = Situation(company=(dot,), errand=errand, delivers_to=dot, delivers_privately=privately)
    gone = replace(now, address=replace(BY_PERSON, by_id="Old Ben"))  # who cannot be answered any more
    for one in [*decisions(now), *decisions(gone)]:
        assert (one.cause, one.kind, one.opening(), one.partner) == ("deliver", "speech", opening, dot)
        assert one.is_private is privately
    assert causes(replace(now, address=BY_PERSON)) == Counter({"answer": DRAWS})
