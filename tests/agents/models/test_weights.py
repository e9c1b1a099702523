"""The header of a GGUF file, and the assembling of the embedded model's weights."""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.model import ModelError
from agents.models.weights import GgufHeader, assemble, default_cache_dir, is_assembled, read_gguf

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


def test_the_weights_appear_whole_from_a_draft_with_a_note_that_they_are_verified_and_are_made_once(package, cache):
    assert assemble(cache, PACKAGE).read_bytes() == CONTENT
    assert names(cache) == ["small.gguf", "small.gguf.verified"]
    assert is_assembled(cache, PACKAGE)
    assemble(cache, PACKAGE)
    (draft,) = package.calls
    assert draft.name != "small.gguf"


def test_a_file_of_another_size_is_made_again(package, cache):
    assemble(cache, PACKAGE).write_bytes(b"cut")
    assert not is_assembled(cache, PACKAGE)
    assert assemble(cache, PACKAGE).read_bytes() == CONTENT


def test_a_file_without_its_note_is_not_trusted(package, cache):
    cache.mkdir()
    (cache / "small.gguf").write_bytes(b"x" * len(CONTENT))
    assert assemble(cache, PACKAGE).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("failure", "said", "remedy"),
    [
        (ValueError("sha256 did not match"), "damaged: sha256 did not match", "--force-reinstall"),
        (OSError(28, "No space left on device"), "No space left on device", "260 MB"),
    ],
)
def test_a_failure_leaves_nothing_behind_and_names_the_remedy(package, cache, failure, said, remedy):
    package.failure = failure
    with pytest.raises(ModelError, match=said) as caught:
        assemble(cache, PACKAGE)
    assert names(cache) == []
    assert remedy in caught.value.remedy
    assert not caught.value.retryable


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


@pytest.mark.parametrize(("base", "found"), [("/base", "/base/fallwater"), ("here", "/home/ana/.cache/fallwater")])
def test_the_cache_is_where_the_desktop_standard_says_and_a_relative_one_is_ignored(monkeypatch, base, found):
    monkeypatch.setenv("XDG_CACHE_HOME", base)
    monkeypatch.setenv("HOME", "/home/ana")
    assert default_cache_dir() == Path(found)


QWEN: dict[str, Any] = {
    "general.architecture": "qwen2",
    "general.name": "Qwen",
    "tokenizer.ggml.tokens": ["a", "b"],
    "tokenizer.ggml.token_type": [1, 1],
    "qwen2.context_length": 4096,
    "tokenizer.chat_template": "{% for message in messages %}{{ message.content }}{% endfor %}",
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def value(given: Any) -> bytes:
    """Return a value with its kind before it."""
    match given:
        case str():
            return struct.pack("<I", 8) + text(given)
        case int():
            return struct.pack("<II", 4, given)
        case [str(), *_]:
            return struct.pack("<IIQ", 9, 8, len(given)) + b"".join(map(text, given))
        case _:
            return struct.pack(f"<IIQ{len(given)}I", 9, 4, len(given), *given)


def gguf(keys: dict[str, Any], *tensors: tuple[int, ...], version: int = 3) -> bytes:
    """Return a file with these keys, and tensors of these sizes."""
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(keys))
    told = b"".join(text(key) + value(given) for key, given in keys.items())
    shapes = [text("blk.weight") + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, 0, 0) for sizes in tensors]
    return head + told + b"".join(shapes)


def file_of(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    return path


def test_a_header_tells_template_context_and_size(tmp_path):
    found = read_gguf(file_of(tmp_path, gguf(QWEN, (10, 20), (5,))))
    assert found == GgufHeader("qwen2", "Qwen", 4096, QWEN["tokenizer.chat_template"], 205)


def test_a_base_model_has_no_template_and_a_count_that_is_told_is_taken(tmp_path):
    keys = {"general.architecture": "gemma3", "gemma3.context_length": 32768, "general.parameter_count": 7}
    assert read_gguf(file_of(tmp_path, gguf(keys, (10, 20)))) == GgufHeader("gemma3", "", 32768, "", 7)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "it ends within its header"),
        (b"PK\x03\x04 a zip file", "it does not begin with GGUF"),
        (gguf(QWEN, version=1), "its version is 1"),
        (gguf(QWEN)[:-10], "it ends within its header"),
        (gguf(QWEN | {"x": 1}).replace(struct.pack("<II", 4, 1), struct.pack("<II", 99, 1)), "the unknown kind 99"),
        (b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**60), "a text in its header has 1,152,921,504,606,846,976 bytes"),
        (gguf({"general.architecture": "clip"}), "holds no language model that can be used (clip)"),
    ],
)
def test_a_file_that_is_no_model_is_refused_with_its_name_and_what_is_wrong(tmp_path, content, complaint):
    path = file_of(tmp_path, content)
    with pytest.raises(ModelError) as caught:
        read_gguf(path)
    assert str(path) in caught.value.problem
    assert complaint in caught.value.problem
    assert not caught.value.retryable


def test_a_file_that_is_not_there_is_told_by_name(tmp_path):
    with pytest.raises(ModelError, match=r"nothing\.gguf cannot be read: No such file"):
        read_gguf(tmp_path / "nothing.gguf")


@given(st.integers(0, len(gguf(QWEN, (10, 20)))), st.binary(max_size=40))
def test_whatever_is_broken_about_it_is_told_as_a_model_error(tmp_path_factory, at, junk):
    whole = gguf(QWEN, (10, 20))
    path = file_of(tmp_path_factory.mktemp("gguf"), whole[:at] + junk + whole[at + len(junk) :])
    try:
        read_gguf(path)
    except ModelError as error:
        assert str(path) in error.problem
