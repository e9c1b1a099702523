"""The option table: supported options, what clients report, and the charset of their text."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass, field
from enum import IntFlag
from functools import lru_cache

from server.connection.connection import DEFAULT_WIDTH, Capabilities, ColorDepth, Message
from server.connection.text_screen import transliterate
from server.telnet.negotiation import Compressed, Effect, GmcpReceived, Identified, Option, Policy, Send, subnegotiation
from server.telnet.parser import (
    BINARY,
    CHARSET,
    COMPRESS2,
    ECHO,
    END_OF_RECORD,
    GMCP,
    SUPPRESS_GO_AHEAD,
    TERMINAL_TYPE,
    TIMING_MARK,
    WINDOW_SIZE,
)

_LINE_END = re.compile("\r\n|\r|\n")

# A name of more parts or more letters than any package has is no name.
_NAME = re.compile(rb"[A-Za-z][A-Za-z0-9_-]{0,31}(?:\.[A-Za-z0-9_-]{1,32}){0,5}\Z")
MIN_WIDTH = 20
MAX_WIDTH = 500
MAX_TERMINAL_TYPES = 4
MAX_NAME_LENGTH = 40
"""RFC 1091 allows no longer terminal type, in characters."""

_IS, _SEND = 0, 1
_REQUEST, _ACCEPTED, _REJECTED = 1, 2, 3
_CHARSETS = {b"UTF-8": "utf-8", b"UTF8": "utf-8", b"US-ASCII": "ascii", b"ASCII": "ascii"}
_UNPRINTABLE = re.compile(rb"[^\x20-\x7e]")
_ANSI_TYPES = re.compile(r"ansi|xterm|vt[1-5]\d\d|linux|screen|tmux|rxvt|putty|konsole|cygwin", re.IGNORECASE)
_MTTS = re.compile(r"MTTS (\d{1,9})\Z")


@lru_cache(maxsize=64)
def encode_text(text: str, encoding: str) -> bytes:
    r"""Return `text` as it goes on the wire: every line end CR LF, in `encoding`, each 255 doubled.

    `encoding` is "utf-8", or "ascii" for a client that can show no more: then it is transliterated. What many are
    shown is encoded once.
    """
    if encoding == "ascii" and not text.isascii():
        text = transliterate(text)
    text = _LINE_END.sub("\r\n", text)
    return text.encode(encoding, "replace").replace(b"\xff", b"\xff\xff")


def framed(message: Message) -> bytes:
    """Return the whole subnegotiation."""
    return subnegotiation(GMCP, message.encoded)


def read_gmcp(facts: object, content: bytes) -> list[Effect]:
    """Return a client's GMCP message, as `GmcpReceived`; anything else than a package, UTF-8 and JSON is ignored."""
    name, _, text = content.partition(b" ")
    if not _NAME.match(name):
        return []
    try:
        payload = json.loads(text.decode(), parse_constant=_refuse) if text.strip() else None
    except (ValueError, RecursionError):
        return []
    return [GmcpReceived(name.decode("ascii"), payload)]


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


class Mtts(IntFlag):
    """The capabilities of a client (Mud Terminal Type Standard, the third terminal type)."""

    ANSI = 1
    VT100 = 2
    UTF_8 = 4
    COLORS_256 = 8
    MOUSE = 16
    OSC_PALETTE = 32
    SCREEN_READER = 64
    PROXY = 128
    TRUECOLOR = 256
    MNES = 512
    MSLP = 1024
    TLS = 2048


_KNOWN_MTTS = sum(Mtts)


@dataclass
class ClientInfo:
    """The facts that a client has told about itself; until then, a plain terminal of 80 columns that has UTF-8.

    `terminal_types` are its answers to TERMINAL-TYPE in order: a MUD client's name, then its terminal.
    `charset` is the codec agreed upon by CHARSET, None before that.
    """

    width: int = DEFAULT_WIDTH
    terminal_types: list[str] = field(default_factory=list)
    mtts: Mtts | None = None
    charset: str | None = None
    is_identified: bool = False
    awaits_charset: bool = False
    has_sent_utf_8: bool = False

    @property
    def name(self) -> str:
        """Return the client's name or terminal as it gave it first, "" when it gave none."""
        return self.terminal_types[0] if self.terminal_types else ""

    @property
    def encoding(self) -> str:
        """Return "utf-8" or "ascii".

        An agreed charset decides. Without one, ASCII goes to a client whose MTTS does not claim UTF-8 and to
        TinyFugue, which strips every byte to seven bits.
        """
        if self.charset is not None:
            return self.charset
        if self.mtts is not None:
            return "utf-8" if Mtts.UTF_8 in self.mtts else "ascii"
        return "ascii" if self.terminal_types and self.name.upper() == "TINYFUGUE" else "utf-8"

    @property
    def knows_utf_8(self) -> bool:
        """True if the client has said that it has UTF-8, or, without having said anything, has sent some."""
        if self.charset is not None or self.mtts is not None:
            return self.encoding == "utf-8"
        return self.has_sent_utf_8

    def note_line(self, content: bytes) -> None:
        """Note whether a line with other characters than ASCII is valid, which shows that the client has UTF-8."""
        with suppress(UnicodeDecodeError):
            content.decode("utf-8")
            self.has_sent_utf_8 = True


def capabilities_of(client: ClientInfo) -> Capabilities:
    """Return the capabilities of a client. Until it has told all, a screen reader may look like any terminal."""
    mtts = client.mtts or Mtts(0)
    colors = _colors_of(mtts, tuple(client.terminal_types)) if client.is_identified else ColorDepth.NONE
    return Capabilities(client.width, colors, Mtts.SCREEN_READER in mtts, client.encoding)


