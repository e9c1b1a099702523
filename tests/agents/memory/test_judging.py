"""What the verifier promises of acts that the world itself tells, and of what was only said or meant."""

from itertools import permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.summaries.prompt import first_person
from agents.memory.summary_verifier import UNTRUE, Source, judge, without_faults
from tests.agents.memory.verifier_samples import TUNING, estimated_tokens, judged_summaries
from tests.german import GERMAN
from vault.memory.memory_line import Memory

NOON_MS = 1_795_262_400_000
AGENT = "Wick"
PEOPLE = ("Ana", "Ben", "Odile")
THINGS = ("brass lantern", "tin cup", "iron key")
ROOMS = ("Ink Yard", "Mill")
ROSTER = frozenset((*PEOPLE, *THINGS, *ROOMS, AGENT))
JOURNALS = list({one.journal: one.source for one in judged_summaries(TUNING)}.values())


def observed(seq: int, who: str, text: str, room: str = "Ink Yard") -> Memory:
    return Memory(seq, NOON_MS, "observed", room, f"{who} {text}", (who,))


def untrue(text: str, source: Source) -> set[str]:
    return {one.reason for one in judge(text, source, estimated_tokens).objections} & UNTRUE


def of(*memories: Memory) -> Source:
    return Source(memories, (), ROSTER, AGENT)


