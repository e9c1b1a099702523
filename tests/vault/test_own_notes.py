"""Notes of one's own: whatever is written comes back, what was there before is never lost, and all of it is a note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.vault_of import vault_of
from vault.notes import NoteError
from vault.own_notes import OwnNotes
from world.entities import Character

AT = 1_795_248_000_000  # 2026-11-21 08:00 UTC
ROOK, ANA = Character("Rook", "", is_agent=True), Character("Ana", "")

lines = st.one_of(
    st.sampled_from(["---", "## Exits", "- **x**: y", "\\", "\\---", "key: value", "[[Rook]]", "{tail}", " ---", "…"]),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12),
)


def test_an_agent_s_notes_are_in_its_folder_and_a_person_s_in_its_own(tmp_path):
    notes = OwnNotes(vault_of(tmp_path, {}), lambda: AT)
    notes.add(ROOK, "Plan", "Hum.")
    notes.add(ANA, "Plan", "Bake.")
    found = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.md")}
    assert found == {
        "agents/Rook/notes/Plan.md": "---\nby: '[[Rook]]'\n---\nHum.\n",
        "people/Ana/notes/Plan.md": "---\nby: '[[Ana]]'\n---\nBake.\n",
    }


@given(st.lists(lines, min_size=1, max_size=5))
def test_whatever_is_written_comes_back_line_by_line_and_never_becomes_a_property(tmp_path_factory, written):
    vault = vault_of(tmp_path_factory.mktemp("vault"), {})
    notes = OwnNotes(vault, lambda: AT)
    for line in written:
        notes.add(ROOK, "Plan", line)
    assert notes.read(ROOK, "Plan").split("\n") == written
    assert vault.read("agents", "Rook", "notes", "Plan.md").properties == {"by": "[[Rook]]"}


def test_what_a_hand_has_written_into_a_note_stays_to_the_letter(tmp_path):
    path = "agents/Rook/notes/Plan.md"
    by_hand = "---\ntags: [ mine ]   # yes\n---\n\n# A heading\r\n* [ ] hum\n"
    notes = OwnNotes(vault_of(tmp_path, {}), lambda: AT)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_bytes(by_hand.encode())
    notes.add(ROOK, "plan", "Sing.")
    assert (tmp_path / path).read_bytes().decode() == f"{by_hand}Sing.\n"


def test_every_version_that_was_overwritten_is_kept(tmp_path):
    notes = OwnNotes(vault_of(tmp_path, {}), lambda: AT)
    notes.add(ROOK, "Plan", "One.")
    kept = [notes.overwrite(ROOK, "Plan", text) for text in ("Two.", "Three.", "Four.")]
    assert kept == ["Plan 20261121-080000.md", "Plan 20261121-080000-02.md", "Plan 20261121-080000-03.md"]
    former = [(tmp_path / "agents/Rook/notes/former" / name).read_text().split("\n")[3] for name in kept]
    assert (former, notes.read(ROOK, "Plan")) == (["One.", "Two.", "Three."], "Four.")
    assert notes.titles(ROOK) == ["Plan"]


def test_a_title_that_no_file_can_have_is_refused(tmp_path):
    notes = OwnNotes(vault_of(tmp_path, {}), lambda: AT)
    for title in ("../agent", "a/b", ".hidden", "a\0b", "", "x" * 200):
        with pytest.raises(NoteError):
            notes.add(ROOK, title, "Hum.")
    assert list(tmp_path.rglob("*.md")) == []
