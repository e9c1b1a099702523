"""Nothing is lost and nothing doubled at the page: a cable pulled out, a sleeping tab, a restart, a kill."""

from __future__ import annotations

import os
import re
import signal

import pytest

from tests.integration.browser import Cable, Visitor, chromium
from tests.integration.running import free_port, new_vault, running

pytestmark = [pytest.mark.integration, pytest.mark.client]


def numbers_heard(visitor):
    """Return the numbers that somebody has said, in the order in which the page shows them."""
    return [int(found) for found in re.findall(r'says, "number (\d+)"', visitor.log())]


def numbers_said(visitor):
    return [int(found) for found in re.findall(r'You say, "mine (\d+)"', visitor.log())]


def test_through_cuts_a_restart_and_a_kill_every_line_is_there_once(tmp_path):
    outside, inside = free_port(), free_port()
    settings = {"web_port": inside, "web_origins": f"http://127.0.0.1:{outside}", "return_seconds": 300}
    vault = new_vault(tmp_path / "w", {"config/server.md": settings})
    cable = Cable(outside, inside)
    with chromium() as browser:
        with running(vault) as server:
            assert server.web_port == inside
            ines = Visitor(browser, outside)
            ines.comes_as("Ines")
            speaker, spoken, mine = server.player("Otto"), 0, 0

            def speaks(count):
                nonlocal spoken
                for _ in range(count):
                    spoken += 1
                    speaker.asks(f"say number {spoken}")

            def types(count):
                nonlocal mine
                for _ in range(count):
                    mine += 1
                    ines.types(f"say mine {mine}")

            # The cable is pulled out, three times; typing goes on, and so does the world.
            for _ in range(3):
                types(2)
                speaks(3)
                cable.pull()
                types(2)
                speaks(3)
                assert "absent for a moment" in speaker.asks("who")
                cable.plug()
                ines.sees(f'says, "number {spoken}"')
                ines.sees(f'You say, "mine {mine}"')
            ines.shot("after-cuts")

            # The tab sleeps: no script runs in it, and its socket goes.
            session = ines.context.new_cdp_session(ines.page)
            session.send("Page.setWebLifecycleState", {"state": "frozen"})
            cable.pull()
            speaks(5)
            cable.plug()
            session.send("Page.setWebLifecycleState", {"state": "active"})
            ines.sees(f'says, "number {spoken}"')

            # The line goes dead, and nobody says so: what is typed and not answered finds it out.
            cable.deaden()
            speaks(2)
            types(2)
            ines.sees(f'You say, "mine {mine}"')
            ines.sees(f'says, "number {spoken}"')

            # The world restarts in place.
            os.kill(server.pid, signal.SIGHUP)
            speaker.is_shown_out()
            ines.sees("The world restarts")
            ines.sees("This page comes back by itself: you go on where you are.")
            server.says(" is open on ", times=2)
            types(2)
            ines.sees(f'You say, "mine {mine}"')
            speaker = server.player("Otto")
            speaks(4)
            ines.sees(f'says, "number {spoken}"')

            # The process is killed in the middle of everything.
            types(3)
            server.signal(signal.SIGKILL)
            server.exit_code()
            mine += 1
            ines.types(f"say mine {mine}")
            ines.page.wait_for_selector("#state:text-is('Connection lost. Trying again…')")
            ines.shot("killed")
        with running(vault) as server:
            ines.sees(f'You say, "mine {mine}"')
            speaker = server.player("Otto")
            speaks(3)
            ines.sees(f'says, "number {spoken}"')
            assert numbers_heard(ines) == list(range(1, spoken + 1))
            assert numbers_said(ines) == list(range(1, mine + 1))
            typed = ines.page.locator("#log .typed").all_inner_texts()
            assert [int(text.split()[-1]) for text in typed] == list(range(1, mine + 1))
            order = re.findall(r"(?:say|You say, .)mine (\d+)", ines.log())
            assert order == sorted(order, key=int)
            # A reload shows the same, from what the server keeps.
            shown = ines.log()
            ines.page.reload()
            ines.sees(f'says, "number {spoken}"')
            assert ines.log() == shown
            assert ines.faults == []
            assert server.failure == ""
    cable.close()
