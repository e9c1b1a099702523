"""Measure what agents know of long conversations, by memory strategy: `python -m bench.groupmem`.

A group talks in the agent's presence. Facts are planted in the talk by seed: said once, who said it, who knows it,
updated, one name for two people, two steps apart, and questions about what was never said. Then each question is asked:
is the answer in the view, with what the question brings to mind, with `find`, or in a plain window of as many tokens?
For what was never said, the table counts how often nothing at all comes to mind (`view, reminded`) or is found (`view
and find`). Intervals are 95 %. No model answers and none judges.

`--model` names the summariser: a script that loses most (default), `picked` by rule, `embedded` or `ollama:NAME`.
`--locomo`, `--longmemeval` and `--convomem` ask the questions of data sets in a folder; the measure is then the share
of the answer's words in each text.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.lib.conversations import UNSAID, AnswerRecord, Conversation, Question, asked_table, question_agent, words_of
from bench.lib.datasets import DatasetError, convomem, locomo, longmemeval
from bench.lib.histories import CHAT, PEOPLE, START_MS, Words, add_options
from bench.lib.models import LossySummarizer, start_summarizer
from bench.lib.reporting import argument_parser, publish

MS_A_TURN = 20_000
TURNS_A_DAY = 60
DAY_MS = 86_400_000
LATEST = 0.95
"""Nothing is planted after this share of the talk."""


@dataclass(frozen=True)
class Fact:
    """A fact: the speeches that tell it, in order, as (speaker, text), and its question; `needs` as in `Question`."""

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
    """Return a talk of `turns` turns with `questions` questions, as evenly over the kinds as possible."""
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


QUESTIONS_A_TALK = 50
DATASETS = {"locomo": locomo, "longmemeval": longmemeval, "convomem": convomem}


def _conversations(options: argparse.Namespace) -> list[Conversation]:
    """Return the conversations of the data set that is named, or generated ones. Raises: DatasetError, ValueError."""
    for name, read in DATASETS.items():
        if folder := getattr(options, name):
            found = read(folder)[: options.conversations]
            if not found:
                raise DatasetError(f"There is no {name} data in {folder}.")
            return found
    talks, rest = divmod(options.questions, QUESTIONS_A_TALK)
    sizes = [QUESTIONS_A_TALK] * talks + ([rest] if rest else [])
    return [generate_group_talk(options.seed + number, options.turns, size) for number, size in enumerate(sizes)]


async def _run_all(conversations: list[Conversation], options: argparse.Namespace) -> list[AnswerRecord]:
    rows: list[AnswerRecord] = []
    for strategy in options.strategies:
        for number, conversation in enumerate(conversations, 1):
            model = await start_summarizer(options.model, LossySummarizer())
            rows += await question_agent(conversation, strategy, model)
            print(f"  {strategy}: {number} of {len(conversations)}", file=sys.stderr, flush=True)
    return rows


def main() -> None:
    """Print the table."""
    parser = argument_parser(__doc__)
    parser.add_argument("--questions", type=int, default=1000, help="how many, 50 of each talk (default 1000)")
    parser.add_argument("--turns", type=int, default=400, help="how long each talk is (default 400)")
    parser.add_argument("--conversations", type=int, help="only the first so many of a data set")
    add_options(parser)
    for name in DATASETS:
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help=f"ask the questions of {name} in a folder")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    try:
        conversations = _conversations(options)
    except (DatasetError, ValueError) as error:
        parser.error(str(error))
    hidden = next((str(folder) for name in DATASETS if (folder := getattr(options, name))), "")
    publish("groupmem", [asked_table(asyncio.run(_run_all(conversations, options)))], options.record, hidden=hidden)


if __name__ == "__main__":
    main()
