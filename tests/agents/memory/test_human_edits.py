"""What a person writes into an agent's files while the world runs counts, and nothing that anybody wrote is lost."""

from __future__ import annotations

from pathlib import Path

from config.settings import AgentSettings, MemorySettings
from tests.agents.house import House, said
from vault.entities.agent_notes import load_agent
from world.entities import Role

SMALL = MemorySettings(immediate_window=8, recent_window=8, rebuild_every=0, retry_seconds=0.1)


def summarised(tmp_path: Path, cycles: int) -> House:
    """Return a house in which Rook has so many summaries behind it."""
    house = House(tmp_path, settings=SMALL)
    house.player("Ana", Role.ADMIN)
    while house.agents["Rook"].compactor.stats.cycles < cycles:
        said(house, "Ben", 4)
        house.compact("Rook")
    return house


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def first_line(path: Path) -> str:
    return path.read_text().rstrip("\n").split("\n")[-1]


def test_an_edited_summary_is_told_and_the_next_cycle_starts_from_it(tmp_path: Path):
    house = summarised(tmp_path, 2)
    folder = tmp_path / "agents/Rook/summaries"
    edit(folder / "longterm.md", first_line(folder / "longterm.md"), "I was born in this inn.")
    assert "I was born in this inn." in house.prompt("Rook")
    asked = len(house.model.prompts)
    said(house, "Ben", 8)
    house.compact("Rook")
    assert any("I was born in this inn." in prompt for prompt in house.model.prompts[asked:])
    kept = [path for path in folder.glob("longterm-*.md") if "I was born in this inn." in path.read_text()]
    assert len(kept) == 1  # and what was written stays on disk when the next one takes its place


def test_an_edited_fact_is_told_from_the_next_publication_or_at_once_in_the_listing(tmp_path: Path):
    house = summarised(tmp_path, 1)
    house.agents["Rook"].facts.close()
    path = tmp_path / "agents/Rook/facts.md"
    edit(path, "**Ben**: last seen", "**Ben**: owes me two pence · last seen")
    assert "Ben: owes me two pence; last seen in The Common Room" in house.prompt("Rook")
    for _ in range(5):
        said(house, "Ben", 8)
        house.compact("Rook")
    house.end()
    assert "owes me two pence" in house.prompt("Rook")
    assert "**Ben**: owes me two pence · last seen in The Common Room" in path.read_text()
    assert "owes me two pence" in House(tmp_path, settings=SMALL).prompt("Rook")


def test_broken_facts_leave_the_prompt_as_it_was_and_the_file_as_it_is(tmp_path: Path):
    house = summarised(tmp_path, 1)
    house.game.perform("Ana", "@memory-pin Rook Never lend the lamp.")
    path = tmp_path / "agents/Rook/facts.md"
    edit(path, "upto:", "upto: many #")
    broken = path.read_text()
    assert "- Never lend the lamp." in house.prompt("Rook")
    house.end()
    assert path.read_text() == broken
    assert house.agents["Rook"].facts.problem.startswith("agents/Rook/facts.md:2: upto is 'many'")


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


def test_a_journal_line_typed_by_hand_is_a_memory_and_its_mark_a_pin(tmp_path: Path):
    house = House(tmp_path)
    house.player("Ana").types("say Hello.")
    path = tmp_path / "agents/Rook/journal/2026-11-21.md"
    path.write_text(path.read_text() + "- The well is dry. #pinned\n")
    house.prompt("Rook")
    assert [pin.text for pin in house.agents["Rook"].facts.pins] == ["I noted: The well is dry."]
    assert house.prompt("Rook").count("The well is dry.") == 1
