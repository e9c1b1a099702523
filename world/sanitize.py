"""Sanitizes text from outside for screens, logs, notes, prompts and file names.

The same rule serves what players type, what models answer and what stands in the vault's notes: a line is
one line, without controls or escape sequences, and nothing in it is invisible or turns its neighbours around.

The name of a note's file is one that every system, every link and every table can hold; what does not fit into it is
kept as the title of the note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MAX_COMBINING_MARKS = 4
"""Maximum number of marks on one character. Written languages need up to four; piles of them do not."""

TAB_STOP = 4

# ECMA-48: a string sequence with its payload (OSC, DCS, APC, PM, SOS), a control sequence (CSI), any other
# sequence. What was never finished ends where the text or the next sequence does. No ESC is left unmatched.
_ESCAPE = re.compile(
    r"(?:\x1b[\]P_^X]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x9c|\x1b\\)?"
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|\x1b[ -/]*[0-~]?"
)
_LINE_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# Controls and C1; Unicode's Default_Ignorable_Code_Point (zero-width, bidi, fillers, variation selectors,
# tags); interlinear marks; lone surrogates; noncharacters, which YAML refuses.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)
# Zero-width joiners and non-joiners are spelling in Arabic's and India's scripts and their kin, and a joiner between
# two pictures makes one of them. Anywhere else they would only hide.
_JOINER = re.compile("[\u200c\u200d]")
_JOINS = re.compile("[\u0620-\u08ff\u0900-\u109f\u1780-\u18af\ua840-\uabff\ufb50-\ufdff\ufe70-\ufefc]")
_PICTURE = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")


def clean_line(text: str) -> str:
    """Return `text` as one line that is safe everywhere.

    Escape sequences go as a whole, payload included; so does everything invisible (controls, bidi,
    zero-width, surrogates) but a joiner or non-joiner where it is spelling. Line breaks and unusual spaces become a
    space, tabs go to the next stop, combining marks are kept up to `MAX_COMBINING_MARKS` in a row. Spaces at the ends
    stay.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _UNSEEN.sub("", _ESCAPE.sub("", text))
    text = _LINE_BREAK.sub(" ", text).expandtabs(TAB_STOP)
    if text.isascii():
        return text
    return _with_few_marks(_JOINER.sub(_joiner, _SPACE.sub(" ", text)))


def clean_block(text: str) -> str:
    r"""Return `text` with each of its lines cleaned, joined by `\n`. Every kind of line break counts."""
    return "\n".join(clean_line(line) for line in _LINE_BREAK.split(text))


def _with_few_marks(text: str) -> str:
    kept = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= MAX_COMBINING_MARKS:
            kept.append(character)
    return "".join(kept)


def _joiner(found: re.Match[str]) -> str:
    """Return a joiner where it is spelling, or nothing."""
    before, after = found.string[max(found.start() - 1, 0) : found.start()], found.string[found.end() : found.end() + 1]
    spells = _JOINS.match(before) and _JOINS.match(after) and unicodedata.category(after)[0] == "L"
    pictures = found[0] == "\u200d" and _PICTURE.match(before) and _PICTURE.match(after)
    return found[0] if spells or pictures else ""


FORBIDDEN = '/\\:*?"<>|#^[]%·'
MAX_FILE_NAME_BYTES = 120
NAMELESS = "unnamed"

_UNFIT = re.compile(f"[{re.escape(FORBIDDEN)}\x00-\x1f]+")
_DEVICES = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\..*)?", re.IGNORECASE)
"""Names that Windows takes for a device, with anything behind a point."""


def file_name_for(name: str, taken: Iterable[str] = ()) -> str:
    """Return the stem of a note's file for any name, different from the taken ones.

    It is in NFC, has no character that a file name, a wiki-link or a line of a note cannot hold, is no name of a
    device, and fits with its number into `MAX_FILE_NAME_BYTES` bytes. It differs from the taken ones in more than case
    or accents' encoding. A valid name comes back unchanged.
    """
    stem = _sanitize_stem(name)
    used = {name_key(one) for one in taken}
    found, number = stem, 1
    while name_key(found) in used:
        number += 1
        found = f"{_cut(stem, MAX_FILE_NAME_BYTES - len(str(number)) - 1)} {number}"
    return found


def is_device(name: str) -> bool:
    """Return whether Windows takes a name for a device, with any file ending."""
    return bool(_DEVICES.fullmatch(name))


# What phones, word processors and the input methods of Chinese and Japanese type by themselves, with its plain form.
_PLAIN = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u2035\u2039\u203a\u02b9\u02bb\u02bc\u00b4", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u2036\u00ab\u00bb\u02ba\u300c\u300d\u301d\u301e\u301f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2043\u2212\ufe58\ufe63", "-")
    | dict.fromkeys("\u2192\u21d2\u21fe\u27f6\u27f9\u2794\u279c\u279d\u279e", "->")
    | {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"\u3000": " "}
)


def fold_punctuation(text: str) -> str:
    """Return a text with plain quotes, apostrophes, dashes and arrows, and its full-width forms as usual ones.

    This is for verbs, names and separators. What somebody says or writes stays as it was typed.
    """
    return text if text.isascii() else text.translate(_PLAIN)


def name_key(name: str) -> str:
    """Return the key of a name: equal for names that a file system, or a person who types, may take for the same."""
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", fold_punctuation(name)).casefold())


def _sanitize_stem(name: str) -> str:
    clean = unicodedata.normalize("NFC", clean_line(name))
    clean = "".join(char for char in clean if unicodedata.category(char) not in ("Cc", "Cf", "Cn", "Co", "Cs"))
    spaced = " ".join(_UNFIT.sub(" ", clean).split())
    stem = _cut(spaced.lstrip(". "), MAX_FILE_NAME_BYTES)
    if not stem.strip(" .-"):
        return NAMELESS
    return f"{stem} 1" if _DEVICES.fullmatch(stem) and "." not in stem else _without_device(stem)


def _without_device(stem: str) -> str:
    return f"{NAMELESS} {stem}" if _DEVICES.fullmatch(stem) else stem


def _cut(text: str, size: int) -> str:
    """Return the beginning of a text that fits into a number of bytes, without a space or point at its end."""
    cut = text.encode()[:size].decode(errors="ignore")
    return unicodedata.normalize("NFC", cut).rstrip(" .")
