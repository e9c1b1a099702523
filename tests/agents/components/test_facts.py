"""What an agent knows in its prompt: stable in front, pins once, what was looked up shown and never remembered anew."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.component import Moment
from agents.components.facts import Retrieval
from agents.memory.retrieval import RetrievedMemory, Retriever
from agents.memory.view import View
from agents.prompts.prompt import parse_template
from config.settings import MemorySettings
from tests.agents.house import AT, House, said
from tests.agents.templates import templates_of
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from world.entities import Role

SMALL = MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1)
ROOM = "The Common Room"
KEY = 'Ana says, "The key hangs behind the clock."'


def words(house: House, name: str = "Rook") -> list[str]:
    """Return the texts of all memories of an agent."""
    journal = house.agents[name].memory.journal
    return [memory.text for memory in journal.read(1, journal.last)]


def common(one: bytes, other: bytes) -> int:
    """Return how many bytes two texts begin with alike."""
    pairs = zip(one, other, strict=False)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


# The prefix

DEEDS = (
    "say I promise to bring the oil lamp to The Kitchen.",
    "say Please give me the brass lamp.",
    "say It is quiet today, is it not?",
    "emote looks into the fire",
    "get brass lamp",
    "drop brass lamp",
    "give brass lamp to Rook",
    "go north",
    "go south",
    "say Remember that the gate closes at nine.",
    "share plan -> We meet at noon.",
)


def up_to_tail(prompt: str) -> str:
    """Return a prompt up to the end of its tail; behind it stand the notes of the moment."""
    return prompt.rpartition("\n---\n")[0]


@pytest.mark.parametrize("template", ["agent_prompt", "transcript_first"])
def test_nine_tenths_of_each_prompt_up_to_its_tail_begin_as_the_one_before(tmp_path: Path, template: str):
    house, rng = House(tmp_path, template=template), random.Random(7)
    players = [house.player("Ana", Role.ADMIN), house.player("Ben")]
    before, same, total = house.prompt("Rook"), 0, 0
    for turn in range(160):
        rng.choice(players).types(rng.choice(DEEDS))
        house.does("Rook", rng.choice(DEEDS))
        if turn % 97 == 0:
            players[0].types(f"@memory-pin Rook {house.agents['Rook'].memory.journal.last}")
        house.compact("Rook")
        prompt = house.prompt("Rook")
        told = up_to_tail(prompt).encode()
        same += common(before.encode(), told)
        total += len(told)
        before = prompt
    assert house.agents["Rook"].compactor.stats.cycles >= 3
    assert len(house.agents["Rook"].facts.facts) > 10
    assert same / total >= 0.9


# Pins and facts


def test_a_line_marked_in_the_journal_is_told_once_before_and_after_it_is_summarised(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    house.player("Ana").types("say The key hangs behind the clock.")
    journal = house.agents["Rook"].memory.journal
    path = tmp_path / "agents/Rook/journal/2026-11-21.md"
    path.write_text(path.read_text().replace(f" ^m{journal.last}\n", f" #pinned ^m{journal.last}\n"))
    for _ in range(12):
        assert house.prompt("Rook").count(KEY) == 1
        said(house, "Ben", 4)
        house.compact("Rook")
    assert house.agents["Rook"].compactor.stats.cycles > 2


def test_a_pin_that_a_person_rewords_is_told_in_the_person_s_words(tmp_path: Path):
    house = House(tmp_path)
    house.player("Ana", Role.ADMIN).types("say The key hangs behind the clock.")
    seq = house.agents["Rook"].memory.journal.last
    house.game.perform("Ana", f"@memory-pin Rook {seq}")
    house.prompt("Rook")
    path = tmp_path / "agents/Rook/facts.md"
    path.write_text(path.read_text().replace("behind the clock", "under the mat"))
    assert '- Ana says, "The key hangs under the mat."' in house.prompt("Rook")


def test_many_pins_do_not_keep_memories_from_being_summarised(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    house.player("Ana")
    said(house, "Ana", 20)
    path = tmp_path / "agents/Rook/journal/2026-11-21.md"
    text = "".join(f"- 08:30:00.000 noted · {ROOM} · {'word ' * 60}{n} #pinned\n" for n in range(10))
    path.write_text(path.read_text() + text)
    house.prompt("Rook")
    for _ in range(4):
        said(house, "Ben", 8)
        house.compact("Rook")
    assert house.agents["Rook"].compactor.stats.cycles >= 3
    assert house.prompt("Rook").count("word word") > 0


def test_facts_keep_to_their_budget_and_pins_to_theirs(tmp_path: Path):
    settings = MemorySettings(immediate_window=8, recent_window=8, facts_tokens=40, pin_tokens=10, rebuild_every=0)
    house = House(tmp_path, settings=settings)
    ana = house.player("Ana", Role.ADMIN)
    for number in range(30):
        ana.types(f"say I promise to bring item{number} along.")
    for _ in range(4):
        said(house, "Ben", 8)
        house.compact("Rook")
    notes = house.prompt("Rook").split("## Relevant Private Notes\n")[1].split("\n")
    facts = " ".join(line.removeprefix("- ") for line in notes if line.startswith("- "))
    assert 20 < len(facts.split()) <= 40
    ana.screen()
    ana.types("@memory-pin Rook " + "word " * 11)
    assert "pin_tokens" in " ".join(ana.screen())


def test_a_template_from_before_there_were_facts_tells_them_all_the_same(tmp_path: Path):
    house = House(tmp_path)
    text = "{profile}\n\n{older}\n\n{recent}\n\n{tail}\n\n{scene}\n~{name}>"
    old = parse_template(text, "old")
    house.agents["Rook"].adopt(house.agents["Rook"].note, house.agents["Rook"].settings, templates_of(old))
    ana = house.player("Ana", Role.ADMIN)
    ana.types("@memory-pin Rook Never lend the lamp.")
    ana.types("share plan -> We meet at noon.")
    prompt = house.prompt("Rook")
    assert prompt.startswith("You are Rook. You listen.\n\n- Never lend the lamp.\n")
    assert '\n\nplan, from Ana: "We meet at noon."\nIt is ' in prompt


def test_what_concerns_those_present_is_brought_to_mind_when_it_stands_nowhere_else(tmp_path: Path):
    settings = MemorySettings(immediate_window=8, recent_window=8, facts_tokens=12, rebuild_every=0)
    house = House(tmp_path, settings=settings)
    house.player("Ana").types("say I promise to mend the clock.")
    for number in range(12):
        house.game.perform("Ben", f"say I promise to fetch item{number} soon.")
    house.game.perform("Ana", "go down")
    for _ in range(4):
        said(house, "Ben", 8)
        house.compact("Rook")
    assert "[You know:" in house.prompt("Rook")  # the facts in front, chosen now, have room for one of Ben's alone
    house.game.perform("Ana", "go up")
    house.game.perform("Ben", "go out")
    assert '[You know: Ana promised: "I promise to mend the clock."]' in house.prompt("Rook")
    house.game.perform("Ana", "go down")
    assert "[You know:" not in house.prompt("Rook")


# Commands


def test_what_is_found_stands_in_the_next_prompt_and_is_no_new_memory(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    house.player("Ana").types("say The key hangs behind the clock.")
    planted = house.agents["Rook"].memory.journal.last
    for _ in range(8):
        said(house, "Ben", 4)
        house.compact("Rook")
    assert KEY not in house.prompt("Rook")
    house.does("Rook", "@memory-find key clock")
    assert KEY in house.prompt("Rook")
    assert "best first (recalled, not new):" in house.prompt("Rook")
    assert sum(KEY in text for text in words(house)) == 1
    assert words(house)[-1] == f"You look for 'key clock' in your memory and recall {planted}."
    house.does("Rook", "@memory-find owls")
    assert words(house)[-1] == "You recall nothing of it."
    assert "key" not in words(house)[-1]


def test_what_was_looked_up_is_shown_for_one_turn(tmp_path: Path):
    house = House(tmp_path)
    agent = house.agents["Rook"]
    house.player("Ana").types("say to Ben The key hangs behind the clock.")
    house.model._script = ["@memory-find key", "say I know where the key is."]
    assert asyncio.run(agent.tick()).outcome == "acted"
    assert "(recalled, not new)" in house.prompt("Rook")
    assert asyncio.run(agent.tick()).line == "say I know where the key is."
    assert "(recalled, not new)" not in house.prompt("Rook")


def test_agents_pin_find_and_ask_for_facts_of_themselves_alone(tmp_path: Path):
    house = House(tmp_path, "Rook", "Ben")
    for line, outcome in (
        ("@memory-pin Ben owes me a lamp.", "acted"),
        ("@memory-facts", "acted"),
        ("@memory-facts lamp", "acted"),
        ("@memory-find lamp", "acted"),
        ("@memory-unpin Ben owes me a lamp.", "acted"),
        ("@memory-unpin Ben owes me a lamp.", "refused"),
    ):
        house.model._script = [line]
        turn = asyncio.run(house.agents["Rook"].tick())
        assert (turn.line, turn.outcome) == (line, outcome), turn.why
        assert house.agents["Ben"].facts.pins == ()
    house.does("Rook", "share plan -> We meet at noon.")
    assert house.game.world.board.active()[0].author_id == "Rook"


def test_only_admins_look_into_what_others_know(tmp_path: Path):
    house = House(tmp_path)
    ana = house.player("Ana")
    for line in ("@memory-facts Rook", "@memory-pin Rook x", "@memory-unpin Rook x", "@memory-find Rook x"):
        ana.types(line)
        assert ana.screen() == ["Only Rook, observers and admins can look into the memory of Rook."]
    ana.types("@memory-facts")
    assert ana.screen() == ["You keep no journal; agents do. Name one: Rook."]


def test_facts_are_listed_with_the_memory_that_they_are_from(tmp_path: Path):
    house = House(tmp_path, more="\n## Goals\n- Hum every tune.\n")
    ana = house.player("Ana", Role.ADMIN)
    ana.types("get brass lamp")
    seq = house.agents["Rook"].memory.journal.last
    ana.types("@memory-pin Rook Never lend the lamp.")
    ana.screen()
    ana.types("@memory-facts Rook")
    listed = ana.screen()
    assert listed[:3] == [
        f"What Rook knows, up to memory {seq}:",
        "Pinned: Never lend the lamp.",
        "Goal: Hum every tune.",
    ]
    assert f"brass lamp: Ana has it since 2026-11-21 08:00. [memory {seq}]" in listed
    assert "oil lamp: it lies in The Common Room." in listed  # before its eyes
    ana.types("@memory-facts Rook brass")
    assert ana.screen() == [
        f"What Rook knows of brass, up to memory {seq}:",
        f"brass lamp: Ana has it since 2026-11-21 08:00. [memory {seq}]",
    ]


@pytest.mark.parametrize("line", ["@memory-pin Rook", "@memory-find Rook", "@memory-unpin Rook"])
def test_a_command_without_its_words_tells_its_usage(tmp_path: Path, line: str):
    house = House(tmp_path)
    ana = house.player("Ana", Role.ADMIN)
    ana.types(line)
    assert ana.screen()[0].startswith(f"Usage: {line.split()[0]} [agent] <")


def test_in_a_long_life_the_answer_comes_later_and_holds_up_nobody(tmp_path: Path):
    journal = Journal(House(tmp_path).vault, "Rook")
    journal.load()
    for number in range(6):
        at = AT + number * 86_400_000
        journal.append(Memory(0, at, "observed", ROOM, f'Ana says, "Owl {number}."', ("Ana",)))
    journal.close()
    house = House(tmp_path)
    ana = house.player("Ana", Role.ADMIN)

    async def ask() -> tuple[list[str], list[str]]:
        ana.types("@memory-find Rook owl 3")
        at_once = ana.screen()
        finding = house.agents["Rook"].finder._task
        assert finding is not None
        await finding
        return at_once, ana.screen()

    at_once, later = asyncio.run(ask())
    assert at_once == ["You think back; it will take a moment."]
    assert later[0] == "What Rook remembers of 'owl 3', best first (recalled, not new):"
    assert later[1].startswith("4: 2026-11-24")


def test_every_memory_is_found_by_its_own_words_whatever_is_summarised(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    ana = house.player("Ana")
    for number in range(40):
        ana.types(f"say The word of the day is zq{number}zq.")
        said(house, "Ben", 2)
        house.compact("Rook")
    finder = house.agents["Rook"].finder
    assert all(f"zq{number}zq" in finder.find(f"zq{number}zq")[0].text for number in range(40))


def test_facts_that_are_behind_a_long_journal_say_so(tmp_path: Path):
    house = House(tmp_path)
    ana = house.player("Ana", Role.ADMIN)
    memory = house.agents["Rook"].memory
    for _ in range(3000):  # as after an import, without a word to the agent
        memory.journal.append(Memory(0, AT, "observed", "", "It rains."))
    ana.screen()
    ana.types("@memory-facts Rook")
    learnt = house.agents["Rook"].facts.upto
    assert f"Note: {memory.journal.last - learnt:,} later memories are still being read." in ana.screen()


class CountingRetriever(Retriever):
    """Finds nothing, and notes what it was asked with."""

    def __init__(self) -> None:
        self.queries: list[tuple[object, ...]] = []

    def retrieve(self, view: View, *query: Any) -> list[RetrievedMemory]:
        self.queries.append(query)
        return []


def test_retrieval_looks_up_once_for_each_length_of_a_prompt_that_is_tried(tmp_path: Path):
    house = House(tmp_path)
    retriever = CountingRetriever()
    retrieval = Retrieval(retriever, lambda: SMALL, lambda memory: ())
    world, view = house.game.world, house.agents["Rook"].memory.view()
    moment = Moment(world, world.characters["Rook"], AT, view)
    for left_out in (0, 4, 0, 4, 0):
        retrieval.context(replace(moment, left_out=left_out))
    assert len(retriever.queries) == 2  # what is shown begins elsewhere
    retrieval.context(replace(moment, told="Ana has the lamp."))
    retrieval.context(replace(moment, view=house.agents["Rook"].memory.view()))
    assert len(retriever.queries) == 4
