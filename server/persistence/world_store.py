"""A world as it stands in its vault: read when it opens, and every change written as it happens."""

from __future__ import annotations

from collections.abc import Callable

from config.settings import WorldSettings
from server.clock import ReactorClock
from server.persistence.autosave import SaveBoard, SaveMoves, SaveNotes
from vault.board_note import BoardNote
from vault.folder import Vault
from vault.subjects.known_notes import KnownNotes
from vault.subjects.saving import WorldNotes
from vault.world_notes import Whereabouts, load_world
from world.game import Game


class WorldStore:
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

    @property
    def problem(self) -> str:
        """Why something could not be saved the last time, empty if all was."""
        return self._notes.problem or self._moves.problem or self._board.problem

    def begin(self, game: Game) -> None:
        """Write what a vault made by hand lacks, and from now on what changes in a game, before anybody hears of it.

        A vault made by hand may lack numbers of rooms, and where everyone and everything is.
        """
        for name, save in (("notes", self._notes), ("whereabouts", self._moves), ("board", self._board)):
            save(())
            game.subscribe(name, save, first=True)

    def save(self) -> None:
        """Write all that has not been written yet."""
        self._notes.save()
        self._moves.save()

    def close(self) -> None:
        """Save, and close the files that are open; whatever is saved later opens them again."""
        self.save()
        self._whereabouts.close()
