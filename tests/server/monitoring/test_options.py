"""What the command line says of the log and the figures."""

from __future__ import annotations

import argparse

import pytest

from config.settings import ServerSettings
from server.monitoring.options import add_operations_options, with_operations
from vault.errors import NoteError


def given(*arguments: str) -> ServerSettings:
    """Return what comes of notes that want JSON and port 9464, and of these options."""
    parser = argparse.ArgumentParser()
    add_operations_options(parser)
    written = ServerSettings(log_format="json", metrics_port=9464)
    return with_operations(written, parser.parse_args(arguments))


def test_without_options_the_notes_count():
    assert given() == ServerSettings(log_format="json", metrics_port=9464)


def test_options_win_over_the_notes():
    options = ("--log-format", "text", "--log-level", "debug", "--metrics-port", "0")
    assert given(*options) == ServerSettings(log_format="text", log_level="debug", metrics_port=0)


@pytest.mark.parametrize("port", ["70000", "-2"])
def test_a_port_that_is_none_is_refused(port):
    with pytest.raises(NoteError) as refused:
        given(f"--metrics-port={port}")
    assert str(refused.value) == (
        f"--metrics-port is {port}; expected a port from 1 to 65535, 0 for none, or -1 for any free one."
    )
