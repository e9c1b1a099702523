"""The four strategies beside each other in a real world: whatever happens, every memory is told exactly once."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.integration.line_player import LinePlayer
from tests.integration.running import ADMIN, RunningServer, eventually, journal_lines, new_vault, running
from tests.integration.scripted_ollama import MODEL, ScriptedOllama, scripted_ollama

pytestmark = pytest.mark.integration

STRATEGIES = {"Eliza": "rolling", "Moss": "layered", "Odile": "waterfall", "Bram": "window"}
SETTINGS = {
    "immediate_window": 8,
    "recent_window": 8,
    "max_memories": 12,
    "threshold_tokens": 300,
    "min_saving_tokens": 0,
    "summary_tokens": 120,
    "retry_seconds": 0.5,
}
BRAM = "---\nroom: '[[The Landing]]'\ndescription: A thin man.\n---\nYou are Bram, and you sell rope.\n"

_COVERS = re.compile(r"^covers:\s*(?:\[(\d+), (\d+)\]|- (\d+)\n- (\d+))$", re.MULTILINE)
_NUMBER = re.compile(r" \^m(\d+)$")


@dataclass
class Town:
    """A running world in which four agents stand on The Landing, each with a strategy of its own."""

    vault: Path
    server: RunningServer
    ollama: ScriptedOllama
    warden: LinePlayer

    def tell(self, count: int) -> None:
        """Say so many things that everybody hears."""
        for number in range(count):
            self.warden.asks(f"say The river stood at {number + 100} spans on one day, and it will rise.")

    def covered(self, name: str) -> list[tuple[int, int]]:
        """Return the ranges of the summaries in force, oldest first, from the files alone."""
        folder = self.vault / "agents" / name / "summaries"
        notes = [folder / one for one in ("longterm.md", "recent.md") if (folder / one).exists()]
        found = [_COVERS.search(note.read_text(encoding="utf-8")) for note in notes]
        ranges = [tuple(int(one) for one in match.groups() if one) for match in found if match]
        return [(first, last) for first, last in ranges]

    def ends(self) -> None:
        """Close the world, so that nothing changes any more."""
        self.server.signal(signal.SIGTERM)
        assert self.server.exit_code() == 0
        assert not self.server.failure

    def is_told_exactly(self, name: str) -> None:
        """Assert that memories are numbered without a gap and that the summaries begin at 1, touch, and end in time."""
        numbers = [int(match[1]) for line in journal_lines(self.vault)[name] if (match := _NUMBER.search(line))]
        assert numbers == list(range(1, len(numbers) + 1))
        end = 0
        for first, last in self.covered(name):
            assert first == end + 1
            end = last
        assert end <= len(numbers)

    def turns_to(self, name: str, strategy: str) -> None:
        """Edit an agent's strategy as a person does."""
        note = self.vault / "agents" / name / "agent.md"
        text = note.read_text(encoding="utf-8")
        note.write_text(re.sub(r"^strategy: .*$", f"strategy: {strategy}", text, flags=re.MULTILINE), encoding="utf-8")

    def status(self, name: str) -> str:
        """Return the status of an agent's memory, its lines put together again."""
        self.warden.types(f"@memory-status {name}")
        return re.sub(r"\n(?![A-Z>])", " ", self.warden.expects("Health: "))


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with scripted_ollama() as ollama:
        models = {"ollama_host": ollama.host, "summary_style": "prose"}
        vault = new_vault(
            tmp_path / "world",
            {
                "config/agents.md": {"think_seconds": 0.5, "react_seconds": 0.1},
                "config/memory_compaction.md": SETTINGS,
                "config/models.md": models,
            },
        )
        (vault / "agents" / "Bram").mkdir()
        (vault / "agents" / "Bram" / "agent.md").write_text(BRAM, encoding="utf-8")
        for name, strategy in STRATEGIES.items():
            note = vault / "agents" / name / "agent.md"
            text = re.sub(r"^room: .*\n|^think_seconds: .*\n", "", note.read_text(encoding="utf-8"), flags=re.MULTILINE)
            text = re.sub(r"^## Errands\n(?:- .*\n)+", "", text, flags=re.MULTILINE)  # all stay where words are heard
            own = f"---\nroom: '[[The Landing]]'\nstrategy: {strategy}\n"
            note.write_text(text.replace("---\n", own, 1), encoding="utf-8")
        with running(vault, f"ollama:{MODEL}") as server:
            server.says("The agents think with ")
            yield Town(vault, server, ollama, server.player(ADMIN))


