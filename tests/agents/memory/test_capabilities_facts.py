"""What seeds 001 and 002 ask of shared memory, of facts and of pins; each test has the number of its capability."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.queue import ModelQueue
from config.settings import AgentSettings, MemorySettings
from tests.agents.house import House, said
from tests.scripted_model import ScriptedModel
from vault.board_note import format_board, parse_board
from vault.entities.agent_notes import load_agent
from vault.memory.facts_note import THINGS
from vault.note import parse_note
from world.command import command
from world.entities import Role
from world.errors import CommandError
from world.game import CommandResult
from world.world import SCOPES, Board

ROOM = "The Common Room"
SMALL = MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1)

words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cf", "Co", "Cn")), min_size=1)
contents = words.map(lambda text: " ".join(text.split())).filter(bool)


# 001: role-wise history


def test_1_1_an_agent_remembers_nothing_that_it_neither_perceived_nor_did(tmp_path: Path):
    house = House(tmp_path, "Rook", "Ben", rooms={"Ben": "The Yard"})
    ana, cat = house.player("Ana"), house.player("Cat")
    ana.types("say The coin is under the hearth.")
    cat.types("say The stable door is open.")
    house.does("Rook", "say Good.")
    rook, ben = ([one.text for one in house.agents[name].memory.view().tail] for name in ("Rook", "Ben"))
    assert rook == ['Ana says, "The coin is under the hearth."', "say Good."]
    assert ben == ['Cat says, "The stable door is open."']


def test_1_2_an_agent_s_prompt_names_no_agent_that_it_never_met(tmp_path: Path):
    house = House(tmp_path, "Rook", "Cat", "Ben", rooms={"Rook": "The Kitchen", "Cat": "The Yard"})
    house.game.sleep("Ana")
    for journey in ("north", "south", "out", "in"):  # Ben is the star's centre: he meets both, they never meet
        house.does("Ben", f"go {journey}")
        house.does("Ben", "say I promise to bring you some apples.")
    assert "Ben" in house.prompt("Rook")
    assert "Ben" in house.prompt("Cat")
    assert "Cat" not in house.prompt("Rook")
    assert "Rook" not in house.prompt("Cat")


# 001: shared memory


@given(
    st.lists(
        st.tuples(
            st.from_regex(r"\A[a-z][a-z0-9 _'-]{0,20}[a-z0-9]\Z"),
            contents,
            st.sampled_from(SCOPES),
            st.sampled_from(["Ana", "Ben"]),
        ),
        max_size=8,
    )
)
def test_1_3_shared_entries_come_back_from_markdown_unchanged_each_with_its_own_id(given_entries):
    board = Board()
    for label, content, scope, author in given_entries:
        board.share(author, ROOM, label, content, scope)
    board.begin_turn("Ben")
    found = parse_board(parse_note(format_board(board), "world/board.md"))
    assert found == board
    assert len({entry.entry_id for entry in board.entries}) == len(given_entries)


def test_1_4_what_is_shared_for_a_turn_is_gone_from_its_author_s_next_turn_on(tmp_path: Path):
    house = House(tmp_path)
    ana = house.player("Ana")
    ana.types("share turn colour -> vermilion")
    assert 'colour, from Ana: "vermilion"' in house.prompt("Rook")
    house.player("Ben").types("say Hm.")
    assert 'colour, from Ana: "vermilion"' in house.prompt("Rook")
    ana.types("look")
    assert 'colour, from Ana: "vermilion"' not in house.prompt("Rook")


def test_1_5_what_is_shared_for_a_scene_is_read_until_its_author_leaves_it(tmp_path: Path):
    house = House(tmp_path)
    ana = house.player("Ana")
    ana.types("share plan -> We meet at noon.")
    for _ in range(5):
        ana.types("say Well.")
    assert 'plan, from Ana: "We meet at noon."' in house.prompt("Rook")
    house.does("Rook", "go north")
    assert 'plan, from Ana: "We meet at noon."' not in house.prompt("Rook").rpartition("---")[2]
    house.does("Rook", "go south")
    assert 'plan, from Ana: "We meet at noon."' in house.prompt("Rook")
    ana.types("go down")
    ana.types("go up")
    assert 'plan, from Ana: "We meet at noon."' not in house.prompt("Rook")


def test_1_6_a_turn_that_fails_takes_its_entries_along_and_the_log_keeps_them(tmp_path: Path):
    house = House(tmp_path)

    @command("blunder <text>")
    def blunder(world, actor, text):
        """Share something and then fail."""
        world.board.share(actor.character_id, actor.room_id, "plan", text)
        raise CommandError("It failed.")

    house.game.commands.add([blunder])
    ana = house.player("Ana")
    ana.types("share plan -> the good plan")
    ana.types("blunder the bad plan")
    assert 'plan, from Ana: "the good plan"' in house.prompt("Rook")
    assert "the bad plan" not in house.prompt("Rook")
    log = (tmp_path / "world" / "board.md").read_text()
    assert "- **plan** (scene in [[The Common Room]], from [[Ana]], 2, its turn failed): the bad plan" in log


def test_1_6_an_agent_s_turn_that_breaks_takes_its_entries_along(tmp_path: Path):
    house = House(tmp_path)
    rook, board, perform = house.agents["Rook"], house.game.world.board, house.game.perform
    rook.queue = ModelQueue(ScriptedModel("share plan -> the good plan", "share plan -> the bad plan"))

    def breaking(character_id: str, text: str) -> CommandResult:
        perform(character_id, text)
        assert [entry.content for entry in board.readable(ROOM)] == ["the bad plan"]
        raise RuntimeError("What comes of the deed breaks.")

    async def live() -> list[str]:
        good = await rook.tick()
        house.game.perform = breaking  # type: ignore[method-assign]
        return [good.outcome, (await rook.tick()).outcome]

    assert asyncio.run(live()) == ["acted", "failed"]
    assert [entry.content for entry in board.readable(ROOM)] == ["the good plan"]
    assert [(entry.content, entry.ended) for entry in board.entries if entry.ended] == [
        ("the bad plan", "its turn failed")
    ]


def test_1_7_by_type_the_last_of_one_author_counts_and_authors_stand_beside_each_other_in_order():
    board = Board()
    for author, label, content in (
        ("Ana", "plan", "first"),
        ("Ben", "plan", "Ben's"),
        ("Ana", "type", "river"),
        ("Ana", "plan", "second"),
    ):
        board.share(author, ROOM, label, content)
    assert [(one.author_id, one.content) for one in board.readable(ROOM, "plan")] == [
        ("Ben", "Ben's"),
        ("Ana", "second"),
    ]
    assert [one.content for one in board.readable(ROOM)] == ["Ben's", "river", "second"]
    assert board.readable("The Yard") == []


def test_1_8_a_state_that_one_sets_is_read_by_all_as_the_identical_string(tmp_path: Path):
    house = House(tmp_path, "Rook", "Ben", "Cat", rooms={"Cat": "The Yard"})
    state = 'river;  phase=2 {"a": [1]} — <b>no</b> #tag ^m1 [[x]]'
    house.player("Ana").types(f"share world type -> {state}")
    shown = 'river; phase=2 {"a": [1]} — <b>no</b> #tag ^m1 [[x]]'  # a line typed has one space between words
    for name in ("Rook", "Ben", "Cat"):
        assert f'type, from Ana: "{shown}"' in house.prompt(name)
    again = House(tmp_path, "Rook")
    assert [entry.content for entry in again.game.world.board.active()] == [shown]


def test_1_9_a_planner_s_plan_reaches_a_worker_to_the_byte(tmp_path: Path):
    house = House(tmp_path, "Rook", "Ben")
    plan = "1. Rook fetches 3 apples (not 4!). 2. Ben lights the hearth; 3. Ana counts: 7 × 12 = 84."
    house.does("Rook", f"share plan -> {plan}")
    assert house.game.world.board.readable(ROOM, "plan")[0].content == plan
    assert f'plan, from Rook: "{plan}"' in house.prompt("Ben")
    assert f'Rook shares plan: "{plan}"' in house.prompt("Ben")  # and it is in the journal, whole


# 002: facts


@pytest.mark.parametrize("template", ["agent_prompt", "transcript_first"])
def test_2_2_what_was_asked_done_and_exists_is_in_the_prompt_after_ten_cycles(tmp_path: Path, template: str):
    house = House(tmp_path, settings=SMALL, template=template)
    ana = house.player("Ana")
    ana.types("say Rook, please bring me the apples from The Kitchen.")
    ana.types("give coin to Rook")
    ana.types("get brass lamp")
    while house.agents["Rook"].compactor.stats.cycles < 10:
        said(house, "Ben", 4)
        house.compact("Rook")
    prompt = house.prompt("Rook")
    assert house.agents["Rook"].memory.coverage.b > 60
    for planted in (
        'Ana asked: "Rook, please bring me the apples from The Kitchen."',
        "copper coin: I have it",
        "brass lamp: Ana has it",
    ):
        assert planted in prompt


def test_2_13_the_registry_answers_with_the_current_value_and_when_it_last_changed(tmp_path: Path):
    house = House(tmp_path)
    ana, ben, rook = house.player("Ana"), house.player("Ben"), house.agents["Rook"]
    for who, line in (
        (ana, "get brass lamp"),
        (ana, "give brass lamp to Ben"),
        (ben, "drop brass lamp"),
        (ben, "get brass lamp"),
        (ben, "give brass lamp to Ana"),
    ):
        who.types(line)
    said(house, "Ben", 3)
    last_change = max(m.seq for m in rook.memory.view().tail if m.text == "Ben gives Ana the brass lamp.")
    (lamp,) = [fact for fact in rook.get_relevant("lamp") if fact.section == THINGS and fact.subject == "brass lamp"]
    assert (lamp.value, lamp.was, lamp.since) == ("Ana has it", "Ben has it", last_change)


LINES = (
    *(f"get {thing}" for thing in ("brass lamp", "oil lamp", "copper coin", "apples")),
    *(f"drop {thing}" for thing in ("brass lamp", "oil lamp", "copper coin", "apples")),
    *(f"give {thing} to {who}" for thing in ("brass lamp", "oil lamp", "coin") for who in ("Rook", "Ana", "Ben")),
    *("go north", "go south", "go out", "go in", "look", "inventory"),
)


@pytest.mark.parametrize("seed", range(5))
def test_2_14_the_listing_of_what_can_be_used_is_the_world_as_it_is(tmp_path: Path, seed: int):
    house, rng = House(tmp_path), random.Random(seed)
    ana, ben = house.player("Ana"), house.player("Ben")
    world, rook = house.game.world, house.agents["Rook"]
    for _ in range(120):
        line = rng.choice(LINES)
        who = rng.choice(["Rook", "Ana", "Ben"])
        house.does("Rook", line) if who == "Rook" else (ana if who == "Ana" else ben).types(line)
        if rng.random() < 0.2:
            listed = [fact for fact in rook.get_relevant() if fact.section == THINGS]
            for place, value in (
                ("Rook", "I have it"),
                (rook.character.room_id, f"it lies in {world.room_of(rook.character).name}"),
            ):
                known = {fact.subject for fact in listed if fact.value == value}
                assert known == {thing.name for thing in world.things_at(place)}
    rook.facts.take_in()
    # What it has itself it knows from its journal alone, as it has perceived every change.
    own = {fact.subject for fact in rook.facts.facts if fact.section == THINGS and fact.value == "I have it"}
    assert own == {thing.name for thing in world.things_at("Rook")}


def test_2_19_the_prompt_says_how_many_are_summarised_and_each_can_be_had_back_to_the_letter(tmp_path: Path):
    house = House(tmp_path, settings=SMALL)
    ana = house.player("Ana", Role.ADMIN)
    ana.types("say The key to the cellar hangs behind the clock.")
    planted = house.agents["Rook"].memory.journal.last
    while house.agents["Rook"].compactor.stats.cycles < 3:
        said(house, "Ben", 4)
        house.compact("Rook")
    coverage = house.agents["Rook"].memory.coverage
    prompt = house.prompt("Rook")
    assert f"[Summarized {len(coverage.longterm)} memories: {coverage.longterm}]" in prompt
    assert f"[Summarized {len(coverage.recent)} memories: {coverage.recent}]" in prompt
    assert "behind the clock" not in prompt
    ana.screen()
    ana.types(f"@memory-expand Rook {planted}")
    assert ana.screen()[1].endswith(
        'observed in The Common Room: Ana says, "The key to the cellar hangs behind the clock."'
    )


@pytest.mark.parametrize("style", ["prose", "pick"])
def test_2_19_what_is_pinned_is_told_word_for_word_and_once_whatever_is_summarised(tmp_path: Path, style: str):
    house = House(tmp_path, settings=SMALL, style=style)
    ana = house.player("Ana", Role.ADMIN)
    ana.types("say The key to the cellar hangs behind the clock.")
    planted = house.agents["Rook"].memory.journal.last
    ana.types(f"@memory-pin Rook {planted}")
    ana.types("@memory-pin Rook Never lend the oil lamp to strangers.")
    pins = ('Ana says, "The key to the cellar hangs behind the clock."', "Never lend the oil lamp to strangers.")
    for _ in range(40):
        said(house, "Ben", 4)
        house.compact("Rook")
        assert [house.prompt("Rook").count(pin) for pin in pins] == [1, 1]
    assert house.agents["Rook"].compactor.stats.cycles > 10


def test_an_edited_profile_and_its_goals_count_from_the_next_thought(tmp_path: Path):
    house = House(tmp_path)
    note = tmp_path / "agents/Rook/agent.md"
    note.write_text(note.read_text().replace("You listen.", "You listen at doors.\n\n## Goals\n- Hear every secret.\n"))
    agent = house.agents["Rook"]
    agent.adopt(load_agent(house.vault, "Rook"), AgentSettings(), house.templates)
    assert "You listen at doors." in house.prompt("Rook")
    assert agent.facts.goals == ("Hear every secret.",)
    house.end()
    assert "- Hear every secret. ([[agent]])" in (tmp_path / "agents/Rook/facts.md").read_text()
