"""Names: which are valid, and which look so much alike that only one of them may be taken."""

from __future__ import annotations

import unicodedata

from vault.errors import NoteError
from vault.vault import check_name

MIN_LENGTH, MAX_LENGTH = 2, 20
RESERVED = frozenset(
    "me myself self you here room all anyone anybody everyone everybody someone somebody nobody guest admin system "
    "server fallwater quit con nul aux prn mssp-request".split()
)

# Letters of living alphabets that Unicode does not take apart into a plain one and its marks.
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ŋ": "n", "ə": "e"}
    | {"ɛ": "e", "ɔ": "o", "ħ": "h", "ŧ": "t", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƒ": "f", "ɣ": "g", "-": "", "'": ""}
)


def well_formed(given: str) -> str | None:
    """Return a name as it is written here, or None if nobody can be called that: it needs Latin letters."""
    name = unicodedata.normalize("NFC", given.strip())
    if unicodedata.normalize("NFKC", name) != name:
        return None  # nobody can tell a ligature or a long s from what it looks like
    name = name[:1].upper() + name[1:]
    inside = name.replace("-", "").replace("'", "")
    latin = all(char.isalpha() and unicodedata.name(char, "").startswith("LATIN") for char in inside)
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH or not latin or not (name[0].isalpha() and name[-1].isalpha()):
        return None
    if not _plain(name).isascii():
        return None
    if name.casefold() in RESERVED:
        return name  # which is refused for that reason
    try:
        return check_name(name)
    except NoteError:
        return None


class NameIndex:
    """Names by how they look and by how they are spelled, found among any number at the same cost."""

    def __init__(self) -> None:
        self._by_look: dict[str, str | tuple[str, ...]] = {}

    def add(self, name: str) -> None:
        """Add a name; one that is there already stays as it is."""
        for look in looks(name):
            there = self._by_look.setdefault(look, name)
            if there == name:
                continue
            names = there if isinstance(there, tuple) else (there,)
            if name not in names:
                self._by_look[look] = (*names, name)

    def alike(self, name: str) -> list[str]:
        """Return the names for which somebody could take this one, itself among them if it is there."""
        found: dict[str, None] = {}
        for look in looks(name):
            there = self._by_look.get(look, ())
            found.update(dict.fromkeys(there if isinstance(there, tuple) else (there,)))
        return list(found)


def looks(name: str) -> set[str]:
    """Return a name as the eye may take it: without accents, hyphens and cases, a capital I also as a small l.

    Two letters that are read as one are that one.
    """
    forms = (name, name.replace("I", "l")) if "I" in name else (name,)
    return {_read_as_one(_plain(one)) for one in forms} - {""}


def _read_as_one(plain: str) -> str:
    return plain.replace("vv", "w").replace("rn", "m")


def _plain(name: str) -> str:
    if name.isascii():
        return name.lower().replace("-", "").replace("'", "")
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN))
    return "".join(char for char in apart if not unicodedata.combining(char)).translate(_PLAIN)
