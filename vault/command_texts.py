"""What a vault says of commands: `text/help.md`, `text/verbs.md` and the topics in `text/topics`.

Both notes have a line a command: `**go**: Go somewhere.` is its help there, `**go**: gehe, lauf` its further names
here. Any other line is for whoever reads the note. Each note in `text/topics` is a topic of `help`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from vault.escaping import unescaped_comments
from vault.folder import STARTER, Vault
from vault.notes import NoteError
from vault.text_notes import FOLDER
from world.command import CommandTable, CommandTexts
from world.matching import suggestions
from world.parsing import PREFIXES, one_spaced

HELP, VERBS, TOPICS = "help", "verbs", "topics"

_ENTRY = re.compile(r"\*\*(?P<verb>[^\s*]+)\*\*:(?P<text>.*)")


def load_command_texts(vault: Vault, table: CommandTable) -> CommandTexts:
    """Return what a vault says of the commands in a table; a topic that it does not have is the starter vault's.

    Raises: NoteError at a command that does not exist or stands twice, or a name that will not do or is taken.
    """
    help_ = {verb: text.replace("\\n", "\n") for verb, text, _ in _entries(vault, HELP, table)}
    names: dict[str, tuple[str, ...]] = {}
    for verb, text, place in _entries(vault, VERBS, table):
        taken = {name: other for other, given in names.items() for name in given}
        names[verb] = tuple(_checked(name, verb, place, table, taken) for name in _listed(text))
    return CommandTexts(help_, names, _topics(Vault(STARTER)) | _topics(vault))


def _entries(vault: Vault, name: str, table: CommandTable) -> Iterator[tuple[str, str, str]]:
    """Yield verb, text and place of each command in a note; nothing if there is no such note."""
    if not vault.exists(FOLDER, f"{name}.md"):
        return
    note, seen = vault.read(FOLDER, f"{name}.md"), set[str]()
    verbs = {one.verb for one in table}
    for line in note.lines:
        match = _ENTRY.fullmatch(unescaped_comments(line.text)) if line.counts else None
        if not match:
            continue
        verb, place = match["verb"].lower(), f"{note.source}:{line.number}"
        if verb not in verbs:
            close = suggestions(verb, verbs, 1)
            hint = f"did you mean {close[0]!r}?" if close else "`commands` lists them all."
            raise NoteError(f"{place}: there is no command {verb!r}; {hint}")
        if verb in seen:
            raise NoteError(f"{place}: {verb!r} stands twice in this note; remove one.")
        seen.add(verb)
        yield verb, match["text"].strip(" \t"), place


def _listed(text: str) -> list[str]:
    return list(dict.fromkeys(one_spaced(part).lower() for part in text.split(",") if part.strip()))


def _checked(name: str, verb: str, place: str, table: CommandTable, taken: dict[str, str]) -> str:
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
