"""Whatever bytes come: no exception, bounded memory, and the same lines however they were split."""

from __future__ import annotations

import logging

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from twisted.internet.task import Clock

from tests.hostile import hostile_input
from tests.server.telnet.conversing import heard, inn_of

_IAC = st.sampled_from([bytes([255, code]) for code in range(236, 256)])
_OPTIONS = (0, 1, 3, 24, 25, 31, 39, 42, 69, 70, 85, 86, 87, 91, 200, 201, 255)
_OPTION = st.sampled_from([bytes([code]) for code in _OPTIONS])
_PIECES = st.one_of(
    _IAC,
    _OPTION,
    st.builds(lambda verb, option: bytes([255, verb]) + option, st.integers(250, 254), _OPTION),
    st.builds(lambda option, body: b"\xff\xfa" + option + body + b"\xff\xf0", _OPTION, st.binary(max_size=12)),
    st.sampled_from([b"\r", b"\n", b"\r\n", b"\r\0", b"\b", b"\x7f", b"look\r\n", b"say hi\n", b"quit\n", b"x" * 300]),
    hostile_input.map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=6),
)
STREAMS = st.lists(_PIECES, max_size=25).map(b"".join)


@pytest.fixture(scope="module")
def inn(tmp_path_factory):
    clock = Clock()
    return inn_of(tmp_path_factory.mktemp("inn"), clock), clock


@example(stream=b"x" * 600 + b"\xff\xf8\r", portion=40)
@given(stream=STREAMS, portion=st.integers(1, 40))
def test_the_same_is_heard_whole_in_parts_and_byte_by_byte(inn, stream, portion):
    lobby, clock = inn
    for greeting in (b"", b"guest\r\n"):
        whole = heard(greeting + stream, len(greeting + stream) or 1, lobby, clock)
        assert heard(greeting + stream, portion, lobby, clock) == whole
        assert heard(greeting + stream, 1, lobby, clock) == whole


@given(stream=STREAMS)
def test_no_bytes_are_a_failure(inn, stream):
    lobby, clock = inn
    failures: list[logging.LogRecord] = []

    class Catching(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            failures.append(record)

    catching = Catching(logging.ERROR)
    logging.getLogger().addHandler(catching)
    try:
        heard(b"guest\n" + stream, 7, lobby, clock)
    finally:
        logging.getLogger().removeHandler(catching)
    assert not failures
