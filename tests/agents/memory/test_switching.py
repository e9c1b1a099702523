"""Every strategy, and every switch between them, on a live agent in a real vault: nothing is lost or told twice."""

from __future__ import annotations

import asyncio
import itertools
import re
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.memory.summaries.formats import SECTIONS, sections_of
from tests.agents.memory import on_disk
from tests.agents.memory.lives import HEADINGS, Life, windows, writer
from tests.agents.memory.views import covered_by
from tests.scripted_model import ScriptedModel

STRATEGIES = ("waterfall", "rolling", "layered", "window", "topics")
SMALL = windows(
    4,
    3,
    threshold=5,
    retain_recent=2,
    threshold_tokens=60,
    min_saving_tokens=0,
    summary_tokens=30,
    max_memories=7,
    topics_keep=3,
)

_PART = re.compile(r"part (\d+)\b")


class Switching(Life):
    """A life whose strategy can be changed while it is lived, and whose every memory can be told apart."""

    def __init__(self, root: Path, strategy: str = "waterfall", model: ScriptedModel | None = None) -> None:
        super().__init__(root, replace(SMALL, strategy=strategy), model or writer())
        self.root = root

    def go_on(self, count: int) -> None:
        for _ in range(count):
            number = self.memory.journal.last + 1
            subject = ("river", "mill", "weather", "river")[number % 4]
            self.live(1, f"Moss tells me once more about the {subject} and its moods, part {number}")

    def switch(self, strategy: str) -> None:
        self.memory.settings = replace(self.memory.settings, strategy=strategy)

    def restarted(self) -> Switching:
        """Return the same life after the end of its process."""
        self.die()
        again = Switching(self.root, self.memory.settings.strategy, self.model)
        again.clock.ms = self.clock.ms
        return again

    @property
    def sent(self) -> Counter[int]:
        """How often each memory was sent to the summariser in its own words."""
        return Counter(int(part) for prompt in self.model.prompts for part in set(_PART.findall(prompt)))

    def check(self) -> None:
        """Hold the memory to its promise, by what stands on disk and by what is in view."""
        n = self.memory.journal.last
        assert list(on_disk.lines(self.folder)) == list(range(1, n + 1))
        coverage = self.memory.coverage
        assert (coverage.a, coverage.b, coverage.n) == (*on_disk.boundaries(self.folder), n)
        view = self.memory.view()
        shown = [memory.seq for memory in view.tail]
        if self.memory.settings.strategy == "window":
            assert view.summaries == ()
            assert shown == list(range(n - len(shown) + 1, n + 1))
            assert len(shown) == min(n, 7)
        else:
            assert sorted(covered_by(view)) + shown == list(range(1, n + 1))
        assert set(self.sent.values()) <= {1}


@st.composite
def lives(draw: st.DrawFn) -> list[tuple[str, object]]:
    steps = st.one_of(
        st.tuples(st.just("live"), st.integers(1, 9)),
        st.tuples(st.just("switch"), st.sampled_from(STRATEGIES)),
        st.tuples(st.sampled_from(("compact", "force", "restart")), st.none()),
    )
    return draw(st.lists(steps, min_size=4, max_size=14))


@given(st.sampled_from(STRATEGIES), lives())
def test_0_13_summaries_and_words_add_up_to_every_memory_once_after_any_interleaving(first, steps):
    async def lived(root: Path) -> None:
        life = Switching(root, first)
        for step, given_ in steps:
            match step:
                case "live":
                    life.go_on(given_)
                case "switch":
                    life.switch(given_)
                case "compact":
                    await life.compact()
                case "force":
                    await life.force()
                case "restart":
                    life = life.restarted()
            life.check()
        assert life.compactor.stats.last_error == ""
        life.die()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(lived(Path(folder)))


@pytest.mark.parametrize(("before", "after"), list(itertools.permutations(STRATEGIES, 2)))
def test_3_17_each_strategy_goes_on_where_any_other_has_left_off_without_a_gap(tmp_path, before, after):
    life = Switching(tmp_path, before)
    for strategy in (before, after, before, after):
        life.switch(strategy)
        life.go_on(20)
        asyncio.run(life.compact())
        life.check()
    assert life.compactor.stats.failures_in_a_row == 0
    assert (life.memory.coverage.b == 0) == ({before, after} == {"window"})


def test_a_summary_in_sections_is_folded_into_prose_without_its_headings_and_back(tmp_path):
    life = Switching(tmp_path, "layered")
    for strategy in ("layered", "rolling", "layered"):
        life.switch(strategy)
        life.go_on(12)
        asyncio.run(life.compact())
        assert life.memory.longterm
        told = list(sections_of(life.memory.longterm.text))
        assert (HEADINGS in life.model.prompts[-1]) == (told == list(SECTIONS)) == (strategy == "layered")
    assert life.memory.coverage.b == 36


def test_a_backlog_that_was_too_long_to_be_counted_is_worked_off_by_tokens_as_well(tmp_path):
    # 700 memories under the strategy window, and then layered: more than are counted at one look.
    life = Switching(tmp_path, "window")
    life.go_on(700)
    life.switch("layered")
    asyncio.run(life.compact())
    life.check()
    assert life.memory.coverage.b == 700


@pytest.mark.parametrize(("strategy", "covered"), [("waterfall", 12), ("rolling", 14), ("layered", 16)])
def test_memories_taken_out_of_the_journal_by_hand_do_not_hold_up_the_others(tmp_path, strategy, covered):
    life = Switching(tmp_path, strategy)
    life.go_on(7)
    life.memory.close()  # while it runs, the lines would be written again
    for path in on_disk.journal_files(life.folder):
        path.write_text("", encoding="utf-8")
    life = life.restarted()
    asyncio.run(life.force())
    life.go_on(9)
    asyncio.run(life.force())
    assert life.compactor.stats.failures == 0
    assert life.memory.coverage.b == covered
