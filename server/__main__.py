"""Start a world: `fallwater serve`, or `python -m server serve`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

INTERRUPTED = 130
"""The exit code of a program that Ctrl-C has ended, for shells."""


@contextmanager
def without_openssl() -> Iterator[None]:
    """Have reactors go without OpenSSL, which they import if they find it: it weighs 12 MB and takes a while.

    Where TLS is spoken it is imported later, by what speaks it.
    """
    sys.modules["OpenSSL"] = None  # type: ignore[assignment]  # which makes importing it fail
    try:
        yield
    finally:
        del sys.modules["OpenSSL"]


def main(arguments: Sequence[str] | None = None, on_loop: Callable[[Any], object] = lambda loop: None) -> None:
    """Install the asyncio reactor, before anything of Twisted's can install another, and run the command line.

    `on_loop` is called with the event loop before anything runs on it.
    """
    try:
        import asyncio

        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        on_loop(loop)
        with without_openssl():
            from twisted.internet import asyncioreactor

            asyncioreactor.install(loop)
            from twisted.internet import reactor

        from server.cli import run
        from server.restart import install_signal_handlers
    except KeyboardInterrupt:  # so early that there is nothing to close
        sys.exit(INTERRUPTED)
    run(reactor, arguments, on_signals=install_signal_handlers)


if __name__ == "__main__":
    main()
