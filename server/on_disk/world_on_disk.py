"""A world as it stands in its vault: read when it opens, and every change written as it happens."""

from __future__ import annotations

from collections.abc import Callable

from config.settings import WorldSettings
from server.on_disk.autosave import SaveBoard, SaveMoves, SaveNotes, in_turn
from server.telnet.interface import ReactorClock
from vault.board_note import BoardNote
from vault.folder import Vault
from vault.subjects.known_notes import KnownNotes
from vault.subjects.saving import WorldNotes
from vault.world_notes import Whereabouts, load_world
from world.events import Event


class WorldOnDisk:
    """The world of a vault, `world`, and what is written when something in it changes.

    `known` is what its notes said when they were read or written last. `tell` is given a sentence for admins when
    something cannot be written. Raises: NoteError if the world cannot be read.
    """

    def __init__(self, vault: Vault, settings: WorldSettings, tell: Callable[[str], None], clock: ReactorClock) -> None:
        self.known = KnownNotes()
        self.world = load_world(vault, settings, self.known)
        board = BoardNote(vault, self.world)
        board.take_in()
        self._notes = SaveNotes(WorldNotes(vault, self.world, self.known), tell, clock)
        self._whereabouts = Whereabouts(vault, self.world)
        self._moves = SaveMoves(self._whereabouts)
        self._board = SaveBoard(board)
        self._save_all = in_turn(self._notes, self._moves, self._board)

    @property
    def problem(self) -> str:
        """Why something could not be saved the last time, empty if all was."""
        return self._notes.problem or self._moves.problem or self._board.problem

    def begin(self) -> None:
        """Write what a vault made by hand lacks: numbers of rooms, and where everyone and everything is."""
        self._save_all(())

    def take_note(self, events: tuple[Event, ...]) -> None:
        """Write what these events have changed, before anybody hears of them."""
        self._save_all(events)

    def save(self) -> None:
        """Write all that has not been written yet."""
        self._notes.save()
        self._moves.save()

    def close(self) -> None:
        """Save, and close the files that are open; whatever is saved later opens them again."""
        self.save()
        self._whereabouts.close()
