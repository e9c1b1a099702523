"""The doctor: what it says of each thing that can be wrong, and what to do about it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from config.settings import ServerSettings
from server import checks
from server.accounts.schema import Account
from server.checks import PortStatus, Result, ok, problem, warning
from server.doctor import examine, models, report
from server.tls import CERTIFICATE, KEY, make_certificate
from tests.server.front_door import put_accounts
from tests.server.monitored_world import FillingDisk
from vault.backup import back_up
from vault.config_notes import load_settings
from vault.vault import Vault, open_vault

NOW = datetime(2026, 11, 22, 6, 0, tzinfo=UTC)
HASH = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$c2VjcmV0"


@pytest.fixture
def vault(tmp_path) -> Vault:
    return open_vault(tmp_path / "world")[0]


def found(vault: Vault) -> dict[str, Result]:
    """Return what the doctor says, by name; models are never asked."""
    accounts = vault.root.with_name("world.accounts")
    return {
        one.name: one
        for one in examine(vault.root, accounts, NOW, lambda spec: "", lambda spec: "", lambda *port: PortStatus())
    }


def set_setting(vault: Vault, note: str, line: str, instead: str) -> None:
    path = vault.root / "config" / f"{note}.md"
    text = path.read_text()
    assert text.count(line) == 1
    path.write_text(text.replace(line, instead))


# The machine


def test_too_few_watches_for_the_folders_are_told():
    assert checks.watches(5000, 8192) == warning(
        "watching",
        "The vault has 5000 folders, and all programs of a user may watch 8192 together.",
        "Run: sudo sysctl fs.inotify.max_user_watches=65536",
    )
    assert checks.watches(5000, None).state == "ok"


def test_a_clock_that_cannot_be_right_or_went_back_is_told():
    assert checks.clock(datetime(1970, 1, 1, 0, 5, tzinfo=UTC), None).state == "problem"
    assert checks.clock(NOW, NOW + timedelta(hours=2)).what == (
        "The clock says 2026-11-22 06:00 UTC, but a memory was written at 2026-11-22 08:00 UTC."
    )
    assert checks.clock(NOW, NOW).state == "ok"


# On disk


def test_a_good_vault_has_no_problem_and_only_lacks_a_backup(vault):
    assert [one for one in found(vault).values() if one.state != "ok"] == [
        warning(
            "backups",
            f"There is no backup in {vault.root}.backups.",
            "Type @backup in the world, as an admin, or have it done daily (docs/hosting.md).",
        )
    ]


def test_a_folder_without_a_vault_is_told_and_nothing_else_is_looked_at(tmp_path):
    assert examine(tmp_path, tmp_path / "accounts", NOW) == [
        problem(
            "vault",
            f"There is no vault in {tmp_path}.",
            "Name the folder of the world with --vault, or have one made: fallwater serve --vault DIR",
        )
    ]


def test_a_note_that_is_not_valid_is_told_with_its_line_and_the_command_that_tells_all(vault):
    (vault.root / "rooms" / "Pit.md").write_text("---\nexits: {down\n---\nDark.\n")
    told = found(vault)["vault"]
    assert told.state == "problem"
    assert told.what.startswith("rooms/Pit.md")
    assert told.remedy == f"Correct the notes; this lists every fault: fallwater vault check --vault {vault.root}"


def test_a_setting_that_will_not_do_is_told_with_its_line(vault):
    set_setting(vault, "server", "**port**: 4000", "**port**: 400000")
    told = found(vault)["settings"]
    assert (told.state, told.what.startswith("config/server.md:8: ")) == ("problem", True)


def test_a_vault_that_cannot_be_written_is_a_problem(vault):
    disk = FillingDisk()
    disk.is_full = True
    vault.disk = disk
    assert checks.notes(vault, []) == problem(
        "vault",
        f"{vault.root} cannot be written: No space left on device.",
        f"Make room, or give the user that runs the world the folder: sudo chown -R USER {vault.root}",
    )


def test_a_journal_with_a_number_twice_is_told_apart_from_the_notes(vault):
    folder = vault.root / "agents" / "Eliza" / "journal"
    folder.mkdir(exist_ok=True)
    line = "- 20:35:01.123 observed · The Landing · Moss arrives. ^m1\n"
    (folder / "2026-11-21.md").write_text(f"# 2026-11-21\n\n{line}{line}")
    told = found(vault)
    assert (told["vault"].state, told["journals"].state) == ("ok", "problem")
    assert told["journals"].what.startswith("agents/Eliza/journal/2026-11-21.md:4: ")


def test_accounts_that_others_can_read_are_a_problem_with_the_command_that_mends_it(vault):
    folder = vault.root.with_name("world.accounts")
    put_accounts(folder, Account("Warden", "admin", HASH))
    assert checks.accounts(folder) == ok(
        "accounts", f"{folder}/accounts.sqlite3 is valid and can be read by its owner alone; accounts: 1."
    )
    (folder / "accounts.sqlite3").chmod(0o644)
    assert checks.accounts(folder) == problem(
        "accounts",
        f"{folder}/accounts.sqlite3 can be read by others on this machine.",
        f"Run: chmod 600 '{folder}/accounts.sqlite3'",
    )


def test_accounts_without_an_admin_or_that_are_not_valid_are_told(vault):
    folder = vault.root.with_name("world.accounts")
    put_accounts(folder, Account("Ana", "player", HASH))
    assert checks.accounts(folder).remedy == "Run: fallwater reset-password NAME --role admin"
    with closing(sqlite3.connect(folder / "accounts.sqlite3", isolation_level=None)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        db.execute("UPDATE accounts SET role = 'king'")
    told = checks.accounts(folder)
    assert (told.state, "'Ana': the role 'king' is none of guest, player" in told.what) == ("problem", True)
    (folder / "accounts.sqlite3").write_text("{" * 1000)
    assert checks.accounts(folder).what.endswith(
        "file is not a database. It is damaged: restore a copy (docs/hosting.md)."
    )


@pytest.mark.parametrize(
    ("free_bytes", "free_files", "state"),
    [(50, None, "problem"), (500, None, "warning"), (5000, 5, "problem"), (5000, 10**6, "ok")],
)
def test_a_disk_with_little_room_is_told_in_time(free_bytes, free_files, state):
    assert checks.disk_space(Path("/srv"), free_bytes * 1024 * 1024, free_files).state == state


def test_an_old_backup_is_told_with_its_age(vault):
    path = back_up(vault, int(NOW.timestamp() * 1000)).path
    assert checks.backups(vault, datetime.fromtimestamp(path.stat().st_mtime, UTC)).state == "ok"
    old = (NOW - timedelta(days=30)).timestamp()
    os.utime(path, (old, old))
    assert checks.backups(vault, NOW).what == f"The newest backup in {vault.root}.backups is 30 days old."


# Ports and certificates


@pytest.mark.parametrize(
    ("settings", "state"),
    [
        (ServerSettings(), "ok"),
        (ServerSettings(host="0.0.0.0"), "warning"),
        (ServerSettings(host="0.0.0.0", tls_port=4443), "ok"),
        (ServerSettings(metrics_host="0.0.0.0", metrics_port=9100), "warning"),
        (ServerSettings(metrics_host="0.0.0.0"), "ok"),
    ],
)
def test_what_other_machines_can_reach_is_told(settings, state):
    assert checks.exposure(settings).state == state


def test_a_certificate_is_told_of_before_it_ends_and_when_it_has(tmp_path):
    settings = ServerSettings(tls_port=4443)
    ends = make_certificate(tmp_path / CERTIFICATE, tmp_path / KEY, ["localhost"], NOW).expires_at
    assert checks.certificate(settings, tmp_path, ends - timedelta(days=30)).state == "ok"
    assert checks.certificate(settings, tmp_path, ends - timedelta(days=3)).state == "warning"
    assert checks.certificate(settings, tmp_path, ends + timedelta(days=1)) == problem(
        "certificate",
        f"The certificate in {tmp_path / CERTIFICATE} has ended on {ends:%Y-%m-%d}.",
        f"Move {tmp_path / CERTIFICATE} away and restart the world: it makes another.",
    )
    missing = replace(settings, tls_certificate="mine.pem")
    assert checks.certificate(missing, tmp_path, NOW).state == "problem"


# Models


def of_models(vault: Vault, *broken: str, best: str = "", refusal: str = "") -> list[tuple[str, str]]:
    """Return state and what of each model, where those that are `broken` cannot be used."""
    trying = models(
        load_settings(vault),
        lambda spec: "Start it." if spec.api in broken else "",
        lambda host: best,
        lambda spec: refusal,
    )
    return [(one.state, one.what) for one in trying]


def test_auto_takes_what_there_is_and_warns_if_there_is_none(vault):
    assert of_models(vault) == [("ok", "gemma3:4b at http://127.0.0.1:11434 can be used.")]
    assert of_models(vault, "ollama") == [("ok", "The embedded model can be used; Ollama cannot: Start it.")]
    assert of_models(vault, "ollama", best="qwen:3b") == [
        ("ok", "qwen:3b at http://127.0.0.1:11434 can be used, in place of gemma3:4b: Start it.")
    ]
    assert of_models(vault, "ollama", "embedded") == [
        ("warning", "The agents sleep: there is neither Ollama nor the embedded model.")
    ]


def test_a_server_that_refuses_a_schema_is_named_once_and_the_embedded_model_is_not_asked(vault):
    text = """## thinker
