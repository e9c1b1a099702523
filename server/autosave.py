"""Autosave: locations and a few notes at once; journals are forced to disk by group commit (fsync)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from twisted.internet.defer import Deferred, execute
from twisted.python.failure import Failure

from config.settings import WorldSettings
from server.chronicle.reading import reader_of
from server.chronicle.recorder import ChronicleRecorder
from server.clock import DelayedCall, InThread, ReactorClock, RepeatingCall, cancel
from server.trash_keeper import TrashKeeper
from vault.board_note import BoardNote
from vault.chronicle.event_log import EventLog
from vault.entities.load import load_world
from vault.entities.merge_base import MergeBase
from vault.entities.store import EntityStore, NoteBusy
from vault.errors import NoteError
from vault.locations_log import LocationsLog
from vault.replaced_files import ReplacedFiles
from vault.trash import keep_version
from vault.vault import Vault
from vault.watch import ChangeScanner
from world.entities import Ref
from world.events import EntityChanged, Event
from world.game import Game
from world.observers import ObserverCalls, Observers

log = logging.getLogger(__name__)

LATE_SECONDS = 5.0
"""Seconds after which a commit that has not ended counts as a problem."""

MAX_NOTES_PER_STEP = 2
"""Maximum number of notes written while everybody waits; the others follow one at a time, between other work."""


BUSY_SECONDS = 0.5
"""Seconds until a note that somebody is editing is tried again."""

ASIDE_SECONDS = 1.0
"""For how long a note cannot be written until what the world has of it is kept in the trash, in seconds."""

BOARD_SECONDS = 0.5
"""Maximum seconds until an edit of the board's note is seen."""


class Saver:
    """Saves something before anybody hears of a change. A failure is logged once, and tried again at the next change.

    `problem` says why it failed the last time, if it did.
    """

    def __init__(self, what: str, save: Callable[[], object]) -> None:
        self.problem = ""
        self._what = what
        self._save = save

    def __call__(self, events: tuple[Event, ...] = ()) -> None:
        """Save now, whatever has happened."""
        try:
            self._save()
        except NoteError as error:
            if not self.problem:
                log.error("%s could not be saved: %s", self._what, error)
            self.problem = str(error)
        else:
            self.problem = ""


class SaveNotes:
    """Writes the notes of what was altered, the first few at once.

    A failure is logged and reported to admins once. The note is tried again whenever something happens, one at a time,
    until none fails; until then `problem` says why. A note that somebody is editing waits until the edit counts; if
    that takes long, for the edit is not valid, what the world has of it is kept in the trash meanwhile.
    `tell` receives a sentence for admins, `take_edits` is called to have a pending edit taken in.
    """

    def __init__(self, notes: EntityStore, tell: Callable[[str], None], clock: ReactorClock) -> None:
        self.take_edits: Callable[[], None] = lambda: None
        self._notes = notes
        self._tell = tell
        self._clock = clock
        self._due: dict[Ref, None] = {}
        self._failed: dict[Ref, None] = {}
        self._busy: dict[Ref, None] = {}
        self._busy_since: dict[Ref, float] = {}
        self._kept: dict[Ref, str] = {}
        self.problem = ""
        self._retry: DelayedCall | None = None
        self._later: DelayedCall | None = None
        self._due |= {("room", room.room_id): None for room in notes.number_rooms()}

    @property
    def due(self) -> int:
        """The number of notes that differ from the world."""
        return len(self._due) + len(self._failed) + len(self._busy)

    def __call__(self, events: tuple[Event, ...]) -> None:
        """Save altered notes, and try one more time a note that could not be saved."""
        for event in events:
            if isinstance(event, EntityChanged):
                ref = event.kind, event.entity_id
                self._failed.pop(ref, None)
                self._kept.pop(ref, None)
                self._due[ref] = None
        if self._failed:
            ref = next(iter(self._failed))
            del self._failed[ref]  # one that fails again comes after the others
            if self._save(ref):
                self._due |= self._failed
                self._failed = {}
        self._go_on(MAX_NOTES_PER_STEP)

    def save(self) -> None:
        """Save all that is due, now: the world is about to end. What cannot be is kept in the trash."""
        self._due |= self._failed | self._busy
        for ref in list(self._due):
            self._save(ref)
        cancel(self._retry)
        for ref in (*self._failed, *self._busy):
            try:
                kept = self._notes.keep_aside(ref)
            except NoteError as error:
                log.error("%s could not be saved: %s", ref[1], error)
            else:
                log.error("%s could not be saved in its note; what the world has of it is in %s", ref[1], kept)

    def _try_busy(self) -> None:
        self._due |= self._busy
        self._busy = {}
        self._go_on(len(self._due))

    def _go_on(self, most: int = 1) -> None:
        for ref in list(self._due)[:most]:
            self._save(ref)
        if self._due and not (self._later and self._later.active()):
            self._later = self._clock.callLater(0, self._go_on)

    def _save(self, ref: Ref) -> bool:
        self._due.pop(ref, None)
        self._busy.pop(ref, None)
        try:
            self._notes.save(ref)
        except NoteBusy:
            self._busy[ref] = None
            self._keep_aside(ref)
            if not (self._retry and self._retry.active()):
                self._retry = self._clock.callLater(BUSY_SECONDS, self._try_busy)
                self.take_edits()
            return False
        except NoteError as error:
            self._failed[ref] = None
            if not self.problem:
                self.problem = str(error)
                log.error("a note could not be saved: %s", error)
                self._tell(f"{error} It is tried again; until then the change is in no note.")
            return False
        except Exception as error:  # one note must not keep the others from being saved
            log.exception("a note could not be saved")
            self._failed[ref] = None
            self.problem = self.problem or f"{ref[1]}: {error}"
            return False
        for table in (self._failed, self._busy_since, self._kept):
            table.pop(ref, None)
        self.problem = self.problem if self._failed else ""
        return True

    def _keep_aside(self, ref: Ref) -> None:
        """Keep in the trash what a note cannot be given for long, once for each change, and say where it is."""
        now = self._clock.seconds()
        if ref in self._kept or now - self._busy_since.setdefault(ref, now) < ASIDE_SECONDS:
            return
        try:
            self._kept[ref] = kept = self._notes.keep_aside(ref)
        except NoteError as error:
            log.error("%s could not be kept in the trash: %s", ref[1], error)
            return
        if kept:
            what = f"{ref[1]}: its note is being edited or not valid; what the world has of it is in {kept} until then."
            log.warning("%s", what)
            self._tell(what)


