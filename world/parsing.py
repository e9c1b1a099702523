"""Parses a typed line into verb, arguments and private reason, and matches names.

A line is `verb arguments | private reason`. The bar counts only beside white space or at an end, so that
`say yes|no` stays speech; `\\|` is always a plain bar. Aliases are expanded first. Names match exactly before they
match in part, and there is never a guess between two.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Protocol, TypeVar

from world.errors import CommandError
from world.message_catalog import Wording
from world.sanitize import fold_punctuation, name_key

PREFIXES = {"'": "say", '"': "say", ":": "emote", "?": "help"}

MAX_LINE_BYTES = 4096
"""The longest line that is read, in bytes of UTF-8, unless the settings of a server say otherwise."""

MAX_DIGITS = 15

_BAR = re.compile(r"(?<!\\)(?:(?<=\s)[|｜]|[|｜](?=\s|$)|^[|｜])")
_SPACES = re.compile(r"\s+")

REPEAT = ("!", "!!", "again")
"""The commands that repeat the last line."""

_GAP = re.compile(r"%([1-9*])")
UNSPACED_SCRIPTS = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x3400, 0x9FFF))
"""The code points of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

MAX_NAME_WORDS = 12
MAX_CACHED_CHARACTERS = 120
"""Maximum number of words of a name at the beginning of a line, and maximum length of a cached name, in characters."""

ARTICLES = frozenset(("the", "a", "an", "my", "this", "that"))
_cached_key = lru_cache(maxsize=16)(name_key)  # everyone in a room asks it of the same words
_NO_FIT = 3


@dataclass(frozen=True)
class Line:
    """One parsed line. `verb` is lower case and may be empty; only its author sees `reason`."""

    verb: str
    arguments: str
    reason: str = ""


@lru_cache(maxsize=64)
def parse_line(text: str) -> Line:
    """Split a line into verb, arguments and reason. Every string is a line; none is an error."""
    spoken, reason = split_reason(text)
    if prefix := PREFIXES.get(fold_punctuation(spoken[:1])):
        said = strip_quotes(spoken)
        return Line(prefix, said if said != spoken else spoken[1:].strip(), reason)
    verb, _, arguments = spoken.partition(" ")
    return Line(fold_punctuation(verb).lower(), arguments.strip(), reason)


def strip_quotes(text: str) -> str:
    """Return speech without one pair of quotes around the whole of it, of any kind but plain apostrophes."""
    marks = fold_punctuation(text)
    if len(text) < 3 or marks[0] != marks[-1]:
        return text
    is_quoted = (marks[0] == '"' and marks.count('"') == 2) or (text[0] in "‘‚‹›" and marks[0] == "'")
    return text[1:-1].strip() if is_quoted else text


def unquote(name: str) -> str:
    """Return a name that somebody looks for, in plain punctuation and without quotes around it."""
    plain = fold_punctuation(name).strip()
    is_quoted = len(plain) > 2 and plain[0] == plain[-1] and plain[0] in "\"'"
    return plain[1:-1].strip() if is_quoted else plain


def split_reason(text: str) -> tuple[str, str]:
    """Return the command and the private reason behind the first bar, both trimmed."""
    spoken, reason = split_at_bar(text)
    return collapse_whitespace(spoken.replace("\\|", "|")), collapse_whitespace(reason[1:].replace("\\|", "|"))


def split_at_bar(text: str) -> tuple[str, str]:
    """Return the text before the bar of a private reason, and the rest with the bar, both as they were typed."""
    bar = _BAR.search(text)
    return (text[: bar.start()], text[bar.start() :]) if bar else (text, "")


def is_number(text: str) -> bool:
    """Return whether a text is a whole number that can be meant: of digits alone, and of no more than 15."""
    return text.isdecimal() and len(text) <= MAX_DIGITS


def collapse_whitespace(text: str) -> str:
    """Return the text trimmed, with every run of white space made one space."""
    return _SPACES.sub(" ", text).strip()


