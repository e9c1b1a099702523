"""What the command line says of the settings."""

from __future__ import annotations

import argparse
from dataclasses import replace

import pytest

from config.settings import AgentSettings, MemorySettings, ModelSettings, ServerSettings, WorldSettings
from server.options import add_serve_options, with_options
from vault.config_notes import Settings
from vault.errors import NoteError

WRITTEN = ServerSettings(log_format="json", metrics_port=9464)


def given(*arguments: str) -> ServerSettings:
    """Return what comes of notes that want JSON and port 9464, and of these options."""
    parser = argparse.ArgumentParser()
    add_serve_options(parser)
    return with_options(
        Settings(WRITTEN, WorldSettings(), AgentSettings(), ModelSettings(), MemorySettings()),
        parser.parse_args(arguments),
    ).server


def test_without_options_the_notes_count():
    assert given() == WRITTEN


def test_options_win_over_the_notes():
    options = ("--log-format", "text", "--log-level", "debug", "--metrics-port", "0")
    assert given(*options) == ServerSettings(log_format="text", log_level="debug", metrics_port=0)
    network = ("--host", "::1", "--port", "0", "--tls-port", "0")
    assert given(*network) == replace(WRITTEN, host="::1", port=0, tls_port=-1)


@pytest.mark.parametrize(
    ("option", "port", "range_"),
    [
        ("--metrics-port", "70000", "1 to 65535, 0 for none, or -1 for any free one"),
        ("--metrics-port", "-2", "1 to 65535, 0 for none, or -1 for any free one"),
        ("--port", "65536", "0 to 65535"),
        ("--port", "-1", "0 to 65535"),
        ("--tls-port", "-1", "0 to 65535"),
    ],
)
def test_a_port_that_is_none_is_refused(option, port, range_):
    with pytest.raises(NoteError) as refused:
        given(f"{option}={port}")
    assert str(refused.value) == f"{option} is {port}; expected a port from {range_}."
