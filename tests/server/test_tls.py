"""Certificates that are made, read and renewed, and callers whose bytes are encrypted."""

from __future__ import annotations

import os
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from twisted.internet.error import ConnectionLost
from twisted.internet.protocol import Protocol, ServerFactory
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from config.settings import ServerSettings
from server.connection.input import ConnectionServices
from server.connection.limits import ConnectionLimiter, LimitingFactory
from server.connection.output import Transport
from server.telnet.connection import TelnetLimits
from server.telnet.protocol import TelnetFactory
from server.tls import (
    CERTIFICATE,
    MAX_HANDSHAKE_SECONDS,
    POLL_SECONDS,
    VALID_DAYS,
    Certificate,
    Credentials,
    make_certificate,
    over_tls,
    read_certificate,
)
from tests.server.telnet.in_memory import Player
from tests.server.tls_client import TlsClient
from vault.errors import NoteError

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)

LIMITS = TelnetLimits(lines_per_second=10, lines_at_once=5, max_output_bytes=100_000)


@pytest.fixture
def paths(tmp_path) -> tuple[Path, Path]:
    return tmp_path / "accounts" / "c.pem", tmp_path / "accounts" / "k.pem"


def made_at(paths, names) -> Certificate:
    certificate, key = paths
    return make_certificate(certificate, key, names, NOW)


def refusal(certificate, key):
    with pytest.raises(NoteError) as refused:
        read_certificate(certificate, key)
    return str(refused.value)


def test_a_certificate_that_is_made_is_good_for_the_names_given_and_for_this_machine(paths):
    made = made_at(paths, ["mud.example.org", "192.0.2.7"])
    assert made.names == {"mud.example.org", "192.0.2.7", "localhost", "127.0.0.1", "::1"}
    assert made.expires_at == NOW + timedelta(days=VALID_DAYS)
    assert isinstance(made.key, ec.EllipticCurvePrivateKey)
    assert made.key.curve.name == "secp256r1"


def test_it_is_kept_where_only_this_user_reads_it_and_is_the_same_when_read(paths):
    made = made_at(paths, [])
    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o600, 0o600]
    assert read_certificate(*paths).chain == made.chain
    assert sorted(path.name for path in paths[0].parent.iterdir()) == ["c.pem", "k.pem"]


def test_its_fingerprint_is_as_clients_show_it(paths):
    fingerprint = made_at(paths, []).fingerprint
    assert len(fingerprint) == 95
    assert set(fingerprint) <= set("0123456789ABCDEF:")


def test_a_month_before_its_end_it_is_near_its_end(paths):
    made = made_at(paths, [])
    days = [0, VALID_DAYS - 31, VALID_DAYS - 29, VALID_DAYS + 1]
    assert [made.is_near_expiry(NOW + timedelta(days=day)) for day in days] == [False, False, True, True]


def test_one_file_may_hold_both_the_certificate_and_its_key(paths):
    certificate, key = paths
    made = make_certificate(certificate, key, [], NOW)
    certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
    assert read_certificate(certificate, certificate).chain == made.chain


def test_a_file_that_is_missing_or_no_pem_is_named_with_what_is_wrong(paths):
    certificate, key = paths
    make_certificate(certificate, key, [], NOW)
    missing = certificate.with_name("no.pem")
    assert refusal(missing, key) == f"{missing}: this file cannot be read: No such file or directory."
    pipe = certificate.with_name("pipe.pem")
    os.mkfifo(pipe)
    assert refusal(pipe, key) == f"{pipe}: this is a pipe or a device, not a file."
    content = key.read_bytes()
    key.write_text("-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----\n")
    assert refusal(certificate, key) == f"{key}: there is no private key in PEM in this file."
    key.write_bytes(content)
    certificate.write_text("nothing of the kind")
    assert refusal(certificate, key) == f"{certificate}: there is no certificate in PEM in this file."


def test_a_key_of_another_certificate_is_refused(paths, tmp_path):
    made_at(paths, [])
    other = tmp_path / "other.pem"
    make_certificate(tmp_path / "c2.pem", other, [], NOW)
    assert refusal(paths[0], other) == f"{other}: this is not the key of the certificate in {paths[0]}."


def test_a_key_with_a_password_is_refused_with_what_to_do(paths):
    made = made_at(paths, [])
    secret = serialization.BestAvailableEncryption(b"secret")
    paths[1].write_bytes(made.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, secret))
    assert refusal(*paths) == f"{paths[1]}: this key needs a password; save it without one, readable for nobody else."


