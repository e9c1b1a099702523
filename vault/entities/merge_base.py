"""The merge base: what each note of a room, thing or character said last, and the three-way merge of an edit.

Two sides write a note: the world, and people with their editors. Each side's changes since the base are kept. Where an
edit undoes or replaces what the world wrote, one of two things happened. The editor had opened the note before the
world wrote it: then the world's change is written again, once. Or the edit is meant: then it counts, and the version
that it replaced is kept in the trash.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from vault.entities.schema import note_path, note_text
from vault.errors import NoteError
from world.edits import merge, merged_fields
from world.entities import Entity, Ref, Room, Thing, copy_entity, noted_value
from world.world import World

OLDER_COPY_SECONDS = 600.0
"""How long after a change by the world an edit without it is taken for one of an older copy, in seconds."""

MAX_FORMER_VALUES = 8

Key = tuple[str, str]
"""A field, and the key in it if it is a table."""

_MISSING = object()


@dataclass
class _Write:
    """What the world wrote for a key, the values that it replaced, and when.

    `is_settled` is true once an edit has had the value, or the world has written it again: then its removal is meant.
    """

    value: Any = _MISSING
    former: list[Any] = field(default_factory=list)
    at_seconds: float = 0.0
    is_settled: bool = False


@dataclass(frozen=True)
class MergedEdit:
    """The outcome of a merge. `repeated` and `replaced` name fields of the world: written again, and lost to the edit.

    `replaced_text` is the note as the world's side had it, if anything was replaced.
    """

    is_changed: bool
    repeated: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    replaced_text: str = ""


class MergeBase:
    """The common base of a three-way merge: every room, thing and character, and its text, as its note said last.

    Saving writes only what the world has changed since, reloading applies only what the note has. Things are where
    their notes have them start out. `texts` are the notes by source. `broken` are the notes that are not valid, by
    source, with why. `unread` are rooms whose notes are not text, or whose properties could not be read: they are not
    written until somebody has mended them. `busy` are the sources of notes that could not be written for an edit that
    does not count yet.
    """

    def __init__(self, world: World | None = None, seconds: Callable[[], float] = monotonic) -> None:
        self._entities: dict[Ref, Entity] = {}
        self._writes: dict[Ref, dict[Key, _Write]] = {}
        self._former: dict[str, deque[str]] = {}
        self._seconds = seconds
        self.texts: dict[str, str] = {}
        self.broken: dict[str, str] = {}
        self.unread: set[Ref] = set()
        self.busy: set[str] = set()
        if world:
            self.reset(world)

    def reset(self, world: World) -> None:
        """Take everything in a world that was just read to be as its note has it."""
        self._entities = {one.ref: copy_entity(one) for one in world.entities()}
        self._writes = {}

    def get(self, ref: Ref) -> Entity | None:
        """Return what a note said, or None if there was none; not to be changed."""
        return self._entities.get(ref)

    def set(self, entity: Entity, text: str | None = None) -> None:
        """Keep what a note says after somebody's edit, and its text."""
        self.unread.discard(entity.ref)
        self._entities[entity.ref] = copy_entity(entity)
        if text is not None:
            self.texts[source_of(entity)] = text

    def set_written(self, entity: Entity, text: str) -> None:
        """Keep that the world wrote a note; where a thing starts out stays as it was, for that is never written again.

        What was replaced is remembered, to know an edit of an older copy.
        """
        before, written = self._entities.get(entity.ref), copy_entity(entity)
        if isinstance(written, Thing) and isinstance(before, Thing):
            written.place_id = before.place_id
        if before is not None:
            writes, old = self._writes.setdefault(entity.ref, {}), _values(before)
            new = _values(written)
            for key in _differing(old, new):
                write, value = writes.setdefault(key, _Write()), new.get(key, _MISSING)
                write.is_settled = write.is_settled and write.value == value
                write.former = [*write.former, old.get(key, _MISSING)][-MAX_FORMER_VALUES:]
                write.value, write.at_seconds = value, self._seconds()
        self._entities[entity.ref] = written
        source = source_of(entity)
        self._former.setdefault(source, deque(maxlen=MAX_FORMER_VALUES)).append(self.texts.get(source, ""))
        self.texts[source] = text

    def rename(self, ref: Ref, new_id: str) -> None:
        """Keep that the note of a room has another name."""
        was = self._entities.get(ref)
        text = self.texts.get(source_of(was), "") if was else ""
        if isinstance(was, Room):
            self._writes["room", new_id] = self._writes.pop(ref, {})
            self.drop(ref, source_of(was))
            self._entities["room", new_id] = replace(was, room_id=new_id)
            self.texts[f"rooms/{new_id}.md"] = text

    def drop(self, ref: Ref, source: str = "") -> None:
        """Keep that there is no note any more."""
        self._entities.pop(ref, None)
        self._writes.pop(ref, None)
        self._former.pop(source, None)
        self.texts.pop(source, None)

    def merge_edit(self, current: Entity, now: Entity, text: str | None = None) -> MergedEdit:
        """Apply an edit to what is in the world, and keep it as the new base; `now` and `text` are the note's.

        The exits of a room are to be settled afterwards.
        """
        ref, writes = now.ref, self._writes.get(now.ref, {})
        base = self._entities.get(ref)
        was = copy_entity(base or _blank(current))
        last, ours, theirs = (_values(one) if one else {} for one in (base, current, now))
        repeated = self._undone_by_older_copy(writes, last, theirs, self._adds_lines(source_of(now), text))
        for key in repeated:
            _copy_value(key, now, was)
        before = self._own_text(current, base)
        is_changed = merge(current, was, now)
        after, own = _values(current), {*writes, *_differing(last, ours)}
        replaced = [key for key in own if after.get(key, _MISSING) != ours.get(key, _MISSING)]
        self.set(now, text)
        for key, write in list(writes.items()):
            if key in replaced:
                del writes[key]
            write.is_settled |= key in repeated or theirs.get(key, _MISSING) == write.value
        return MergedEdit(is_changed, _names(repeated), _names(replaced), before() if replaced else "")

    def own_text(self, current: Entity) -> str:
        """Return the note of something as the world would have written it without an edit. Raises: NoteError."""
        return self._own_text(current, self._entities.get(current.ref))()

    def _adds_lines(self, source: str, text: str | None) -> bool:
        """Return whether a text has a line that stood in no version of the note that is known."""
        known = {
            line for version in (*self._former.get(source, ()), self.texts.get(source, "")) for line in _lines(version)
        }
        return text is not None and not known.issuperset(_lines(text))

    def _undone_by_older_copy(
        self, writes: Mapping[Key, _Write], last: Mapping[Key, Any], theirs: Mapping[Key, Any], adds_lines: bool
    ) -> list[Key]:
        """Return what an edit has as it was before the world wrote it, if the edit is one of an older copy."""
        edited = set(_differing(last, theirs))
        undone = [key for key in edited if key in writes and theirs.get(key, _MISSING) in writes[key].former]
        recent = [key for key in undone if self._seconds() - writes[key].at_seconds < OLDER_COPY_SECONDS]
        # An edit that does nothing but undo is meant.
        is_more = adds_lines or bool(edited - set(undone))
        return [key for key in recent if not writes[key].is_settled] if is_more else []

    def _own_text(self, current: Entity, base: Entity | None) -> Callable[[], str]:
        """Return a function that makes the note of something as it is in the world now."""
        mine, text = copy_entity(current), self.texts.get(source_of(current))

        def make() -> str:
            try:
                return note_text(mine, text, base if text is not None else None)
            except NoteError:  # it was not valid before the edit, so the world wrote nothing into it
                return text or ""

        return make