class SaveBoard(Saver):
    """Keeps the shared board and its note alike.

    New entries are written at once. Edits of the note are looked for at a line that somebody types, but not again
    within `BOARD_SECONDS`: that costs more than all other saving.
    """

    def __init__(self, note: BoardNote, clock: ReactorClock) -> None:
        super().__init__("the board", note.save)
        self._note = note
        self._clock = clock
        self._asked = clock.seconds() - BOARD_SECONDS

    def __call__(self, events: tuple[Event, ...] = ()) -> None:
        """Take in an edit, and write what was shared or taken down."""
        now = self._clock.seconds()
        if now - self._asked >= BOARD_SECONDS or self._note.has_changed:
            self._asked = now
            super().__call__(events)


class FsyncSource(Protocol):
    """A source of writes that are forced to disk together later: a journal, or the vault with its replaced notes."""

    def pending_fsync(self) -> Callable[[], None] | None:
        """Return a function that forces all writes until now to disk, in any thread; None if there are none."""
        ...


class GroupCommit:
    """Forces writes to disk, all together, every `period_ms` milliseconds and in another thread.

    `problem` says why it failed the last time, if it did, or that it does not end.
    """

    def __init__(
        self,
        written: Callable[[], Iterable[FsyncSource]],
        period_ms: int,
        clock: ReactorClock,
        in_thread: InThread = execute,
    ) -> None:
        self._written = written
        self._clock = clock
        self._in_thread = in_thread
        self._problem = self._refused = ""
        self._began: float | None = None
        self._observers = Observers[float](ObserverCalls(clock.seconds))
        self._ticks = RepeatingCall(clock, max(period_ms, 5) / 1000, self._tick, "the group commit")

    @property
    def problem(self) -> str:
        """Why the last forcing failed, or for how long the one that runs has taken if that is too long; or empty."""
        seconds = 0.0 if self._began is None else self._clock.seconds() - self._began
        hangs = f"the disk has taken {seconds:.0f} s so far" if seconds > LATE_SECONDS else ""
        return hangs or self._problem or self._refused

    def subscribe(self, name: str, observer: Callable[[float], None]) -> None:
        """Tell an observer how long each forcing took, in seconds. Raises: WorldError if the name is taken."""
        self._observers.add(name, observer)

    def start(self) -> None:
        """Begin."""
        self._ticks.start()

    def stop(self) -> None:
        """Stop; what is left is forced when the journals are closed."""
        self._ticks.stop()

    def _tick(self) -> Deferred[None] | None:
        syncs, self._refused = list[Callable[[], None]](), ""
        for source in self._written():
            try:
                sync = source.pending_fsync()
            except Exception as error:  # one agent's fault keeps no other's memories from the disk
                log.exception("a journal does not say what is to be forced to disk")
                self._refused = str(error)
            else:
                syncs += [sync] if sync else []
        if not syncs:
            return None
        self._began = began = self._clock.seconds()
        forcing = self._in_thread(_call_all, syncs)
        return forcing.addCallbacks(self._forced, self._failed, callbackArgs=(began,))

    def _forced(self, _: None, began: float) -> None:
        self._began, self._problem = None, ""
        self._observers.tell(self._clock.seconds() - began)

    def _failed(self, failure: Failure) -> None:
        self._began, self._problem = None, failure.getErrorMessage()
        log.error("syncing to disk failed: %s", self._problem)


