"""A folder that appears only when it is whole, made by one process at a time."""

from __future__ import annotations

import threading

import pytest

from server.experiments.whole_folder import atomic_folder, part_of


def test_a_folder_has_its_name_only_when_it_is_whole(tmp_path):
    target = tmp_path / "run"
    with atomic_folder(target) as part:
        assert part is not None
        (part / "report.json").write_text("{}")
        assert not target.exists()
    assert [path.name for path in tmp_path.rglob("*")] == ["run", "report.json"]


def test_what_was_cut_short_is_removed_and_begun_again(tmp_path):
    target = tmp_path / "run"
    with pytest.raises(RuntimeError), atomic_folder(target) as part:
        assert part is not None
        (part / "half").mkdir()
        (part / "half" / "a").write_text("")
        raise RuntimeError
    assert not target.exists()
    with atomic_folder(target) as part:
        assert part is not None
        assert list(part.iterdir()) == []
    assert target.is_dir()


def test_a_folder_that_is_there_is_not_made_again(tmp_path):
    (tmp_path / "run").mkdir()
    with atomic_folder(tmp_path / "run") as part:
        assert part is None
    assert not part_of(tmp_path / "run").exists()


def test_the_second_waits_for_the_first_and_then_finds_it_done(tmp_path):
    found: list[object] = []

    def second() -> None:
        with atomic_folder(tmp_path / "run") as part:
            found.append(part)

    with atomic_folder(tmp_path / "run"):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join(0.1)
        assert found == []
    thread.join(10)
    assert found == [None]
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
