"""The shared board as a note, `world/board.md`, which people can edit while the world runs."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from dataclasses import replace

from vault.atomic_write import NO_FILE, file_stamp
from vault.errors import NoteError
from vault.markdown import escape_words, unescape_words
from vault.note import Note, format_note, link_or_name, link_target
from vault.note_editor import NoteEditor
from vault.vault import Vault
from world.world import ENDINGS, SCOPES, Board, Notice, World

log = logging.getLogger(__name__)

BOARD = ("world", "board.md")
UP, DOWN = "On the board", "Taken down"
OPENING = "What is shared in the world, word for word. Edit it: what stands under On the board is read."
FORM = "- **type** (world, from [[Author]], 7): content"

_LINE = re.compile(
    rf"\s*[-*+] \*\*(?P<label>[^*\\]+)\*\* \((?:(?P<scope>{'|'.join(SCOPES)}) in (?P<room>{{NAME}})|world)"
    rf", from (?P<author>{{NAME}})(?:, (?P<number>\d{{1,15}}))?(?:, (?P<ended>{'|'.join(ENDINGS)}))?"
    r"\): (?P<content>.+)".replace("{NAME}", r"\[\[[^\]]+\]\]|.{1,200}?")
)
"""A room or an author is linked to, or named plainly if no link can hold the name."""


class BoardNote:
    """Keeps the note and the world's board alike: `reload` what was edited, `save` what has changed.

    A note that is not valid changes nothing and is not written over.
    """

    def __init__(self, vault: Vault, world: World) -> None:
        self._vault = vault
        self._world = world
        self._path = vault.path(*BOARD)
        self._stamp = NO_FILE
        self._saved = list(world.board.entries)
        self._next_id = world.board.next_id
        self._up = {entry.entry_id for entry in world.board.active()}
        self._is_valid = True
        self._is_edited = False

    def reload(self) -> None:
        """Put on the board what the note says, if somebody has written it, with what was shared since it was saved."""
        stamp = file_stamp(self._path)
        if stamp == self._stamp:
            return
        self._stamp = stamp
        board = self._world.board
        if stamp[0] == 0 and board.entries:  # an editor has cut it and is about to write it
            self._is_valid = False
            return
        try:
            found = parse_board(self._vault.read(*BOARD), board.next_id) if self._vault.exists(*BOARD) else Board()
        except NoteError as error:
            self._is_valid = False
            log.warning("%s What was shared before still counts.", error)
            return
        self._is_valid = True
        ended = {e.entry_id: e for e in board.entries if e.ended and e.entry_id in self._up}
        new = [entry for entry in board.entries if entry.entry_id >= self._next_id]
        kept = [replace(e, ended=ended[e.entry_id].ended) if e.entry_id in ended else e for e in found.entries]
        board.entries = sorted([*kept, *new], key=lambda entry: entry.entry_id)
        board.next_id = max(board.next_id, found.next_id)
        self._is_edited = True

    @property
    def has_changed(self) -> bool:
        """True if the board has changed since it was saved; as entries are never changed, asking costs nothing."""
        board = self._world.board
        return board.entries != self._saved or board.next_id != self._next_id

    def save(self) -> None:
        """Take in edits of the note, and write it if the board has changed since.

        Raises: NoteError if it cannot be written.
        """
        self.reload()
        board = self._world.board
        if not (self.has_changed or self._is_edited) or not self._is_valid:
            return
        before = self._vault.read_exact_or_none(*BOARD)
        self._vault.write_text(format_board(board, before), *BOARD, was=before)
        self._saved, self._stamp, self._is_edited = list(board.entries), file_stamp(self._path), False
        self._next_id, self._up = board.next_id, {entry.entry_id for entry in board.active()}


def parse_board(note: Note, free_id: int = 1) -> Board:
    """Return the board that a note describes; lines without a number get one from `free_id` on.

    Raises: NoteError naming the line that is not of the form.
    """
    entries = [entry for section in (DOWN, UP) for entry in _entries(note, section)]
    given = note.properties.get("next", 1)
    if type(given) is not int or given < 1:
        raise NoteError(f"{note.source}:{note.property_lines.get('next', 1)}: next is {given!r}; expected a number.")
    next_id = max([given, free_id, *(entry.entry_id + 1 for entry in entries)])
    numbered, seen = [], set[int]()
    for entry in entries:
        if not entry.entry_id or entry.entry_id in seen:  # typed by hand, or copied
            entry = replace(entry, entry_id=next_id)
            next_id += 1
        seen.add(entry.entry_id)
        numbered.append(entry)
    return Board(sorted(numbered, key=lambda entry: entry.entry_id), next_id)


def format_board(board: Board, before: str | None = None) -> str:
    """Return the text of the note, which was another `before`: the rest of that stays.

    Raises: NoteError if it cannot be read.
    """
    empty = format_note({"next": 1}, f"{OPENING}\n\n## {UP}\n\n## {DOWN}")
    text = NoteEditor(empty if before is None else before, "/".join(BOARD))
    text.set_property("next", board.next_id)
    text.set_items(UP, [_line(entry) for entry in board.entries if not entry.ended])
    text.set_items(DOWN, [_line(entry) for entry in board.entries if entry.ended])
    return str(text)


def _line(entry: Notice) -> str:
    where = "world" if entry.scope == "world" else f"{entry.scope} in {link_or_name(entry.room_id)}"
    ended = f", {entry.ended}" if entry.ended else ""
    origin = f"{where}, from {link_or_name(entry.author_id)}, {entry.entry_id}{ended}"
    return f"- **{entry.label}** ({origin}): {escape_words(entry.content)}"


def _entries(note: Note, section: str) -> Iterator[Notice]:
    for line in note.section(section).lines:
        match = _LINE.fullmatch(line.text) if line.counts else None
        if match:
            yield Notice(
                int(match["number"] or 0),
                match["label"].strip().lower(),
                unescape_words(match["content"]),
                match["scope"] or "world",
                link_target(match["author"]),
                link_target(match["room"] or ""),
                (match["ended"] or "withdrawn") if section == DOWN else "",
            )
        elif line.counts and line.text.lstrip()[:2] in ("- ", "* ", "+ "):
            raise NoteError(f"{note.source}:{line.number}: {line.raw.strip()!r} is not of the form {FORM!r}.")