def expand_alias(text: str, aliases: Mapping[str, str], wording: Wording, max_line_bytes: int = MAX_LINE_BYTES) -> str:
    """Return a line with a command of one's own replaced by its text, once and never again.

    `%1` to `%9` are the words behind it, `%*` all of them; without any of these they are put at the end. A private
    reason stays behind its bar. Raises: CommandError if the result is longer than a line may be.
    """
    spoken, reason = split_at_bar(text)
    name, _, arguments = spoken.strip().partition(" ")
    meaning = aliases.get(fold_punctuation(name).lower())
    if meaning is None:
        return text
    parts = _GAP.split(meaning)
    if len(parts) == 1:
        parts = [f"{meaning} ", "*", ""]
    words = ["", *arguments.split()]
    fills = {"*": arguments.strip(), **{str(place): word for place, word in enumerate(words[:10])}}
    parts[1::2] = [fills.get(gap, "") for gap in parts[1::2]]
    # Known before so much is put together.
    size = sum(len(part.encode("utf-8", "surrogatepass")) for part in [*parts, reason])
    if size > max_line_bytes:
        raise CommandError(wording("commands.too_long", name=name, size=size, most=max_line_bytes))
    return f"{''.join(parts)} {reason}".strip()


def is_repeatable(text: str) -> bool:
    """Return whether a line can be repeated by `!`: what changes the world or oneself with `@` is typed again."""
    return fold_punctuation(text.lstrip()[:1]) not in ("", "@")


class Named(Protocol):
    """Anything with a name and other names."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Named)


def candidates(wanted: str, among: Iterable[T]) -> list[T]:
    """Return all that `wanted` can mean: by full name or alias, else by words, else by how a word begins."""
    key = strip_article(wanted)
    words = frozenset(key.split())
    if not words:
        return []
    ranked: tuple[list[T], ...] = ([], [], [])
    for item in among:
        fits = _NO_FIT
        for name in (item.name, *item.aliases):
            fits = min(fits, _fit(key, words, strip_article(name)))
        if fits < _NO_FIT:
            ranked[fits].append(item)
    return next(filter(None, ranked), [])


def find(wanted: str, among: Iterable[T], missing: str, wording: Wording) -> T:
    """Return the one thing that `wanted` means; `2.lamp` or `lamp 2` picks among several.

    Raises: CommandError with `missing` if there is none, or with the candidates if there are several.
    """
    known = list(among)
    found = candidates(wanted, known) or candidates(_without_article(wanted, wording), known)
    if len(found) == 1:
        return found[0]
    if not found:
        numbered = _numbered(wanted, known)
        if numbered is None:
            raise CommandError(missing)
        return numbered
    names = [item.name for item in found]
    raise CommandError(
        wording("commands.which_one", wanted=wanted, names=wording.join_or(names), bare=strip_article(wanted))
    )


def suggestions(wanted: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Return the names most like a misspelt one, best first."""
    key, known = name_key(wanted), {name_key(name): name for name in sorted(set(names))}
    starting = [name for name in known if key and name.startswith(key)]
    near = [name for name in known if abs(len(name) - len(key)) < len(name)]  # nobody who typed `open` meant `on`
    close = difflib.get_close_matches(key, near, n=most, cutoff=0.6)
    return [known[name] for name in dict.fromkeys([*starting, *close])][:most]


def join_or(names: Sequence[str]) -> str:
    """Return `a`, `a or b`, `a, b or c`."""
    return Wording().join_or(names)


def join_and(names: Sequence[str]) -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    return Wording().join_and(names)


