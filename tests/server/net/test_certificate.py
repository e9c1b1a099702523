"""The certificate of a world: made, read, and refused with the reason."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from server.net.tls import VALID_DAYS, Certificate, make_certificate, read_certificate
from vault.errors import NoteError

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


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
    assert made.ends == NOW + timedelta(days=VALID_DAYS)
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
    assert [made.is_near_end(NOW + timedelta(days=day)) for day in days] == [False, False, True, True]


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
    assert refusal(pipe, key) == f"{pipe}: this is no file, but a pipe or a device."
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
