"""Accounts, with a real server: the first admin, passwords that last, guessing, guests, and who waits for all that."""

from __future__ import annotations

import random
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import closing

import pytest

from bench.lib.pages import Door
from server.accounts.database import AccountDatabase
from server.accounts.passwords import Argon2
from tests.integration.line_player import HOST, NAME, SECRET
from tests.integration.running import ADMIN, CLEAN, ROOT, eventually, fallwater, new_vault, running
from tests.server.front_door import accounts_in
from vault.vault import open_vault

pytestmark = pytest.mark.integration

HELD_SECONDS = 3.0
LOOK_SECONDS = 0.5  # the longest that a look may take while others log in; on an idle machine it is 0.04


def one_time_in(text: str) -> str:
    (found,) = re.findall(r"one-time password(?: of \w+ is)? ((?:[a-z]{4}-){4}[a-z]{4})", text)
    return str(found)


def test_the_first_admin_gets_a_password_on_the_console_and_chooses_another(tmp_path):
    vault, _ = open_vault(tmp_path / "world")
    with running(vault.root) as server:
        password = one_time_in(server.log)
        player = server.player()
        player.names("warden", password)
        player.expects("Choose a password: ")
        player.types(SECRET)
        player.expects("\n> ")
        assert "There is no model" in player.asks("@llm-status")
        assert server.log.count(password) == 1
    kept = "".join(path.read_text("utf-8", "replace") for path in tmp_path.rglob("*") if path.is_file())
    assert password not in kept
    assert SECRET not in kept
    with running(vault.root) as again:
        assert "one-time password" not in again.log
        assert again.player().enters("Warden").startswith("The Landing\n")


def test_a_password_lasts_although_the_power_fails_right_after_it_was_chosen(tmp_path):
    vault = new_vault(tmp_path / "world")
    with running(vault) as server:
        server.player("Ana")
        server.kill()
    with running(vault) as again:
        player = again.player()
        player.names("Ana", "not that")
        player.expects("Wrong password for Ana.")
        player.types(SECRET)
        player.expects("The Landing\n")


def test_a_password_is_given_anew_while_the_world_is_open(server):
    server.player("Rhea").close()
    printed = fallwater("reset-password", "rhea", "--vault", str(server.vault)).stdout
    player = server.player()
    player.names("Rhea")
    player.expects("Wrong password for Rhea.")
    player.types(one_time_in(printed))
    player.expects("Choose a password: ")
    player.types("yet another secret")
    player.expects("The Landing\n")
    assert one_time_in(printed) not in server.log


def test_a_client_that_shuts_its_sending_side_after_its_password_is_still_answered(server):
    with socket.create_connection((HOST, server.port), timeout=30) as caller:
        caller.sendall(f"Polly\n{SECRET}\nsay still here\n".encode())
        caller.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: caller.recv(65536), b""))
    assert b'You say, "still here"' in answer


def test_the_session_that_is_taken_over_ends_only_after_the_right_password(server):
    first, witness = server.player("Twin"), server.player("Onlooker")
    second = server.player()
    second.names("twin", "not that")
    second.expects("Wrong password for Twin.")
    first.types("say mine")
    first.expects('You say, "mine"')
    second.types(SECRET)
    second.expects("The Landing\n")
    assert "You have connected from somewhere else" in first.is_shown_out()
    second.types("say mine as well")
    assert "falls asleep" not in witness.expects('Twin says, "mine as well"')


def test_ten_who_log_in_at_once_hold_up_nobody_s_look(server):
    names = [f"Login{letter}" for letter in "abcdefghij"]
    for name in names:
        server.player(name).close()
    bystander = server.player("Bystander")
    callers = [server.player() for _ in names]
    for caller in callers:
        caller.expects(NAME)
    for caller, name in zip(callers, names, strict=True):
        caller.socket.sendall(f"{name}\n{SECRET}\n".encode())
    longest = max(bystander.looks() for _ in range(30))
    for caller in callers:
        caller.expects("Exits: ")
    assert longest < LOOK_SECONDS


def says_from(host: str, port: int, *lines: str) -> str:
    """Send lines by telnet from an address, and return everything that the server answers."""
    with socket.create_connection((HOST, port), timeout=30, source_address=(host, 0)) as caller:
        caller.sendall("\n".join([*lines, ""]).encode())
        caller.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: caller.recv(4096), b"")).decode("utf-8", "replace")


