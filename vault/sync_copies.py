"""Sync copies: what sync tools, file managers, merge tools and editors leave beside a note or folder.

A copy is never read as a note of its own. Some names tell a copy by themselves, as `Mill.sync-conflict-….md`. Others,
as `Mill 2.md` or `Copy of Mill.md`, may be meant: such a note is a copy only while the original stands beside it and
says nearly the same.
"""

from __future__ import annotations

import re
from collections import Counter

_CONFLICT = re.compile(
    r"""
      .+ [.] sync-conflict-\d{8}-\d{6} .*                  # Syncthing
    | .+ [ _.-] \( [^()]* (?i:conflict) [^()]* \)          # Dropbox, Nextcloud, Obsidian Sync, Seafile; our own
    | .+ [ _.-] \( [^()]* \D{3} \d{4}-\d{2}-\d{2} [^()]* \)  # Dropbox in other languages: words, then a date
    | .+ [.] (?i:conflict|path) \d+                         # rclone
    | .+ [_.-] (?i:conflict|conflicted) [ _.-] .* \d{4} .*  # ownCloud, Unison
    | .+ _ .+ _ (?i:conflict) | .+ [.] (?i:conflict)         # Synology, Resilio
    | .+ _ (?: BACKUP | BASE | LOCAL | REMOTE ) _ \d+       # git mergetool
    | .+ [.] (?i: orig | rej | bak | backup | old | save | swp | tmp ) [.]? \d*
    | .+ ~ (?: \d+ ~ )?                                    # Emacs, Vim, gedit
    | [#] .+ [#] | ~[$] .+ | ~syncthing~ .+ | [.] .*         # Emacs, Office, Syncthing, and all that is hidden
    """,
    re.VERBOSE,
)
_PREFIXED = re.compile(r"\w+ (?:\(\d{1,3}\) )?\w+ (?P<original>.+)")
"""The name of a copy as Google Drive and Windows make it, in any language: "Copy of Mill", "Copy (2) of Mill"."""

MIN_SHARED_LINES = 0.5
"""The share of an original's lines that a copy repeats, at least."""


def is_sync_copy(name: str) -> bool:
    """Return whether the name of a note, without `.md`, or of a folder can only be that of a copy."""
    return _CONFLICT.fullmatch(name) is not None


def original_of(name: str, names: frozenset[str] | set[str]) -> str:
    """Return which of the names beside it this name may be a copy of, the longest; empty if none.

    It is one that this name begins with, before a mark or a space: "Mill 2", "Mill (copy)", "Mill_backup",
    "Mill-DESKTOP-4F2A"; or one behind two words: "Copy of Mill".
    """
    ends = [at for at in range(len(name) - 1, 0, -1) if name[at] == "_" or not name[at].isalnum()]
    found = next((name[:at].rstrip() for at in ends if name[:at].rstrip() in names), "")
    prefixed = _PREFIXED.fullmatch(name)
    return found or (prefixed["original"] if prefixed and prefixed["original"] in names else "")


def repeats(text: str, original: str) -> bool:
    """Return whether a text says nearly the same as another: most of the lines of each stand in the other."""
    ours, theirs = (Counter(line.strip() for line in one.splitlines() if line.strip(" -")) for one in (text, original))
    shared = (ours & theirs).total()
    return shared >= MIN_SHARED_LINES * max(ours.total(), theirs.total(), 1)
