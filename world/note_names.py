"""The name under which something of any name is kept: one that every system, every link and every table can hold.

What does not fit into it is kept as the title of the note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from world.cleaning import clean_line

FORBIDDEN = '/\\:*?"<>|#^[]%·'
LONGEST_BYTES = 120
NAMELESS = "unnamed"

_UNFIT = re.compile(f"[{re.escape(FORBIDDEN)}\x00-\x1f]+")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
"""What Windows takes for a device, whatever follows a point."""


def file_name_for(name: str, taken: Iterable[str] = ()) -> str:
    """Return the stem of a note's file for any name, that is none of those taken.

    It is in NFC, has no character that a file name, a wiki-link or a line of a note cannot hold, is no name of a
    device, fits with its number into `LONGEST_BYTES` bytes, and differs from those taken in more than case or accents'
    encoding. A name that will do as it is comes back as it is.
    """
    stem = _fitting(name)
    used = {name_key(one) for one in taken}
    found, number = stem, 1
    while name_key(found) in used:
        number += 1
        found = f"{_cut(stem, LONGEST_BYTES - len(str(number)) - 1)} {number}"
    return found


def is_device(name: str) -> bool:
    """Return whether Windows takes a name for a device, whatever ending a file of that name has."""
    return bool(_DEVICES.fullmatch(name))


def name_key(name: str) -> str:
    """Return what two names have in common that a file system, or whoever types one, may take for one."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _fitting(name: str) -> str:
    clean = unicodedata.normalize("NFC", clean_line(name))
    clean = "".join(char for char in clean if unicodedata.category(char) not in ("Cc", "Cf", "Cn", "Co", "Cs"))
    spaced = " ".join(_UNFIT.sub(" ", clean).split())
    stem = _cut(spaced.lstrip(". "), LONGEST_BYTES)
    if not stem.strip(" .-"):
        return NAMELESS
    return f"{stem} 1" if _DEVICES.fullmatch(stem) and "." not in stem else _without_device(stem)


def _without_device(stem: str) -> str:
    return f"{NAMELESS} {stem}" if _DEVICES.fullmatch(stem) else stem


def _cut(text: str, size: int) -> str:
    """Return as much of a text as fits into so many bytes, without a space or point at its end."""
    cut = text.encode()[:size].decode(errors="ignore")
    return unicodedata.normalize("NFC", cut).rstrip(" .")
