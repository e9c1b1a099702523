"""The checks of the doctor on the machine, the disk and the network, the page's port included, and their results."""

from __future__ import annotations

import errno
import json
import os
import ssl
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Literal

from config.settings import MEGABYTE, ServerSettings
from server.accounts.database import Contents, read_accounts
from server.accounts.schema import NAME, account_of, ban_of, key
from server.connection.limits import is_loopback
from server.health import check_write
from server.listeners import bind_error
from vault.backup import backups_folder
from vault.errors import NoteError
from vault.findings import Finding
from vault.vault import Vault

ANSWER_SECONDS = 3.0
MAX_ANSWER_BYTES = 65536
_REACHED_AT = {"0.0.0.0": "127.0.0.1", "::": "::1"}

INOTIFY = Path("/proc/sys/fs/inotify/max_user_watches")
EARLIEST_TIME = datetime(2026, 1, 1, tzinfo=UTC)
NEAR_END = timedelta(days=21)
MIN_FREE_BYTES = 100 * MEGABYTE
LOW_FREE_BYTES = 1024 * MEGABYTE
MAX_BACKUP_AGE = timedelta(days=7)
MAX_FAULTS_SHOWN = 3


@dataclass(frozen=True)
class PortStatus:
    """The status of a port: free (all are None), a Fallwater world of this name, another program, or an error.

    `holder` names the program, and is empty if only root may know it. `error` says why the port cannot be opened.
    """

    world: str | None = None
    holder: str | None = None
    error: str | None = None


def probe_page(host: str, port: int, is_encrypted: bool) -> PortStatus:
    """Look at a port of this machine: try to open it, and if it is taken, ask it for the name of its world."""
    error = bind_error(host, port)
    if error is None:
        return PortStatus()
    if getattr(error, "errno", None) != errno.EADDRINUSE:
        return PortStatus(error=getattr(error, "strerror", None) or str(error))
    name = _world_name(_REACHED_AT.get(host, host), port, is_encrypted)
    return PortStatus(holder=_holder(port)) if name is None else PortStatus(world=name)


def _world_name(host: str, port: int, is_encrypted: bool) -> str | None:
    asking = HTTPConnection(host, port, timeout=ANSWER_SECONDS)
    if is_encrypted:  # its certificate is for another name
        asking = HTTPSConnection(host, port, timeout=ANSWER_SECONDS, context=ssl._create_unverified_context())
    try:
        asking.request("GET", "/world")
        answer = asking.getresponse()
        content = answer.read(MAX_ANSWER_BYTES)
        told = json.loads(content) if answer.getheader("server") == "fallwater" else {}
    except (OSError, HTTPException, ValueError):
        return None
    finally:
        asking.close()
    return str(told["name"]) if isinstance(told, dict) and "name" in told else None


def _holder(port: int) -> str:
    """Return the program that listens on a port, with its number; empty if that cannot be seen."""
    import psutil  # only the doctor needs it

    with suppress(psutil.Error):
        for connection in psutil.net_connections("tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port and connection.pid:
                return f"{psutil.Process(connection.pid).name()}, process {connection.pid}"
    return ""


State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True)
class Result:
    """The result of one check: `what` is a sentence, and so is `remedy`, which is empty if there is nothing to do."""

    name: str
    state: State
    what: str
    remedy: str = ""


def ok(name: str, what: str) -> Result:
    """Return that something is as it should be."""
    return Result(name, "ok", what)


def warning(name: str, what: str, remedy: str) -> Result:
    """Return that something works now and may not for long, or not for everybody."""
    return Result(name, "warning", what, remedy)


def problem(name: str, what: str, remedy: str) -> Result:
    """Return that something keeps the world from opening, or from keeping what happens in it."""
    return Result(name, "problem", what, remedy)


def watches(folders: int, limit: int | None) -> Result:
    """Return whether all folders of the vault can be watched for edits; `limit` is None where there is none."""
    if limit is not None and folders * 2 > limit:
        return warning(
            "watching",
            f"The vault has {folders} folders, and all programs of a user may watch {limit} together.",
            f"Run: sudo sysctl fs.inotify.max_user_watches={max(65536, folders * 8)}",
        )
    return ok("watching", f"The {folders} folders of the vault can be watched for edits.")


def watch_limit() -> int | None:
    """Return how many folders a user may watch, None if this system does not say."""
    try:
        return int(INOTIFY.read_text())
    except (OSError, ValueError):
        return None


