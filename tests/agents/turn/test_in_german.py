"""A world in German: an agent answers, keeps errands and promises, remembers and receives visitors, all in German."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
from pathlib import Path

import pytest

from agents.agent import Agent, Services
from agents.component import Turn
from agents.memory.facts.narration_parser import NarrationParser
from agents.memory.memory import AgentMemory
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.models.model import Request
from agents.models.queue import ModelQueue
from agents.prompts.builder import Templates, parse_talk_template
from agents.prompts.prompt import parse_template
from agents.views.why import exchange_for, why_shown
from agents.views.why_text import why_text
from config.settings import AgentSettings, MemorySettings
from tests.agents.memory.lives import starter_templates, windows
from tests.agents.test_agent import settled
from tests.agents.turn.talking import BASE, CHAT, TINY, menu_of, offered, words
from tests.agents.turn.towns import encipher
from tests.german import SENTENCES
from tests.scripted_model import Reply, ScriptedModel
from tests.vault.vault_of import vault_of
from tests.world.inn import Player
from vault.entities.agent_notes import load_agent
from vault.message_notes import starter_sentences
from world.commands.table import world_commands
from world.entities import Character, Exit, Role, Room, Thing
from world.game import Game
from world.message_catalog import Wording
from world.world import World

AT = 1_795_248_000_000  # 2026-11-21 08:00 UTC
MILL, YARD = "Mühlstube", "Mühlhof"
TRANSCRIPT = """\
{profile}

{older}

{recent}
{tail}

{facts}
{known}
{here}
{errand}
{offers}
~{name}>"""
TALK = """\
## System
{profile}

Antworte als {name}.

## Past
{older}

{recent}

