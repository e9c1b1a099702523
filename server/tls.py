"""Telnet over TLS: the certificate, which is reloaded when its files change, and handshakes.

Imported only where TLS is on.
"""

from __future__ import annotations

import ipaddress
import logging
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID
from OpenSSL import SSL
from twisted.internet.interfaces import IAddress, IHandshakeListener, IOpenSSLServerConnectionCreator
from twisted.internet.protocol import Protocol, ServerFactory, connectionDone
from twisted.protocols.tls import TLSMemoryBIOFactory, TLSMemoryBIOProtocol
from twisted.python.failure import Failure
from zope.interface import implementer

from config.settings import ServerSettings
from server.clock import DelayedCall, ReactorClock, cancel
from server.connection.limits import ProtocolFactory
from vault.atomic_write import Disk
from vault.errors import NoteError

VALID_DAYS = 825
"""Number of days that a generated certificate is valid; many clients take none for longer."""

RENEW_DAYS = 30
"""Number of days before its end at which a new certificate is made, or asked for."""

MAX_COMMON_NAME_CHARACTERS = 64
ALWAYS_NAMED = ("localhost", "127.0.0.1", "::1")

Key = ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey | ed25519.Ed25519PrivateKey | ed448.Ed448PrivateKey

log = logging.getLogger(__name__)

CERTIFICATE, KEY = "tls-certificate.pem", "tls-key.pem"
CIPHERS = b"ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL"
POLL_SECONDS = 2.0
Stamp = tuple[tuple[int, int, int], ...]
MAX_HANDSHAKE_SECONDS = 20.0
"""Maximum seconds of a handshake, or less if coming in may take less."""


