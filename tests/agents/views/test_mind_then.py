"""A mind as it was at a time: the same tiers, turns and prompt that it had then, from its files alone."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from agents.agent import Agent
from agents.commands.thought_commands import mind_command, thought_commands
from agents.memory.memory import AgentMemory
from agents.memory.view import View, summary_tiers, tail_tier
from agents.views.memories import memory_page, query_of
from agents.views.mind import last_before, lines_then, mind_then, sentences_then, then_text
from agents.views.tiers import SentencePlace, Shown, lines_behind, run_to_end, sentences_of, tiers_shown
from agents.views.why import exchange_at, written_archive
from config.settings import MemorySettings
from tests.agents.house import House, said
from tests.agents.test_agent import Life
from tests.english import ENGLISH
from vault.chronicle.event_log import Period, period_of, second_name
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.memory.summaries import Summary
from world.entities import Role
from world.errors import CommandError

SMALL = MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1)


def period(name: str) -> Period:
    found = period_of(name)
    assert found
    return found


def then(agent: Agent, name: str) -> Shown:
    exchange = exchange_at(written_archive(agent), period(name).end_ms)
    shown: Shown = asyncio.run(run_to_end(mind_then(agent, period(name), exchange)))
    json.dumps(shown)
    return shown


def tiers(shown: Shown) -> list[tuple[Any, ...]]:
    return [(one["name"], one["ranges"], one["count"], one["sentences"]) for one in shown["parts"]]


@pytest.mark.parametrize("style", ["prose", "pick"])
def test_the_tiers_of_any_time_are_those_that_the_mind_had_then(tmp_path: Path, style: str):
    house = House(tmp_path, settings=SMALL, style=style)
    agent, seen = house.agents["Rook"], dict[str, list[tuple[Any, ...]]]()
    for _ in range(7):
        said(house, "Ben", 6)
        house.compact("Rook")
        seen[second_name(house.ms)] = tiers(tiers_shown(agent.memory.view()))
        house.ms += 5_000
    assert {len(one) for one in seen.values()} == {1, 2, 3}
    assert {name: tiers(then(agent, name)["tiers"]) for name in seen} == seen


@pytest.mark.parametrize("style", ["prose", "pick"])
def test_a_sentence_of_a_past_summary_leads_to_the_lines_that_it_led_to_then_and_back(tmp_path: Path, style: str):
    house = House(tmp_path, settings=SMALL, style=style)
    agent, seen = house.agents["Rook"], dict[tuple[str, str, int], Shown]()
    for number in range(6):
        house.game.perform("Ana", f"say The copper anchor number {number} belongs to Tobias.")
        said(house, "Ben", 6)
        house.compact("Rook")
        view = agent.memory.view()
        for tier in view.summaries:
            for at in range(len(sentences_of(tier))):
                place = SentencePlace(view, tier.name, at)
                seen[second_name(house.ms), tier.name, at] = asyncio.run(
                    run_to_end(lines_behind(agent.memory, place, agent.finder, ENGLISH))
                )
        house.ms += 5_000
    for (name, tier_name, at), lines in seen.items():
        found = asyncio.run(run_to_end(lines_then(agent, period(name), tier_name, at, ENGLISH)))
        assert found == lines
        for line in lines["lines"] if lines["how"] == "cited" else ():
            back = asyncio.run(run_to_end(sentences_then(agent, period(name), line["seq"], ENGLISH)))
            assert (back["tier"], at in back["sentences"]) == (tier_name, True)
    assert len({text["text"] for text in seen.values()}) > len(sentences_of(agent.memory.view().summaries[0]))
    assert any(lines["lines"] for lines in seen.values()) or style == "prose"


def test_turns_prompt_and_what_it_told_are_those_of_then_and_lead_to_the_turns_around_it(tmp_path: Path):
    life = Life(tmp_path, "look | I am new", "say hello | to be kind", "emote nods")
    life.turns(3)
    looked, spoke, nodded = [one for one in life.memories() if one.kind == "acted"]
    shown = then(life.agent, second_name(spoke.at_ms))
    assert [one["command"] for one in shown["turns"]] == ["say hello", "look"]
    assert (shown["n"], shown["of"], shown["seq"]) == (spoke.seq, life.memory.journal.last, spoke.seq)
    assert (shown["earlier"], shown["later"]) == (looked.at_ms, nodded.at_ms)
    assert shown["prompt"]["before"] != ""
    assert {"profile", "here"} <= {name for name, _, _ in shown["prompt"]["sections"]}
    text = then_text(shown, ENGLISH)
    assert f"memories 1 to {spoke.seq} of {life.memory.journal.last}" in text
    assert "Goals and pins have no times" in text
    assert "emote nods" not in text


def test_before_its_first_memory_a_mind_remembers_nothing_and_after_its_last_all(tmp_path: Path):
    life = Life(tmp_path, "look", "say hello")
    life.turns(2)
    before, after = then(life.agent, "2001-01-01"), then(life.agent, "2099-01-01T10:30")
    assert (before["n"], before["prompt"], before["turns"]) == (0, None, [])
    assert "remembered nothing yet" in then_text(before, ENGLISH)
    assert (after["n"], after["later"]) == (life.memory.journal.last, 0)
    assert [one["command"] for one in after["turns"]] == ["say hello", "look"]


class Counting:
    """A journal that notes how many numbers it is asked to read at once."""

    def __init__(self, journal: Journal) -> None:
        self.last = journal.last
        self.first_from = journal.first_from
        self.spans: list[int] = []
        self._journal = journal

    def read(self, first: int, last: int) -> list[Memory]:
        self.spans.append(last - first + 1)
        return self._journal.read(first, last)


def test_view_of_then_reads_few_memories_at_once(tmp_path: Path):
    house = House(tmp_path)
    memory = house.agents["Rook"].memory
    for number in range(900):
        memory.record("noted", f"Note {number} of the lamp.")
    times = {one.seq: one.at_ms for one in memory.journal.read(1, 900)}
    (path,) = (tmp_path / "agents/Rook/journal").glob("*.md")
    lines = path.read_text(encoding="utf-8").split("\n")
    gone = tuple(f" ^m{seq}" for seq in range(100, 800))
    path.write_text("\n".join(line for line in lines if not line.endswith(gone)), encoding="utf-8")
    memory.poll_edits(thorough=True)
    for seq, newest in ((1, 1), (99, 99), (450, 99), (800, 800), (900, 900)):
        journal = Counting(memory.journal)
        assert asyncio.run(run_to_end(_number_in(journal, times[seq] + 1))) == {"n": newest}
        assert max(journal.spans) < 32
    place = SentencePlace(with_summary(memory), "longterm", 0)
    assert len(list(lines_behind(memory, place, house.agents["Rook"].finder, ENGLISH))) >= 900 // 128


def with_summary(memory: AgentMemory) -> View:
    """Return a view in which one summary covers all memories."""
    told = Summary(1, memory.journal.last, "There was much of the lamp.")
    return View(memory.name, (*summary_tiers(told, "longterm"), tail_tier(told.last, told.last)))


def _number_in(journal: Any, end_ms: int) -> Any:
    return {"n": (yield from last_before(journal, end_ms))}


def test_memories_are_found_by_time_and_by_age_to_the_second(tmp_path: Path):
    house = House(tmp_path)
    agent = house.agents["Rook"]
    for hours in (0, 5 * 24, 14, 12, 0.5):
        house.ms += int(hours * 3_600_000)
        agent.memory.record("noted", f"After {hours} hours.")
    names = [second_name(one.at_ms) for one in agent.memory.journal.read(1, 5)]
    asked: dict[str, dict[str, str]] = {
        "hour": {"age": "hour"}, "day": {"age": "day"}, "week": {"age": "week"}, "from": {"since": names[2]},
        "to": {"until": names[1]}, "at": {"at": names[2][:13]},
        "span": {"since": names[1][:10], "until": names[2][:16]}, "before the day": {"age": "day", "at": names[1]},
    }  # fmt: skip
    found = {}
    for name, given in asked.items():
        page = asyncio.run(run_to_end(memory_page(agent, query_of(given, ENGLISH))))
        found[name] = [row["seq"] for row in page["rows"]]
        assert page["next"] == 0
    assert found == {
        "hour": [5, 4], "day": [5, 4, 3], "week": [5, 4, 3, 2, 1], "from": [5, 4, 3], "to": [2, 1], "at": [3, 2, 1],
        "span": [3, 2], "before the day": [2],
    }  # fmt: skip


@pytest.mark.parametrize(
    "asked", [{"since": "yesterday"}, {"until": "2026-13-01"}, {"at": "2026-01-01T25"}, {"age": "year"}]
)
def test_what_is_no_time_and_no_age_is_refused_with_what_would_be_one(asked: dict[str, str]):
    with pytest.raises(CommandError, match="Write it as 2026-11-21T20:35|Ages: hour, day, week"):
        query_of(asked, ENGLISH)


def test_the_command_tells_a_mind_of_then_and_refuses_what_is_no_time(tmp_path: Path):
    life = Life(tmp_path, "look | I am new", "say hello")
    life.turns(2)
    life.game.commands.add(mind_command({"Rook": life.agent}, life.game.publish))
    life.game.commands.add(thought_commands({"Rook": life.agent}, life.game.publish))
    life.game.world.characters["Ana"].role = Role.OBSERVER
    looked = next(one for one in life.memories() if one.kind == "acted")
    life.ana.screen()
    life.ana.types(f"@mind Rook {second_name(looked.at_ms)}")
    assert any("memories 1 to" in line for line in life.ana.screen())
    life.ana.types(f"@why Rook {second_name(looked.at_ms)}")
    assert any("look" in line for line in life.ana.screen())
    life.ana.types("@mind Rook 2026-99")
    assert life.ana.screen()[-1].startswith("'2026-99' is not a time.")
