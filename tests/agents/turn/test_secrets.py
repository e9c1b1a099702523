"""What was only whispered stands nowhere that others might hear of it, and where its parties are alone it does."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.component import AddedComponent, Moment, Section, Turn
from agents.component_registry import loaded_components
from agents.models.model import Capabilities, Request
from agents.models.queue import ModelQueue
from tests.agents.house import House
from tests.agents.turn.talking import BASE, CHAT, KITCHEN, Talking, words
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel
from vault.memory.memory_line import Memory
from world.events import Event

FREE = Capabilities(parameters_billion=8.0)
CANS = {"chat": CHAT, "grammar": BASE, "free": FREE}
OPENINGS = ("The key lies below the {word}.", "I will bring you the {word} tomorrow.", "My sister is called {word}.")
ALOUD = ("What a wet day.", "The bread is good.", "I like the fire.", "Where does the ferry go?")

secrets = st.text("bcdfghjklmnpqrstvwxz", min_size=7, max_size=10)


class Hoard(AddedComponent):
    """A plugin that tells in every prompt all that it has ever been told of."""

    name = "hoard"

    def __init__(self, owner) -> None:
        super().__init__(owner)
        self.kept: list[str] = []

    def observe(self, memory: Memory, event: Event | None) -> None:
        self.kept += [memory.text, repr(event)]

    def context(self, moment: Moment) -> Section | None:
        tail = [one.text for one in moment.view.tail]
        return Section(self.name, " ".join([*self.kept, *tail])[-9000:])


@dataclass
class Whispering:
    """Rook among Ana and Ben; each request is kept with the line that it has led to."""

    root: Path
    can: Capabilities
    plugin: type[AddedComponent] | None = None
    texts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self.house = House(self.root, "Rook", components=loaded_components().with_more(self.plugin or Hoard))
        self.rook = self.house.agents["Rook"]
        self.model = ScriptedModel(self._answer, capabilities=self.can)
        self.rook.queue = ModelQueue(self.model)

    def restart(self) -> None:
        self.house.end()
        self.begin()

    def _answer(self, request: Request) -> str:
        self.texts.append(request.text)
        number = len(self.texts)
        text = f"That is thing number {number} I know."
        return words(text) if self.can.chat else f" {'' if request.text.endswith(' say') else 'say '}{text}\n"

    def does(self, name: str, line: str) -> None:
        self.house.game.perform(name, line)

    def confides(self, way: str, words: str) -> None:
        """Let Ana tell Rook something, or Rook Ana, so that nobody else hears it."""
        memory, who = self.rook.memory, {"who": "Ana", "text": words}
        match way:
            case "whispered to it":
                self.does("Ana", f"whisper Rook {words}")
            case "told to it":
                self.does("Ana", f"tell Rook {words}")
            case "whispered by it" | "told by it":
                verb = way.split(" ")[0].replace("whispered", "whisper").replace("told", "tell")
                self.rook.perform(f"{verb} Ana {words}", "answer")
            case "refused":
                self.rook.perform(f"whisper Dan {words}", "answer")  # who is asleep
            case "of old, heard":
                memory.record("told", ENGLISH("narration.whispers_to_you", **who), "The Common Room", ("Ana",))
            case "of old, from afar":
                memory.record("told", ENGLISH("narration.tells_you", **who), "The Common Room", ("Ana",))
            case "of old, own" | "of old, by page":
                verb = "whisper" if way.endswith("own") else "page"
                memory.record("acted", f"{verb} Ana {words} | because", "The Common Room")
            case "replied by it":
                self.does("Ana", "whisper Rook Psst.")
                self.turn()
                self.rook.perform(f"reply {words}", "answer")

    def sources(self) -> str:
        """Return all that a summary of this life would be made from."""
        memory = self.rook.memory
        return "\n".join(one.text for one in memory.to_summarise(1, memory.journal.last))

    def turn(self) -> tuple[Turn, list[str]]:
        """Let Rook take a turn; return it with what its model has read in it."""
        before = len(self.texts)
        turn = asyncio.run(self.rook.tick())
        return turn, self.texts[before:]


WAYS = (
    "whispered to it",
    "told to it",
    "whispered by it",
    "told by it",
    "refused",
    "of old, heard",
    "of old, from afar",
    "of old, own",
    "of old, by page",
    "replied by it",
)


@settings(max_examples=80, deadline=None)
@given(
    secrets,
    st.sampled_from(WAYS),
    st.sampled_from(OPENINGS),
    st.sampled_from(sorted(CANS)),
    st.lists(st.sampled_from(ALOUD), max_size=4),
    st.booleans(),
    st.lists(st.sampled_from(["say", "whisper", "Ben", "Ben whispers", "nobody"]), min_size=1, max_size=4),
)
def test_what_was_whispered_stands_in_nothing_that_others_hear_of(secret, way, opening, can, aloud, restarts, asked):
    with tempfile.TemporaryDirectory() as root:
        life = Whispering(Path(root), CANS[can])
        life.confides(way, opening.format(word=secret))
        for line in aloud:
            life.does("Ben", f"say {line}")
        if restarts:
            life.restart()
        for number, who in enumerate(asked):
            match who:
                case "say" | "whisper":
                    life.does("Ana", {"say": "say Rook, ", "whisper": "whisper Rook "}[who] + f"what of it, {number}?")
                case "Ben":
                    life.does("Ben", f"say Rook, what did Ana say, {number}?")
                case "Ben whispers":
                    life.does("Ben", f"whisper Rook What did she say, {number}?")
            turn, texts = life.turn()
            hears_ana_alone = turn.line.startswith(("whisper Ana ", "tell Ana "))
            assert hears_ana_alone or secret not in "\n".join(texts), turn
        assert secret not in life.sources()


@pytest.mark.parametrize("can", CANS)
@pytest.mark.parametrize("way", [one for one in WAYS if one not in ("refused", "of old, by page")])
@pytest.mark.parametrize("is_alone", [True, False])
def test_what_was_whispered_is_read_where_its_parties_alone_hear_the_answer(tmp_path, can, way, is_alone):
    life = Whispering(tmp_path, CANS[can])
    life.confides(way, "The key lies below the zhmprk.")
    if is_alone:
        life.does("Ben", "go north")
    life.does("Ana", "say Rook, where is it?" if is_alone else "whisper Rook Where is it?")
    turn, texts = life.turn()
    assert turn.line.startswith("say " if is_alone else "whisper Ana ")
    assert "zhmprk" in texts[-1]


@pytest.mark.parametrize("can", CANS)
def test_the_newest_of_many_long_whispers_is_read_still(tmp_path, can):
    life = Whispering(tmp_path, CANS[can])
    for number in range(12):
        life.does("Ana", f"whisper Rook Number {number}: {'on and on it goes, ' * 8}and there it ends.")
        life.turn()
    life.does("Ana", "whisper Rook And now?")
    assert "Number 11:" in life.turn()[1][-1]


class Keeps(AddedComponent):
    """A plugin that tells in every prompt what the agent has done."""

    name = "keeps"

    def __init__(self, owner) -> None:
        super().__init__(owner)
        self.done: list[str] = []

    def acted(self, turn: Turn) -> None:
        self.done.append(turn.line)

    def context(self, moment: Moment) -> Section | None:
        return Section(self.name, " ".join(self.done))


def test_a_plugin_is_given_no_words_that_the_agent_whispered(tmp_path):
    life = Whispering(tmp_path, CHAT, Keeps)
    life.rook.perform("whisper Ana It lies below the zhmprk.", "answer")
    life.does("Ben", "say Rook, what did you say?")
    assert "zhmprk" not in "\n".join(life.turn()[1])


def test_what_another_agent_whispered_is_not_answered_aloud(tmp_path):
    life = Whispering(tmp_path, CHAT)
    for name in ("Ana", "Cat"):
        life.house.game.world.characters[name].is_agent = True
    life.does("Ben", "go north")
    life.does("Cat", "go house door")
    aloud = 0
    for number in range(30):
        life.does("Ana", f"whisper Rook Number {number} lies below the zhmprk.")
        turn, texts = life.turn()
        assert turn.line.startswith("whisper Ana ") or "zhmprk" not in "\n".join(texts), turn
        aloud += turn.line.startswith("say ")
        life.does("Cat", "emote waits.")
    assert aloud


@pytest.mark.parametrize("plugin", [Keeps, Hoard])
@pytest.mark.parametrize("line", ["@memory-pin 1", "@memory-find cellar key", "@memory-facts cellar"])
def test_what_an_agent_looks_up_or_pins_stays_between_its_parties(tmp_path, line, plugin):
    life = Whispering(tmp_path, CHAT, plugin)
    life.does("Ana", "whisper Rook The cellar key lies below the zhmprk.")
    life.rook.perform("think They whisper.")
    life.rook.perform(line, "free")
    life.does("Ben", "say Rook, what do you know?")
    turn, texts = life.turn()
    assert (turn.line[:4], "zhmprk" in "\n".join(texts)) == ("say ", False)


def test_words_are_whispered_if_somebody_has_come_meanwhile(tmp_path):
    life = Talking(tmp_path)
    life.game.perform("Ben", "go north")

    def walked_in_on(request: Request) -> str:
        assert "zhmprk" in request.text
        life.game.perform("Ben", "go south")
        return words("It lies below the zhmprk.")

    life.model = ScriptedModel(words("I see."), walked_in_on, capabilities=CHAT)
    assert life.answers("whisper Rook The key lies below the zhmprk.").line == "whisper Ana I see."
    assert life.answers("say Rook, where is it?").line == "whisper Ana It lies below the zhmprk."
    assert life.game.world.characters["Ben"].room_id != KITCHEN


def test_nothing_is_said_to_others_in_the_place_of_who_has_gone(tmp_path):
    life = Talking(tmp_path)
    life.game.perform("Ben", "go north")

    def left_for_others(request: Request) -> str:
        life.game.perform("Ben", "go south")
        life.game.perform("Ana", "go north")
        return words("It lies below the zhmprk.")

    life.model = ScriptedModel(words("I see."), left_for_others, capabilities=CHAT)
    life.answers("whisper Rook The key lies below the zhmprk.")
    assert life.answers("say Rook, where is it?").line == ""
    assert not [line for line in life.remembered("acted") if "It lies" in line]


def test_what_is_said_in_company_stays_aloud_if_somebody_has_come_meanwhile(tmp_path):
    life = Talking(tmp_path)
    life.game.perform("Ben", "go north")

    def walked_in_on(request: Request) -> str:
        life.game.perform("Ben", "go south")
        return words("It lies by the fire.")

    life.model = ScriptedModel(walked_in_on, capabilities=CHAT)
    assert life.answers("say Rook, where is it?").line == "say It lies by the fire."
