"""Telnet over TLS, with programs that other people wrote: they enter, they play, they trust what they are given."""

from __future__ import annotations

import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from server.accounts.database import default_folder
from tests.integration.line_player import HOST, LONG, LinePlayer
from tests.integration.programs import OPENSSL, TINTIN_TLS, require, screen_of
from tests.integration.running import ADMIN, RunningServer, eventually, new_vault, serve_command, started
from tests.integration.tls_player import TlsPlayer, half_a_handshake

pytestmark = pytest.mark.integration

PROMPT_ENOUGH = 20.0
CHANGES = {"config/server.md": {"tls_port": -1, "login_seconds": 10, "lines_per_second": 5000}}


class TlsServer:
    """A server with both ports, and where its certificate is."""

    def __init__(self, server: RunningServer) -> None:
        self.server, self.port = server, server.tls_port
        folder = default_folder(server.vault)
        self.certificate, self.key = folder / "tls-certificate.pem", folder / "tls-key.pem"


@pytest.fixture(scope="module")
def tls(server):
    yield TlsServer(server)
    assert "Unhandled" not in server.log


def openssl(*words: str) -> str:
    require(OPENSSL)
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, timeout=LONG, check=True)
    return done.stdout


def test_a_player_plays_over_tls_with_a_certificate_that_is_good_for_this_machine(tls):
    player, witness = TlsPlayer(tls.port, tls.certificate), tls.server.player("Witness")
    assert player.socket.version() in ("TLSv1.2", "TLSv1.3")
    assert "Exits: north (Pump Yard)" in player.enters("Ana")
    player.types("say Good morning, é")
    witness.expects('Ana says, "Good morning, é"')
    player.types("quit")
    assert "The river goes on without you" in player.is_shown_out()
    witness.expects("Ana falls asleep and is gone.")
    witness.close()


@pytest.mark.parametrize(("name", "is_trusted"), [("localhost", True), ("elsewhere.example.org", False)])
def test_openssl_trusts_the_certificate_by_its_names_and_plays_a_guest(tls, name, is_trusted):
    require(OPENSSL)
    trusting = ["-CAfile", str(tls.certificate), "-verify_hostname", name, "-verify_return_error"]
    done = subprocess.run(
        ["openssl", "s_client", "-quiet", "-connect", f"{HOST}:{tls.port}", *trusting],
        input=b"guest\nlook\nquit\n",
        capture_output=True,
        timeout=LONG,
        check=False,
    )
    shown = done.stdout.decode("utf-8", "replace")
    parts = ["Welcome to Fallwater", "Exits: north (Pump Yard)", "The river goes on without you"]
    assert [part in shown for part in parts] == [is_trusted] * 3


def test_the_fingerprint_that_is_told_is_the_one_that_openssl_shows(tls):
    shown = openssl("x509", "-in", str(tls.certificate), "-noout", "-fingerprint", "-sha256")
    assert shown.strip().split("=")[1] in tls.server.says("SHA-256 ")


def test_old_versions_of_tls_are_refused(tls):
    require(OPENSSL)
    words = ["openssl", "s_client", "-connect", f"{HOST}:{tls.port}", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"]
    done = subprocess.run(words, input=b"", capture_output=True, timeout=LONG, check=False)
    assert done.returncode != 0
    assert b"By what name" not in done.stdout


@pytest.mark.client
def test_tintin_enters_looks_speaks_and_leaves_over_tls(tls, tmp_path):
    with screen_of(TINTIN_TLS, tls.port, tmp_path) as screen:
        screen.enters("Ben")
        screen.shows("Exits: north (Pump Yard), east (Eel Stage), west (Ink Yard).")
        screen.types("say Good morning to you")
        screen.shows('You say, "Good morning to you"')
        screen.types("quit")
        shown = screen.shows("The river goes on without you")
    assert "Welcome to Fallwater, a small town at the foot of a long weir.\n\nIt makes paper" in shown


def test_a_thousand_lines_over_tls_are_all_done_in_order(tls):
    player = TlsPlayer(tls.port)
    player.enters("Cat")
    player.socket.sendall("".join(f"say number {number}.\n" for number in range(1000)).encode())
    player.expects('You say, "number 999."')
    said = re.findall(r'You say, "number (\d+)\."', player.text)
    assert said == [str(number) for number in range(1000)]
    player.close()


def test_handshakes_that_hang_hold_nobody_up_and_end_in_time(tls):
    bystander = tls.server.player("Bystander")
    before = tls.server.sockets
    hanging = [half_a_handshake(tls.port) for _ in range(100)]
    bystander.looks(PROMPT_ENOUGH)
    player = TlsPlayer(tls.port)
    player.enters("Dan")
    for caller in hanging:
        with suppress(ConnectionResetError):
            assert caller.recv(100) == b""  # waits until the server hangs up
        caller.close()
    player.asks("look")
    player.close()
    bystander.close()
    assert eventually(lambda: tls.server.sockets < before)


def test_who_speaks_plain_telnet_to_the_port_for_tls_is_hung_up_on(tls):
    player = tls.server.player("Eve")
    lost = LinePlayer(tls.port)
    lost.types("look")
    lost.is_shown_out()
    assert "Welcome" not in lost.text
    player.asks("look")
    player.close()


def test_who_never_reads_over_tls_is_dropped_and_others_go_on(tls):
    deaf, bystander = TlsPlayer(tls.port), tls.server.player("Fay")
    deaf.enters("Deaf")
    deaf.socket.sendall(b"help\nlook\n" * 20_000)
    bystander.looks(PROMPT_ENOUGH)
    tls.server.says("does not read; dropped with")
    bystander.looks(PROMPT_ENOUGH)
    bystander.close()


def new_certificate(folder: Path) -> tuple[Path, Path]:
    """Make another certificate with openssl, as a person would."""
    certificate, key = folder / "new.pem", folder / "new-key.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    openssl("req", "-x509", *curve, "-nodes", "-days", "90", "-subj", "/CN=localhost", *files)
    return certificate, key


def test_another_certificate_is_taken_in_while_people_play_and_a_bad_one_is_not(tls, tmp_path):
    admin = tls.server.player(ADMIN)
    old = TlsPlayer(tls.port)
    old.enters("Gus")
    certificate, key = new_certificate(tmp_path)
    shutil.copy(key, tls.key)
    shutil.copy(certificate, tls.certificate)
    told = "".join(admin.expects("New connections have the certificate ").split())
    assert f"{tls.certificate}:reloaded." in told  # a long path is broken at the end of a line, anywhere
    new = TlsPlayer(tls.port)
    assert new.certificate.strip() == certificate.read_text().strip()
    assert old.certificate.strip() != certificate.read_text().strip()
    assert "Exits" in old.asks("look")
    tls.key.write_text("no key at all")
    tls.server.says("there is no private key in PEM in this file. New connections keep the certificate")
    admin.expects("New connections keep the")
    last = TlsPlayer(tls.port)
    assert last.certificate == new.certificate
    last.enters("Hal")
    for player in (admin, old, new, last):
        player.close()


def test_a_signal_ends_the_world_for_players_over_tls_too(tmp_path):
    vault = new_vault(tmp_path / "world")
    command = serve_command("--vault", str(vault), "--port", "0", "--tls-port", "0", "--model", "none")
    with started(command, vault) as server:
        player, hanging = TlsPlayer(server.tls_port), half_a_handshake(server.tls_port)
        player.enters("Ana")
        server.signal(15)
        assert "The world is closing." in player.is_shown_out()
        assert server.exit_code() == 0
        assert server.lines[-1] == "Everything is saved. Good-bye."
        hanging.close()
        assert not server.failure
