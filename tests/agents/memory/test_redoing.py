"""When no model gives a summary, lines are picked by rule; as soon as one is well, it tells them again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.memory.summaries.formats import memory_of_line
from agents.models.model import ModelError, Request
from tests.agents.memory.towns import Town
from tests.scripted_model import Reply, ScriptedModel
from vault.memory.summaries import Summary

SETTINGS = """\
immediate_window: 2
recent_window: 4
rebuild_every: 0
retry_seconds: 0.1
fallback: {fallback}"""
VERBS = ("heard", "asked", "told", "saw", "met", "followed", "passed", "found")


class Life(Town):
    """A town whose model for summaries is `well` or not, and so many things that Eliza hears of."""

    def __init__(self, root: Path, fallback: str = "extractive", ill: Reply | None = None) -> None:
        self.well = False
        self._ill = ill or ModelError("The host is gone.")
        super().__init__(root, SETTINGS.format(fallback=fallback), ScriptedModel(self._reply))
        self.memory = self.eliza.memory

    def _reply(self, request: Request) -> Reply:
        verb = VERBS[len(self.summaries.requests) % len(VERBS)]
        about = "" if "long ago" in request.prompt else ", and it was about the eels in the river again"
        said = f"I {verb} Moss by the water{about}."
        return said if self.well else self._ill

    def go_on(self, cycles: int) -> None:
        """Let so much happen that so many cycles are due, one after the other: at 7 memories, 11, 15 …"""
        for _ in range(cycles):
            for number in range(self.memory.journal.last + 1, max(7, self.memory.journal.last + 4) + 1):
                self.memory.record("observed", f"Moss tells of eel {number}, for the {number}th time.", "The Landing")
            self.clock.ms += 10_000
            asyncio.run(self.compact())

    def leaves(self) -> list[Summary]:
        return [leaf for _, leaf in self.memory.summaries.leaves()]

    @property
    def recent(self) -> Summary:
        assert self.memory.recent
        return self.memory.recent

    @property
    def longterm(self) -> Summary:
        assert self.memory.longterm
        return self.memory.longterm


@pytest.mark.parametrize("ill", [None, "I met Bartholomew, who owes me 77 crowns."])
def test_what_no_model_could_summarise_is_told_by_its_own_lines(tmp_path, ill, caplog):
    life = Life(tmp_path, ill=ill)
    life.go_on(1)
    assert (life.recent.first, life.recent.last) == (1, 5)
    assert (life.recent.quality, life.recent.model) == ("fallback", "")
    told = [memory_of_line(line) for line in life.recent.text.split("\n")]
    texts = {memory.seq: memory.text for memory in life.memory.journal.read(1, 5)}
    assert all(one and texts[one[0]] == one[1] for one in told)
    assert [r for r in caplog.records if "lines were picked by rule" in r.getMessage()]


def test_an_extract_is_told_by_the_model_in_the_next_cycle_and_stays_as_a_leaf(tmp_path):
    life = Life(tmp_path)
    life.go_on(1)
    life.well = True
    life.go_on(1)
    qualities = [(leaf.first, leaf.last, leaf.quality) for leaf in life.leaves() if leaf.first == 1]
    assert qualities == [(1, 5, "fallback"), (1, 5, "prose")]
    assert (life.recent.quality, life.longterm.quality) == ("prose", "prose")


def test_while_the_model_is_not_well_an_extract_stays_and_life_goes_on(tmp_path):
    life = Life(tmp_path)
    life.go_on(4)
    assert life.eliza.compactor.stats.failures_in_a_row == 0
    assert (life.recent.quality, life.longterm.quality) == ("fallback", "fallback")
    assert life.longterm.last + 1 == life.recent.first


def test_after_a_long_illness_every_leaf_is_told_again_and_the_long_term_summary_made_anew(tmp_path):
    life = Life(tmp_path)
    life.go_on(9)
    life.well = True
    life.go_on(4)
    latest = {leaf.first: leaf.quality for leaf in life.leaves()}
    assert set(latest.values()) == {"prose"}
    assert (life.recent.quality, life.longterm.quality) == ("prose", "prose")
    assert all(len(leaf.text) < 100 for leaf in life.leaves() if leaf.quality == "prose")


def test_an_extract_that_somebody_has_edited_counts_as_it_is(tmp_path):
    life = Life(tmp_path)
    life.go_on(1)
    path = life.vault.root / "agents/Eliza/summaries/recent.md"
    path.write_text(path.read_text() + "\nAnd I know a secret of the river.\n")
    life.well = True
    life.go_on(1)
    kept = [leaf for leaf in life.leaves() if leaf.first == 1 and "a secret of the river" in leaf.text]
    assert kept and not [leaf for leaf in life.leaves() if leaf.first == 1 and leaf.quality == "prose"]
    prompts = [prompt for prompt in life.summaries.prompts if "long ago" in prompt]
    assert "a secret of the river" in prompts[-1]


def test_an_extract_of_prose_is_whole_sentences_of_it(tmp_path):
    life = Life(tmp_path)
    life.well = True
    life.go_on(2)
    before = [life.recent.text, life.longterm.text]
    life.well = False
    life.go_on(1)
    assert life.longterm.quality == "fallback"
    assert sorted(life.longterm.text.split("\n")) == sorted(before)
