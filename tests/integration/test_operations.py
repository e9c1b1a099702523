"""Watching a running world: figures, health, the doctor, the log as JSON, and a backup that is put back."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import socket
import tarfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.integration.line_player import SECRET
from tests.integration.running import (
    ADMIN,
    RunningServer,
    eventually,
    fallwater,
    free_port,
    new_vault,
    running,
    serve_command,
    started,
)

pytestmark = pytest.mark.integration

WITHIN_SECONDS = 30


class Watched:
    """A running world and its pages."""

    def __init__(self, server: RunningServer) -> None:
        self.server = server
        found = re.search(r"http://127\.0\.0\.1:\d+", server.log)
        assert found, server.log
        self.url = found[0]

    def page(self, path: str) -> tuple[int, str]:
        """Return status and body."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=WITHIN_SECONDS) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def figures(self) -> dict[tuple[str, ...], float]:
        """Return the figures by name and values of labels in the order of their names; each is parsed and typed."""
        found = {}
        for family in text_string_to_metric_families(self.page("/metrics")[1]):
            for sample in family.samples:
                found[(sample.name, *(value for _, value in sorted(sample.labels.items())))] = float(sample.value)
        return found


@contextmanager
def watched(vault: Path, *arguments: str) -> Iterator[Watched]:
    command = serve_command("--vault", str(vault), "--port", "0", "--model", "none", "--metrics-port", "-1", *arguments)
    with started(command, vault) as server:
        yield Watched(server)


def doctor(vault: Path) -> tuple[int, dict[str, tuple[str, str, str]]]:
    """Return the exit code, and of each check how it is, what is told and what to do."""
    done = fallwater("doctor", "--vault", str(vault), "--json")
    rows = json.loads(done.stdout)["checks"]
    return done.returncode, {row["name"]: (row["state"], row["what"], row["remedy"]) for row in rows}


def test_the_figures_are_true_after_what_was_done(tmp_path):
    with watched(new_vault(tmp_path / "world")) as world:
        nobody = world.server.player()
        nobody.expects("By what name")
        ana = world.server.player("Ana")
        ana.asks("look")
        ana.asks("look")
        ana.asks("get moon")
        ana.asks('frobnicate{le="7"}')
        before, sent = world.figures(), len(ana.asks("look"))
        after = world.figures()
        assert (after["fallwater_connections", "telnet"], after["fallwater_players",]) == (2, 1)
        assert before["fallwater_commands_total", "people", "look", "done"] == 2
        assert after["fallwater_commands_total", "people", "look", "done"] == 3
        assert after["fallwater_commands_total", "people", "get", "refused"] == 1
        assert after["fallwater_commands_total", "people", "unknown", "refused"] == 1
        assert after["fallwater_command_seconds_count",] == 5
        assert after["fallwater_agents", "asleep"] == 3
        assert (
            after["fallwater_output_bytes_total", "telnet"] - before["fallwater_output_bytes_total", "telnet"] >= sent
        )
        assert after["process_open_fds",] > 5
        assert not [key for key in after if "frobnicate" in str(key)]
        ana.types("quit")
        ana.is_shown_out()
        assert eventually(lambda: world.figures()["fallwater_players",] == 0, WITHIN_SECONDS)


