"""Evennia as it is measured: the release on PyPI, in an environment and a game of its own, kept in a cache folder.

Its settings are its own but for what would only hinder a measure: no web server, no limits of rate, and a quick hash
for passwords, as logging in is not what is measured."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.lib.crowd import DESCRIPTION, SEEN, town
from bench.lib.servers import Served, free_port

VERSION = "6.1.0"
PYTHONS = ("3.13", "3.12")
"""The versions of Python it runs with, the first available one; without any, ours and the newest release for it."""

PARTS = ("portal", "server")
"""The processes that it consists of."""

FIRST_START_SECONDS = 15.0
"""Seconds after its first start in which it restarts by itself; stopped meanwhile, it leaves processes behind."""

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fallwater-bench"
SETTINGS = """
import os
TELNET_PORTS = [int(os.environ.get("BENCH_TELNET_PORT", "4000"))]
TELNET_INTERFACES = ["127.0.0.1"]
AMP_PORT = int(os.environ.get("BENCH_AMP_PORT", "4006"))
WEBSERVER_ENABLED = WEBCLIENT_ENABLED = WEBSOCKET_CLIENT_ENABLED = False
MAX_CONNECTION_RATE = 100000
MAX_COMMAND_RATE = 1000000
CREATION_THROTTLE_LIMIT = LOGIN_THROTTLE_LIMIT = 1000000000
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""
SUPERUSER = {
    "EVENNIA_SUPERUSER_USERNAME": "warden",
    "EVENNIA_SUPERUSER_PASSWORD": "only for a bench",
    "EVENNIA_SUPERUSER_EMAIL": "warden@example.org",
}


class EvenniaServer:
    """An environment with Evennia, and a game with accounts for so many people.

    Raises: subprocess.CalledProcessError if it cannot be installed or set up; its output says why.
    """

    def __init__(self, people: int) -> None:
        python, requirement = _python()
        name = f"evennia-{VERSION}-{Path(python).name}"
        self._bin = CACHE / name / "bin"
        self._game = CACHE / f"{name}-game-{people}"
        if not (self._bin / "evennia").exists():
            CACHE.mkdir(parents=True, exist_ok=True)
            _run([python, "-m", "venv", "--clear", str(CACHE / name)], CACHE)
            _run([str(self._bin / "pip"), "install", "-q", "--disable-pip-version-check", requirement], CACHE)
        if not self._game.exists():
            self._make_game(people)

    @property
    def version(self) -> str:
        """The release that was installed, with its Python."""
        asked = "import evennia, sys; print(evennia.__version__.split()[0], *sys.version_info[:2])"
        said = _run([str(self._bin / "python"), "-c", asked], CACHE).split()
        return f"Evennia {said[0]} on Python {said[1]}.{said[2]}"

    @contextmanager
    def open(self) -> Iterator[Served]:
        """Start it, and stop it at the end."""
        with tempfile.TemporaryDirectory() as folder:
            game = Path(folder) / "game"
            shutil.copytree(self._game, game)
            ports = {"BENCH_TELNET_PORT": str(free_port()), "BENCH_AMP_PORT": str(free_port())}
            self._evennia(game, "start", **ports)
            try:
                yield Served("Evennia", int(ports["BENCH_TELNET_PORT"]), _pids(game), b"connect <", _log_in)
            finally:
                self._stop(game, ports)

    def _make_game(self, people: int) -> None:
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            game = Path(folder) / "game"
            self._evennia(Path(folder), "--init", "game")
            with (game / "server" / "conf" / "settings.py").open("a", encoding="utf-8") as file:
                file.write(SETTINGS)
            self._evennia(game, "migrate")
            ports = {"BENCH_TELNET_PORT": str(free_port()), "BENCH_AMP_PORT": str(free_port())}
            self._evennia(game, "start", **ports)  # the first start makes the superuser and the first room
            time.sleep(FIRST_START_SECONDS)
            self._stop(game, ports)
            wanted = json.dumps({"rooms": town(people), "description": DESCRIPTION, "people": people})
            program = Path(__file__).with_name("evennia_world.py")
            _run([str(self._bin / "python"), str(program), wanted], game)
            game.rename(self._game)

    def _stop(self, game: Path, ports: Mapping[str, str]) -> None:
        """Stop it in good order, and by force what is left of it."""
        pids = _pids(game)
        with suppress(subprocess.CalledProcessError):
            self._evennia(game, "stop", **ports)
        for pid in {*pids, *_pids(game)}:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for part in PARTS:
            (game / "server" / f"{part}.pid").unlink(missing_ok=True)

    def _evennia(self, folder: Path, *arguments: str, **environment: str) -> None:
        path = f"{self._bin}{os.pathsep}{os.environ['PATH']}"  # it starts twistd by its name
        _run([str(self._bin / "evennia"), *arguments], folder, PATH=path, **SUPERUSER, **environment)


def _pids(game: Path) -> tuple[int, ...]:
    """Return the processes of a game that runs."""
    files = [game / "server" / f"{part}.pid" for part in PARTS]
    return tuple(int(file.read_text("utf-8")) for file in files if file.exists())


def _log_in(number: int) -> Sequence[tuple[bytes, bytes]]:
    return ((b"connect player%d secret%dword" % (number, number), SEEN),)


def _python() -> tuple[str, str]:
    """Return the Python to run it with, and what to install."""
    for version in PYTHONS:
        known = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python{version}"))
        if found := shutil.which(f"python{version}", path=os.defpath) or (str(known[-1]) if known else None):
            return found, f"evennia=={VERSION}"
    return sys.executable, "evennia"


def _run(command: Sequence[str], folder: Path, **environment: str) -> str:
    """Run a program and return what it prints; what it leaves running holds no pipe of ours."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
        )
        printed.seek(0)
        text = printed.read()
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, text)
    return text
