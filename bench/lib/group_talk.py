"""Talk of a group with facts planted in it, from a seed: who knows what, what has changed, and whom a name means.

Names, places and things of the facts stand nowhere else in the talk; the same people tell them and chat in between.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.lib.conversations import UNSAID, Conversation, Question, words_of
from bench.lib.histories import CHAT, PEOPLE, START_MS, Words

MS_A_TURN = 20_000
TURNS_A_DAY = 60
DAY_MS = 86_400_000
LATEST = 0.95
"""Nothing is planted after this share of the talk."""


@dataclass(frozen=True)
class Fact:
    """What is said, in order, each as (speaker, text), and the question about it; `needs` as in `Question`."""

    category: str
    question: str
    said: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()


Draw = Callable[[random.Random, Words], Fact]


def _fact(rng: random.Random, words: Words) -> Fact:
    speaker, person, number = rng.choice(PEOPLE), words.person(), words.number()
    said = f"{rng.choice(CHAT)} The strongbox of {person} opens with {number}."
    return Fact("said once", f"Which number opens the strongbox of {person}?", ((speaker, said),), (number,))


def _speaker(rng: random.Random, words: Words) -> Fact:
    speaker, place = rng.choice(PEOPLE), words.place()
    said = f"I will wait for the ferry at {place}."
    return Fact("who said it", f"Who will wait for the ferry at {place}?", ((speaker, said),), (f"{speaker} {place}",))


def _knows(rng: random.Random, words: Words) -> Fact:
    speaker, other = rng.sample(PEOPLE, 2)
    thing = words.thing()
    said = f"Only {other} and I know where the {thing} is buried."
    question = f"Who besides {speaker} knows where the {thing} is buried?"
    return Fact("who knows it", question, ((speaker, said),), (f"{other} {thing}",))


def _update(rng: random.Random, words: Words) -> Fact:
    (first, second), thing = rng.sample(PEOPLE, 2), words.thing()
    before, now = words.place(), words.place()
    said = ((first, f"The {thing} is kept at {before}."), (second, f"They have taken the {thing} to {now} since."))
    return Fact("updated", f"Where is the {thing} now?", said, (f"{thing} {now}",))


def _ambiguous(rng: random.Random, words: Words) -> Fact:
    name, (first, second) = words.person(), (words.place(), words.place())
    one, other = words.thing(), words.thing()
    said = (
        (rng.choice(PEOPLE), f"{name} of {first} has bought the {one}."),
        (rng.choice(PEOPLE), f"{name} of {second} has bought the {other}."),
    )
    return Fact("ambiguous name", f"What has {name} of {second} bought?", said, (f"{second} {other}",))


def _chain(rng: random.Random, words: Words) -> Fact:
    person, brother, place = words.person(), words.person(), words.place()
    said = (
        (rng.choice(PEOPLE), f"The brother of {person} is called {brother}."),
        (rng.choice(PEOPLE), f"{brother} sleeps at {place} this winter."),
    )
    return Fact(
        "two steps",
        f"Where does the brother of {person} sleep this winter?",
        said,
        (f"{person} {brother}", f"{brother} {place}"),
    )


def _never(rng: random.Random, words: Words) -> Fact:
    questions = (
        f"Who owns the {words.thing()}?",
        f"Where did {words.person()} learn to swim?",
        f"Why was {words.place()} given up?",
    )
    return Fact(UNSAID, rng.choice(questions))


FACTS: Sequence[Draw] = (_fact, _speaker, _knows, _update, _ambiguous, _chain, _never)


def generate_group_talk(seed: int, turns: int, questions: int) -> Conversation:
    """Return a talk of so many turns, and as many questions; as many of each kind as will go."""
    rng = random.Random(seed)
    words = Words(rng)
    facts = [FACTS[number % len(FACTS)](rng, words) for number in range(questions)]
    count = sum(len(fact.said) for fact in facts)
    free = int(LATEST * turns)
    if count > free:
        raise ValueError(f"{questions} questions need {count} turns, and {turns} have room for {free}.")
    places = rng.sample(range(free), count)
    planted: dict[int, tuple[str, str]] = {}
    asked: list[Question] = []
    for fact in facts:
        own = sorted(places.pop() for _ in fact.said)
        planted |= dict(zip(own, fact.said, strict=True))
        asked.append(
            Question(
                fact.category, fact.question, evidence=tuple(own), needs=tuple(words_of(one) for one in fact.needs)
            )
        )
    said = (planted.get(turn) or (rng.choice(PEOPLE), " ".join(rng.sample(CHAT, 2))) for turn in range(turns))
    dated = ((START_MS + DAY_MS * (n // TURNS_A_DAY) + MS_A_TURN * n, *one) for n, one in enumerate(said))
    return Conversation(f"talk {seed}", PEOPLE, tuple(dated), tuple(asked))
