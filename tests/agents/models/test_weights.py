"""The weights: assembled once, whole or not at all, and verified once."""

import hashlib
import os

import pytest

from agents.models.model import ModelError
from agents.models.weights import assemble, default_cache_dir, is_assembled

CONTENT = b"weights of a very small model"
PACKAGE = "package_with_weights"
SOURCE = f"""
MODEL_NAME = "small.gguf"
EXPECTED_SHA256 = {hashlib.sha256(CONTENT).hexdigest()!r}
calls = []
content = {CONTENT!r}
failure = None

def assemble(path, overwrite):
    calls.append(path)
    path.write_bytes(content)
    if failure is not None:
        raise failure
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "installed"
    folder.mkdir()
    (folder / f"{PACKAGE}.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(__import__("sys").modules, PACKAGE, raising=False)
    return __import__(PACKAGE)


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_weights_appear_whole_with_a_note_that_they_are_verified(package, cache):
    assert assemble(cache, PACKAGE).read_bytes() == CONTENT
    assert names(cache) == ["small.gguf", "small.gguf.verified"]
    assert is_assembled(cache, PACKAGE)


def test_a_later_start_assembles_nothing(package, cache):
    assemble(cache, PACKAGE)
    assemble(cache, PACKAGE)
    assert len(package.calls) == 1


def test_the_package_writes_to_a_draft_and_never_to_the_file_itself(package, cache):
    assemble(cache, PACKAGE)
    assert package.calls[0].name != "small.gguf"


def test_a_file_of_another_size_is_made_again(package, cache):
    assemble(cache, PACKAGE).write_bytes(b"cut")
    assert not is_assembled(cache, PACKAGE)
    assert assemble(cache, PACKAGE).read_bytes() == CONTENT


def test_a_file_without_its_note_is_not_trusted(package, cache):
    cache.mkdir()
    (cache / "small.gguf").write_bytes(b"x" * len(CONTENT))
    assert assemble(cache, PACKAGE).read_bytes() == CONTENT


def test_a_failure_leaves_nothing_behind_and_names_the_remedy(package, cache):
    package.failure = ValueError("sha256 did not match")
    with pytest.raises(ModelError, match="damaged: sha256 did not match") as caught:
        assemble(cache, PACKAGE)
    assert names(cache) == []
    assert "--force-reinstall" in caught.value.remedy
    assert not caught.value.retryable


def test_a_full_disk_is_explained(package, cache):
    package.failure = OSError(28, "No space left on device")
    with pytest.raises(ModelError, match="No space left on device") as caught:
        assemble(cache, PACKAGE)
    assert "260 MB" in caught.value.remedy


def test_a_folder_that_cannot_be_made_is_explained(package, cache):
    cache.write_text("a file is in the way", encoding="ascii")
    with pytest.raises(ModelError, match="cannot be written"):
        assemble(cache, PACKAGE)


def test_drafts_left_by_killed_processes_are_removed_but_not_fresh_ones(package, cache):
    cache.mkdir()
    old, fresh = cache / ".small.gguf.old.part", cache / ".small.gguf.fresh.part"
    for draft in (old, fresh):
        draft.write_bytes(b"half")
    os.utime(old, (0, 0))
    assemble(cache, PACKAGE)
    assert names(cache) == [".small.gguf.fresh.part", "small.gguf", "small.gguf.verified"]


def test_a_missing_extra_is_told_with_the_line_that_installs_it(cache):
    with pytest.raises(ModelError, match="'no_such_package' is missing") as caught:
        is_assembled(cache, "no_such_package")
    assert caught.value.remedy == "Run: pip install 'fallwater[embedded]'"


def test_a_library_that_the_machine_lacks_is_told_with_its_package(cache, tmp_path, monkeypatch):
    error = "libgomp.so.1: cannot open shared object file: No such file or directory"
    (tmp_path / "package_without_library.py").write_text(f"raise ImportError({error!r})", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModelError, match="libgomp.so.1: cannot open") as caught:
        is_assembled(cache, "package_without_library")
    assert caught.value.remedy.endswith("apt install libgomp1")


def test_the_cache_is_where_the_desktop_standard_says(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / "fallwater"


def test_a_relative_cache_home_is_ignored_as_the_standard_demands(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_cache_dir() == tmp_path / ".cache" / "fallwater"
