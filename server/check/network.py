"""Ports: free or this world's own, and who can reach them over what."""

from __future__ import annotations

import socket
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from config.settings import ServerSettings
from server.check.result import Result, ok, problem, warning
from server.net.addresses import is_loopback
from server.telnet.mssp import REQUEST
from vault.errors import NoteError

ANSWER_SECONDS = 2.0
NEAR_END = timedelta(days=21)


def port_of_world(host: str, port: int, world_name: str) -> Result:
    """Return whether the telnet port is free, or taken by the world itself."""
    if port == 0 or is_free(host, port):
        return ok("port", f"Port {port} on {host} is free." if port else "Any free port is taken at the start.")
    if f"NAME\t{world_name}" in answer(host, port, f"{REQUEST}\r\n"):
        return ok("port", f"{world_name} is open on {host}:{port}.")
    return problem(
        "port",
        f"Port {port} on {host} is taken, and not by {world_name}.",
        f"Find out by whom (ss -ltnp 'sport = :{port}'), or set another port in config/server.md.",
    )


def port_of_pages(host: str, port: int) -> Result:
    """Return whether the port for figures and health is free, or has a world's pages."""
    if port <= 0 or is_free(host, port):
        return ok("metrics port", f"Port {port} on {host} is free." if port > 0 else "No port for figures is set.")
    if '"checks"' in answer(host, port, "GET /healthz HTTP/1.0\r\n\r\n"):
        return ok("metrics port", f"Figures and health are told on {host}:{port}.")
    return problem(
        "metrics port",
        f"Port {port} on {host} is taken by something else.",
        f"Find out by whom (ss -ltnp 'sport = :{port}'), or set another metrics_port in config/server.md.",
    )


def exposure(server: ServerSettings) -> Result:
    """Return whether what other machines can reach is what they should."""
    if not is_loopback(server.metrics_host) and server.metrics_port:
        return warning(
            "exposure",
            f"Figures and health can be read from other machines on {server.metrics_host}, without a password.",
            "Set metrics_host to 127.0.0.1 in config/server.md, or let a firewall say who may.",
        )
    if is_loopback(server.host):
        return ok("exposure", f"Telnet is open on {server.host}, to this machine alone.")
    if not server.tls_port:
        return warning(
            "exposure",
            f"Telnet is open to other machines on {server.host}, in plain text, passwords too, and there is no TLS.",
            "Set tls_port in config/server.md and have people use that; then set host to 127.0.0.1.",
        )
    return ok("exposure", f"Telnet is open to other machines on {server.host}, in plain text and over TLS.")


def certificate(server: ServerSettings, folder: Path, now: datetime) -> Result:
    """Return whether the certificate is valid and stays so for a while; `folder` is that of the accounts."""
    if not server.tls_port:
        return ok("certificate", "No port for TLS is set.")
    try:
        from server.net.certificate import read_certificate
        from server.net.tls import CERTIFICATE, KEY
    except ImportError as error:
        remedy = "Run, in the folder of the project: pip install -e ."
        return problem("certificate", f"TLS needs a package that is not installed: {error}.", remedy)
    is_given = bool(server.tls_certificate or server.tls_key)
    path = folder / (server.tls_certificate or CERTIFICATE)
    if not is_given and not path.exists():
        return ok("certificate", f"{path} is made when the world opens first.")
    remedy = "Have it renewed where it comes from; the new file is taken in while the world runs."
    if not is_given:
        remedy = f"Move {path} away and restart the world: it makes another."
    try:
        ends = read_certificate(path, folder / (server.tls_key or server.tls_certificate or KEY)).ends
    except NoteError as error:
        return problem("certificate", str(error), "See tls_certificate and tls_key in config/server.md.")
    if ends < now:
        return problem("certificate", f"The certificate in {path} has ended on {ends:%Y-%m-%d}.", remedy)
    if ends < now + NEAR_END:
        return warning("certificate", f"The certificate in {path} ends on {ends:%Y-%m-%d}.", remedy)
    return ok("certificate", f"The certificate in {path} is valid until {ends:%Y-%m-%d}.")


def is_free(host: str, port: int) -> bool:
    """Return whether a port could be opened now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind((host, port))
            trying.listen(1)
        except OSError:
            return False
    return True


def answer(host: str, port: int, request: str) -> str:
    """Return what a port says to a request within two seconds, or less if it closes before; empty if nothing."""
    said = b""
    near = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    with suppress(OSError), socket.create_connection((near, port), ANSWER_SECONDS) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.sendall(request.encode())
        while len(said) < 65536 and b"REPLY-END" not in said and (more := connection.recv(4096)):
            said += more
    return said.decode("utf-8", "replace")