def test_each_strategy_tells_every_memory_exactly_once(town: Town):
    town.tell(40)
    assert eventually(lambda: all(town.covered(name) for name in ("Eliza", "Moss", "Odile"))), town.server.log
    assert eventually(lambda: len(town.covered("Odile")) == 2), town.server.log
    assert "Strategy: layered." in town.status("Moss")
    assert "Next compaction: never, because the strategy is window." in town.status("Bram")
    town.ends()
    for name in STRATEGIES:
        town.is_told_exactly(name)
    assert [len(town.covered(name)) for name in ("Eliza", "Moss", "Bram")] == [1, 1, 0]
    sections = (town.vault / "agents" / "Moss" / "summaries" / "longterm.md").read_text(encoding="utf-8")
    assert "## User Goal\nI " in sections


def test_a_strategy_changed_while_the_world_runs_loses_nothing(town: Town):
    town.tell(30)
    assert eventually(lambda: all(town.covered(name) for name in ("Eliza", "Moss", "Odile"))), town.server.log
    before = {name: town.covered(name)[-1][1] for name in ("Eliza", "Moss", "Odile")}
    turned = {"Eliza": "layered", "Moss": "waterfall", "Odile": "rolling", "Bram": "rolling"}
    for name, strategy in turned.items():
        town.turns_to(name, strategy)
    assert eventually(lambda: "Strategy: rolling." in town.status("Bram")), town.server.log
    town.tell(40)
    assert eventually(lambda: bool(town.covered("Bram"))), town.server.log
    assert eventually(lambda: all(town.covered(name)[-1][1] > end for name, end in before.items())), town.server.log
    town.ends()
    for name in STRATEGIES:
        town.is_told_exactly(name)


def test_what_a_person_writes_while_a_summary_is_made_counts_and_both_are_kept(town: Town):
    town.turns_to("Eliza", "window")
    town.turns_to("Moss", "window")
    town.tell(20)
    assert eventually(lambda: len(town.covered("Odile")) == 2), town.server.log
    summaries = town.vault / "agents" / "Odile" / "summaries"
    town.ollama.may_summarise.clear()
    town.tell(16)
    # Another agent's summary, begun before its strategy was turned, may be held too.
    assert eventually(lambda: any("as Odile would tell" in prompt for prompt in town.ollama.held)), town.server.log
    recent = summaries / "recent.md"
    head = recent.read_text(encoding="utf-8").rpartition("---\n")[0]
    recent.write_text(f"{head}---\nI wrote this with my own hand.\n", encoding="utf-8")
    town.ollama.may_summarise.set()
    town.server.says("Odile: summaries were edited by hand meanwhile; what was made is kept as ")
    assert eventually(lambda: bool(list(summaries.glob("recent (conflict *).md")))), town.server.log
    # The next cycle begins from what was written by hand.
    written = "I wrote this with my own hand."
    assert eventually(lambda: any(written in prompt for prompt in town.ollama.prompts)), town.server.log
    # It stays as a file of its own once that cycle has published.
    assert eventually(
        lambda: any(written in path.read_text(encoding="utf-8") for path in summaries.glob("recent*-m*.md"))
    )
    town.ends()
    town.is_told_exactly("Odile")


def test_a_strategy_that_does_not_exist_is_told_to_admins_and_the_old_one_goes_on(town: Town):
    town.turns_to("Eliza", "waterfal")
    told = re.sub(r"\s+", " ", town.warden.expects("goes on as before."))
    assert "agents/Eliza/agent.md:3: strategy is 'waterfal'; expected one of waterfall, layered, rolling," in told
    town.tell(12)
    assert eventually(lambda: bool(town.covered("Eliza"))), town.server.log
    assert "Strategy: rolling." in town.status("Eliza")


def test_a_power_cut_in_the_midst_of_summaries_leaves_every_memory_told_exactly_once(town: Town):
    town.tell(30)
    town.server.says("Compaction complete", times=3)
    town.ollama.may_summarise.clear()
    town.tell(10)
    town.server.kill()
    town.ollama.may_summarise.set()
    with running(town.vault, "none") as again:
        warden = again.player(ADMIN)
        for name in STRATEGIES:
            warden.types(f"@memory-status {name}")
            warden.expects("Health: well. Every memory is written")
        again.signal(signal.SIGTERM)
        assert again.exit_code() == 0
    for name in STRATEGIES:
        town.is_told_exactly(name)
