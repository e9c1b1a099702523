"""Runs in a browser: the views of the observatory over copies, where two runs part, and nothing written."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import execute
from twisted.internet.testing import MemoryReactorClock, StringTransport

from server.runs.command import HOST, asked_by, listen, run_observe
from server.runs.runs import Run, RunWorld
from tests.server.runs.observing import observed, options_of
from tests.server.test_simulation import files_in
from vault.errors import NoteError

PORT = 4090


class Browser:
    """Asks a site of runs, without a socket."""

    def __init__(self, folders: list[Path], copies: Path) -> None:
        self.worlds = [RunWorld(Run(one), copies / str(number), execute) for number, one in enumerate(folders)]
        reactor = MemoryReactorClock()
        self.port = listen(self.worlds, reactor, PORT, execute)
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

    def sees(self, run: int, view: str, **asked: str) -> dict[str, Any]:
        """Return a view, or the reason why there is none below `unseen`."""
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            made = self.worlds[run - 1].make(view, asked)
            return dict(loop.run_until_complete(made.asFuture(loop)))
        finally:
            loop.close()


@pytest.fixture(scope="module")
def browser(runs, tmp_path_factory) -> Browser:
    return Browser([runs["one"], runs["other"]], tmp_path_factory.mktemp("copies"))


def test_the_start_page_tells_of_both_runs_and_leads_to_the_first_prompt_that_differs(browser):
    status, body = browser.gets("/runs")
    told = json.loads(body)
    assert (status, [one["name"] for one in told["runs"]]) == (200, ["one", "other"])
    assert [one["figures"]["turns"] for one in told["runs"]] == [24, 24]
    assert {one["name"] for one in told["runs"][0]["agents"]} == {"Eliza", "Moss", "Odile"}
    parted = told["difference"]
    assert {side["agent"] for side in parted["sides"]} == {parted["agent"]}
    changes = {kind: text for kind, text in parted["difference"] if kind != "same"}
    assert "then the weir" in changes["gone"]
    assert "then the <b>mill</b>" in changes["new"]
    for number, side in enumerate(parted["sides"], 1):
        why = browser.sees(number, "why", agent=side["agent"], seq=str(side["seq"]))
        assert why["by"] == "model"
        assert why["asked_at"][:19] == side["at"]


def test_mind_why_memory_bonds_town_and_chronicle_of_a_run_are_seen(browser):
    mind = browser.sees(1, "mind", agent="Eliza")
    assert mind["n"] == mind["of"] > 0
    assert sum(one["count"] for one in mind["tiers"]["parts"]) == mind["n"]
    assert mind["prompt"]["sections"] != []
    assert browser.sees(1, "memory", agent="Eliza")["n"] == mind["of"]
    assert browser.sees(1, "why", agent="Eliza")["by"] == "model"
    assert browser.sees(1, "bonds")["met"] != []
    people = [one["name"] for room in browser.sees(1, "town")["rooms"] for one in room["people"]]
    assert sorted(people) == ["Eliza", "Moss", "Odile"]
    assert browser.sees(1, "chronicle")["events"] != []


def test_a_run_is_seen_as_it_was_at_any_time(browser):
    turns = browser.sees(1, "memory", agent="Eliza", kind="acted")["rows"]
    early = turns[-1]
    then = browser.sees(1, "mind", agent="Eliza", at="2026-01-01T08:00:59")
    assert then["n"] < browser.sees(1, "mind", agent="Eliza")["n"]
    assert early["seq"] <= then["n"]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("run=1&view=mind&agent=Zed", "There is no agent"),
        ("run=1&view=health", "There is no view 'health'"),
        ("run=1&view=mind&agent=Eliza&at=never", "is not a time"),
        ("run=1&view=why&agent=Eliza&seq=x", "is not the number of a memory"),
        ("run=3&view=mind", "There is no run '3'"),
        ("view=town", "There is no run ''"),
    ],
)
def test_what_cannot_be_shown_is_answered_with_the_reason(browser, query, why):
    assert why in json.loads(browser.gets(f"/view?{query}")[1])["unseen"]


@pytest.mark.parametrize("host", ["evil.example:4090", f"{HOST}:4091", HOST])
def test_only_the_names_of_this_machine_are_answered(browser, host):
    for path in ("/", "/runs", "/view?run=1&view=town"):
        status, body = browser.gets(path, host)
        assert (status, "tea first" in body) == (403, False)
    assert browser.gets("/runs", Origin="http://evil.example")[0] == 403
    assert browser.gets("/", f"localhost:{PORT}")[0] == 200


def test_the_pages_and_modules_ship_and_there_is_no_other_page(browser):
    ours = "/ /run.html /run.js /runs.js /runs.css /observatory.js /observe-mind.js /style.css".split()
    assert {path: browser.gets(path)[0] for path in ours} == dict.fromkeys(ours, 200)
    others = "/socket /enter /../server.md /world".split()
    assert {path: browser.gets(path)[0] for path in others} == dict.fromkeys(others, 404)


@pytest.fixture
def hurt(runs, tmp_path) -> Iterator[Path]:
    """A run that was killed: no report, facts behind, half lines in the chronicle, a journal and an archive."""
    folder = Path(shutil.copytree(runs["one"], tmp_path / "torn"))
    (folder / "report.json").unlink()
    (folder / "world/agents/Eliza/facts.md").unlink()
    torn = [folder / "world/chronicle/2026-01-01.jsonl", *folder.glob("world/agents/Eliza/*/2026-01-01*")]
    assert len(torn) >= 3
    for path in torn:
        path.write_bytes(path.read_bytes()[:-9])
    yield folder


def test_a_killed_run_is_shown_as_far_as_it_went_and_says_so(hurt, tmp_path):
    before = files_in(hurt)
    browser = Browser([hurt], tmp_path / "copies")
    (run,) = json.loads(browser.gets("/runs")[1])["runs"]
    assert run["problems"][0].startswith("The simulation was cut short: there is no report")
    assert any("half-written; left out" in one for one in run["problems"])
    assert browser.sees(1, "mind", agent="Eliza")["n"] > 0
    assert browser.sees(1, "why", agent="Eliza")["by"] in ("model", "engine")
    assert files_in(hurt) == before


def test_an_agent_whose_journal_cannot_be_read_is_named_and_the_others_are_shown(runs, tmp_path):
    folder = Path(shutil.copytree(runs["one"], tmp_path / "broken"))
    (folder / "world/agents/Moss/agent.md").write_text("---\nroom: [[\n---\n")
    (run,) = json.loads(Browser([folder], tmp_path / "copies").gets("/runs")[1])["runs"]
    assert "Moss is not shown" in run["problems"][0]
    assert {one["name"] for one in run["agents"]} == {"Eliza", "Odile"}


def test_looking_at_every_view_changes_nothing_in_the_folder(runs, tmp_path):
    before = files_in(runs["one"])
    browser = Browser([runs["one"], runs["other"]], tmp_path / "copies")
    browser.gets("/runs")
    for view in ("town", "mind", "memory", "why", "bonds", "chronicle"):
        browser.sees(1, view, agent="Eliza")
    browser.sees(1, "memory", agent="Eliza", words="tea")
    observed(runs["one"], runs["other"])
    assert files_in(runs["one"]) == before


def test_a_view_of_both_runs_is_told_as_text_by_its_address(runs):
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
def test_an_address_means_on_the_screen_what_it_means_on_the_page(address, asked):
    assert asked_by(address) == asked


def test_a_port_that_cannot_be_listened_on_is_refused(runs):
    class Full(MemoryReactorClock):
        def listenTCP(self, *arguments: Any) -> Any:
            raise OverflowError("port must be 0-65535")

    options = options_of("--port", "70000", "--no-browser", runs["one"])
    with pytest.raises(NoteError, match="--port is 70000; it cannot be listened on: port must be"):
        run_observe(options, lambda said: None, Full())
