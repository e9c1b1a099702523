"""Sync copies: what sync tools, file managers, merge tools and editors leave beside a note or folder.

A copy is never read as a note of its own. Some names tell a copy by themselves, as `Mill.sync-conflict-….md`. Others,
as `Mill 2.md`, may be meant: such a note is a copy only while the original stands beside it and says nearly the same.
"""

from __future__ import annotations

import re
from collections import Counter

_CONFLICT = re.compile(
    r"""
      .+ [.] sync-conflict-\d{8}-\d{6} .*                  # Syncthing
    | .+ [ _.-] \( [^()]* (?i:conflict) [^()]* \)          # Dropbox, Nextcloud, Obsidian Sync, Seafile; our own
    | .+ [ _.-] \( [^()]* \D{3} \d{4}-\d{2}-\d{2} [^()]* \)  # Dropbox in other languages: words, then a date
    | .+ [_.-] (?i:conflict|conflicted) [ _.-] .* \d{4} .*  # ownCloud, Unison
    | .+ _ .+ _ (?i:conflict) | .+ [.] (?i:conflict)         # Synology, Resilio
    | .+ _ (?: BACKUP | BASE | LOCAL | REMOTE ) _ \d+       # git mergetool
    | .+ [.] (?i: orig | rej | bak | backup | old | save | swp | tmp ) [.]? \d*
    | .+ ~ (?: \d+ ~ )?                                    # Emacs, Vim, gedit
    | [#] .+ [#] | ~[$] .+ | ~syncthing~ .+ | [.] .*         # Emacs, Office, Syncthing, and all that is hidden
    """,
    re.VERBOSE,
)
_NUMBER = r"(?: \d{1,3}| ?\(\d{1,3}\))"
_SUFFIXES = (
    _NUMBER,  # iCloud, and Obsidian's own copies; OneDrive, Google Drive, browsers
    r" (?:- )?\w+",  # Finder and Explorer, in any language: "Mill copy", "Mill - Kopie"
    rf" (?:- )?\w+{_NUMBER}",  # "Mill copy 2"
    r"-[A-Z0-9][A-Za-z0-9-]{2,}",  # OneDrive: "Mill-DESKTOP-4F2A"
)
_NUMBERED = [re.compile(f"(.+){suffix}") for suffix in _SUFFIXES] + [re.compile(f"(.+?){_SUFFIXES[-1]}")]
MIN_SHARED_LINES = 0.5
"""The share of an original's lines that a copy repeats, at least."""


def is_sync_copy(name: str) -> bool:
    """Return whether the name of a note, without `.md`, or of a folder can only be that of a copy."""
    return _CONFLICT.fullmatch(name) is not None


def original_of(name: str, names: frozenset[str] | set[str]) -> str:
    """Return which of the names beside it this name may be a copy of; empty if none."""
    matches = (pattern.fullmatch(name) for pattern in _NUMBERED)
    originals = (match[1].rstrip(" -") for match in matches if match)
    return next((original for original in originals if original in names), "")


def repeats(text: str, original: str) -> bool:
    """Return whether a text says nearly the same as another: most of the lines of each stand in the other."""
    ours, theirs = (Counter(line.strip() for line in one.splitlines() if line.strip(" -")) for one in (text, original))
    shared = (ours & theirs).total()
    return shared >= MIN_SHARED_LINES * max(ours.total(), theirs.total(), 1)