def _call_all(syncs: list[Callable[[], None]]) -> None:
    """Call each, so that one agent's bad file keeps no other's memories from the disk. Raises: the first failure."""
    failures = []
    for sync in syncs:
        try:
            sync()
        except Exception as error:
            failures.append(error)
    if failures:
        raise failures[0]


class WorldStore:
    """The world of a vault, `world`, and the writers of its changes.

    `known` has the contents of its notes when they were read or written last, `seen` finds those edited since.
    `written` are the sources of writes that are forced to disk, `chronicle` reads past events. `tell` receives a
    sentence for admins when something cannot be written. Raises: NoteError if the world cannot be read.
    """

    def __init__(self, vault: Vault, settings: WorldSettings, tell: Callable[[str], None], clock: ReactorClock) -> None:
        self.known = MergeBase(seconds=clock.seconds)
        self.seen = ChangeScanner(vault, self.known.texts, clock.seconds)
        self.seen.baseline()  # before anything is read: what is edited while the world loads shows at the first scan
        self.world = load_world(vault, settings, self.known)
        board = BoardNote(vault, self.world)
        board.reload()
        self.notes = SaveNotes(EntityStore(vault, self.world, self.known), tell, clock)
        self._whereabouts = LocationsLog(vault, self.world)
        self._moves = Saver("whereabouts", self._whereabouts.save)
        self._board = SaveBoard(board, clock)
        self._vault = vault
        self._tell = tell
        self._clock = clock
        self._trash: TrashKeeper | None = None
        self.written: list[ChronicleRecorder] = []
        self.chronicle = reader_of(vault, settings, lambda: self.world.wording)

    @property
    def problem(self) -> str:
        """Why something could not be saved the last time, empty if all was."""
        return self.notes.problem or self._moves.problem or self._board.problem

    def begin(self, game: Game, now_ms: Callable[[], int], settings: Callable[[], WorldSettings]) -> None:
        """Write what a vault made by hand lacks, and from now on what changes in a game, before anybody hears of it.

        A vault made by hand may lack numbers of rooms, and where everyone and everything is. What happens is logged
        while the settings say so.
        """
        for name, save in (("notes", self.notes), ("whereabouts", self._moves), ("board", self._board)):
            save(())
            game.subscribe(name, save, first=True)
        log, is_on = EventLog(self._vault), lambda: settings().chronicle
        self._trash = TrashKeeper(self._vault, game, settings, now_ms, self._clock)
        self.written = [ChronicleRecorder(game, log, is_on, now_ms, self._tell)]

    def save(self) -> None:
        """Write all that has not been written yet."""
        self.notes.save()
        self._moves()
        for recorder in self.written:
            recorder.save()

    def close(self) -> None:
        """Save, and close the files that are open; whatever is saved later opens them again."""
        self.save()
        if self._trash:
            self._trash.stop()
        self._whereabouts.close()
        replaced, self._vault.replaced = self._vault.replaced, None
        for source, text in replaced.close() if replaced else ():
            self._keep_replaced(source, text)

    def start(self, seconds: Callable[[], float]) -> None:
        """Begin to empty the trash, and to watch replaced notes for what editors write into them; see to old ones."""
        if self._trash:
            self._trash.start()
        self._vault.replaced = ReplacedFiles(self._vault.root, seconds)
        for source, text in self._vault.replaced.recover():
            self._keep_replaced(source, text)

    def _keep_replaced(self, source: str, text: str) -> None:
        try:
            kept = keep_version(self._vault, source, text)
            log.warning("%s: an editor saved a version that was replaced by then; it is in %s", source, kept)
        except NoteError as error:
            log.error("%s: an editor saved a version that was replaced by then: %s", source, error)
