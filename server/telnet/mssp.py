"""MSSP, the MUD Server Status Protocol (option 70), for crawlers that list worlds.

Unknown values are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from config.settings import ServerSettings, WorldSettings
from server.telnet.negotiation import Effect, Option, Policy, Send, subnegotiation
from server.telnet.options import OPTIONS, ClientInfo
from server.telnet.parser import GMCP, MSSP
from vault.config_notes import Settings
from world.world import World

REQUEST = "MSSP-REQUEST"
"""The line of a crawler that knows no telnet, at the question for a name."""

_VAR, _VAL = b"\x01", b"\x02"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


def mssp_option(figures: Callable[[], Mapping[str, str]]) -> Option[ClientInfo]:
    """Return the row of the option table that sends the figures of the moment, by their names, to each asker."""

    def tell(client: ClientInfo) -> list[Effect]:
        return [Send(subnegotiation(MSSP, encode_variables(figures())))]

    return Option(MSSP, local=Policy.OFFER, on_local_enabled=tell)


def encode_variables(figures: Mapping[str, str]) -> bytes:
    """Return the payload of a subnegotiation. UTF-8 has no IAC, and control characters become spaces."""
    pairs = ((_cleaned(name).encode(), _cleaned(value).encode()) for name, value in figures.items())
    return b"".join(_VAR + name + _VAL + value for name, value in pairs)


def as_text(figures: Mapping[str, str]) -> str:
    """Return the answer to a typed `MSSP-REQUEST`: a line a figure, its name and value with a tab between them."""
    lines = [f"{_cleaned(name)}\t{_cleaned(value)}" for name, value in figures.items()]
    return "\n".join(["", "MSSP-REPLY-START", *lines, "MSSP-REPLY-END"])


def is_request(line: str) -> bool:
    """Return whether a crawler asks instead of giving a name."""
    return line.strip().upper() == REQUEST


def _cleaned(text: str) -> str:
    return _CONTROL.sub(" ", text)


PROJECT = "fallwater"


@dataclass
class ServerStatus:
    """Counts again each time it is called.

    `players` returns how many play, `settings` what holds now, `ports` the ports for telnet and for TLS, 0 for none.
    `opened_seconds` is when the world was opened, in seconds since 1970.
    """

    world: World
    players: Callable[[], int]
    settings: Callable[[], Settings]
    opened_seconds: int
    ports: Callable[[], tuple[int, int]]

    def __call__(self) -> dict[str, str]:
        """Return the figures by their names in MSSP, the required ones first."""
        server, world = self.settings().server, self.settings().world
        port, tls_port = self.ports()
        given = {
            "NAME": world.name,
            "PLAYERS": str(self.players()),
            "UPTIME": str(self.opened_seconds),
            **_as_set(server, world),
            "PORT": _number(port),
            "TLS": _number(tls_port),
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
    """Return the figures that only the operator can know."""
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
