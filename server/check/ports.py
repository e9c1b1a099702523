"""Whether the page's port is free, answers as a world, or belongs to another program, and to which."""

from __future__ import annotations

import errno
import json
import os
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path

ANSWER_SECONDS = 3.0
MAX_ANSWER_BYTES = 65536
_LISTENING = "0A"
_REACHED_AT = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@dataclass(frozen=True)
class PortStatus:
    """What is at a port: nothing (all are None), a Fallwater world of this name, another program, or an error.

    `holder` names the program, and is empty if only root may know it. `error` says why the port cannot be opened.
    """

    world: str | None = None
    holder: str | None = None
    error: str | None = None


def probe_page(host: str, port: int, is_encrypted: bool) -> PortStatus:
    """Look at a port of this machine: try to open it, and if it is taken, ask it for the name of its world."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind((host, port))
            trying.listen(1)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                return PortStatus(error=error.strerror or str(error))
        else:
            return PortStatus()
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
    wanted = {f"socket:[{inode}]" for inode in _listening_inodes(port)}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if any(os.readlink(handle) in wanted for handle in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text().strip()}, process {process.name}"
    return ""


def _listening_inodes(port: int) -> set[str]:
    found = set[str]()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with suppress(OSError):
            rows = [line.split() for line in Path(table).read_text().splitlines()[1:]]
            found |= {row[9] for row in rows if row[3] == _LISTENING and int(row[1].rpartition(":")[2], 16) == port}
    return found
