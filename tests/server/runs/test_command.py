"""A run in a browser: the views of the observatory over a copy, and nothing written."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import execute
from twisted.internet.testing import MemoryReactorClock, StringTransport

from server.runs.command import HOST, listen, run_observe, view_of_address
from server.runs.runs import Run, RunWorld
from tests.server.runs.observing import observed, options_of
from tests.server.test_simulation import files_in
from vault.errors import NoteError

PORT = 4090


class Browser:
    """Asks the site of a run, without a socket."""

    def __init__(self, folder: Path, copy: Path) -> None:
        self.world = RunWorld(Run(folder), copy, execute)
        reactor = MemoryReactorClock()
        self.port = listen(self.world, reactor, PORT, execute)
        self._factory: Any = reactor.tcpServers[0][1]

    def gets(self, path: str, host: str = "", **headers: str) -> tuple[int, str]:
        """Return status and body of an answer."""
        protocol, transport = self._factory.buildProtocol(None), StringTransport()
        protocol.makeConnection(transport)
        given = {"Host": host or f"{HOST}:{self.port}", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        protocol.dataReceived(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
        head, _, body = transport.value().partition(b"\r\n\r\n")
        return int(head.split(b" ")[1]), body.decode()

    def problems(self) -> list[str]:
        """Return what the page says is not shown whole."""
        return list(json.loads(self.gets("/run")[1])["problems"])

    def sees(self, view: str, **asked: str) -> dict[str, Any]:
        """Return a view."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            return dict(loop.run_until_complete(self.world.make(view, asked).asFuture(loop)))
        finally:
            loop.close()


@pytest.fixture(scope="module")
def browser(runs, tmp_path_factory) -> Browser:
    return Browser(runs["one"], tmp_path_factory.mktemp("copies") / "one")


def test_page_names_the_run_and_nothing_else(browser):
    status, body = browser.gets("/run")
    assert (status, json.loads(body)) == (200, {"name": "one", "problems": []})


def test_views_of_a_run_show_its_end(browser):
    mind = browser.sees("mind", agent="Eliza")
    assert mind["n"] == mind["of"] > 0
    assert sum(part["count"] for part in mind["tiers"]["parts"]) == mind["n"]
    assert mind["prompt"]["sections"] != []
    assert browser.sees("memory", agent="Eliza")["n"] == mind["of"]
    assert browser.sees("why", agent="Eliza")["by"] == "model"
    assert browser.sees("bonds")["met"] != []
    people = [person["name"] for room in browser.sees("town")["rooms"] for person in room["people"]]
    assert sorted(people) == ["Eliza", "Moss", "Odile"]
    assert browser.sees("chronicle")["events"] != []


def test_mind_at_a_time_has_fewer_memories(browser):
    turns = browser.sees("memory", agent="Eliza", kind="acted")["rows"]
    then = browser.sees("mind", agent="Eliza", at="2026-01-01T08:00:59")
    assert turns[-1]["seq"] <= then["n"] < browser.sees("mind", agent="Eliza")["n"]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("view=mind&agent=Zed", "There is no agent"),
        ("view=health", "There is no view 'health'"),
        ("view=mind&agent=Eliza&at=never", "is not a time"),
        ("view=why&agent=Eliza&seq=x", "is not the number of a memory"),
        ("", "There is no view ''"),
    ],
)
def test_unknown_view_is_answered_with_the_reason(browser, query, why):
    assert why in json.loads(browser.gets(f"/view?{query}")[1])["unseen"]


@pytest.mark.parametrize("host", ["evil.example:4090", f"{HOST}:4091", HOST])
def test_other_hosts_and_origins_are_refused(browser, host):
    for path in ("/", "/run", "/view?view=town"):
        status, body = browser.gets(path, host)
        assert (status, "tea first" in body) == (403, False)
    assert browser.gets("/run", Origin="http://evil.example")[0] == 403
    assert browser.gets("/", f"localhost:{PORT}")[0] == 200


