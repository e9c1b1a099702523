"""What is shown of a mind: tiers that add up, sentences and their lines, why, memories by filters, and bonds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.agent import Agent
from agents.views.bonds import bonds_shown, bonds_text
from agents.views.memories import PAGE_ROWS, memory_page, page_text, query_of
from agents.views.mind import mind_shown, mind_text
from agents.views.tiers import SentencePlace, Shown, lines_behind, run_to_end, sentences_for, tiers_shown
from agents.views.why import MAX_DIFF_LINES, OBJECTIONS, action_of, difference, exchange_of, prompt_page, why_shown
from config.settings import MemorySettings
from tests.agents.house import House, said
from tests.agents.test_agent import Life
from tests.english import ENGLISH
from world.errors import CommandError

SMALL = MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1)


def counts(agent: Agent) -> tuple[int, int]:
    """Return what the tiers that are shown add up to, and how many memories the vault has."""
    shown = tiers_shown(agent.memory.view())
    assert shown["n"] == agent.memory.journal.last
    numbers = [seq for one in shown["parts"] for first, last in one["ranges"] for seq in range(first, last + 1)]
    assert numbers == list(range(1, shown["n"] + 1))
    return sum(one["count"] for one in shown["parts"]), shown["n"]


def behind_now(agent: Agent, tier: str, number: int) -> Shown:
    """Return the memories behind a sentence of a summary in force."""
    place = SentencePlace(agent.memory.view(), tier, number)
    return asyncio.run(run_to_end(lines_behind(agent.memory, place, agent.finder, ENGLISH)))


@pytest.mark.parametrize("style", ["prose", "pick"])
def test_the_tiers_add_up_to_all_memories_at_every_step(tmp_path: Path, style: str):
    house = House(tmp_path, settings=SMALL, style=style)
    agent = house.agents["Rook"]
    for _ in range(7):
        said(house, "Ben", 6)
        assert counts(agent)[0] == counts(agent)[1]
        house.compact("Rook")
        assert counts(agent)[0] == counts(agent)[1]
    assert [one["name"] for one in tiers_shown(agent.memory.view())["parts"]] == ["longterm", "recent", "tail"]


def test_a_picked_sentence_leads_to_its_memory_and_back(tmp_path: Path):
    house = House(tmp_path, settings=SMALL, style="pick")
    agent, say = house.agents["Rook"], ENGLISH
    for _ in range(5):
        said(house, "Ben", 6)
        house.compact("Rook")
    part = tiers_shown(agent.memory.view())["parts"][-2]
    for number, sentence in enumerate(part["sentences"]):
        behind = behind_now(agent, part["name"], number)
        assert (behind["how"], len(behind["lines"])) == ("cited", 1)
        assert behind["lines"][0]["text"] in sentence
        back = sentences_for(agent.memory, agent.memory.view(), behind["lines"][0]["seq"], say)
        assert (back["tier"], number in back["sentences"]) == (part["name"], True)


def test_a_written_sentence_leads_to_the_memories_that_share_its_words_and_back(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    agent, say = house.agents["Rook"], ENGLISH
    house.game.perform("Ana", "say The copper anchor belongs to Tobias.")
    planted = agent.memory.journal.last
    for _ in range(5):
        said(house, "Ben", 6)
        house.compact("Rook")
    edited = "I heard that Tobias owns a copper anchor. I sat by the fire."
    path = tmp_path / "agents/Rook/summaries/longterm.md"
    text = path.read_text(encoding="utf-8")
    longterm = agent.memory.longterm
    assert longterm is not None
    path.write_text(text.replace(longterm.text, edited), encoding="utf-8")
    behind = behind_now(agent, "longterm", 0)
    assert (behind["how"], [one["seq"] for one in behind["lines"]]) == ("words", [planted])
    assert sentences_for(agent.memory, agent.memory.view(), planted, say)["sentences"] == [0]
    with pytest.raises(CommandError, match="no sentence 9"):
        behind_now(agent, "longterm", 8)


def why(life: Life, seq: int = 0) -> Shown:
    action = action_of(life.agent, seq, ENGLISH) if seq else None
    return why_shown(life.agent, exchange_of(life.agent, action), action, ENGLISH)


def test_why_leads_from_an_action_to_what_was_asked_and_what_came_of_it(tmp_path: Path):
    life = Life(tmp_path, "look | I am new", "get moon | it shines", "say hello | to be kind")
    life.turns(3)
    acted = [one.seq for one in life.memories() if one.kind == "acted"]
    looked, refused, spoke = (why(life, seq) for seq in acted)
    assert (looked["by"], looked["command"], looked["reason"], looked["verdict"]) == (
        "model",
        "look",
        "I am new",
        "done",
    )
    assert (refused["command"], refused["verdict"]) == ("get moon", "refused")
    assert refused["results"] != []
    assert (spoke["command"], spoke["did"]) == ("say hello", acted[2])
    assert spoke["prompt"]["before"] == refused["reference"]
    assert why(life, acted[1] + 1)["command"] == "get moon"  # what came of an action leads to it as well
    assert why(life)["command"] == "say hello"
    json.dumps([looked, refused, spoke])


def test_why_tells_an_action_by_hand_from_one_that_the_engine_chose(tmp_path: Path):
    life = Life(tmp_path, "look")
    life.turns()
    life.agent.perform("emote waves | just so")
    by_hand = life.memory.journal.last
    life.agent.perform("go north", "errand")
    by_engine = next(one.seq for one in reversed(life.memories()) if one.kind == "acted")
    assert (why(life, by_hand)["by"], why(life, by_hand)["reason"]) == ("hand", "just so")
    assert (why(life, by_engine)["by"], why(life, by_engine)["cause"]) == ("engine", "errand")


def test_what_is_no_action_has_no_why(tmp_path: Path):
    life = Life(tmp_path, "look")
    life.memory.record("noted", "The lamp is empty.")
    with pytest.raises(CommandError, match="Memory 1 of Rook is no action"):
        action_of(life.agent, 1, ENGLISH)
    with pytest.raises(CommandError, match="Rook has no memory 7"):
        action_of(life.agent, 7, ENGLISH)


def test_a_half_written_line_of_the_archive_costs_that_line_alone(tmp_path: Path):
    life = Life(tmp_path, "look", "say hello")
    life.turns(2)
    life.memory.close()
    (path,) = (tmp_path / "agents/Rook/archive").glob("*.jsonl")
    path.write_bytes(path.read_bytes() + b'{"event": "message", "at": "2025-11-24T20')
    assert why(life)["command"] == "say hello"


LINES = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=30)


@given(LINES, LINES)
def test_the_difference_of_two_texts_makes_one_of_the_other(before: list[str], now: list[str]):
    old = list("\n".join(before).split("\n"))
    changes, more = difference("\n".join(before), "\n".join(now))
    assert more == 0
    made, at = list[str](), 0
    for kind, text in changes:
        if kind == "same":
            made += old[at : at + int(text)]
            at += int(text)
        elif kind == "new":
            made.append(text)
        else:
            assert old[at] == text
            at += 1
    assert "\n".join(made) == "\n".join(now)


def test_prompts_of_200_kb_are_compared_in_bounds_and_read_page_by_page(tmp_path: Path):
    before, now = ("\n".join(f"{word} {number}" for number in range(20_000)) for word in ("old", "new"))
    changes, more = difference(before, now)
    assert (len(changes), more) == (MAX_DIFF_LINES, 40_000 - MAX_DIFF_LINES)
    life = Life(tmp_path, "look")
    life.turns()
    question = exchange_of(life.agent, None).question
    assert question is not None
    question.prompt, read, start = now, "", 0
    while True:
        page = prompt_page(question, start)
        read, start = read + page["text"], page["next"]
        if not start:
            break
    assert read == now


def page(agent: Agent, **asked: str) -> Shown:
    return asyncio.run(run_to_end(memory_page(agent, query_of(asked, ENGLISH))))


def test_memories_are_found_by_words_kind_place_company_and_day_newest_first(tmp_path: Path):
    house = House(tmp_path)
    agent = house.agents["Rook"]
    house.game.perform("Ana", "say The copper anchor belongs to Tobias.")
    house.game.perform("Ben", "emote waves")
    agent.memory.record("noted", "Buy oats.", "The Yard")
    agent.pin("1")
    asked: dict[str, dict[str, str]] = {
        "all": {}, "words": {"words": "anchors copper"}, "kind": {"kind": "noted"}, "who": {"who": "ben"},
        "room": {"room": "yard"}, "pinned": {"pinned": "1"}, "before": {"before": "3"},
        "since": {"since": "2026-11-22"}, "until": {"until": "2026-11-21"}, "none": {"words": "zebra"},
    }  # fmt: skip
    found = {name: [row["seq"] for row in page(agent, **filters)["rows"]] for name, filters in asked.items()}
    assert found == {
        "all": [3, 2, 1], "words": [1], "kind": [3], "who": [2], "room": [3], "pinned": [1], "before": [2, 1],
        "since": [], "until": [3, 2, 1], "none": [],
    }  # fmt: skip


def test_a_long_journal_is_shown_page_by_page_to_its_end(tmp_path: Path):
    house = House(tmp_path)
    agent = house.agents["Rook"]
    for number in range(3 * PAGE_ROWS + 7):
        agent.memory.record("noted", f"Note {number}.")
    seen, before, pages = list[int](), 0, 0
    while True:
        shown = page(agent, before=str(before or ""))
        seen += [row["seq"] for row in shown["rows"]]
        before, pages = shown["next"], pages + 1
        if not before:
            break
    assert (seen, pages) == (list(range(3 * PAGE_ROWS + 7, 0, -1)), 4)
    assert page_text(page(agent), ENGLISH).endswith(f"Older ones: before={2 * PAGE_ROWS + 8}")


def test_a_mind_s_prompt_is_shown_in_pieces_that_add_up_to_it(tmp_path: Path):
    life = Life(tmp_path, "look", "say hello")
    life.turns(2)
    shown = mind_shown(life.agent, life.game.world)
    pieces = shown["prompt"]["pieces"]
    assert sum(one["characters"] for one in pieces) == shown["prompt"]["characters"]
    assert sum(one["tokens"] for one in pieces) == shown["prompt"]["tokens"]
    assert {"tail", "profile", "here"} <= {one["name"] for one in pieces}
    assert [one["command"] for one in shown["turns"]] == ["say hello", "look"]
    assert pieces[0]["is_same"]
    json.dumps(shown)


def ends_talk(house: House) -> None:
    """Let Rook keep what was said, without a model."""
    agent = house.agents["Rook"]
    agent.queue = None
    agent.reflection.start_if_due(house.game.world.time, house.ms + 120_000)


def test_bonds_tell_who_met_whom_what_was_promised_and_who_told_what(tmp_path: Path):
    house = House(tmp_path, "Rook")
    agent = house.agents["Rook"]
    house.game.perform("Ana", "say Rook, I promise to bring you the lantern tomorrow.")
    house.game.perform("Ana", "say I lost my dog near the weir.")
    agent.facts.take_in()
    ends_talk(house)
    shown = asyncio.run(run_to_end(bonds_shown(house.agents)))
    assert [(one["agent"], one["whom"]) for one in shown["met"]] == [("Rook", "Ana")]
    assert [(one["by"], one["state"]) for one in shown["promises"]] == [("Ana", "open")]
    assert ("Ana", "Rook", "I lost my dog near the weir.") in [
        (one["by"], one["agent"], one["text"]) for one in shown["told"]
    ]
    assert 'Ana: "' in bonds_text(shown, ENGLISH)


def test_a_secret_that_is_kept_as_a_fact_and_of_the_person_stands_in_the_bonds_once(tmp_path: Path):
    house = House(tmp_path, "Rook")
    house.game.perform("Ana", "whisper Rook My sister lives in Kettle House.")
    house.agents["Rook"].facts.take_in()
    ends_talk(house)
    told = asyncio.run(run_to_end(bonds_shown(house.agents)))["told"]
    assert [(one["by"], one["text"], one["is_whispered"]) for one in told] == [
        ("Ana", "My sister lives in Kettle House.", True)
    ]


def test_the_text_of_a_mind_tells_its_company_its_pins_and_each_section_of_its_prompt_once(tmp_path: Path):
    life = Life(tmp_path, "look")
    life.turns()
    life.agent.facts.pin("The key is under the step.", ENGLISH)
    shown = mind_shown(life.agent, life.game.world)
    lines = mind_text(life.agent, shown, ENGLISH).split("\n")
    assert "With Ana and Ben." in lines
    assert sum("The key is under the step." in line for line in lines) == 1
    tokens = {name: sum(one["tokens"] for one in shown["prompt"]["pieces"] if one["name"] == name)
              for name in dict.fromkeys(one["name"] for one in shown["prompt"]["pieces"])}  # fmt: skip
    at = next(number for number, line in enumerate(lines) if line.startswith("Prompt: "))
    assert lines[at + 1 : at + 1 + len(tokens)] == [f"  {name}: {count} tokens" for name, count in tokens.items()]


def test_a_mind_offers_the_newest_leaves_without_reading_one_of_them(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    agent = house.agents["Rook"]
    for _ in range(14):
        said(house, "Ben", 6)
        house.compact("Rook")
    leaves = sorted(tmp_path.glob("agents/Rook/summaries/recent-*.md"))
    for path in leaves:
        path.write_text("torn", encoding="utf-8")
    shown = mind_shown(agent, house.game.world)
    assert shown["memory"]["leaves"] == [path.stem for path in leaves[:-13:-1]]


def test_every_objection_to_an_answer_has_words():
    assert [one for one in sorted(OBJECTIONS) if f"thoughts.objection_{one}" not in ENGLISH.sentences] == []
