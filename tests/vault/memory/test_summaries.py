"""Summaries on disk: none is ever lost, written over or half there."""

from __future__ import annotations

import time
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk, Stopped
from tests.vault.vault_of import vault_of
from vault.errors import NoteError
from vault.memory.summaries import BY_HAND, LONGTERM, RECENT, Summary, SummaryEdited, SummaryFolder

AT = 1_764_016_501_000  # 2025-11-24 20:35:01 UTC

lines = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufeff"), max_size=80)
summaries = st.builds(
    lambda first, more, text, sources, scores: Summary(
        first, first + more, text.strip(), 3, "extractive", "embedded:x", 88, AT, sources, scores
    ),
    st.integers(1, 10**6),
    st.integers(0, 10**4),
    st.lists(lines, max_size=4).map("\n".join),
    st.lists(lines, max_size=3).map(tuple),
    st.dictionaries(st.sampled_from(["kept", "unsupported"]), st.floats(0, 1)),
)


def summary(first: int, last: int, text: str = "I walked.", made_ms: int = AT) -> Summary:
    return Summary(first, last, text, made_ms=made_ms)


def folder_in(root, disk=None) -> SummaryFolder:
    return SummaryFolder(vault_of(root, {}, disk), "Eliza")


def texts(root) -> dict[str, str]:
    """Return every summary's text by file name; drafts do not count."""
    found = (root / "agents" / "Eliza" / "summaries").glob("[!.]*.md")
    return {path.name: path.read_text() for path in found}


@given(summaries)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_published_can_be_read_again_and_a_word_more_is_an_edit(tmp_path, given):
    folder = folder_in(tmp_path)
    folder.publish(None, given)
    assert folder.read(RECENT) == given
    assert not given.is_edited
    path = tmp_path / "agents" / "Eliza" / "summaries" / RECENT
    path.write_text(f"{path.read_text()}Indeed.\n")
    edited = folder.read(RECENT)
    assert edited and edited.is_edited


def test_a_publication_is_a_leaf_and_two_notes_in_force(tmp_path):
    folder = folder_in(tmp_path)
    assert folder.publish(None, summary(1, 65)) == "recent-20251124-203501-m000065.md"
    folder.publish(summary(1, 65, "I came."), summary(66, 129))
    assert set(texts(tmp_path)) == {
        "recent-20251124-203501-m000065.md",
        "recent-20251124-203501-m000129.md",
        RECENT,
        LONGTERM,
    }
    assert (folder.read(LONGTERM), folder.read(RECENT)) == (summary(1, 65, "I came."), summary(66, 129))


def test_a_hundred_publications_in_one_second_are_a_hundred_leaves(tmp_path):
    folder = folder_in(tmp_path)
    given = [summary(1, 65, f"Try {number}.") for number in range(100)]
    assert len({folder.publish(None, one) for one in given}) == 100
    assert sorted(leaf.text for _, leaf in folder.leaves()) == sorted(one.text for one in given)


def test_a_leaf_and_an_edited_summary_of_the_same_second_have_two_names(tmp_path):
    folder = folder_in(tmp_path)
    folder.publish(None, summary(1, 9, "Old."), AT)
    path = tmp_path / "agents" / "Eliza" / "summaries" / RECENT
    path.write_text(path.read_text().replace("Old.", "By hand."))
    for name, _ in folder.leaves():
        path.with_name(name).unlink()
    folder.publish(None, summary(1, 9, "New."), AT)
    assert sorted(leaf.text for _, leaf in folder.leaves()) == ["By hand.", "New."]


def test_an_edit_made_while_the_drafts_are_written_stands(tmp_path):
    disk = FailingDisk()
    folder = published_once(tmp_path, disk)
    path, write = tmp_path / "agents" / "Eliza" / "summaries" / LONGTERM, disk.write_draft

    def write_late(draft, text, durable):
        write(draft, text, durable)
        path.write_text(f"{path.read_text()} And more.")

    disk.write_draft = write_late  # type: ignore[method-assign]
    with pytest.raises(SummaryEdited, match="a summary was edited meanwhile"):
        folder.publish(summary(1, 129, "All."), summary(130, 193, "New."))
    assert "And more." in path.read_text()
    assert list(path.parent.glob(".*")) == []


def test_the_long_term_summary_that_goes_out_of_force_is_kept(tmp_path):
    folder = folder_in(tmp_path)
    for last in range(65, 400, 64):
        folder.publish(summary(1, last, f"All to {last}."), summary(last + 1, last + 64))
    assert [former.text for _, former in folder.former()] == [f"All to {last}." for last in range(65, 336, 64)]


def test_leaves_come_oldest_range_first_and_broken_ones_are_left_out(tmp_path):
    folder = folder_in(tmp_path)
    for first in (66, 1, 130):
        folder.publish(None, summary(first, first + 63))
    broken, _ = folder.leaves()[1]
    (tmp_path / "agents" / "Eliza" / "summaries" / broken).write_text("---\ncovers: [\n---\n")
    assert [leaf.first for _, leaf in folder.leaves()] == [1, 130]