class Echo(Protocol):
    def dataReceived(self, data):
        cast(Transport, self.transport).write(data)


class Town:
    """A folder of accounts and credentials from it."""

    def __init__(self, folder, **settings):
        self.folder = folder
        self.settings = ServerSettings(**settings)
        self.clock = Clock()
        self.told = []
        self.now = NOW

    def opens(self):
        self.credentials = Credentials(self.settings, self.folder, self.clock, lambda: self.now, self.told.append)
        self.credentials.start()
        return self.credentials

    def calls(self, **how):
        factory = ServerFactory.forProtocol(Echo)
        return TlsClient(over_tls(factory, self.credentials, self.clock, lambda: 180), self.clock, **how).greets()

    def looks(self, times=2):
        for _ in range(times):
            self.clock.advance(POLL_SECONDS)


@pytest.fixture
def town(tmp_path):
    return Town(tmp_path, hostname="mud.example.org")


@pytest.fixture
def given(tmp_path):
    """A town whose certificate is given by files."""
    make_certificate(tmp_path / "given.pem", tmp_path / "given-key.pem", ["given.example.org"], NOW)
    return Town(tmp_path, tls_certificate="given.pem", tls_key="given-key.pem")


def test_without_files_a_certificate_is_made_once_and_is_the_same_ever_after(town):
    first = town.opens()
    assert first.certificate.names >= {"mud.example.org", "127.0.0.1"}
    assert f"SHA-256 {first.certificate.fingerprint}" in first.note
    assert str(town.folder / CERTIFICATE) in first.note
    assert town.opens().certificate.chain == first.certificate.chain


def test_another_is_made_when_the_machine_has_a_name_that_it_does_not_tell(town, tmp_path):
    first = town.opens()
    other = Town(tmp_path, hostname="new.example.org").opens()
    assert other.certificate.names >= {"new.example.org"}
    assert other.certificate.chain != first.certificate.chain


def test_what_was_made_here_is_renewed_before_its_end_while_the_world_runs(town):
    first = town.opens().certificate
    town.now = NOW + timedelta(days=VALID_DAYS - 29)
    town.looks()
    renewed = town.credentials.certificate
    assert renewed.expires_at == town.now + timedelta(days=VALID_DAYS)
    assert renewed.chain != first.chain
    assert town.calls().certificate == renewed.chain[0].public_bytes(Encoding.DER)


def test_a_certificate_that_was_made_here_and_is_spoilt_is_made_anew(town):
    town.opens()
    (town.folder / CERTIFICATE).write_text("spoilt")
    assert town.opens().certificate.names >= {"mud.example.org"}


def test_files_that_are_given_and_will_not_do_are_an_error_at_the_start(tmp_path):
    with pytest.raises(NoteError, match=r"none\.pem: this file cannot be read"):
        Town(tmp_path, tls_certificate="none.pem").opens()


def test_a_new_certificate_is_taken_in_and_connections_that_there_are_go_on(given):
    given.opens()
    old = given.calls()
    before = old.certificate
    make_certificate(given.folder / "given.pem", given.folder / "given-key.pem", ["given.example.org"], NOW)
    given.looks()
    new = given.calls()
    assert new.certificate != before
    assert old.sends(b"still here") == b"still here"
    assert new.sends(b"hello") == b"hello"
    [told] = given.told
    assert given.credentials.certificate.fingerprint in told


def test_files_are_taken_in_only_once_they_stand_still(given):
    first = given.opens().certificate
    make_certificate(given.folder / "given.pem", given.folder / "given-key.pem", [], NOW)
    given.looks(1)
    assert given.credentials.certificate == first
    given.looks(1)
    assert given.credentials.certificate != first


def test_a_file_that_will_not_do_keeps_the_old_certificate_and_is_told_once_with_the_reason(given):
    given.opens()
    before = given.calls().certificate
    (given.folder / "given.pem").write_text("half a certif")
    given.looks(5)
    assert given.calls().certificate == before
    [told] = given.told
    assert told.startswith(f"{given.folder / 'given.pem'}: there is no certificate in PEM in this file")
    assert told.endswith("New connections keep the certificate from before.")


def test_a_given_certificate_that_ends_soon_is_told_once_and_not_replaced(given):
    first = given.opens().certificate
    given.now = NOW + timedelta(days=VALID_DAYS - 10)
    given.looks(5)
    assert given.credentials.certificate == first
    [told] = given.told
    assert "this certificate ends on 2029-02-24, in less than 30 days" in told