def clock(now: datetime, newest: datetime | None) -> Result:
    """Return whether the time can be right: `newest` is when a memory was written last. Both know their zones."""
    if now < EARLIEST_TIME:
        remedy = "Set the clock: sudo timedatectl set-ntp true"
        return problem("clock", f"The clock says {now:%Y-%m-%d %H:%M %Z}, which cannot be.", remedy)
    if newest and (newest - now).total_seconds() > 60:
        return warning(
            "clock",
            f"The clock says {now:%Y-%m-%d %H:%M %Z}, but a memory was written at {newest:%Y-%m-%d %H:%M %Z}.",
            "See that the clock is right (timedatectl); until it is past that time, the days of memories are wrong.",
        )
    return ok("clock", f"It is {now:%Y-%m-%d %H:%M} in this machine's zone, {now:%Z}.")


def exposure(server: ServerSettings) -> Result:
    """Return whether what other machines can reach is what they should."""
    if not is_loopback(server.metrics_host) and server.metrics_port:
        return warning(
            "exposure",
            f"Metrics and health can be read from other machines on {server.metrics_host}, without a password.",
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


Probe = Callable[[str, int, bool], PortStatus]
"""Looks at a port, given its host, its number and whether TLS is spoken there."""


def page(server: ServerSettings, world_name: str, probe: Probe) -> Result:
    """Return where browsers find the page, who has that port now, and whether passwords can be read on their way."""
    if not server.web_port:
        return ok("page", "No port for the page is set.")
    host = server.web_host or server.host
    where = f"port {server.web_port} of {host}" if server.web_port > 0 else f"any free port of {host}"
    there = ""
    if server.web_port > 0:
        status = probe(host, server.web_port, server.web_tls)
        if wrong := _port_fault(status, where, world_name):
            return wrong
        there = ", which is free now" if status.world is None else ", where this world answers"
    if not is_loopback(host) and not server.web_tls:
        return warning(
            "page",
            f"The page is on {where}, open to other machines in plain text, passwords too.",
            "Set web_tls in config/server.md, or put a proxy with TLS before it and set web_host to 127.0.0.1.",
        )
    if server.web_origins and not server.trusted_proxies:
        return warning(
            "page",
            f"The page is on {where}, and reached as {server.web_origins}, but no proxy is trusted: all its visitors "
            "count as one address.",
            "If a proxy stands before it, set trusted_proxies in config/server.md to its address.",
        )
    return ok("page", f"The page is on {where}{', over TLS' if server.web_tls else ''}{there}.")


def _port_fault(status: PortStatus, where: str, world_name: str) -> Result | None:
    other = "set web_port in config/server.md to another port, or to 0 for no page."
    if status.error is not None:
        if status.error == os.strerror(errno.EADDRNOTAVAIL):
            remedy = "Set web_host in config/server.md to an address of this machine, or to 127.0.0.1."
        else:
            remedy = f"Ports below 1024 are for root: {other}"
        return warning("page", f"The page cannot open {where}: {status.error}.", remedy)
    if status.holder is not None:
        who = status.holder or "a program of another user"
        remedy = f"End that program and restart the world, or {other}"
        return warning("page", f"The page has no port: {where} is taken by {who}.", remedy)
    if status.world is not None and status.world != world_name:
        remedy = f"If that is another world, {other}"
        return warning("page", f"The page's {where} answers as {status.world!r}, not as {world_name!r}.", remedy)
    return None


def certificate(server: ServerSettings, folder: Path, now: datetime) -> Result:
    """Return whether the certificate is valid and stays so for a while; `folder` is that of the accounts."""
    if not (server.tls_port or server.web_tls):
        return ok("certificate", "No port for TLS is set.")
    try:
        from server.tls import paths_of, read_certificate
    except ImportError as error:
        remedy = "Run, in the folder of the project: pip install -e ."
        return problem("certificate", f"TLS needs a package that is not installed: {error}.", remedy)
    is_given = bool(server.tls_certificate or server.tls_key)
    path, key_path = paths_of(server, folder)
    if not is_given and not path.exists():
        return ok("certificate", f"{path} is made when the world opens first.")
    remedy = "Have it renewed where it comes from; the new file is loaded while the world runs."
    if not is_given:
        remedy = f"Move {path} away and restart the world: it makes another."
    try:
        ends = read_certificate(path, key_path).expires_at
    except NoteError as error:
        return problem("certificate", str(error), "See tls_certificate and tls_key in config/server.md.")
    if ends < now:
        return problem("certificate", f"The certificate in {path} has ended on {ends:%Y-%m-%d}.", remedy)
    if ends < now + NEAR_END:
        return warning("certificate", f"The certificate in {path} ends on {ends:%Y-%m-%d}.", remedy)
    return ok("certificate", f"The certificate in {path} is valid until {ends:%Y-%m-%d}.")


def is_of_a_journal(finding: Finding) -> bool:
    """Return whether a finding is about what an agent remembers."""
    return finding.source.startswith("agents/") and "/journal" in finding.source


def notes(vault: Vault, findings: Sequence[Finding]) -> Result:
    """Return whether the vault can be written and its notes are valid; `findings` are those of `vault check`."""
    if why := check_write(vault):
        remedy = f"Make room, or give the user that runs the world the folder: sudo chown -R USER {vault.root}"
        return problem("vault", f"{why}.", remedy)
    return _findings_result(
        "vault", vault, [one for one in findings if not is_of_a_journal(one)], f"{vault.root} is valid."
    )


def journals(vault: Vault, findings: Sequence[Finding]) -> Result:
    """Return whether what the agents remember is consistent."""
    return _findings_result("journals", vault, list(filter(is_of_a_journal, findings)), "All journals are consistent.")


def _findings_result(name: str, vault: Vault, findings: Sequence[Finding], good: str) -> Result:
    faults = [str(one) for one in findings if not one.is_remark]
    if not faults:
        return ok(name, good)
    text, more = " ".join(faults[:MAX_FAULTS_SHOWN]), len(faults) - MAX_FAULTS_SHOWN
    rest = f" And {more} more." if more > 0 else ""
    remedy = f"Correct the notes; this lists every fault: fallwater vault check --vault {vault.root}"
    return problem(name, text + rest, remedy)


def accounts(folder: Path) -> Result:
    """Return whether the accounts are valid, and can be read by their owner alone."""
    path = folder / NAME
    remedy = f"Restore a copy of {path} (docs/hosting.md)."
    try:
        contents = read_accounts(folder)
    except NoteError as error:
        return problem("accounts", str(error), remedy)
    if contents is None:
        return ok("accounts", f"There is no {path} yet; it is made when the world opens first.")
    if faults := list(_row_faults(contents)):
        more = f" And {len(faults) - MAX_FAULTS_SHOWN} more." if len(faults) > MAX_FAULTS_SHOWN else ""
        remedy = f"Correct the rows with the sqlite3 program, or restore a copy of {path} (docs/hosting.md)."
        return problem("accounts", f"{path}: {' '.join(faults[:MAX_FAULTS_SHOWN])}{more}", remedy)
    files = [one for one in sorted(folder.glob(f"{NAME}*")) if _others_can_read(one)]
    if _others_can_read(folder) or files:
        modes = [f"chmod 600 '{one}'" for one in files] + [f"chmod 700 '{folder}'"] * _others_can_read(folder)
        return problem(
            "accounts", f"{[*files, folder][0]} can be read by others on this machine.", f"Run: {' && '.join(modes)}"
        )
    if not any(row[1] == "admin" and row[2] for row in contents.accounts.values()):
        return warning("accounts", f"{path} has no admin.", "Run: fallwater reset-password NAME --role admin")
    return ok("accounts", f"{path} is valid and can be read by its owner alone; accounts: {len(contents.accounts)}.")


def _row_faults(contents: Contents) -> Iterator[str]:
    """Yield the faults of rows, in a sentence each."""
    for account_key, row in contents.accounts.items():
        try:
            if key(account_of(row).name) != account_key:
                yield f"the account {row[0]!r} has the key {account_key!r}; expected {key(row[0])!r}."
        except NoteError as error:
            yield str(error)
    for row in contents.bans.values():
        try:
            ban_of(row)
        except NoteError as error:
            yield str(error)


def _others_can_read(path: Path) -> bool:
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def disk_space(folder: Path, free_bytes: int, free_files: int | None) -> Result:
    """Return whether there is room on the disk of a folder; `free_files` is None where there is no such limit."""
    megabytes = free_bytes // MEGABYTE
    remedy = "Make room; docs/hosting.md says what grows, and what may be deleted."
    if free_bytes < MIN_FREE_BYTES:
        return problem("disk", f"The disk of {folder} has {megabytes} MB left.", remedy)
    if free_files is not None and free_files < 1000:
        return problem("disk", f"The disk of {folder} has room for {free_files} more files.", remedy)
    if free_bytes < LOW_FREE_BYTES:
        return warning("disk", f"The disk of {folder} has {megabytes} MB left.", remedy)
    return ok("disk", f"The disk of {folder} has {megabytes} MB left.")


def backups(vault: Vault, now: datetime) -> Result:
    """Return whether there is a backup that is not too old. `now` knows its zone."""
    folder = backups_folder(vault)
    remedy = "Type @backup in the world, as an admin, or have it done daily (docs/hosting.md)."
    archives = list(folder.glob("*.tar.gz")) if folder.is_dir() else []
    if not archives:
        return warning("backups", f"There is no backup in {folder}.", remedy)
    newest = max(path.stat().st_mtime for path in archives)
    age = now - datetime.fromtimestamp(newest, now.tzinfo)
    if age > MAX_BACKUP_AGE:
        return warning("backups", f"The newest backup in {folder} is {age.days} days old.", remedy)
    return ok("backups", f"The newest backup in {folder} is {max(0, age.days)} days old.")
