"""What every test of the server has in common: what a start does to the logging of the process is undone."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from server.logs import QUIETED


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """Undo what a real start does to the logging of the whole process."""
    root = logging.getLogger()
    handlers, loggers = root.handlers[:], [root, *map(logging.getLogger, QUIETED)]
    levels = [one.level for one in loggers]
    yield
    root.handlers[:] = [one for one in root.handlers if one in handlers]
    for one, level in zip(loggers, levels, strict=True):
        one.setLevel(level)