@dataclass(frozen=True)
class Certificate:
    """A certificate, its chain, and its private key."""

    chain: tuple[x509.Certificate, ...]
    key: Key

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the certificate as clients show it: pairs of hexadecimal digits with colons between."""
        return self.chain[0].fingerprint(hashes.SHA256()).hex(":").upper()

    @property
    def expires_at(self) -> datetime:
        """The time when it ends, in UTC."""
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

    def is_near_expiry(self, now: datetime) -> bool:
        """Return whether it ends soon, or has ended."""
        return now > self.expires_at - timedelta(days=RENEW_DAYS)


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
    made = _generate([*dict.fromkeys([*names, *ALWAYS_NAMED])], now)
    certificate.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    content = made.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    _keep(key, content)
    _keep(certificate, made.chain[0].public_bytes(serialization.Encoding.PEM))
    return made


def _generate(names: list[str], now: datetime) -> Certificate:
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
            raise NoteError(f"{path}: this is a pipe or a device, not a file.")
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


@implementer(IOpenSSLServerConnectionCreator)
class Credentials:
    """The current certificate. Files that change are reloaded; invalid ones change nothing.

    `folder` is where files are looked for and made. `now` returns the time in UTC, `tell` tells admins.
    Raises: NoteError if there is no valid certificate to begin with.
    """

    def __init__(
        self,
        settings: ServerSettings,
        folder: Path,
        clock: ReactorClock,
        now: Callable[[], datetime],
        tell: Callable[[str], None],
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._now = now
        self._tell = tell
        self._is_given = bool(settings.tls_certificate or settings.tls_key)
        self._certificate_path, self._key_path = paths_of(settings, folder)
        self._stamp = self._seen = self._stamps()
        self._warned = False
        self._next: DelayedCall | None = None
        self.certificate = self._first()
        self._context = context_of(self.certificate)
        self._warn_of_expiry()

    @property
    def note(self) -> str:
        """The note for the operator about the certificate."""
        made = "Its certificate is self-signed, so clients ask once" if not self._is_given else "Its certificate is"
        where = f"whether to trust it: {self._certificate_path}" if not self._is_given else self._certificate_path
        return f"{made} {where}, until {self.certificate.expires_at:%Y-%m-%d}. SHA-256 {self.certificate.fingerprint}"

    def serverConnectionForTLS(self, protocol: TLSMemoryBIOProtocol) -> SSL.Connection:
        """Return the encryption of a new connection."""
        return SSL.Connection(self._context, None)

    def start(self) -> None:
        """Watch the files for changes from now on."""
        self._next = self._clock.callLater(POLL_SECONDS, self._poll)

    def stop(self) -> None:
        """Look no longer."""
        cancel(self._next)

    def _poll(self) -> None:
        """Take in files that have changed and stand still, and renew what was made here and ends soon."""
        self.start()
        seen, self._seen = self._seen, self._stamps()
        try:
            if self._seen == seen and seen != self._stamp:
                self._stamp = seen
                self._adopt(read_certificate(self._certificate_path, self._key_path))
            elif not self._is_given and self.certificate.is_near_expiry(self._now()):
                self._adopt(self._make())
        except (NoteError, SSL.Error) as error:
            self._say(f"{error} New connections keep the certificate from before.")
        self._warn_of_expiry()

    def _first(self) -> Certificate:
        if self._is_given:
            return read_certificate(self._certificate_path, self._key_path)
        try:
            found = read_certificate(self._certificate_path, self._key_path)
        except NoteError as error:
            if self._certificate_path.exists():
                log.warning("%s Another certificate is made.", error)
            return self._make()
        fits = self._names() <= found.names and not found.is_near_expiry(self._now())
        return found if fits else self._make()

    def _make(self) -> Certificate:
        made = make_certificate(self._certificate_path, self._key_path, sorted(self._names()), self._now())
        self._stamp = self._seen = self._stamps()
        return made

    def _names(self) -> frozenset[str]:
        given = {self._settings.hostname, self._settings.host, self._settings.tls_host}
        return frozenset(name for name in given if name and name not in ("0.0.0.0", "::"))

    def _adopt(self, certificate: Certificate) -> None:
        if certificate.chain == self.certificate.chain:
            return
        self._context = context_of(certificate)
        self.certificate, self._warned = certificate, False
        self._say(f"{self._certificate_path}: reloaded. New connections have the certificate {certificate.fingerprint}")

    def _warn_of_expiry(self) -> None:
        if not self._warned and self.certificate.is_near_expiry(self._now()):
            self._warned = True
            self._say(
                f"{self._certificate_path}: this certificate ends on {self.certificate.expires_at:%Y-%m-%d}, in less "
                f"than {RENEW_DAYS} days. Replace the file; the new one is loaded at once."
            )

    def _say(self, text: str) -> None:
        log.warning("%s", text)
        self._tell(text)

    def _stamps(self) -> Stamp:
        return tuple(_stamp(path) for path in (self._certificate_path, self._key_path))


def paths_of(settings: ServerSettings, folder: Path) -> tuple[Path, Path]:
    """Return the files of the certificate and of its key."""
    certificate = folder / (settings.tls_certificate or CERTIFICATE)
    return certificate, folder / (settings.tls_key or settings.tls_certificate or KEY)


def context_of(certificate: Certificate) -> SSL.Context:
    """Return the context of new connections: TLS 1.2 or later, forward secrecy, no renegotiation."""
    context = SSL.Context(SSL.TLS_SERVER_METHOD)
    context.set_min_proto_version(SSL.TLS1_2_VERSION)
    context.set_options(SSL.OP_NO_COMPRESSION | SSL.OP_NO_RENEGOTIATION | SSL.OP_CIPHER_SERVER_PREFERENCE)
    context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
    context.set_mode(SSL.MODE_RELEASE_BUFFERS)
    context.set_cipher_list(CIPHERS)
    context.use_privatekey(certificate.key)
    context.use_certificate(certificate.chain[0])
    for further in certificate.chain[1:]:
        context.add_extra_chain_cert(further)
    return context


def utc_now(now_ms: Callable[[], int]) -> Callable[[], datetime]:
    """Return a clock in UTC, from a clock in milliseconds since 1970."""
    return lambda: datetime.fromtimestamp(now_ms() / 1000, UTC)


def _stamp(path: Path) -> tuple[int, int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


@implementer(IHandshakeListener)
class Handshake(Protocol):
    """The protocol of a caller until the TLS handshake is done; then the real protocol replaces it."""

    def __init__(self, factory: ProtocolFactory, clock: ReactorClock, seconds: float) -> None:
        self._factory = factory
        self._clock = clock
        self._seconds = seconds
        self._late: DelayedCall | None = None

    def connectionMade(self) -> None:
        self._late = self._clock.callLater(self._seconds, self._connection.abortConnection)

    def handshakeCompleted(self) -> None:
        """Replace this protocol by the real one."""
        cancel(self._late)
        connection = self._connection
        protocol = connection.wrappedProtocol = self._factory.buildProtocol(connection.getPeer())
        protocol.makeConnection(connection)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        cancel(self._late)

    @property
    def _connection(self) -> TLSMemoryBIOProtocol:
        return cast(TLSMemoryBIOProtocol, self.transport)


class TlsConnection(TLSMemoryBIOProtocol):
    """A connection over TLS. What is written goes out at once: the terminal gathers it already, a turn at a time."""

    _when_lost: Callable[[], None] = staticmethod(lambda: None)

    def when_lost(self, call: Callable[[], None]) -> None:
        """Call something when the connection has ended."""
        self._when_lost = call

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        try:
            super().connectionLost(reason)  # type: ignore[no-untyped-call]
        finally:
            self._when_lost()


class _Handshakes(ServerFactory):
    noisy = False

    def __init__(self, factory: ProtocolFactory, clock: ReactorClock, seconds: Callable[[], float]) -> None:
        self._factory = factory
        self._clock = clock
        self._seconds = seconds

    def buildProtocol(self, addr: IAddress | None) -> Handshake:
        return Handshake(self._factory, self._clock, min(MAX_HANDSHAKE_SECONDS, self._seconds()))


def over_tls(
    factory: ProtocolFactory, credentials: Credentials, clock: ReactorClock, login_seconds: Callable[[], float]
) -> ProtocolFactory:
    """Return a factory whose callers speak TLS, and behind it what `factory` makes for each."""
    behind: Any = _Handshakes(factory, clock, login_seconds)
    encrypted = TLSMemoryBIOFactory(cast(Any, credentials), False, behind, cast(Any, clock))
    encrypted.protocol = TlsConnection
    return encrypted
