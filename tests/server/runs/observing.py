"""The sub-command `observe` as a test gives it."""

from __future__ import annotations

import argparse

from twisted.internet.testing import MemoryReactorClock

from server.runs.command import add_observe_command, run_observe


def options_of(*arguments: object) -> argparse.Namespace:
    """Return the options of `observe`."""
    parser = argparse.ArgumentParser()
    add_observe_command(parser.add_subparsers(dest="command"))
    return parser.parse_args(["observe", *map(str, arguments)])


def observed(*arguments: object) -> str:
    """Return what `observe` prints as text."""
    said = list[str]()
    assert run_observe(options_of(*arguments), said.append, MemoryReactorClock()) == 0
    return "\n".join(said)