def test_a_summary_typed_by_hand_needs_no_more_than_what_it_covers(tmp_path):
    vault = vault_of(tmp_path, {"agents/Eliza/summaries/recent.md": "---\ncovers: [1, 65]\n---\nI walked.\n"})
    found = SummaryFolder(vault, "Eliza").read(RECENT)
    assert found == Summary(1, 65, "I walked.", checksum=BY_HAND)
    assert found.is_edited


@pytest.mark.parametrize(
    "covers",
    ["", "covers: 65", "covers: [65]", "covers: [0, 65]", "covers: [66, 65]", "covers: [1, 65.5]", "covers: [true, 2]"],
)
def test_a_summary_that_does_not_say_what_it_covers_is_refused_with_file_and_line(tmp_path, covers):
    text = f"---\ngeneration: 1\n{covers}\n---\nI walked.\n"
    vault = vault_of(tmp_path, {"agents/Eliza/summaries/recent.md": text})
    line = 3 if covers else 1
    with pytest.raises(NoteError, match=rf"recent.md:{line}: covers is .*expected the first and last memory, as in"):
        SummaryFolder(vault, "Eliza").read(RECENT)


def test_there_is_nothing_where_nothing_was_published(tmp_path):
    folder = folder_in(tmp_path)
    assert (folder.read(RECENT), folder.leaves(), folder.former()) == (None, [], [])
    assert folder.set_aside(RECENT, "not valid", AT) == ""


def test_the_stamp_changes_with_an_edit(tmp_path):
    folder = folder_in(tmp_path)
    folder.publish(None, summary(1, 65))
    before = folder.stamp()
    assert folder.stamp() == before
    (tmp_path / "agents" / "Eliza" / "summaries" / RECENT).write_text("---\ncovers: [1, 65]\n---\nShorter.\n")
    assert folder.stamp() != before


def test_what_is_set_aside_or_kept_in_one_second_is_never_written_over(tmp_path):
    folder = folder_in(tmp_path)
    for number in range(3):
        folder.publish(None, summary(1, 65, f"Try {number}."))
        folder.set_aside(RECENT, "does not fit", AT)
        folder.keep("recent", summary(1, 65, f"Loser {number}."), "conflict")
    names = [name for name in texts(tmp_path) if "(" in name]
    assert len(names) == 6
    assert {"recent (does not fit 20251124-203501).md", "recent (conflict 20251124-203501).md"} <= set(names)


def operations_of_a_second_publication(root) -> int:
    """Return how many file operations the publication below takes."""
    disk = FailingDisk()
    folder = published_once(root, disk)
    disk.done.clear()
    folder.publish(summary(1, 129, "All."), summary(130, 193, "New."))
    return len(disk.done)


def published_once(root, disk: FailingDisk) -> SummaryFolder:
    folder = folder_in(root, disk)
    folder.publish(summary(1, 65, "Old long-term."), summary(66, 129, "Old short-term."))
    return folder


def test_a_full_disk_leaves_no_draft_and_loses_no_text_whichever_operation_fails(tmp_path):
    count = operations_of_a_second_publication(tmp_path / "count")
    assert count >= 13  # four drafts written and forced to disk, four renames, and their folder
    for number in range(count):
        root, disk = tmp_path / str(number), FailingDisk()
        folder = published_once(root, disk)
        with disk.full(after=number), pytest.raises(NoteError, match="cannot be written: No space left on device"):
            folder.publish(summary(1, 129, "All."), summary(130, 193, "New."))
        assert list((root / "agents" / "Eliza" / "summaries").glob(".*")) == []
        assert_nothing_lost(root)


def test_a_power_cut_loses_no_text_whichever_operation_it_comes_before(tmp_path):
    for number in range(operations_of_a_second_publication(tmp_path / "count")):
        root, disk = tmp_path / str(number), FailingDisk()
        folder = published_once(root, disk)
        with disk.stopping(after=number), pytest.raises(Stopped):
            folder.publish(summary(1, 129, "All."), summary(130, 193, "New."))
        assert_nothing_lost(root)


def assert_nothing_lost(root) -> None:
    """Both old texts are there, and each note in force is whole."""
    found = texts(root)
    assert any("Old long-term." in text for text in found.values())
    assert any("Old short-term." in text for text in found.values())
    folder = folder_in(root)
    for name in (LONGTERM, RECENT):
        assert folder.read(name)


def test_kept_summaries_of_a_long_life_are_listed_at_once(tmp_path):
    folder = folder_in(tmp_path)
    folder.publish(None, summary(1, 65))
    path = tmp_path / "agents" / "Eliza" / "summaries"
    stems = [f"recent-2025{day // 28 % 12 + 1:02}{day % 28 + 1:02}-203501-m{day:06}" for day in range(100, 15_100)]
    for stem in stems:
        (path / f"{stem}.md").touch()
    assert folder.newest_leaf_names(3) == [f"{stem}.md" for stem in sorted(stems, reverse=True)[:3]]

    def ahead() -> None:
        folder.prepare(summary(1, 65, "I came."), summary(66, 129), AT).drafts.discard()

    for look in (partial(folder.newest_leaf_names, 3), folder.leaf_names, partial(folder.in_force_at, AT), ahead):
        taken = []
        for _ in range(3):
            began = time.process_time()
            look()
            taken.append(time.process_time() - began)
        assert min(taken) < 0.05, look
