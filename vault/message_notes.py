r"""The notes in `text/`: every sentence of the world, and what a vault says of commands.

A sentence is a line, `**name**: What is said of {wanted}.`; `\n` in it is a new line. A sentence that a vault does not
have is said as the starter vault has it; which variables it may have, the starter vault's own says, for the code
offers just those.

`text/help.md` and `text/verbs.md` have a line a command: `**go**: Go somewhere.` is its help there, `**go**: gehe,
lauf` its further names here. Any other line is for people who read the note. Each note in `text/topics` is a topic of
`help`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from functools import cache

from vault.copies import copy_fault
from vault.errors import NoteError
from vault.markdown import unescape_comments
from vault.sync_copies import original_of
from vault.vault import STARTER, Vault
from world.command import CommandLocalization, CommandTable
from world.message_catalog import Wording, variables
from world.parsing import PREFIXES, collapse_whitespace, join_and, suggestions

log = logging.getLogger(__name__)

FOLDER = "text"
WHOLE = ("welcome", "first-steps", "farewell")
"""The notes in `text/` that are one text each."""

HELP, VERBS, TOPICS = "help", "verbs", "topics"
OF_COMMANDS = (HELP, VERBS)
"""The notes in `text/` that speak of commands."""

_SENTENCE = re.compile(r"\*\*(?P<name>[a-z][a-z0-9_]*)\*\*:(?P<text>.*)")


def load_wording(vault: Vault, is_strict: bool = True) -> Wording:
    """Return the sentences of the world, in the words of this vault.

    Unless it `is_strict`, a sentence that is unknown (or no longer known), or has unknown variables, is logged and left
    out, so that a vault of another version opens. Raises: NoteError at such a sentence, or at one that stands twice.
    """
    known = starter_sentences()
    own: dict[str, str] = {}
    for name in vault.names(FOLDER):
        if original := original_of(name, _starter_names()):
            log.warning("%s", copy_fault(f"{FOLDER}/{name}.md", f"{FOLDER}/{original}.md"))
        elif name not in (*WHOLE, *OF_COMMANDS):
            own |= _check_sentences(vault, name, known, is_strict)
    return Wording(dict(known) | own)


@cache
def _starter_names() -> frozenset[str]:
    return frozenset(Vault(STARTER).names(FOLDER))


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


def _check_sentences(vault: Vault, name: str, known: dict[str, str], is_strict: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    for sentence, text, place in _sentences(vault, name):
        key = f"{name}.{sentence}"
        if key in found:
            raise NoteError(f"{place}: {sentence!r} stands twice in this note; remove one.")
        fault = _sentence_fault(sentence, text, key, known)
        if fault and is_strict:
            raise NoteError(f"{place}: {fault}")
        if fault:
            log.warning("left out: %s: %s", place, fault)
        else:
            found[key] = text
    return found


def _sentence_fault(sentence: str, text: str, key: str, known: dict[str, str]) -> str:
    """Return why a sentence cannot be said, or an empty text."""
    if key not in known:
        close = suggestions(key, known, 1)
        hint = f"did you mean {close[0].partition('.')[2]!r}?" if close else "remove it."
        return f"nothing in the world says {sentence!r}; {hint}"
    if unknown := sorted(variables(text) - variables(known[key])):
        offered = join_and([f"{{{one}}}" for one in sorted(variables(known[key]))]) or "none"
        return f"{sentence!r} is not given {{{unknown[0]}}}; it can say {offered}."
    return ""


def _sentences(vault: Vault, name: str) -> Iterator[tuple[str, str, str]]:
    """Yield name, text and place of each sentence in a note."""
    note = vault.read(FOLDER, f"{name}.md")
    for line in note.lines:
        if line.counts and (match := _SENTENCE.fullmatch(unescape_comments(line.text))):
            yield match["name"], match["text"].strip(" \t").replace("\\n", "\n"), f"{note.source}:{line.number}"


_ENTRY = re.compile(r"\*\*(?P<verb>[^\s*]+)\*\*:(?P<text>.*)")


def load_command_texts(vault: Vault, table: CommandTable, is_strict: bool = True) -> CommandLocalization:
    """Return what a vault says of the commands in a table; a topic that it does not have is the starter vault's.

    Unless it `is_strict`, a command that does not exist is logged and left out. Raises: NoteError at such a one, at one
    that stands twice, or a name that is not valid or is taken.
    """
    help_ = {verb: text.replace("\\n", "\n") for verb, text, _ in _entries(vault, HELP, table, is_strict)}
    names: dict[str, tuple[str, ...]] = {}
    for verb, text, place in _entries(vault, VERBS, table, is_strict):
        taken = {name: other for other, given in names.items() for name in given}
        names[verb] = tuple(_check_command_name(name, verb, place, table, taken) for name in _split_names(text))
    return CommandLocalization(help_, names, _topics(Vault(STARTER)) | _topics(vault))


def _entries(vault: Vault, name: str, table: CommandTable, is_strict: bool) -> Iterator[tuple[str, str, str]]:
    """Yield verb, text and place of each command in a note; nothing if there is no such note."""
    if not vault.exists(FOLDER, f"{name}.md"):
        return
    note, seen = vault.read(FOLDER, f"{name}.md"), set[str]()
    verbs = {one.verb for one in table}
    for line in note.lines:
        match = _ENTRY.fullmatch(unescape_comments(line.text)) if line.counts else None
        if not match:
            continue
        verb, place = match["verb"].lower(), f"{note.source}:{line.number}"
        if verb not in verbs:
            close = suggestions(verb, verbs, 1)
            hint = f"did you mean {close[0]!r}?" if close else "`commands` lists them all."
            if is_strict:
                raise NoteError(f"{place}: there is no command {verb!r}; {hint}")
            log.warning("left out: %s: there is no command %r; %s", place, verb, hint)
            continue
        if verb in seen:
            raise NoteError(f"{place}: {verb!r} stands twice in this note; remove one.")
        seen.add(verb)
        yield verb, match["text"].strip(" \t"), place


def _split_names(text: str) -> list[str]:
    return list(dict.fromkeys(collapse_whitespace(part).lower() for part in text.split(",") if part.strip()))


def _check_command_name(name: str, verb: str, place: str, table: CommandTable, taken: dict[str, str]) -> str:
    """Return a name that a command may have. Raises: NoteError."""
    if " " in name or name[0] in PREFIXES or "|" in name:
        raise NoteError(f"{place}: {name!r} cannot be the name of a command; take one word that begins with a letter.")
    other = next((one.verb for one in table if name in one.names), taken.get(name))
    if other:
        raise NoteError(f"{place}: {name!r} is the name of {other!r} already; give {verb!r} another.")
    return name


def _topics(vault: Vault) -> dict[str, str]:
    names = vault.names(f"{FOLDER}/{TOPICS}")
    return {name.lower(): vault.read(FOLDER, TOPICS, f"{name}.md").body.strip("\n") for name in names}