def test_health_fails_while_something_cannot_be_saved_and_says_so_and_recovers(tmp_path):
    vault = new_vault(tmp_path / "world")
    with watched(vault) as world:
        ana = world.server.player("Ana")
        assert world.page("/healthz")[0] == 200
        limits = resource.prlimit(world.server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(world.server.pid, resource.RLIMIT_FSIZE, (0, limits[1]))
        assert world.page("/healthz")[0] == 200  # asking writes nothing
        ana.asks("north")
        status, body = world.page("/healthz")
        assert status == 503
        (reason,) = json.loads(body)["reasons"]
        assert reason.startswith("saving: ") and "File too large" in reason
        resource.prlimit(world.server.pid, resource.RLIMIT_FSIZE, limits)
        ana.asks("south")
        assert world.page("/healthz")[0] == 200


def test_a_world_is_ready_until_it_closes_and_says_so_while_it_does(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/server.md": {"shutdown_seconds": 3, "lines_per_second": 0}})
    with watched(vault) as world:
        assert world.page("/readyz")[0] == 200
        deaf = world.server.player("Deaf")
        deaf.socket.sendall(b"look\n" * 2000)  # whose answers are never read, so that it cannot be sent home at once
        ana = world.server.player("Ana")
        ana.asks("look")
        world.server.signal(signal.SIGTERM)
        ana.expects("The world is closing.")
        assert eventually(lambda: _is_unready(world), 3)
        assert world.server.exit_code(WITHIN_SECONDS) == 0


def _is_unready(world: Watched) -> bool:
    try:
        status, body = world.page("/readyz")
    except (urllib.error.URLError, ConnectionError):
        return False
    return status == 503 and "world: it is not open yet, or is closing" in json.loads(body)["reasons"]


HOSTILE = [
    "say \x1b[2J\x1b]0;owned\x07 hello\r",
    'say "}\\n{"level": "INFO", "message": "Warden entered"}',
    "look \u2028\u202e\x85 2026-11-22 00:00:00,000 ERROR forged",
    "\xff\xfa\x00\x7f",
    "%s %d %(message)s {0}",
]


def test_every_line_of_the_log_is_json_whatever_people_type(tmp_path):
    vault = new_vault(tmp_path / "world")
    with watched(vault, "--log-format", "json") as world:
        for name in ("Ana\x1b[31m", '{"a": 1}', "Ben\u202e", "x" * 3000):
            guesser = world.server.player()
            guesser.types(name)
            guesser.expects("\n")
            guesser.close()
        ana = world.server.player("Ana")
        for line in HOSTILE:
            ana.asks(line)
        ana.asks("say Yes, I know. | she must not find out")
        (vault / "rooms" / "Pit.md").write_text('---\nexits: {"down\n\x1b[2J": [[x]]\n---\n')
        world.server.says("rooms/Pit.md")
        ana.types("quit")
        ana.is_shown_out()
        left = world.server.says("Ana left")
        world.server.signal(signal.SIGTERM)
        assert world.server.exit_code(WITHIN_SECONDS) == 0
        rows = [json.loads(line) for line in world.server.lines if line.startswith("{")]
        others = [line for line in world.server.lines if not line.startswith("{")]
        assert SECRET not in world.server.log
        assert "she must not find out" not in world.server.log
    assert len(rows) >= 3
    assert not [row for row in rows if row.keys() < {"time", "level", "logger", "message"}]
    assert not [row for row in rows if datetime.fromisoformat(row["time"]).tzinfo is None]
    assert not [row for row in rows if re.search("[\x00-\x1f\x7f-\x9f\u2028\u202e]", row["message"])]
    row = json.loads(left)
    assert (row["character"], row["host"], row["connection"]) == ("Ana", "127.0.0.1", 5)
    said = ("Metrics and health", "Fallwater is open", "Its vault is", "No language model", "Everything is saved")
    assert not [line for line in others if not line.startswith(said)]


def test_the_doctor_finds_nothing_wrong_with_a_world_that_runs(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/models.md": {"model": "none"}})
    with running(vault):
        code, told = doctor(vault)
    assert (code, [name for name, (state, _, _) in told.items() if state == "problem"]) == (0, [])


def test_the_doctor_tells_who_has_the_port_of_the_page(tmp_path):
    port = free_port()
    vault = new_vault(
        tmp_path / "world", {"config/models.md": {"model": "none"}, "config/server.md": {"web_port": port}}
    )
    where = f"port {port} of 127.0.0.1"
    assert doctor(vault)[1]["page"] == ("ok", f"The page is on {where}, which is free now.", "")
    with socket.create_server(("127.0.0.1", port)):
        state, said, remedy = doctor(vault)[1]["page"]
        assert (state, f", process {os.getpid()}." in said) == ("warning", True)
        assert remedy.startswith("End that program")
    with running(vault):
        assert doctor(vault)[1]["page"] == ("ok", f"The page is on {where}, where this world answers.", "")


def test_the_doctor_says_of_several_faults_what_to_do(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/models.md": {"model": "ollama:no-such-model"}})
    settings = vault / "config" / "models.md"
    settings.write_text(settings.read_text().replace("http://127.0.0.1:11434", "http://127.0.0.1:9"))
    accounts = tmp_path / "world.accounts" / "accounts.sqlite3"
    accounts.chmod(0o644)
    (vault / "rooms" / "Pit.md").write_text("---\nexits: {down\n---\nDark.\n")
    code, told = doctor(vault)
    assert code == 1
    assert told["accounts"] == (
        "problem",
        f"{accounts} can be read by others on this machine.",
        f"Run: chmod 600 '{accounts}'",
    )
    assert told["vault"][2] == f"Correct the notes; this lists every fault: fallwater vault check --vault {vault}"
    assert told["model"][:2] == ("problem", "No-such-model at http://127.0.0.1:9 cannot be used.")
    assert "ollama serve" in told["model"][2]


def test_a_backup_that_an_admin_made_can_be_put_back(tmp_path):
    vault = new_vault(tmp_path / "world")
    with running(vault) as server:
        warden = server.player(ADMIN)
        warden.asks("get letter")
        warden.asks("north")
        warden.asks("@backup")
        folder = tmp_path / "world.backups"
        assert eventually(lambda: bool(list(folder.glob("*.tar.gz"))), WITHIN_SECONDS)
        warden.asks("drop letter")
    (archive,) = folder.glob("*.tar.gz")
    restored = tmp_path / "restored"
    restored.mkdir()
    with tarfile.open(archive) as packed:
        packed.extractall(restored, filter="data")
    (tmp_path / "world.accounts").rename(restored / "world.accounts")
    with running(restored / "world") as again:
        warden = again.player()
        assert warden.enters(ADMIN).startswith("Pump Yard\n")
        assert "You carry a sealed letter." in warden.asks("inventory")
