"""The figures of a running world, for those who make lists of worlds. What is not known is not told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from config.settings import ServerSettings, WorldSettings
from server.net.listeners import Ports
from server.session.registry import SessionRegistry
from server.telnet.codes import GMCP
from server.telnet.options import OPTIONS
from vault.config_notes import Settings
from world.world import World

PROJECT = "fallwater"


@dataclass
class ServerStatus:
    """Counts anew each time it is called.

    `settings` and `ports` return what holds now, `ports` None before any was open. `opened_seconds` is when the world
    was opened, in seconds since 1970.
    """

    world: World
    registry: SessionRegistry
    settings: Callable[[], Settings]
    opened_seconds: int
    ports: Callable[[], Ports | None]

    def __call__(self) -> dict[str, str]:
        """Return the figures by their names in MSSP, the required ones first."""
        server, world, ports = self.settings().server, self.settings().world, self.ports()
        given = {
            "NAME": world.name,
            "PLAYERS": str(len(self.registry.playing)),
            "UPTIME": str(self.opened_seconds),
            **_as_set(server, world),
            "PORT": _number(ports.telnet_port if ports else 0),
            "TLS": _number(ports.tls_port if ports else 0),
            "CODEBASE": codebase(),
            "FAMILY": "Custom",
            "ROOMS": str(len(self.world.rooms)),
            "OBJECTS": str(len(self.world.things)),
            "MOBILES": str(sum(character.is_agent for character in self.world.characters.values())),
            "CHARSET": "UTF-8",
            "UTF-8": "1",
            "ANSI": "1",
            "XTERM 256 COLORS": "1",
            "XTERM TRUE COLORS": "1",
            "GMCP": _switch(any(row.code == GMCP for row in OPTIONS)),
            "MCCP": _switch(server.compression),
            "CRAWL DELAY": "-1",
            "PAY TO PLAY": "0",
            "PAY FOR PERKS": "0",
        }
        return {name: value for name, value in given.items() if value}


@cache  # it is looked up on disk, and anybody may ask a hundred times in one packet
def codebase() -> str:
    """Return the project's name and, where it is installed, its version."""
    try:
        return f"{PROJECT.title()} {version(PROJECT)}"
    except PackageNotFoundError:
        return PROJECT.title()


def _as_set(server: ServerSettings, world: WorldSettings) -> dict[str, str]:
    """Return what only whoever runs the world can know."""
    return {
        "HOSTNAME": server.hostname,
        "CONTACT": world.contact,
        "WEBSITE": world.website,
        "LANGUAGE": world.language,
        "LOCATION": world.location,
        "CREATED": _number(world.founded),
        "GENRE": world.genre,
        "GAMEPLAY": world.gameplay,
        "STATUS": world.status,
    }


def _number(number: int) -> str:
    return str(number) if number else ""


def _switch(is_on: bool) -> str:
    return "1" if is_on else "0"
