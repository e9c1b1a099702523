"""Text to the bytes a client can show, and a client's bytes to text."""

from __future__ import annotations

import re
from functools import lru_cache

from server.rendering.transliterate import transliterate
from world.sanitize import clean_line

_LINE_END = re.compile("\r\n|\r|\n")
_ERASE = "\b\x7f"


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


def decode_line(content: bytes, knows_utf_8: bool) -> str:
    """Return what the player meant: decoded, with rubbed-out characters gone, cleaned to one safe line.

    UTF-8 is read whenever it is valid. In what is not, broken bytes become U+FFFD if the client `knows_utf_8`; any
    other is taken for a Windows one with UTF-8 switched off (MUSHclient), whose lines are cp1252.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        text = content.decode("utf-8" if knows_utf_8 else "cp1252", "replace")
    return clean_line(_rub_out(text))


def is_utf_8(content: bytes) -> bool:
    """Return whether a line is valid UTF-8 with more in it than ASCII."""
    try:
        return not content.isascii() and bool(content.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _rub_out(text: str) -> str:
    """Apply BS and DEL, which a client in character mode sends along with the rest."""
    if not any(erase in text for erase in _ERASE):
        return text
    kept: list[str] = []
    for character in text:
        if character not in _ERASE:
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)