@st.composite
def gifts(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Return some gifts: who gave what to whom."""
    pairs = st.sampled_from(list(permutations((*PEOPLE, AGENT), 2)))
    return [(*draw(pairs), draw(st.sampled_from(THINGS))) for _ in range(draw(st.integers(1, 5)))]


def told_as(gift: tuple[str, str, str]) -> str:
    giver, receiver, thing = gift
    if giver == AGENT:
        return f"You give the {thing} to {receiver}."
    return f"{giver} gives {'you' if receiver == AGENT else receiver} the {thing}."


def given_source(rows: list[tuple[str, str, str]]) -> Source:
    kinds = (("result", ()) if giver == AGENT else ("observed", (giver,)) for giver, _, _ in rows)
    lines = zip(rows, kinds, strict=True)
    return of(
        *(
            Memory(seq, NOON_MS, kind, "Ink Yard", told_as(row), people)
            for seq, (row, (kind, people)) in enumerate(lines, 1)
        )
    )


FORMS = (
    "{giver} gave {receiver} the {thing}.",
    "{giver} handed the {thing} to {receiver}.",
    "The {thing} was given to {receiver} by {giver}.",
    "{receiver_subject} received the {thing} from {giver_object}.",
)


def retold(gift: tuple[str, str, str], form: str) -> str:
    giver, receiver, thing = gift
    return form.format(
        giver="I" if giver == AGENT and form.startswith("{giver}") else "me" if giver == AGENT else giver,
        receiver="me" if receiver == AGENT else receiver,
        giver_object="me" if giver == AGENT else giver,
        receiver_subject="I" if receiver == AGENT else receiver,
        thing=thing,
    )


@given(gifts(), st.integers(0, 4), st.sampled_from(FORMS))
def test_a_gift_is_accepted_in_every_form_and_never_with_giver_and_receiver_swapped(rows, at, form):
    giver, receiver, thing = gift = rows[at % len(rows)]
    source = given_source(rows)
    assert untrue(retold(gift, form), source) == set()
    assume((receiver, giver, thing) not in rows)
    assert untrue(retold((receiver, giver, thing), form), source)


@given(gifts(), st.sampled_from(PEOPLE), st.sampled_from(THINGS))
def test_a_gift_that_nobody_saw_is_never_accepted(rows, giver, thing):
    assume((giver, AGENT, thing) not in rows)
    assert untrue(f"{giver} gave me the {thing}.", given_source(rows))


@given(st.sampled_from(PEOPLE), st.sampled_from(PEOPLE), st.sampled_from(THINGS), st.booleans())
def test_who_took_or_put_down_a_thing_is_told_of_nobody_else(who, other, thing, took):
    told, retold_as = ("takes", "took") if took else ("puts down", "put down")
    source = of(observed(1, who, f"{told} the {thing}."), observed(2, "Odile", "hums, and looks at the sky for long."))
    assert bool(untrue(f"{other} {retold_as} the {thing}.", source)) is (other != who)


@given(st.sampled_from(JOURNALS), st.lists(st.integers(0, 80), min_size=1, max_size=6))
def test_no_sentence_of_the_journal_itself_is_untrue(source, places):
    memories = [source.memories[at % len(source.memories)] for at in places]
    text = " ".join(first_person(memory, source.name) for memory in memories if memory.kind != "acted")
    assume(text)
    assert untrue(text, source) == set()


DAY = of(
    observed(1, "Ana", "gives you the brass lantern."),
    Memory(2, NOON_MS, "result", "Ink Yard", "You take the tin cup."),
    observed(3, "Ana", 'says, "I shall pay you 3 pennies for the soup on Sunday, Wick."'),
    observed(4, "Ben", 'says, "Harold is dead, Wick. I saw him on Sunday."', "Mill"),
    observed(5, "Odile", 'says, "Wick, thank you for the eels. The fence does not leak."'),
    observed(6, "Odile", 'says, "Nobody knows of the hole."'),
    observed(7, "Ana", 'says, "I leave on Tuesday with Ben."'),
    observed(8, "Ben", 'says, "I quarrelled with Odile because of the honey."', "Mill"),
    observed(9, "Ana", 'says, "Wick, will you write to Beatriz for me?"'),
    Memory(10, NOON_MS, "result", "Mill", "You go north to Mill."),
)

TALK = of(
    observed(1, "Ana", 'says, "I think Ben stole the ladder. He has no money."'),
    observed(
        2, "Ben", 'says, "I stole nothing. My mother painted the fence, and I mended it with my cousin Rolf."', "Mill"
    ),
    observed(3, "Odile", 'says, "Will you teach me chess, Wick? If the river rises, I shall sleep in the boat."'),
    Memory(4, NOON_MS, "acted", "Mill", "say Perhaps on Sunday, Odile. I will ask Ana for the chess board."),
    observed(5, "Odile", 'says, "Somebody has broken the bell. Please do not tell Ana that we met."'),
    observed(6, "Ana", "gives you the brass lantern."),
    observed(7, "Ben", "gives you the iron key.", "Mill"),
    Memory(8, NOON_MS, "result", "Mill", "You use the iron key."),
    observed(9, "Odile", 'says, "The well has been dry for 3 weeks. I counted 30 buckets, and 8 are left."'),
)


@pytest.mark.parametrize(
    ("source", "text", "reason"),
    [
        (DAY, "Ana gave me the brass lantern at the Mill.", "wrong-place"),
        (DAY, "I took the tin cup at the Mill.", "wrong-place"),
        (DAY, "I took the iron key.", "invented-event"),
        (DAY, "Ana paid me 3 pennies for the soup.", "invented-event"),
        (DAY, "Somebody knows of the hole.", "negation"),
        (DAY, "Odile said that the fence was leaking.", "negation"),
        (DAY, "Ana leaves on Monday with Ben.", "wrong-number"),
        (DAY, "Ana writes to Odile.", "wrong-person"),
        (DAY, "Odile quarrelled with Ana.", "wrong-person"),
        (DAY, "Wick gave me the tin cup.", "wrong-person"),
        (DAY, "I met Wick in the Ink Yard.", "wrong-person"),
        (TALK, "I taught Odile chess.", "invented-event"),
        (TALK, "The river rose, and Odile slept in the boat.", "invented-event"),
        (TALK, "I used the iron key in the Ink Yard.", "wrong-place"),
    ],
)
def test_an_act_has_to_be_as_it_was_told_and_what_was_thought_or_asked_is_not_done(source, text, reason):
    assert reason in untrue(text, source)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (DAY, "In the Ink Yard Ana gave me the brass lantern."),
        (DAY, "I took the tin cup in the Ink Yard, and went to the Mill."),
        (DAY, "Ana wants to pay me 3 pennies for the soup on Sunday."),
        (DAY, "Harold is dead, says Ben."),
        (DAY, "I, Wick, took the tin cup."),
        (DAY, "Odile thanked me for the eels."),
        (DAY, "Nobody knows of the hole."),
        (DAY, "Ana and Ben leave on Tuesday."),
        (DAY, "Ana and Ben will leave on Tuesday."),
        (DAY, "Ben told me that he had quarrelled with Odile."),
        (DAY, "Ana asked me to write to Beatriz."),
        (TALK, "Ana thinks that Ben stole the ladder."),
        (TALK, "Ben's mother painted the fence."),
        (TALK, "Ben mended the fence with his cousin Rolf."),
        (TALK, "Odile asked me to teach her chess."),
        (TALK, "Somebody broke the bell."),
        (TALK, "Odile asked me not to tell Ana that we met."),
        (TALK, "Ana gave me the brass lantern before Ben gave me the iron key."),
        (TALK, "I used the iron key at the Mill."),
        (TALK, "Odile said that 22 buckets are gone."),
    ],
)
def test_the_same_in_other_words_is_no_fault_nor_is_what_was_thought_or_asked_told_as_that(source, text):
    found = {one.reason for one in judge(text, source, estimated_tokens).objections}
    assert found & (UNTRUE | {"unknown-number"}) == set()


def test_acts_are_read_from_the_sentences_of_a_translated_world():
    reading = NarrationParser(lambda: GERMAN)
    told = GERMAN("narration.gives_you", who="Ana", thing="brass lantern")
    memory = Memory(1, NOON_MS, "observed", "Ink Yard", told, ("Ana",))
    source = Source((memory,), (), ROSTER, AGENT, reading=reading)
    assert untrue("Ana gave me the brass lantern.", source) == set()
    assert untrue("I gave Ana the brass lantern.", source) == {"wrong-person"}


def test_what_is_left_of_a_summary_has_no_wrong_sentence_and_none_twice():
    sound = "Ana gave me a lantern."
    wrong = ("Wick is good to me.", "I met Harold Pym.", "I took the iron key.")
    assert without_faults(" ".join((wrong[0], sound, sound, *wrong[1:], "I took the tin cup.", "I")), DAY) == (
        f"{sound} I took the tin cup.",
        " ".join((wrong[0], sound, *wrong[1:], "I took the tin cup. I")),
    )