@lru_cache(maxsize=256)
def _colors_of(mtts: Mtts, terminal_types: tuple[str, ...]) -> ColorDepth:
    if mtts:
        flags = (
            (Mtts.TRUECOLOR, ColorDepth.TRUE),
            (Mtts.COLORS_256, ColorDepth.MANY),
            (Mtts.ANSI, ColorDepth.SIXTEEN),
        )
        return next((depth for flag, depth in flags if flag in mtts), ColorDepth.NONE)
    names = [name.lower() for name in terminal_types]
    if any(name.endswith(("-truecolor", "-direct")) for name in names):
        return ColorDepth.TRUE
    if any(name.endswith("-256color") for name in names):
        return ColorDepth.MANY
    return ColorDepth.SIXTEEN if any(map(_ANSI_TYPES.match, names)) else ColorDepth.NONE


def read_window_size(client: ClientInfo, payload: bytes) -> list[Effect]:
    """Read the width, the first of the two numbers in NAWS (RFC 1073). 0 means unknown, absurd widths are clamped."""
    if len(payload) == 4:
        width = int.from_bytes(payload[:2])
        client.width = min(max(width, MIN_WIDTH), MAX_WIDTH) if width else DEFAULT_WIDTH
    return []


def ask_terminal_type(client: ClientInfo) -> list[Effect]:
    """Ask for the first terminal type, unless all are known already."""
    if client.is_identified:
        return []
    return [Send(subnegotiation(TERMINAL_TYPE, bytes([_SEND])))]


def read_terminal_type(client: ClientInfo, payload: bytes) -> list[Effect]:
    """Note one terminal type and ask for the next; MTTS, a repetition or the fourth ends it."""
    if client.is_identified or payload[:1] != bytes([_IS]):
        return []
    name = _UNPRINTABLE.sub(b"", payload[1:]).decode("ascii").strip()[:MAX_NAME_LENGTH]
    is_new = bool(name) and name not in client.terminal_types
    if is_new and (flags := _MTTS.match(name)):
        client.mtts = Mtts(int(flags[1]) & _KNOWN_MTTS)
    elif is_new:
        client.terminal_types.append(name)
        if len(client.terminal_types) < MAX_TERMINAL_TYPES:
            return ask_terminal_type(client)
    client.is_identified = True
    return [Identified()]


def ask_charset(client: ClientInfo) -> list[Effect]:
    """Ask for UTF-8, or ASCII if that is all the client has."""
    client.awaits_charset = True
    return [Send(subnegotiation(CHARSET, bytes([_REQUEST]) + b";UTF-8;US-ASCII"))]


def read_charset(client: ClientInfo, payload: bytes) -> list[Effect]:
    """Read the answer to our request, or answer the client's own (RFC 2066)."""
    kind, rest = payload[:1], payload[1:]
    if kind == bytes([_REQUEST]):
        return _answer_charset_request(client, rest)
    if kind in (bytes([_ACCEPTED]), bytes([_REJECTED])):
        client.awaits_charset = False
    if kind == bytes([_ACCEPTED]):
        client.charset = _CHARSETS.get(rest.upper(), client.charset)
    return []


def _answer_charset_request(client: ClientInfo, offer: bytes) -> list[Effect]:
    # RFC 2066: when both sides ask at once, the server's question stands and the client's is rejected.
    offered = offer[1:].split(offer[:1]) if len(offer) > 1 else []
    for codec in ("utf-8", "ascii"):
        for charset in offered:
            if _CHARSETS.get(charset.upper()) == codec and not client.awaits_charset:
                client.charset = codec
                return [Send(subnegotiation(CHARSET, bytes([_ACCEPTED]) + charset))]
    return [Send(subnegotiation(CHARSET, bytes([_REJECTED])))]


OPTIONS: tuple[Option[ClientInfo], ...] = (
    Option(
        TERMINAL_TYPE,
        remote=Policy.OFFER,
        on_remote_enabled=ask_terminal_type,
        on_subnegotiation=read_terminal_type,
    ),
    Option(WINDOW_SIZE, remote=Policy.OFFER, on_subnegotiation=read_window_size),
    # Without BINARY, inetutils telnet loses every UTF-8 character that has a byte 0x9C.
    Option(BINARY, remote=Policy.OFFER),
    Option(
        CHARSET,
        local=Policy.OFFER,
        remote=Policy.ACCEPT,
        on_local_enabled=ask_charset,
        on_subnegotiation=read_charset,
    ),
    Option(END_OF_RECORD, local=Policy.OFFER),
    Option(GMCP, local=Policy.OFFER, on_subnegotiation=read_gmcp),
    # Ours only while a password is typed. PuTTY asks for it at once, which would make its user type blind.
    Option(ECHO),
    # Either side of it turns line-mode clients into sending single characters.
    Option(SUPPRESS_GO_AHEAD),
    # A break key makes BSD telnets ask this; they may show nothing more until it is refused.
    Option(TIMING_MARK),
)
"""Options not named here are refused. The order is the order in which they are offered."""


def compression_option() -> Option[ClientInfo]:
    """Return the row of the option table that offers compression.

    It is offered once the client has said who it is, because Mudlet fails on compressed questions. A client that says
    nothing, or asks unbidden, gets none: it may be a program that tries every option there is.
    """
    return Option(COMPRESS2, local=Policy.OFFER_LATE, on_local_enabled=_compress, on_local_disabled=_end_compression)


def _compress(client: ClientInfo) -> list[Effect]:
    return [Compressed(True)]


def _end_compression(client: ClientInfo) -> list[Effect]:
    return [Compressed(False)]
