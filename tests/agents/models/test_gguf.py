"""The header of a GGUF file, made here byte by byte, whole and broken."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.gguf import GgufHeader, read_gguf
from agents.models.model import ModelError

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