def _blank(entity: Entity) -> Entity:
    """Return something of the same kind and name of which nothing is known, as the base of a note that is new."""
    match entity:
        case Room():
            return Room(entity.id)
        case Thing():
            return Thing(entity.id, entity.place_id)
        case _:
            return type(entity)(entity.id, entity.room_id, is_agent=entity.is_agent)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()]


def source_of(entity: Entity) -> str:
    """Return the source of the note of something, as `rooms/The Mill.md`."""
    return "/".join(note_path(entity))


def _values(entity: Entity) -> dict[Key, Any]:
    """Return all values that a note has of something, the entries of tables each for itself."""
    values: dict[Key, Any] = {}
    for name in merged_fields(entity.kind, entity.is_agent):
        value = noted_value(entity, name)
        if isinstance(value, dict):
            values |= {(name, str(key)): one for key, one in value.items()}
        else:
            values[name, ""] = value
    return values


def _differing(one: Mapping[Key, Any], other: Mapping[Key, Any]) -> list[Key]:
    return [key for key in dict.fromkeys((*one, *other)) if one.get(key, _MISSING) != other.get(key, _MISSING)]


def _copy_value(key: Key, source: Entity, target: Entity) -> None:
    name, entry = key
    table = noted_value(source, name)
    if not isinstance(table, dict):
        setattr(target, name, table)
        return
    values = dict(noted_value(target, name))
    if entry in table:
        values[entry] = table[entry]
    else:
        values.pop(entry, None)
    setattr(target, name, values)


def _names(keys: Iterable[Key]) -> tuple[str, ...]:
    return tuple(sorted({entry or name for name, entry in keys}))
