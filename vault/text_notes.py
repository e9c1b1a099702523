r"""The notes in `text/` as the wording of a world: a sentence a line, `**name**: What is said of {wanted}.`

`\n` in a sentence is a new line. A sentence that a vault does not have is said as the starter vault has it; which
variables it may have, the starter vault's own says, for the code offers just those.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from vault.escaping import unescaped_comments
from vault.folder import STARTER, Vault
from vault.notes import NoteError
from world.matching import listed, suggestions
from world.message_catalog import Wording, variables

FOLDER = "text"
WHOLE = ("welcome", "first-steps", "farewell")
"""The notes in `text/` that are one text each."""

OF_COMMANDS = ("help", "verbs")
"""The notes in `text/` that speak of commands, see `vault.command_texts`."""

_SENTENCE = re.compile(r"\*\*(?P<name>[a-z][a-z0-9_]*)\*\*:(?P<text>.*)")


def load_wording(vault: Vault) -> Wording:
    """Return what the world says, in the words of this vault.

    Raises: NoteError at a sentence that nobody says, that stands twice, or whose variables are not offered.
    """
    known = starter_sentences()
    own: dict[str, str] = {}
    for name in vault.names(FOLDER):
        if name not in (*WHOLE, *OF_COMMANDS):
            own |= _checked(vault, name, known)
    return Wording(dict(known) | own)


@cache
def starter_sentences() -> dict[str, str]:
    """Return every sentence there is, by `note.name`, as the starter vault has it."""
    vault = Vault(STARTER)
    return {
        f"{name}.{sentence}": text
        for name in vault.names(FOLDER)
        if name not in (*WHOLE, *OF_COMMANDS)
        for sentence, text, _ in _sentences(vault, name)
    }


def _checked(vault: Vault, name: str, known: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for sentence, text, place in _sentences(vault, name):
        key = f"{name}.{sentence}"
        if key not in known:
            close = suggestions(key, known, 1)
            hint = f"did you mean {close[0].partition('.')[2]!r}?" if close else "remove it."
            raise NoteError(f"{place}: nothing in the world says {sentence!r}; {hint}")
        if key in found:
            raise NoteError(f"{place}: {sentence!r} stands twice in this note; remove one.")
        unknown = sorted(variables(text) - variables(known[key]))
        if unknown:
            offered = listed([f"{{{one}}}" for one in sorted(variables(known[key]))]) or "none"
            raise NoteError(f"{place}: {sentence!r} is not given {{{unknown[0]}}}; it can say {offered}.")
        found[key] = text
    return found


def _sentences(vault: Vault, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, text and place of each sentence in a note."""
    note = vault.read(FOLDER, f"{name}.md")
    for line in note.lines:
        if line.counts and (match := _SENTENCE.fullmatch(unescaped_comments(line.text))):
            yield match["name"], match["text"].strip(" \t").replace("\\n", "\n"), f"{note.source}:{line.number}"
