"""Histories with planted facts, from a seed.

Names, places and numbers of the facts stand nowhere else, so that a fact is present if its words are."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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
from world.entities import Character, Exit, Room, Thing
from world.game import Game
from world.message_catalog import Wording
from world.world import World

Draw = Callable[[], str]

KINDS = ("pinned", "important", "ordinary", "updated")
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
    "important": ("promise", "request", "lesson", "secret"),
    "ordinary": ("number", "name", "place", "owner"),
    "updated": ("number", "given", "place", "promise", "owner", "given"),
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
NOTE = f"---\nroom: '[[{HUB}]]'\n---\nYou are {NAME}. You keep an eye on everyone.\n"


@dataclass(frozen=True)
class Telling:
    """One telling of a fact: after `at` memories `speaker` types `line`, with `company` in the room."""

    at: int
    speaker: str
    line: str
    company: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planted:
    """A planted fact: the words of each of its values, oldest first, and the time when it is told.

    A value is known if all its words are in one sentence. `question` asks for the value without saying it.
    """

    kind: str
    form: str
    question: str
    values: tuple[tuple[str, ...], ...]
    tellings: tuple[Telling, ...]


@dataclass(frozen=True)
class Counts:
    """The number of facts of each kind that are planted in one history."""

    pinned: int = 6
    important: int = 12
    ordinary: int = 40
    updated: int = 18


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


def plant_facts(rng: random.Random, memories: int, counts: Counts) -> list[Planted]:
    """Return the facts of a history with `memories` memories."""
    words, found = Words(rng), list[Planted]()
    for kind in KINDS:
        forms = FORMS[kind]
        for number in range(getattr(counts, kind)):
            moments = sorted(rng.sample(range(1, max(3, int(LATEST * memories))), 2 if kind == "updated" else 1))
            found.append(_fact(kind, forms[number % len(forms)], words, rng, moments))
    return found


def plan_handovers(facts: list[Planted]) -> dict[str, str]:
    """Return the things that somebody carries from the start, with who carries them."""
    given = [fact for fact in facts if fact.form == "given"]
    return {fact.values[0][0]: fact.tellings[0].speaker for fact in given}


def schedule_tellings(facts: list[Planted]) -> Iterator[tuple[Telling, Planted]]:
    """Yield every telling with its fact, in order."""
    yield from sorted(((t, fact) for fact in facts for t in fact.tellings), key=lambda pair: pair[0].at)


def _fact(kind: str, form: str, words: Words, rng: random.Random, moments: list[int]) -> Planted:
    if form == "given":
        return _plant_handover(kind, words, rng, moments)
    speaker = rng.choice(PEOPLE)
    question, sentence, draw = _speech_form(form, speaker, words)
    values = [draw() for _ in moments]
    told = []
    for at, value in zip(moments, values, strict=True):
        said = sentence.format(value)
        if form in PASSING:
            said = f"{rng.choice(CHAT)} {said} {rng.choice(CHAT)}"
        verb = "whisper Eliza" if form == "secret" else "say"
        told.append(Telling(at, speaker, f"{verb} {said}"))
    return Planted(kind, form, question, tuple((value,) for value in values), tuple(told))


def _plant_handover(kind: str, words: Words, rng: random.Random, moments: list[int]) -> Planted:
    """Return a thing that goes from hand to hand before the agent's eyes."""
    thing, hands = words.thing(), rng.sample(PEOPLE, len(moments) + 1)
    told = [
        Telling(at, giver, f"give {thing} to {taker}", (taker,))
        for at, giver, taker in zip(moments, hands, hands[1:], strict=False)
    ]
    return Planted(kind, "given", f"Who has the {thing}?", tuple((thing, who) for who in hands[1:]), tuple(told))


def _speech_form(form: str, speaker: str, words: Words) -> tuple[str, str, Draw]:
    """Return a question, a sentence with a place for the value, and what draws a value."""
    place, person, thing = words.place(), words.person(), words.thing()
    match form:
        case "number":
            return (
                f"Which number opens the strongbox of {person}?",
                f"The strongbox of {person} opens with {{}}.",
                (words.number),
            )
        case "name":
            return (
                f"What is the cousin of {speaker} at {place} called?",
                f"My cousin at {place} is called {{}}.",
                words.person,
            )
        case "place":
            return f"Where does {person} live?", f"{person} lives at {{}} now.", words.place
        case "owner":
            return f"Who owns the {thing}?", f"The {thing} belongs to {{}} now.", words.person
        case "promise":
            return (
                f"From where will {speaker} bring the {thing}?",
                f"I promise to bring you the {thing} from {{}}.",
                words.place,
            )
        case "request":
            return f"To whom shall the {thing} be brought?", f"Please bring the {thing} to {{}}.", words.person
        case "lesson":
            return f"What must I remember of {person}?", f"Remember that {person} is feared at {{}}.", words.place
        case _:
            return (
                f"What did {speaker} whisper of the {thing}?",
                f"The {thing} is hidden at {{}}; tell nobody.",
                words.place,
            )


class AgentHistory:
    """An agent in a vault of its own. `summarizer` makes its summaries; it never thinks of its own accord."""

    def __init__(
        self,
        root: Path,
        summarizer: LanguageModel,
        settings: dict[str, Any],
        people: Sequence[str],
        things: dict[str, str] | None = None,
    ) -> None:
        (root / "agents" / NAME).mkdir(parents=True)
        (root / "agents" / NAME / "agent.md").write_text(NOTE, encoding="utf-8")
        vault = Vault(root)
        self.ms = START_MS
        self.game = Game(_world(people, things or {}, load_agent(vault, NAME).character), world_commands())
        general = loaded_strategies().load_settings(vault)
        style = "pick" if summarizer.name == PICKED else "auto"
        general = replace(
            general,
            memory=replace(general.memory, **settings),
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

    def tell(self, telling: Telling) -> int:
        """Let a fact be told in the agent's presence; return the number of the memory that it leaves."""
        for name in (telling.speaker, *telling.company):
            self.bring(name)
        before = self.last
        self.perform(telling.speaker, telling.line)
        assert self.last == before + 1, f"{telling} left {self.last - before} memories"
        return self.last

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


def at_ms(when: datetime) -> int:
    """Return a moment, UTC if it has no zone, in milliseconds since 1970."""
    return int(when.replace(tzinfo=when.tzinfo or UTC).timestamp() * 1000)


def _world(people: Sequence[str], things: dict[str, str], agent: Character) -> World:
    hub = Room(HUB, "Cobbles around a well.", {way: Exit(way, room) for way, room in SPOKES.items()})
    spokes = [Room(room, "", {BACK[way]: Exit(BACK[way], HUB)}) for way, room in SPOKES.items()]
    here = [Character(name, HUB, awake=True) for name in people]
    wording = Wording(starter_sentences())
    return World([hub, *spokes], [Thing(thing, who) for thing, who in things.items()], [*here, agent], wording=wording)