def test_only_the_run_page_and_its_modules_ship(browser):
    ours = "/ /run.js /observatory.js /observe-mind.js /style.css".split()
    assert {path: browser.gets(path)[0] for path in ours} == dict.fromkeys(ours, 200)
    others = "/socket /enter /../server.md /world".split()
    assert {path: browser.gets(path)[0] for path in others} == dict.fromkeys(others, 404)


def test_killed_run_is_shown_and_named_so(runs, tmp_path):
    folder = Path(shutil.copytree(runs["one"], tmp_path / "torn"))
    (folder / "report.json").unlink()
    (folder / "world/agents/Eliza/facts.md").unlink()
    torn = [folder / "world/chronicle/2026-01-01.jsonl", *folder.glob("world/agents/Eliza/*/2026-01-01*")]
    assert len(torn) >= 3
    for path in torn:
        path.write_bytes(path.read_bytes()[:-9])
    before = files_in(folder)
    browser = Browser(folder, tmp_path / "copy")
    problems = browser.problems()
    assert problems[0].startswith("The simulation was cut short: there is no report")
    assert any("half-written; left out" in problem for problem in problems)
    assert browser.sees("mind", agent="Eliza")["n"] > 0
    assert browser.sees("why", agent="Eliza")["by"] in ("model", "engine")
    assert files_in(folder) == before


def test_unreadable_agent_is_named_and_others_shown(runs, tmp_path):
    folder = Path(shutil.copytree(runs["one"], tmp_path / "broken"))
    (folder / "world/agents/Moss/agent.md").write_text("---\nroom: [[\n---\n")
    browser = Browser(folder, tmp_path / "copy")
    assert "Moss is not shown" in browser.problems()[0]
    assert set(browser.world.agents) == {"Eliza", "Odile"}


def test_views_change_nothing_in_the_folder(runs, tmp_path):
    before = files_in(runs["one"])
    browser = Browser(runs["one"], tmp_path / "copy")
    browser.gets("/run")
    for view in ("town", "mind", "memory", "why", "bonds", "chronicle"):
        browser.sees(view, agent="Eliza")
    browser.sees("memory", agent="Eliza", words="tea")
    observed(runs["one"], runs["other"])
    assert files_in(runs["one"]) == before


def test_views_of_both_runs_print_by_address(runs):
    said: list[str] = []
    options = options_of("--view", "mind/Eliza@2026-01-01T08:01", runs["one"], runs["other"])
    assert run_observe(options, said.append, MemoryReactorClock()) == 0
    assert [text.split("\n")[0] for text in said] == ["# one", "# other"]
    assert all("Eliza at 2026-01-01 08:01 (UTC)" in text for text in said)
    with pytest.raises(NoteError, match="--view is mind/Zed; There is no agent 'Zed'"):
        run_observe(options_of("--view", "mind/Zed", runs["one"]), said.append, MemoryReactorClock())


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("#/why/Eliza/12", ("why", {"agent": "Eliza", "seq": "12"})),
        (
            "memory/Old%20Moss@2026-01-01?words=tea",
            ("memory", {"words": "tea", "agent": "Old Moss", "at": "2026-01-01"}),
        ),
        ("chronicle/2026-01-01T08", ("chronicle", {"period": "2026-01-01T08"})),
        ("town", ("town", {})),
    ],
)
def test_addresses_mean_what_they_mean_on_the_page(address, asked):
    assert view_of_address(address) == asked


def test_port_that_cannot_be_opened_is_refused(runs):
    class Full(MemoryReactorClock):
        def listenTCP(self, *arguments: Any) -> Any:
            raise OverflowError("port must be 0-65535")

    options = options_of("--port", "70000", "--no-browser", runs["one"])
    with pytest.raises(NoteError, match="--port is 70000; it cannot be listened on: port must be"):
        run_observe(options, lambda said: None, Full())
