"""Start a world: `fallwater serve`, or `python -m server serve`."""

from __future__ import annotations

import asyncio

from twisted.internet import asyncioreactor


def main() -> None:
    """Install the asyncio reactor, before anything of Twisted's can install another, and run the command line."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    from twisted.internet import reactor

    from server.command_line import run
    from server.signals import take_signals

    run(reactor, on_signals=take_signals)


if __name__ == "__main__":
    main()