def test_guesses_are_answered_at_once_and_keep_no_owner_out(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/server.md": {"web_port": -1, "password_tries": 9}})
    with running(vault) as server:
        assert server.player().enters("Victim").endswith("> ")
        assert eventually(lambda: bool(accounts_in(vault.with_name("world.accounts"))["Victim"].trusted))
    with running(vault) as server:
        door = Door(server.web_port)
        for number in range(2, 6):
            told = says_from(f"127.0.0.{number}", server.port, "Victim", "wrong 1", "wrong 2", "wrong 3", SECRET)
            assert re.search(r"Wait \d+ seconds, then try again", told)
        assert "ticket" in door.ask("/enter", {"name": "Victim", "password": SECRET})[0]
        assert "Wrong passwords for your name" in server.player().enters("Victim")


def test_another_process_that_holds_the_accounts_holds_nobody_else_up(server):
    admin, bystander = server.player(ADMIN), server.player("Bystander")
    server.player("Known").close()
    with closing(AccountDatabase(server.vault.with_name("world.accounts"))) as other:
        with other.transaction():
            began = time.monotonic()
            for line in ("@ban 198.51.100.1", "@grant Known builder", "@ban Mallory"):
                admin.types(line)
            newcomer, known = server.player(), server.player()
            for caller, name in ((newcomer, "Holda"), (known, "Known")):
                caller.expects(NAME)
                caller.types(name)
            newcomer.expects("Choose a password: ")
            newcomer.types(SECRET)
            known.expects("Password: ")
            known.types(SECRET)
            known.expects("Exits: ")
            known.close()
            waits = [player.looks() for player in (admin, bystander) * 10]
            assert "is banned" not in admin.text
            while time.monotonic() - began < HELD_SECONDS:
                waits.append(bystander.looks())
        newcomer.expects("Exits: ")
        for told in ("198.51.100.1 is banned", "Known is a builder from now on.", "Mallory is banned"):
            admin.expects(told)
        assert max(waits) < LOOK_SECONDS
    kept = accounts_in(server.vault.with_name("world.accounts"))
    assert (kept["Known"].role, kept["Holda"].role) == ("builder", "player")


def test_a_world_that_closes_while_another_process_holds_the_accounts_says_what_it_could_not_keep(tmp_path):
    vault = new_vault(tmp_path / "world", {"config/server.md": {"shutdown_seconds": 1}})
    with running(vault) as server:
        server.player(ADMIN)
        folder = vault.with_name("world.accounts")
        assert eventually(lambda: bool(accounts_in(folder)[ADMIN].last_seen))
        with closing(AccountDatabase(folder)) as other, other.transaction():
            server.signal(signal.SIGTERM)
            assert server.exit_code() == 1
        server.says("fallwater: changes of accounts that could not be kept: 1; the lines above say why.")
        server.says("another process is writing to it")


def test_a_reset_password_that_is_killed_leaves_the_accounts_whole(tmp_path):
    vault = new_vault(tmp_path / "world")
    folder = vault.with_name("world.accounts")
    script = (
        "import sys; from pathlib import Path; from server.accounts.database import AccountDatabase;"
        "from server.accounts.password_change import reset_password; from server.accounts.passwords import Argon2;"
        "from vault.vault import Vault\n"
        "vault, folder, hasher = Vault(Path(sys.argv[1])), Path(sys.argv[2]), Argon2(1, 8)\n"
        "while True:\n"
        "    database = AccountDatabase(folder)\n"
        "    print(reset_password(database, vault, 'Warden', 'admin', '', hasher).split()[6], flush=True)\n"
        "    database.close()"
    )
    for kill in range(10):
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(vault), str(folder)],
            cwd=ROOT,
            env=CLEAN,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout
        given = [process.stdout.readline() for _ in range(3 + kill)]
        time.sleep(random.random() / 100)
        process.kill()
        given += process.stdout.readlines()
        process.wait()
        process.stdout.close()
        account = accounts_in(folder)["Warden"]
        assert (account.role, account.one_time) == ("admin", True)
        told = [line.strip() for line in given if line.endswith("\n")]
        # The last one that was told holds, unless the next had been kept and not told yet.
        assert Argon2().is_right(account.password, told[-1]) or not any(
            Argon2().is_right(account.password, password) for password in told
        )
    with running(vault) as server:
        assert "There is no admin" not in server.log


def test_several_processes_that_change_accounts_at_once_lose_nothing(tmp_path):
    script = (
        "import sys; from pathlib import Path; from server.accounts.database import AccountDatabase;"
        "from server.accounts.schema import Account\n"
        "for n in range(20):\n"
        "    database = AccountDatabase(Path(sys.argv[1]))\n"
        "    with database.transaction(): database.put_account(Account(f'{sys.argv[2]}{n}', 'player'))\n"
        "    database.close()"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path / "a"), name], cwd=ROOT) for name in "xy"]
    assert [one.wait(60) for one in running] == [0, 0]
    assert len(accounts_in(tmp_path / "a")) == 40
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["accounts.sqlite3"]
