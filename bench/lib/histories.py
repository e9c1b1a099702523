"""Histories with planted facts, from a seed.

Names, places and numbers of the facts occur nowhere else, so that a fact is present if its words are.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from agents.agent import Agent
from agents.memory.strategy import loaded_strategies
from agents.models.model import LanguageModel, Request
from agents.models.queue import ModelQueue
from agents.population import Population
from bench.lib.models import PICKED, ScriptedModel
from vault.entities.agent_notes import load_agent
from vault.message_notes import starter_sentences
from vault.vault import Vault
from world.commands.table import world_commands
from world.entities import Character, Exit, Room
from world.game import Game
from world.message_catalog import Wording
from world.world import World

PEOPLE = ("Ana", "Ben", "Moss", "Tilda", "Jory", "Pia")
LATEST = 0.95
"""Nothing is planted after this share of a history, so that little of it is among the newest memories."""

CHAT = (
    "The fire burns low, and nobody minds.|It rained all morning.|The bread is good today.|I slept badly.|"
    "The river is higher than it was.|Somebody left the door open again.|That tune will not leave my head.|"
    "The soup wants salt.|There is fog on the water.|I like this bench.|The cat was here before.|"
    "We had more visitors last winter.|My boots are still wet.|The light is better over there.|"
    "I heard the mill wheel all night.|Nobody has swept the steps.|The apples are nearly ripe.|"
    "My hands are cold.|It is a long way to the sea.|The candles smell of honey.|I have seen worse weather.|"
    "Somebody should mend that fence.|The kettle is on.|I counted the stars until I fell asleep.|"
    "The strongbox in the hall is dusty.|My cousin never comes to visit.|The ferry was late again.|"
    "The garden needs water.|A key fell behind the shelf.|The old orchard is quiet."
).split("|")
ASIDES = (
    "I will bring you some bread later.|Please bring me some tea.|I will show you the path some day.|"
    "Can you help me with the fire?|Here is your bread.|I have brought the tea.|"
    "Thank you for showing me the path, as promised.|Thank you for the help with the fire."
).split("|")
"""Idle promises and requests, settled about as often as they are made: they compete with the planted ones."""

EVENTS = (
    "look|say Good day to you all.|say It is quiet here today.|think It is a good place to be.|emote nods.|inventory|"
    "go The Square|go The Kitchen|go The Garden|go The Library|go The Mill|say How has your day been?|emote smiles"
).split("|")

_FIRST = "Al Bren Cor Dun Eld Far Gor Hal Ith Kel Lor Mar Nev Os Pel Quin Ros Sel Tor Ul Ver Wyn Yar Zel".split()
_PERSON = "ric wena dric mund lia bert rana vik tess nor".split()
_PLACE = "wick mere ford ham stead combe thorpe bury moor dale".split()
_MADE = "pewter oaken ivory crimson slate walnut copper amber velvet marble silver cedar".split()
_THING = "goblet chest comb banner whistle flute kettle ring cloak compass mirror casket".split()

FORMS = {
    "pinned": ("number", "name", "place", "owner"),
    "important": ("promise", "request", "lesson"),
    "ordinary": ("number", "name", "place", "owner"),
}
PASSING = ("number", "name", "place", "owner")
"""Forms that are said in passing, between sentences that do not matter."""

NAME = "Eliza"
START_MS = 1_640_995_200_000  # 2022-01-01 00:00 UTC, before anything that is replayed
MS_A_MEMORY = 15_000
HUB = "The Square"
SPOKES = {"north": "The Kitchen", "east": "The Garden", "south": "The Library", "west": "The Mill"}
BACK = {"north": "south", "east": "west", "south": "north", "west": "east"}
ASIDE_SHARE = 0.03
NOTE = f"---\nroom: '[[{HUB}]]'\nsteering: 'off'\nbreak_loops: false\n---\nYou are {NAME}. You watch everyone.\n"


@dataclass(frozen=True)
class Planted:
    """A planted fact: after `at` memories `speaker` types `line`.

    It is known if all words of `value` are in one sentence. `question` asks for the value without saying it.
    """

    kind: str
    question: str
    value: str
    at: int
    speaker: str
    line: str


COUNTS = {"pinned": 6, "important": 12, "ordinary": 40}
"""The number of facts of each kind that are planted in a history."""


class Words:
    """Names, places, numbers and things, each given out once."""

    def __init__(self, rng: random.Random) -> None:
        self._people = _shuffled(rng, [a + b for a in _FIRST for b in _PERSON])
        self._places = _shuffled(rng, [a + b for a in _FIRST for b in _PLACE])
        self._things = _shuffled(rng, [f"{a} {b}" for a in _MADE for b in _THING])
        # Higher than any number that a history of 10,000 memories brings with it.
        self._numbers = iter(rng.sample(range(20_000, 99_999), 2000))

    def person(self) -> str:
        return self._people.pop()

    def place(self) -> str:
        return self._places.pop()

    def thing(self) -> str:
        return self._things.pop()

    def number(self) -> str:
        return str(next(self._numbers))


def _shuffled(rng: random.Random, words: list[str]) -> list[str]:
    rng.shuffle(words)
    return words


def plant_facts(rng: random.Random, memories: int, counts: Mapping[str, int]) -> list[Planted]:
    """Return the facts of a history with `memories` memories, in the order in which they are told."""
    words, found = Words(rng), list[Planted]()
    for kind, count in counts.items():
        for number in range(count):
            at = rng.randrange(1, max(3, int(LATEST * memories)))
            found.append(_fact(kind, FORMS[kind][number % len(FORMS[kind])], words, rng, at))
    return sorted(found, key=lambda fact: fact.at)


def _fact(kind: str, form: str, words: Words, rng: random.Random, at: int) -> Planted:
    speaker = rng.choice(PEOPLE)
    question, said, value = _speech(form, speaker, words)
    if form in PASSING:
        said = f"{rng.choice(CHAT)} {said} {rng.choice(CHAT)}"
    return Planted(kind, question, value, at, speaker, f"say {said}")


def _speech(form: str, speaker: str, words: Words) -> tuple[str, str, str]:
    """Return a question, the sentence that answers it, and the value in the sentence."""
    person, other, place, thing, number = words.person(), words.person(), words.place(), words.thing(), words.number()
    forms = {
        "number": (f"Which number opens the strongbox of {person}?", f"The strongbox of {person} opens with", number),
        "name": (f"What is the cousin of {speaker} at {place} called?", f"My cousin at {place} is called", person),
        "place": (f"Where does {person} live?", f"{person} lives now at", place),
        "owner": (f"Who owns the {thing}?", f"The {thing} belongs now to", person),
        "promise": (
            f"From where will {speaker} bring the {thing}?",
            f"I promise to bring you the {thing} from",
            place,
        ),
        "request": (f"To whom shall the {thing} be brought?", f"Please bring the {thing} to", person),
        "lesson": (f"What must I remember of {other}?", f"Remember that {other} is feared at", place),
    }
    question, sentence, value = forms[form]
    return question, f"{sentence} {value}.", value


class AgentHistory:
    """An agent in a vault of its own. `summarizer` makes its summaries; it never thinks of its own accord."""

    def __init__(
        self,
        root: Path,
        summarizer: LanguageModel,
        strategy: str,
        people: Sequence[str],
    ) -> None:
        (root / "agents" / NAME).mkdir(parents=True)
        (root / "agents" / NAME / "agent.md").write_text(NOTE, encoding="utf-8")
        vault = Vault(root)
        self.ms = START_MS
        self.game = Game(_world(people, load_agent(vault, NAME).character), world_commands())
        general = loaded_strategies().load_settings(vault)
        style = "pick" if summarizer.name == PICKED else "auto"
        general = replace(
            general,
            memory=replace(general.memory, strategy=strategy),
            models=replace(general.models, summary_style=style),
        )
        self.population = Population(vault, general, self.game, random.Random(1), lambda: self.ms)
        self._events: deque[str] = deque()
        self._awake = ScriptedModel("a script", self._next_deed, summarizer.count_tokens, summarizer.context_tokens)
        self._summarizer = summarizer
        for name in people:
            self.game.wake(name, lambda event, text: None)

    @property
    def agent(self) -> Agent:
        return self.population[NAME]

    @property
    def last(self) -> int:
        """The number of the newest memory."""
        return self.agent.memory.journal.last

    def wake(self) -> None:
        """Let the agent have its models, within a running loop."""
        self.population.wake(ModelQueue(self._awake), [ModelQueue(self._summarizer)])

    def perform(self, name: str, line: str) -> None:
        """Let somebody do something; time goes on."""
        self.ms += MS_A_MEMORY
        self.game.perform(name, line)

    def bring(self, name: str) -> None:
        """Let somebody walk to where the agent is."""
        here = self.agent.character.room_id
        while self.game.world.characters[name].room_id != here:
            self.perform(name, f"go {here}")

    def tell(self, fact: Planted) -> None:
        """Let a fact be told in the agent's presence."""
        self.bring(fact.speaker)
        before = self.last
        self.perform(fact.speaker, fact.line)
        assert self.last == before + 1, f"{fact} left {self.last - before} memories"

    def chat(self, rng: random.Random, people: Sequence[str]) -> None:
        """Let something happen that does not matter."""
        name = rng.choice(people)
        here = [c.name for c in self.game.world.occupants(self.agent.character.room_id) if c.name in people]
        if not here or rng.random() < 0.15:
            self.perform(name, f"go {rng.choice([self.agent.character.room_id, HUB, *SPOKES.values()])}")
            return
        said = rng.choice(ASIDES) if rng.random() < ASIDE_SHARE else " ".join(rng.sample(CHAT, rng.choice((1, 2))))
        self.perform(rng.choice(here), f"say {said}")

    async def turn(self, rng: random.Random) -> None:
        """Let the agent do something that does not matter, and summarise everything that is due."""
        self._events.append(rng.choice(EVENTS))
        self.ms += MS_A_MEMORY
        await self.agent.tick()
        await self.settle()

    async def settle(self) -> None:
        """Wait until no compaction is under way and none is due."""
        compactor = self.agent.compactor
        compactor.start_if_due()
        while compactor.is_running:
            await asyncio.sleep(0.02 if self._summarizer.capabilities.grammar else 0)
            if not compactor.is_running:
                compactor.start_if_due()

    async def end(self) -> None:
        """Let models and files go."""
        await self.population.stop()
        self.population.close()

    def _next_deed(self, request: Request) -> str:
        return self._events.popleft()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a bench that compares strategies of memory."""
    parser.add_argument("--strategies", type=_strategies, default="", help="which, with commas (default all)")
    parser.add_argument("--model", default="scripted", help="scripted, picked, embedded or ollama:NAME")
    parser.add_argument("--seed", type=int, default=1)


def _strategies(text: str) -> list[str]:
    known = list(loaded_strategies())
    if unknown := [one for one in text.split(",") if text and one not in known]:
        raise argparse.ArgumentTypeError(f"there is no strategy {unknown[0]}; choose from {', '.join(known)}")
    return text.split(",") if text else known


def at_ms(when: datetime) -> int:
    """Return a moment, UTC if it has no zone, in milliseconds since 1970."""
    return int(when.replace(tzinfo=when.tzinfo or UTC).timestamp() * 1000)


def _world(people: Sequence[str], agent: Character) -> World:
    hub = Room(HUB, "Cobbles around a well.", {way: Exit(way, room) for way, room in SPOKES.items()})
    spokes = [Room(room, "", {BACK[way]: Exit(BACK[way], HUB)}) for way, room in SPOKES.items()]
    here = [Character(name, HUB, awake=True) for name in people]
    wording = Wording(starter_sentences())
    return World([hub, *spokes], [], [*here, agent], wording=wording)
