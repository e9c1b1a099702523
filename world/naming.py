"""The names that people may have, by the rules of the door."""

from __future__ import annotations

import unicodedata

from world.parsing import unquote

MIN_LENGTH, MAX_LENGTH = 2, 20
RESERVED = frozenset(
    "me myself self you here room all anyone anybody everyone everybody someone somebody nobody guest admin system "
    "server fallwater connect login create quit con nul aux prn mssp-request".split()
)

# Letters of living alphabets that Unicode does not take apart into a plain one and its marks.
_PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ŋ": "n", "ə": "e"}
    | {"ɛ": "e", "ɔ": "o", "ħ": "h", "ŧ": "t", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƒ": "f", "ɣ": "g", "-": "", "'": ""}
)


def normalize_name(given: str) -> str | None:
    """Return a name as it is written here, or None if nobody can be called that: it needs Latin letters."""
    name = unicodedata.normalize("NFC", given.strip())
    if unicodedata.normalize("NFKC", name) != name:
        return None  # nobody can tell a ligature or a long s from what it looks like
    name = unquote(name)
    name = name[:1].upper() + name[1:]
    inside = name.replace("-", "").replace("'", "")
    latin = all(char.isalpha() and unicodedata.name(char, "").startswith("LATIN") for char in inside)
    if not MIN_LENGTH <= len(name) <= MAX_LENGTH or not latin or not (name[0].isalpha() and name[-1].isalpha()):
        return None
    return name if plain_letters(name).isascii() else None


def is_free_name(name: str) -> bool:
    """Return whether a name is none of those that mean something here."""
    return name.casefold() not in RESERVED


def plain_letters(name: str) -> str:
    """Return a name in plain lower-case letters, without accents and hyphens."""
    if name.isascii():
        return name.lower().replace("-", "").replace("'", "")
    apart = unicodedata.normalize("NFKD", name.casefold().translate(_PLAIN))
    return "".join(char for char in apart if not unicodedata.combining(char)).translate(_PLAIN)