## Scene
{here}
{errand}
{facts}
{known}
"""
ACTION = TALK + "\n## Now\nWähle: {menu}\n"
SUMMARY = "Anna sprach lange von dem Rad, das sich dreht und wieder steht."
NOTES = {
    "agents/Krähe/agent.md": (
        f"---\nroom: '[[{MILL}]]'\n---\nDu bist Krähe, die Müllerin.\n\n## Errands\n- [[{MILL}]]: examine Laterne\n"
    ),
    "agents/Krähe/lines.md": "**wie geht das rad**: Es dreht sich.\n\n## On meeting\n- Tritt ein.\n",
    "agents/Krähe/yesterday.md": "",
}
ANSWERS = (
    "Das Rad dreht sich wieder.",
    "Frag den Bach danach.",
    "Gern doch.",
    "So wird es sein.",
    "Setz dich ans Feuer.",
)
ASKED = "Krähe, bitte richte Dörte aus, dass die Brücke gesperrt ist."

PROTOCOL = "system user assistant words you_do say command at"
"""The words of commands, and of what a model answers in."""

MARKS = "Summarized memories last seen observed resting"
"""The marks of memories, facts and outcomes, which every world has in English."""

_SLOT = re.compile(r"(\{\w+\})")
_WORD = re.compile(r"[A-Za-zÄÖÜäöüß]+")


def _unreadable(sentence: str) -> str:
    """Return a sentence that nobody has translated with another letter for each of its letters."""
    return "".join(part if _SLOT.fullmatch(part) else encipher(part) for part in _SLOT.split(sentence))


WORDING = Wording({key: _unreadable(text) for key, text in starter_sentences().items()} | SENTENCES)
"""German sentences; no word of the others can be read, so that none of them is English."""


def mill() -> World:
    """Return a mill with its yard: Anna and Krähe are inside, Bert in the yard, Dörte asleep there."""
    return World(
        [
            Room(MILL, "Mehlstaub liegt überall.", {"hinaus": Exit("hinaus", YARD)}),
            Room(YARD, "Ein Bach treibt das Rad.", {"hinein": Exit("hinein", MILL)}),
        ],
        [
            Thing("Laterne", MILL, "Eine verbeulte Laterne.", article="eine"),
            Thing("Brezel", "Krähe", article="eine"),
            Thing("Münze", "Anna", article="eine"),
        ],
        [
            Character("Anna", MILL, awake=True),
            Character("Krähe", MILL, is_agent=True),
            Character("Bert", YARD, awake=True),
            Character("Dörte", YARD),
            Character("Gast4", YARD, role=Role.GUEST),
        ],
        wording=WORDING,
    )


class Mill:
    """Krähe among Germans, with a model that answers in German and takes what it is told to `want`."""

    def __init__(self, root: Path, capabilities=CHAT, settings: MemorySettings | None = None) -> None:
        self.vault = vault_of(root, NOTES)
        self.game = Game(mill(), world_commands())
        self.model = ScriptedModel(self._reply, capabilities=capabilities)
        self.queue = ModelQueue(self.model, now=lambda: 0.0)
        self.ms, self.count, self.want, self.prompts = AT, itertools.count(), "", list[str]()
        self.inputs: list[str] = [*NOTES.values(), *SENTENCES.values(), *ANSWERS, TRANSCRIPT, ACTION, SUMMARY]
        reading = NarrationParser(lambda: self.game.world.wording)
        self.memory = AgentMemory(self.vault, "Krähe", settings or MemorySettings(), self.now, reading)
        self.memory.load()
        self.agent = Agent(
            load_agent(self.vault, "Krähe"),
            AgentSettings(),
            self.memory,
            Templates(
                parse_template(TRANSCRIPT, "transcript"),
                parse_talk_template(TALK, "talk"),
                parse_talk_template(ACTION, "action"),
            ),
            random.Random(1),
            Services(self.game, self.now),
            self._summarizer,
        )
        self.agent.queue = self.queue
        self.anna, self.bert = Player(self.game, "Anna"), Player(self.game, "Bert")
        self.game.wake("Krähe", self.agent.perceive)

    def now(self) -> int:
        self.ms += 1000
        return self.ms

    def _summarizer(self) -> Summarizer:
        names = frozenset([*self.game.world.characters, *self.game.world.rooms, *self.game.world.things])
        context = SummaryContext("Krähe", lambda: names, self.memory.memory)
        profile = SummarizerProfile("prose", 0.3, 400, 60.0)
        return Summarizer(context, [self.queue], starter_templates("Krähe"), profile)

    def _reply(self, request: Request) -> Reply:
        if not request.messages and "~Krähe>" not in request.text[-40:]:
            return SUMMARY
        self.prompts.append(request.text)
        if menu := menu_of(request):
            return f'{{"command": "{menu[0]}"}}'
        said, offers = ANSWERS[next(self.count) % len(ANSWERS)], offered(request)
        act = self.want if self.want in offers or self.want in (request.grammar or "") else "nichts"
        if request.messages:
            return words(said, act if offers else "")
        opening = "" if request.text.endswith((" say", " Dörte", " Anna")) else "say "
        return f" {opening}{said}\n~Krähe> {act}\n"

    def says(self, line: str, who: str = "Anna") -> None:
        self.inputs.append(line)
        self.game.perform(who, line)

    def turn(self) -> Turn:
        return asyncio.run(self.agent.tick())

    def until(self, cause: str, turns: int = 8) -> Turn:
        """Let Krähe take turns up to the first of a cause."""
        for _ in range(turns):
            if (turn := self.turn()).cause == cause:
                return turn
            self.says("emote horcht.")
        raise AssertionError(f"no turn because of {cause}")

    def why(self) -> str:
        """Return why Krähe did what she did last."""
        self.memory.archive_writer.write()
        exchange = exchange_for(self.memory.archive_writer.archive, 0, "")
        return why_text(why_shown(self.agent, exchange, None, self.game.world.wording), self.game.world.wording)

    def foreign(self, *texts: str) -> set[str]:
        """Return the words of some texts that stand in nothing that the vault, the people or the model have written."""
        world, known = self.game.world, set[str]()
        names = (*world.rooms, *world.things, *world.characters, *(one.verb for one in self.game.commands))
        looks = [one.description for one in world.rooms.values()] + [one.description for one in world.things.values()]
        exits = (exit for room in world.rooms.values() for exit in room.exits)
        for text in (*self.inputs, *names, *looks, *exits, PROTOCOL, MARKS):
            known |= {word.casefold() for word in _WORD.findall(text)}
        return {word for text in texts for word in _WORD.findall(text) if word.casefold() not in known}


every_layout = pytest.mark.parametrize("capabilities", [CHAT, BASE], ids=["chat", "transcript"])


@every_layout
def test_a_talk_with_whispers_offers_and_gifts_is_german_to_the_last_word(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities)
    for line in (
        "say Krähe, wie geht es dem Rad?",
        "say Krähe, wo ist Bert, und wer hat die Brezel?",
        "give Münze to Krähe",
        "whisper Krähe Der Schlüssel liegt unter dem Rad.",
        "say Krähe, weißt du noch?",
        "say Krähe, führst du mich in den Mühlhof?",
    ):
        life.says(line)
        turn = life.turn()
        assert (turn.outcome, turn.cause) == ("acted", "answer"), turn
    assert life.foreign(*life.prompts) == set()


@every_layout
def test_an_act_on_offer_is_found_by_its_german_label(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities)
    life.want = "Anna Brezel geben"
    life.says("say Krähe, gibst du mir die Brezel?")
    life.turn()
    assert life.game.world.things["Brezel"].place_id == "Anna"


@pytest.mark.parametrize("capabilities", [CHAT, BASE, TINY], ids=["chat", "transcript", "lines"])
def test_a_promise_is_made_and_kept_in_german(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities)
    life.want = "versprechen, es Dörte zu sagen"
    life.says(f"say {ASKED}")
    life.turn()
    if capabilities is TINY:
        life.agent.promises.make("Anna", "Dörte", ASKED, life.memory.journal.last)
    assert [(one.asker, one.target, one.words) for one in life.agent.promises.open()] == [("Anna", "Dörte", ASKED)]
    life.says("go hinaus")
    life.game.wake("Dörte", lambda event, text: None)
    life.game.perform("Dörte", "go hinein")
    told = life.until("deliver")
    assert life.agent.promises.open() == ()
    if capabilities is TINY:
        assert told.line == f"say Anna lässt dir ausrichten: »{ASKED}«"
    else:
        due = f"Du hast Anna versprochen, Dörte auszurichten: »{ASKED}«"
        assert any(due in text.replace("\n", " ") for text in life.prompts)
    assert life.foreign(*life.prompts) == set()


@every_layout
def test_an_errand_is_done_in_german(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities)
    assert life.until("errand").line == "examine Laterne"
    assert [one.is_done for one in life.agent.mind.errands.steps] == [True]
    life.says("say Krähe, was nun?")
    life.turn()
    assert life.foreign(*life.prompts) == set()


@every_layout
def test_a_summary_is_german_and_stands_in_the_next_prompt(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities, windows(8, 8))
    for number in range(30):
        life.says(f"say Das Rad {'dreht' if number % 2 else 'steht'}, zum {number}. Mal.")

    async def compact() -> None:
        life.agent.compactor.start_if_due()
        await settled(50)

    asyncio.run(compact())
    assert life.memory.view().covered > 0
    life.says("say Krähe, wie oft stand das Rad?")
    life.turn()
    assert life.foreign(life.prompts[-1]) == set()


@every_layout
def test_a_visitor_is_met_and_led_in_german(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities)
    life.says("say Krähe, wo ist der Mühlhof?")
    life.want = f"Anna nach {YARD} führen"
    life.turn()
    life.says("follow Krähe")
    assert life.until("errand").line in ("go hinaus", "examine Laterne")
    lines = [life.turn().line for _ in range(4)]
    assert f"say Da sind wir. Das ist {YARD}." in lines
    assert life.game.world.characters["Anna"].room_id == YARD
    assert life.foreign(*life.prompts) == set()


@pytest.mark.parametrize("capabilities", [CHAT, BASE, TINY], ids=["chat", "transcript", "lines"])
def test_why_it_did_something_is_told_in_the_words_of_the_world(tmp_path, capabilities):
    life = Mill(tmp_path, capabilities)
    life.says("say Krähe, wie geht das Rad?")
    assert life.turn().outcome == "acted"
    life.says("say Krähe, und der Bach?")
    life.turn()
    assert life.foreign(life.why()) == set()
