"""A long-term summary made anew keeps what a person has written into it, and a failure undoes nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agents.memory.memory import AgentMemory
from agents.memory.summaries.rebuilding import rebuild
from agents.memory.summaries.summarizing import Summarizer, SummarizerProfile, SummaryContext
from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue
from tests.agents.memory.lives import NAME, ROSTER, Clock, Life, QuickDisk, outcomes, starter_templates, windows
from tests.scripted_model import Reply, ScriptedModel
from vault.memory.caches import MAX_ROWS, SummaryCache
from vault.memory.summaries import BY_HAND, LONGTERM, Summary
from vault.vault import Vault

EDIT = "I was born in a kettle house; my sister Ines drowned."
PEOPLE = ("Odile", "Moss", "Ines")
VERBS = "heard saw met sought found asked told left liked watched missed knew praised trusted feared heeded".split()
FILLING = "and we sat there by the water until the light was gone and talked of nothing else at all"
LATER = "and the days went by like that"


class Town:
    """A life that is summarised at 9 memories, 13, 17 …, by a model that names everybody whom its prompt names."""

    def __init__(self, root: Path, every: int = 0, **more: object) -> None:
        self.root, self.clock = root, Clock()
        self.settings = windows(4, 4, **{"rebuild_every": every, "retry_seconds": 600.0} | more)
        self.fails_at = 99
        self.forgets = ""
        self.times = 0
        self.disk = QuickDisk()
        self.restart()

    def restart(self) -> None:
        self.model = ScriptedModel(self._reply)
        self.life = Life(self.root, self.settings, self.model, clock=self.clock, disk=self.disk)

    def _reply(self, request: Request) -> Reply:
        if request.prompt.count(FILLING) >= self.fails_at:
            return ModelError("The model is gone.")
        self.times += 1
        named = [name for name in PEOPLE if name in request.prompt and name != self.forgets]
        drowned = " who drowned" * ("drowned" in request.prompt and "Ines" in named)
        rest = LATER if "long ago" in request.prompt else FILLING
        return f"I {VERBS[self.times % len(VERBS)]} {' and '.join(named)}{drowned}, {rest}."

    @property
    def memory(self) -> AgentMemory:
        return self.life.memory

    @property
    def longterm(self) -> Summary:
        assert self.memory.longterm
        return self.memory.longterm

    @property
    def path(self) -> Path:
        return self.root / "agents" / NAME / "summaries" / LONGTERM

    def cycles(self, count: int) -> None:
        for _ in range(count):
            self.life.live(9 if not self.memory.journal.last else 4)
            asyncio.run(self.life.compact())

    def edit(self, text: str) -> None:
        head, _, _ = self.path.read_text().rpartition("---\n")
        self.path.write_text(f"{head}---\n{text}\n")

    def rebuild(self) -> str:
        """Rebuild the long-term summary, and return what came of it; `asked` are the prompts for it."""
        before = len(self.model.requests)
        asyncio.run(self.life.rebuild())
        self.asked = self.model.prompts[before:]
        return self.life.heard[-1].key


def forgetful_town(root: Path) -> Town:
    """Return a town of four cycles whose long-term summary has lost Odile, who is in a leaf."""
    town = Town(root)
    town.life.memory.record("observed", "Odile has stolen the bell.", "The Landing")
    town.cycles(2)
    town.forgets = "Odile"
    town.cycles(2)
    return town


def edited_town(root: Path, every: int = 0) -> Town:
    """Return a town of three cycles whose long-term summary somebody has edited."""
    town = Town(root, every)
    town.cycles(3)
    town.edit(EDIT)
    return town


def test_4_23_a_long_term_summary_made_anew_from_the_leaves_counts_if_it_keeps_more(tmp_path: Path):
    town = forgetful_town(tmp_path)
    before = town.longterm
    assert town.rebuild() == "compaction.good_already"
    assert town.longterm == before
    town.forgets = ""
    assert town.rebuild() == "compaction.rebuilt"
    assert "Odile" in town.longterm.text
    assert f"2 leaves to {town.longterm.last}" in town.longterm.sources
    assert before.text in [old.text for _, old in town.memory.summaries.former()]


def test_a_text_edited_just_now_stays_to_the_letter(tmp_path: Path):
    town = edited_town(tmp_path)
    assert town.rebuild() == "compaction.by_hand"
    assert (town.longterm.text, town.asked) == (EDIT, [])


@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize("restarts", [False, True])
def test_an_edit_survives_every_rebuild_that_comes_after_it(tmp_path: Path, every: int, restarts: bool):
    town = edited_town(tmp_path, every)
    for _ in range(6):
        town.cycles(1)
        assert "Ines who drowned" in town.longterm.text
        if restarts:
            town.memory.close()
            town.restart()
    assert town.rebuild() in ("compaction.rebuilt_by_hand", "compaction.good_already")
    assert "Ines who drowned" in town.longterm.text


def test_an_edit_is_what_a_rebuild_begins_with_in_the_place_of_the_leaves_that_it_covers(tmp_path: Path):
    town = Town(tmp_path)
    town.cycles(3)
    covered = town.longterm.last
    town.edit(EDIT)
    town.cycles(2)
    leaves = {leaf.last: leaf.text for _, leaf in town.memory.summaries.leaves()}
    town.rebuild()
    (prompt,) = town.asked
    assert prompt.index(EDIT) < prompt.index(leaves[covered + 4])
    assert not [text for last, text in leaves.items() if last <= covered and text in prompt]


def test_what_a_person_took_out_does_not_come_back_from_a_leaf(tmp_path: Path):
    town = Town(tmp_path, every=1)
    town.life.memory.record("observed", "Odile has stolen the bell.", "The Landing")
    town.cycles(3)
    assert "Odile" in town.longterm.text
    town.edit("I lived by the river, and Moss told me of it.")
    town.cycles(4)
    assert "Odile" not in town.longterm.text


def test_a_rebuilt_text_that_lacks_a_word_of_the_person_s_is_not_taken_however_good_it_is(tmp_path: Path):
    town = edited_town(tmp_path)
    town.cycles(2)
    before, town.forgets = town.longterm.text, "Ines"
    assert town.rebuild() == "compaction.good_already"
    assert town.longterm.text == before


def test_the_newest_edit_counts_and_none_that_was_rolled_back(tmp_path: Path):
    town = Town(tmp_path)
    town.cycles(3)
    first = town.memory.summaries.leaf_names()[1]
    town.edit(EDIT)
    town.cycles(1)
    town.edit("I was born on a ship, and Moss knows of it.")
    town.cycles(2)
    town.rebuild()
    assert "born on a ship" in town.asked[0]
    assert "kettle house" not in town.asked[0]
    town.memory.roll_back(first)
    town.cycles(5)
    assert town.rebuild() in ("compaction.rebuilt", "compaction.good_already")
    assert all("born" not in prompt for prompt in town.asked)


def test_an_edit_outlives_a_time_under_another_strategy(tmp_path: Path):
    town = edited_town(tmp_path, every=1)
    town.settings = windows(4, 4, rebuild_every=1, strategy="rolling", threshold=6, retain_recent=2)
    town.memory.close()
    town.restart()
    town.cycles(3)
    assert "Ines who drowned" in town.longterm.text
    town.rebuild()
    assert "Ines who drowned" in town.longterm.text


def test_an_edit_outlives_a_later_one_that_is_not_valid(tmp_path: Path):
    town = edited_town(tmp_path)
    assert town.memory.poll_edits()
    town.path.write_text(town.path.read_text().replace("covers:", "coverz:"))
    town.cycles(2)
    town.rebuild()
    assert EDIT in town.asked[0]


def test_without_the_text_that_a_person_edited_nothing_is_rebuilt(tmp_path: Path):
    town = edited_town(tmp_path)
    town.cycles(2)
    for path in town.path.parent.glob("longterm-*.md"):
        path.unlink()
    assert town.rebuild() == "compaction.hand_missing"
    assert "Ines who drowned" in town.longterm.text


def test_an_edit_of_the_same_length_is_an_edit(tmp_path: Path):
    town = Town(tmp_path)
    town.cycles(2)
    assert not town.longterm.is_edited
    town.path.write_text(town.path.read_text().replace("Moss", "Ines"))
    assert town.memory.poll_edits(thorough=True)
    assert town.longterm.is_edited


def test_blank_lines_and_other_ends_of_lines_are_no_edit(tmp_path: Path):
    town = Town(tmp_path)
    town.cycles(2)
    town.path.write_bytes(town.path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n\r\n")
    town.memory.poll_edits(thorough=True)
    assert not town.longterm.is_edited


@pytest.mark.parametrize(
    ("properties", "is_edited"),
    [
        ("sources: ['1-5']\nmodel: scripted", False),  # as versions before checksums wrote it
        ("sources: ['1-5']\nscores:\n  characters: 12.0", True),
        ("sources: ['1-5']\nscores:\n  characters: 9.0", False),
        ("generation: 1", True),  # typed by hand from beginning to end
        (f"sources: ['1-5']\nchecksum: {BY_HAND}", True),
    ],
)
def test_a_summary_without_a_checksum_opens_all_the_same(tmp_path: Path, properties: str, is_edited: bool):
    folder = tmp_path / "agents" / NAME / "summaries"
    folder.mkdir(parents=True)
    (folder / LONGTERM).write_text(f"---\ncovers: [1, 5]\n{properties}\n---\nI walked.\n")
    life = Life(tmp_path, windows(4, 4), ScriptedModel())
    life.live(9)
    life.memory.poll_edits(thorough=True)
    assert life.memory.longterm
    assert (life.memory.longterm.text, life.memory.longterm.is_edited) == ("I walked.", is_edited)


def test_a_rebuild_that_fails_leaves_the_cycle_before_it_published_and_the_next_one_due(tmp_path: Path):
    town = Town(tmp_path, every=3)
    town.fails_at = 2  # only a rebuild is shown more than one short-term summary
    town.cycles(3)
    record = town.life.compactor.stats
    assert (record.cycles, record.failures_in_a_row, record.next_try_ms, record.state) == (3, 0, 0, "idle")
    town.cycles(1)
    assert record.cycles == 4
    assert outcomes(town.memory) == [
        *[("auto_compact", "accepted")] * 3,
        ("rebuild", "failed"),
        ("auto_compact", "accepted"),
    ]


def test_an_edit_made_while_a_rebuilt_text_is_written_counts_and_the_loser_is_kept(tmp_path: Path):
    town = forgetful_town(tmp_path)
    town.forgets, write = "", town.disk.write_draft

    def write_late(draft: Path, text: bytes, durable: bool) -> None:
        write(draft, text, durable)
        town.edit("I never told anybody of Ines.")

    town.disk.write_draft = write_late  # type: ignore[method-assign]
    assert town.rebuild() == "compaction.changed_meanwhile"
    town.memory.poll_edits(thorough=True)
    assert town.longterm.text == "I never told anybody of Ines."
    (kept,) = town.path.parent.glob("longterm (conflict *).md")
    assert "Odile" in kept.read_text()
    assert kept.stem in str(town.life.heard[-1].values["why"])


def test_a_rebuild_of_a_long_life_asks_only_for_what_is_new_since_the_last(tmp_path: Path):
    times = (f"{one} {other} {third}" for one in VERBS for other in VERBS for third in VERBS)
    model = ScriptedModel(lambda request: f"I {next(times)} Moss.")
    vault, profile = Vault(tmp_path), SummarizerProfile("prose", 0.3, 60, 60.0)
    asked: list[int] = []
    for leaves in (80, 88, 96):
        context = SummaryContext(NAME, lambda: ROSTER, lambda seq: None)
        summarizer = Summarizer(
            context, [ModelQueue(model)], starter_templates(NAME), profile, SummaryCache(vault, NAME)
        )
        texts = [f"I met Moss at {number} stones, {FILLING}." for number in range(leaves)]
        before = len(model.requests)
        asyncio.run(rebuild(summarizer, texts, model.count_tokens, 60, lambda draft: draft))
        asked.append(len(model.requests) - before)
    assert asked[0] > 40
    assert max(asked[1:]) < 20, asked


def test_a_summary_that_is_asked_for_often_stays_in_the_cache(tmp_path: Path):
    cache = SummaryCache(Vault(tmp_path), NAME)
    cache.put("often", {"text": "I met Moss."})
    for number in range(MAX_ROWS):
        cache.put(f"once {number}", {"text": "I met Odile."})
        assert cache.get("often")