def test_nothing_is_looked_at_any_more_when_the_world_has_closed(given):
    given.opens().stop()
    assert given.clock.getDelayedCalls() == []


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_old_versions_of_tls_are_refused_and_1_2_is_not(given):
    given.opens()
    assert given.calls(newest=ssl.TLSVersion.TLSv1_2).sends(b"hello") == b"hello"
    with pytest.raises(ssl.SSLError):
        given.calls(newest=ssl.TLSVersion.TLSv1_1)


class House:
    def __init__(self, folder, login_seconds=180):
        self.clock = Clock()
        self.players = []
        settings = ServerSettings()
        self.limiter = ConnectionLimiter(lambda: settings, self.clock)
        credentials = Credentials(settings, folder, self.clock, lambda: NOW, list[str]().append)
        telnet = TelnetFactory(self._new_player, ConnectionServices(self.clock), lambda: LIMITS)
        self.factory = LimitingFactory(over_tls(telnet, credentials, self.clock, lambda: login_seconds), self.limiter)

    def _new_player(self):
        self.players.append(Player())
        return self.players[-1]

    def calls(self):
        return TlsClient(self.factory, self.clock)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_nobody_is_spoken_to_before_the_handshake_is_done(house):
    caller = house.calls()
    assert (house.players, house.limiter.count) == ([], 1)
    caller.greets()
    assert [player.terminal.host for player in house.players] == ["203.0.113.5"]


def test_a_player_is_answered_over_tls_as_in_plain(house):
    caller = house.calls().greets()
    caller.sends(b"look\r\nnorth\r\n")
    [player] = house.players
    assert player.lines == ["look", "north"]
    player.terminal.send(b"Pump Yard\r\n")
    assert caller.reads().endswith(b"Pump Yard\r\n")


def test_a_handshake_that_hangs_ends_in_time_and_is_counted_no_longer(house):
    caller = house.calls()
    caller.server.dataReceived(b"\x16\x03\x01")  # the beginning of a greeting
    house.clock.advance(MAX_HANDSHAKE_SECONDS - 1)
    assert not caller.transport.disconnected
    house.clock.advance(1)
    assert caller.transport.disconnected
    caller.server.connectionLost(Failure(ConnectionLost()))
    assert (house.limiter.count, house.players, house.clock.getDelayedCalls()) == (0, [], [])


def test_a_handshake_may_take_no_longer_than_coming_in(tmp_path):
    house = House(tmp_path, login_seconds=10)
    caller = house.calls()
    house.clock.advance(10)
    assert caller.transport.disconnected


def test_who_speaks_no_tls_is_hung_up_on(house):
    caller = house.calls()
    caller.server.dataReceived(b"look\r\nnorth\r\n")
    assert caller.transport.disconnecting
    assert house.players == []


def test_a_player_who_has_gone_is_told_of_and_counted_no_longer(house):
    caller = house.calls().greets()
    caller.server.connectionLost(Failure(ConnectionLost()))
    assert len(house.players[0].told) == 1
    assert house.limiter.count == 0


def test_a_paste_over_tls_is_slowed_and_done_whole_and_in_order(house):
    caller = house.calls().greets()
    caller.sends(b"".join(b"%d\n" % number for number in range(50)))
    assert len(house.players[0].lines) < 10
    assert caller.transport.producerState == "paused"
    for _ in range(100):
        house.clock.advance(0.05)
    assert house.players[0].lines == [str(number) for number in range(50)]
    assert caller.transport.producerState == "producing"


def test_who_does_not_read_over_tls_is_paused_and_then_dropped(house):
    caller = house.calls().greets()
    terminal = house.players[0].terminal
    caller.transport.producer.pauseProducing()  # as the reactor does when the other side does not read
    terminal.send(b"x" * 90_000)
    house.clock.advance(0)
    assert caller.transport.value() == b""
    assert not caller.transport.disconnected
    terminal.send(b"x" * 20_000)
    assert caller.transport.disconnected


def test_what_waited_over_tls_is_sent_when_the_other_side_reads_again(house):
    caller = house.calls().greets()
    terminal = house.players[0].terminal
    caller.reads()
    caller.transport.producer.pauseProducing()
    terminal.send(b"x" * 50_000)
    assert caller.reads() == b""
    caller.transport.producer.resumeProducing()
    assert len(caller.reads()) == 50_000


def test_closing_says_the_last_word_first(house):
    caller = house.calls().greets()
    terminal = house.players[0].terminal
    terminal.send(b"Goodbye.\r\n")
    terminal.close()
    assert caller.reads().endswith(b"Goodbye.\r\n")