def count_name_words(tokens: Sequence[str], among: Iterable[Named]) -> tuple[int, int]:
    """Return of how many first words of a line the longest whole name is made, and the longest beginning of a name.

    A beginning has at least two words; 0 if there is none. An article before a name belongs to it, and a comma or
    colon ends it.
    """
    typed = _as_typed(tokens[:MAX_NAME_WORDS])
    article = len(typed) > 1 and typed[0] in ARTICLES
    wanted = typed[article:]
    whole = part = 0
    for item in among if wanted else ():
        for name in (item.name, *item.aliases):
            key = strip_article(name)
            if not key.startswith(wanted[0]):
                continue
            words = key.split()
            count = len(tuple(takewhile(lambda pair: pair[0] == pair[1], zip(words, wanted, strict=False))))
            if count == len(words):
                whole = max(whole, count + article)
            elif count > 1:
                part = max(part, count + article)
    return whole, part


def is_named(name: str, text: str) -> bool:
    """Return whether a text has a name as a word of its own, in whatever case.

    Scripts without blanks have no ends of words to go by: there the name may stand anywhere.
    """
    key, said = name_key(name), _cached_key(text)
    place = said.find(key) if key else -1
    while place >= 0:
        end = place + len(key)
        if _is_end_of_word(said[place - 1 : place], key[0]) and _is_end_of_word(key[-1], said[end : end + 1]):
            return True
        place = said.find(key, place + 1)
    return False


def is_called(name: str, text: str) -> bool:
    """Return whether a text calls somebody by name: the name stands before a comma, or behind one at the end."""
    called = re.escape(name)
    pattern = rf"(?:^|[.!?…] ){called}\s*[,!?:…]|, {called}\s*(?:[,.!?…]|$)"
    return re.search(pattern, text, re.IGNORECASE) is not None


def renaming(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that puts other names in a text for those that are words of their own in it."""
    if not names:
        return lambda text: text
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    return lambda text: pattern.sub(lambda match: names[match[0]], text)


def strip_article(name: str) -> str:
    """Return a name as it is compared, without its article."""
    return _cached_strip(name) if len(name) <= MAX_CACHED_CHARACTERS else _strip_article(name)


def _strip_article(name: str) -> str:
    key = unquote(" ".join(name_key(name).split()))
    first, _, rest = key.partition(" ")
    return rest if first in ARTICLES and rest else key


_cached_strip = lru_cache(maxsize=32_768)(_strip_article)


def _without_article(wanted: str, wording: Wording) -> str:
    """Return the wanted name without an article of the world's own language before it."""
    first, _, rest = wanted.strip().partition(" ")
    return rest if name_key(first) in wording("commands.articles").split(", ") else wanted


def _fit(key: str, wanted: frozenset[str], name: str) -> int:
    """Return how well a name fits: 0 in full, 1 by its words, 2 by the beginning of one of them, or `_NO_FIT`."""
    if key == name:
        return 0
    if any(word not in name for word in wanted):
        return _NO_FIT  # as nearly everyone in a crowd
    words = name.split()
    if wanted.issubset(words):
        return 1
    return 2 if len(key) > 1 and any(word.startswith(key) for word in (name, *words)) else _NO_FIT


def _as_typed(tokens: Sequence[str]) -> list[str]:
    """Return the words in which a name can stand, as they are compared: up to one with a comma or colon."""
    found = list[str]()
    for token in tokens:
        word = token.rstrip(",:")
        found.append(name_key(word))
        if word != token:
            break
    return found


def _is_end_of_word(before: str, after: str) -> bool:
    """Return whether a word can end between two characters; either may be missing."""
    return not (_joins(before) and _joins(after))


def _joins(character: str) -> bool:
    if not character or not (character == "_" or unicodedata.category(character)[0] in "LMN"):
        return False
    return not any(first <= ord(character) <= last for first, last in UNSPACED_SCRIPTS)


def _numbered(wanted: str, known: Sequence[T]) -> T | None:
    """Return the one that `2.lamp` or `lamp 2` means, if that is what is wanted and there is one."""
    number, point, name = wanted.strip().partition(".")
    if not (point and _is_count(number)):
        name, _, number = wanted.strip().rpartition(" ")
    if not _is_count(number):
        return None
    found = candidates(name, known)
    return found[int(number) - 1] if 1 <= int(number) <= len(found) else None


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= 3
