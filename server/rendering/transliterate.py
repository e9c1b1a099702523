"""Transliteration: the nearest ASCII to any text, for clients that can show no more."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_UNSEEN = ("Mn", "Me", "Cf")
"""Marks on other letters, and what only says how others are joined or ordered."""

_ASCII_FOR = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′ʼ", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–−─━═⁃", "-"),
        **dict.fromkeys("│┃║", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╔╗╚╝╠╣╦╩╬╭╮╰╯", "+"),
        **dict.fromkeys("•·●▪◦‣∙‧", "*"),
        **dict.fromkeys("█▓▒░■", "#"),
        **dict.fromkeys("⁄∕", "/"),
        "—": "--", "―": "--", "…": "...", "«": "<<", "»": ">>", "‹": "<", "›": ">",
        "→": "->", "←": "<-", "↔": "<->", "⇒": "=>", "⇐": "<=", "↑": "^", "↓": "v",
        "×": "x", "÷": "/", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "±": "+/-",
        "✓": "+", "✔": "+", "✗": "x", "✘": "x", "★": "*", "☆": "*",
        "©": "(c)", "®": "(R)", "€": "EUR", "£": "GBP", "°": " deg",
        "\u00ad": "", "§": "Sec.", "¶": "P.", "¢": "ct", "¥": "JPY", "¤": "$", "¦": "|", "¬": "-", "μ": "u", "ƒ": "f",
        "†": "+", "‡": "++", "‰": "o/oo", "‖": "||", "ˆ": "^", "‽": "?!",
        "Ħ": "H", "ħ": "h", "ĸ": "k", "Ŋ": "Ng", "ŋ": "ng", "Ŧ": "T", "ŧ": "t", "Ə": "E", "ə": "e",
        "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
        "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th", "ı": "i", "¿": "?", "¡": "!",
    }
)  # fmt: skip


@lru_cache(maxsize=64)
def transliterate(text: str) -> str:
    """Return the nearest ASCII to `text`: letters without accents, plain signs, other scripts as they are romanised.

    What has no likeness becomes `?`, what is not seen becomes nothing.
    """
    if text.isascii():
        return text
    composed = unicodedata.normalize("NFC", text.translate(_ASCII_FOR))
    return "".join(one if one.isascii() else _likeness(one) for one in composed)


@lru_cache(maxsize=4096)
def _likeness(character: str) -> str:
    decomposed = unicodedata.normalize("NFKD", character).translate(_ASCII_FOR)
    bare = "".join(one for one in decomposed if not unicodedata.combining(one))
    if bare.isascii():
        return bare
    from anyascii import anyascii  # only where somebody needs it: each script that it knows takes memory

    unseen = unicodedata.category(character) in _UNSEEN
    return anyascii(character) or ("" if unseen else "?")