**endpoints**: http://127.0.0.1:11434, embedded
**model**: gemma3:4b

## scribe
**endpoints**: http://127.0.0.1:11434
"""
    note = vault.root / "config" / "models.md"
    note.write_text(note.read_text(encoding="utf-8") + "\n" + text, encoding="utf-8")
    found = of_models(vault, refusal="Status 400: invalid format.")
    assert [what for state, what in found if state == "warning"] == [
        "Gemma3:4b at http://127.0.0.1:11434 refuses a JSON schema, and answers without it. Status 400: invalid format."
    ]


def test_a_model_that_is_asked_for_by_name_has_to_be_there(vault):
    set_setting(vault, "models", "**model**: auto", "**model**: ollama:llama3.2")
    assert of_models(vault, "ollama") == [("problem", "Llama3.2 at http://127.0.0.1:11434 cannot be used.")]
    set_setting(vault, "models", "**model**: ollama:llama3.2", "**model**: gguf:~/qwen.gguf")
    assert of_models(vault, "gguf") == [("problem", "Qwen.gguf in this process cannot be used.")]
    set_setting(vault, "models", "**model**: gguf:~/qwen.gguf", "**model**: none")
    assert of_models(vault) == [("ok", "No model is wanted: the agents sleep.")]


# What is told


def test_it_is_told_in_sentences_and_only_a_problem_ends_with_1():
    said: list[str] = []
    results = [ok("a", "Good."), warning("b", "Old.", "Renew it.")]
    assert report(results, False, said.append) == 0
    assert said == [
        "ok       a: Good.",
        "warning  b: Old.",
        "         -> Renew it.",
        "no problems and 1 warning.",
    ]
    assert report([*results, problem("c", "Gone.", "Get it.")], False, said.append) == 1


def test_it_is_told_as_json_for_programs():
    said: list[str] = []
    assert report([problem("c", "Gone.", "Get it.")], True, said.append) == 1
    assert json.loads(said[0]) == {
        "checks": [{"name": "c", "state": "problem", "what": "Gone.", "remedy": "Get it."}],
        "problems": 1,
        "warnings": 0,
    }


@pytest.mark.parametrize(
    ("settings", "state", "said"),
    [
        ({"web_port": 0}, "ok", "No port for the page is set."),
        ({}, "ok", "The page is on port 4080 of 127.0.0.1, which is free now."),
        ({"web_port": -1}, "ok", "The page is on any free port of 127.0.0.1."),
        ({"web_host": "0.0.0.0", "web_tls": True}, "ok", "on port 4080 of 0.0.0.0, over TLS, which is free now."),
        ({"web_host": "0.0.0.0"}, "warning", "open to other machines in plain text, passwords too"),
        ({"host": "::"}, "warning", "open to other machines in plain text, passwords too"),
        ({"web_origins": "https://play.example.org"}, "warning", "no proxy is trusted"),
        (
            {"web_origins": "https://play.example.org", "trusted_proxies": "127.0.0.1"},
            "ok",
            "port 4080 of 127.0.0.1, which",
        ),
    ],
)
def test_where_the_page_is_and_whether_passwords_can_be_read_on_the_way(settings, state, said):
    result = checks.page(ServerSettings(**settings), "Fallwater", lambda *port: PortStatus())
    assert (result.name, result.state) == ("page", state)
    assert said in result.what
    assert bool(result.remedy) == (state == "warning")


@pytest.mark.parametrize(
    ("status", "state", "said", "remedy"),
    [
        (PortStatus(world="The Inn"), "ok", "The page is on port 4080 of 127.0.0.1, where this world answers.", ""),
        (
            PortStatus(world="Elsewhere"),
            "warning",
            "The page's port 4080 of 127.0.0.1 answers as 'Elsewhere', not as 'The Inn'.",
            "If that is another world, set web_port in config/server.md to another port, or to 0 for no page.",
        ),
        (
            PortStatus(holder="nginx, process 12"),
            "warning",
            "The page has no port: port 4080 of 127.0.0.1 is taken by nginx, process 12.",
            "End that program and restart the world, or set web_port in config/server.md to another port, or to 0 for "
            "no page.",
        ),
        (
            PortStatus(error="Cannot assign requested address"),
            "warning",
            "The page cannot open port 4080 of 127.0.0.1: Cannot assign requested address.",
            "Set web_host in config/server.md to an address of this machine, or to 127.0.0.1.",
        ),
    ],
)
def test_who_has_the_port_of_the_page_is_told_with_what_would_be_right(status, state, said, remedy):
    assert checks.page(ServerSettings(), "The Inn", lambda *port: status) == Result("page", state, said, remedy)
