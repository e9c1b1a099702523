"""="""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from vault.atomic_write import Disk
from vault.errors import NoteError

VALID_DAYS = 825
"""How long a certificate that is made here is good; many clients take none for longer."""

RENEW_DAYS = 30
"""So long before its end another one is made, or asked for."""

MAX_COMMON_NAME_CHARACTERS = 64
ALWAYS_NAMED = ("localhost", "127.0.0.1", "::1")

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey


@dataclass(frozen=True)
class Certificate:
    """A certificate, those that vouch for it, and its private key."""

    chain: tuple[x509.Certificate, ...]
    key: Key

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the certificate as clients show it: pairs of hexadecimal digits with colons between."""
        return self.chain[0].fingerprint(hashes.SHA256()).hex(":").upper()

    @property
    def ends(self) -> datetime:
        """When it ends, in UTC."""
        return self.chain[0].not_valid_after_utc

    @property
    def names(self) -> frozenset[str]:
        """The names and addresses for which it is good."""
        try:
            found = self.chain[0].extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        except x509.ExtensionNotFound:
            return frozenset()
        addresses = map(str, found.get_values_for_type(x509.IPAddress))
        return frozenset([*found.get_values_for_type(x509.DNSName), *addresses])

    def is_near_end(self, now: datetime) -> bool:
        """Whether it ends soon, or has."""
        return now > self.ends - timedelta(days=RENEW_DAYS)


def read_certificate(certificate: Path, key: Path) -> Certificate:
    """Read a certificate with its chain, and its key. Raises: NoteError naming the file and what is wrong with it."""
    try:
        chain = tuple(x509.load_pem_x509_certificates(_content(certificate)))
    except ValueError as error:
        raise NoteError(f"{certificate}: there is no certificate in PEM in this file.") from error
    try:
        private = serialization.load_pem_private_key(_content(key), password=None)
    except TypeError as error:
        raise NoteError(f"{key}: this key needs a password; save it without one, readable for nobody else.") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise NoteError(f"{key}: there is no private key in PEM in this file.") from error
    if not isinstance(private, Key):
        raise NoteError(f"{key}: this kind of key does not do for TLS; use one of ECDSA (P-256), RSA or Ed25519.")
    if _public(chain[0].public_key()) != _public(private.public_key()):
        raise NoteError(f"{key}: this is not the key of the certificate in {certificate}.")
    return Certificate(chain, private)


def make_certificate(certificate: Path, key: Path, names: Iterable[str], now: datetime) -> Certificate:
    """Make a certificate that nobody has signed, and keep it and its key where only this user can read them.

    It is good for the names given and for this machine itself. Raises: NoteError if it cannot be kept.
    """
    made = _made([*dict.fromkeys([*names, *ALWAYS_NAMED])], now)
    certificate.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = made.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _keep(key, content)
    _keep(certificate, made.chain[0].public_bytes(serialization.Encoding.PEM))
    return made


def _made(names: list[str], now: datetime) -> Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0][:MAX_COMMON_NAME_CHARACTERS])])
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # clocks differ
        .not_valid_after(now + timedelta(days=VALID_DAYS))
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return Certificate((made,), key)


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _public(key: object) -> bytes:
    return key.public_bytes(  # type: ignore[attr-defined, no-any-return]  # every kind of key in a certificate has it
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def _content(path: Path) -> bytes:
    try:
        if not path.is_dir() and path.exists() and not path.is_file():  # one would wait for ever for what a pipe says
            raise NoteError(f"{path}: this is no file, but a pipe or a device.")
        return path.read_bytes()
    except OSError as error:
        raise NoteError(f"{path}: this file cannot be read: {error.strerror}.") from error


def _keep(path: Path, content: bytes) -> None:
    draft, disk = path.with_name(f"{path.name}.draft"), Disk()
    try:
        draft.unlink(missing_ok=True)
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            disk.fsync(file.fileno())
        disk.replace(draft, path)
    except OSError as error:
        raise NoteError(f"{path}: the certificate cannot be kept there: {error.strerror}.") from error
