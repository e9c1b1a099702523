"""Hot reload of entities: applies edits of rooms, things and people to the running world.

A note that is not valid changes nothing, and is reported once with file and line. One that we have written ourselves
is known to say what it says. An edit applies only what differs from the last known text, so anything newer in the world
stays. A room whose note has another name but its old number was renamed: people, things and exits come along. A note
that is gone hides what it is of: see `world.edits`.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from vault.copies import Copies, number_fault
from vault.entities.load import closed_exit_message
from vault.entities.merge_base import MergeBase, MergedEdit, source_of
from vault.entities.schema import KINDS, containment_fault, person_of, room_names, room_of, thing_of
from vault.errors import NoteError
from vault.note import Note, heading_faults
from vault.sync_copies import repeats
from vault.trash import keep_version
from vault.vault import Vault
from vault.watch import Changes
from world.edits import hide_character, hide_room, hide_thing, rename_room, same_content
from world.entities import Character, Entity, Ref, Room, Thing
from world.events import EntityChanged, Event, Moved
from world.world import World

T = TypeVar("T")


@dataclass
class ReloadResult:
    """The outcome of a reload: sentences for admins, and events to publish."""

    messages: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)


class EntityReloader:
    """Keeps a world as its notes are edited.

    `broken` are the notes that are not valid, by source, with why; they are read again at every scan, for what was
    wrong may have been another note.
    """

    def __init__(self, vault: Vault, world: World, base: MergeBase) -> None:
        self.broken = {source: why for source, why in base.broken.items() if ref_of(source)}
        self._vault = vault
        self._world = world
        self._base = base
        self._links: Mapping[str, str] = {}
        self._copies: dict[str, Copies] = {}
        self._readers = {"rooms": self._reload_room, "people": self._reload_person, "things": self._reload_thing}

    def apply_in_steps(self, changes: Changes) -> Generator[None, None, ReloadResult]:
        """Apply what has changed among rooms, things and people; between the steps anything may happen in the world."""
        result = ReloadResult()
        gone = [source for source in changes.gone if ref_of(source)]
        for source in gone:
            self.broken.pop(source, None)
        edited = [source for source in dict.fromkeys((*changes.changed, *self.broken)) if ref_of(source)]
        changed = [source for source in edited if self._is_there(source)]
        folders, known = {source.split("/")[0] for source in changed}, self._world.hidden.places
        self._copies = {folder: Copies(self._vault, folder, known) for folder in folders}
        self._links = room_names(self._vault) if "rooms" in self._copies else {}
        renamed = self._rename_rooms([*gone, *changes.missing], changed, result)
        for source in sorted(changed, key=lambda source: not source.startswith("rooms/")):
            yield
            try:
                self._reload(source, result)
            except NoteError as error:
                self._refuse(source, str(error), result)
        result.messages += self._closed_exits(changed)
        for source in gone:
            yield
            if _name(source) not in renamed or not source.startswith("rooms/"):
                self._remove(source, result)
        return result

    def _is_there(self, source: str) -> bool:
        """Return whether there is a note; a link that leads out of the vault is there too, to be refused."""
        try:
            return self._vault.exists(source)
        except NoteError:
            return True

    def _closed_exits(self, changed: Iterable[str]) -> Iterator[str]:
        """Yield what there is to say of the exits in notes that lead to rooms without one."""
        for source in changed:
            if isinstance(room := self._entity(source), Room) and source not in self.broken:
                yield from (closed_exit_message(room, closed.exit) for closed in room.closed_exits.values())

    def _rename_rooms(self, gone: Iterable[str], changed: Iterable[str], result: ReloadResult) -> dict[str, str]:
        """Rename the rooms whose notes have another name now; return the new ids by the old ones."""
        rooms = {_name(source): room for source in gone if isinstance(room := self._entity(source), Room)}
        numbers: dict[int, list[str]] = {}
        for source in changed if rooms else ():
            if source.startswith("rooms/") and _name(source) not in self._world.rooms:
                numbers.setdefault(self._number(source), []).append(_name(source))
        renamed: dict[str, str] = {}
        for old, room in rooms.items():
            fitting = numbers.get(room.number, []) if room.number else []
            if len(fitting) == 1 and self._world.id_ignoring_case(fitting[0]) in (None, old):
                renamed[old] = fitting[0]
        for old, new in renamed.items():
            result.events += rename_room(self._world, old, new)
            self._base.rename(("room", old), new)
            result.messages.append(f"rooms/{new}.md: was {old} before; everything in it came along.")
        return renamed

    def _number(self, source: str) -> int:
        try:
            number = self._vault.read(source).properties.get("number")
        except NoteError:
            return 0
        return number if type(number) is int else 0

    def _reload(self, source: str, result: ReloadResult) -> None:
        text = self._vault.read_exact_or_none(source)
        if text is None or (text == self._base.texts.get(source) and source not in self.broken):
            return
        folder, _, _ = source.partition("/")
        if fault := "" if self._entity(source) else self._copies[folder].fault(_name(source)):
            raise NoteError(fault)
        if folder == "rooms" and not self._entity(source):
            self._check_number(_name(source))
        self._readers[folder](source, result)

    def _check_number(self, name: str) -> None:
        """Raises: NoteError if a new room is a copy of another, whatever its name is."""
        source = f"rooms/{name}.md"
        number = self._number(source)
        if not number or self._world.closed_exits_to(name):
            return
        text = self._vault.read_lossy(source)
        for room in [room for room in self._world.rooms.values() if room.number == number]:
            if self._is_there(source_of(room)) and repeats(text, self._vault.read_lossy(source_of(room))):
                raise NoteError(number_fault(name, room.id))

    def _reload_room(self, source: str, result: ReloadResult) -> None:
        note = self._vault.read(source)
        self._adopt(room_of(note, _name(source), self._links), note, result)
        result.messages += [f"{source}:{line}: {fault}" for line, fault in heading_faults(note)]

    def _reload_person(self, source: str, result: ReloadResult) -> None:
        note = self._vault.read(source)
        self._adopt(person_of(note, _name(source), self._world.start_room_id), note, result)

    def _reload_thing(self, source: str, result: ReloadResult) -> None:
        name, note, world = _name(source), self._vault.read(source), self._world
        thing, was = thing_of(note, name), self._base.get(("thing", name))
        line = note.property_lines.get("at", 1)
        if not (isinstance(was, Thing) and was.place_id == thing.place_id) and name not in world.hidden.places:
            if not any(thing.place_id in table for table in (world.rooms, world.characters, world.things)):
                raise NoteError(f"{source}:{line}: at is {thing.place_id!r}, which is not a room, person or thing.")
            around = world.containers_around(thing.place_id)
            if name in (thing.place_id, *around):
                raise NoteError(containment_fault(name, around, line))
        self._adopt(thing, note, result)

    def _adopt(self, now: Entity, note: Note, result: ReloadResult) -> None:
        """Put what a note says into force."""
        source, current, was = note.source, self._world.get(now.ref), self._base.get(now.ref)
        self._check_free(source, now.ref)
        self.broken.pop(source, None)
        if current is None:
            is_back = now.id in self._world.hidden.places
            self._base.set(now, note.text)
            self._world.put(now)
            what = "is back, and so is what led there or was in it." if is_back else "loaded, as it is new."
            result.messages.append(f"{source}: {what}")
            if isinstance(now, Room) and not now.number:
                result.events.append(EntityChanged("", *now.ref))  # to be given one
            return
        self._keep_if_cut(note, result)
        # A room keeps its number when its note has lost it: maps of clients know the room by it.
        if isinstance(now, Room) and isinstance(current, Room) and not now.number and current.number:
            merged = self._base.merge_edit(current, replace(now, number=current.number), note.text)
            self._base.set(now, note.text)
        else:
            merged = self._base.merge_edit(current, now, note.text)
        if isinstance(current, Room):
            self._world.settle_exits(current)
        moved = isinstance(now, Thing) and isinstance(was, Thing) and self._move(now, was, result)
        if merged.is_changed or moved:
            result.messages.append(f"{source}: reloaded.")
        result.messages += merge_messages(self._vault, source, merged)
        if not same_content(current, now):
            result.events.append(EntityChanged("", *now.ref))  # what is newer in the world is written into it as well

    def _keep_if_cut(self, note: Note, result: ReloadResult) -> None:
        """Keep the last text of a note that is only the beginning of it now."""
        before = self._base.texts.get(note.source, "")
        if before != note.text and before.startswith(note.text):
            kept = keep_version(self._vault, note.source, before)
            result.messages.append(f"{note.source}: was cut short; what it said before is in {kept}.")

    def _move(self, now: Thing, was: Thing, result: ReloadResult) -> bool:
        """Move a thing whose note says another place than before; return whether it had to."""
        thing = self._world.things[now.thing_id]
        if now.place_id == was.place_id or now.place_id == thing.place_id:
            return False
        thing.place_id = now.place_id
        result.events.append(Moved("", thing.thing_id))
        return True

    def _remove(self, source: str, result: ReloadResult) -> None:
        """Hide what a note that is gone was of; what the note said last is kept in the trash."""
        one, world = self._entity(source), self._world
        if one is None:
            return
        text = self._base.own_text(one) if source in self._base.texts else ""
        if stays := self._why_it_stays(one):
            result.messages.append(f"{source}: {stays}" + (", so the note is written again." if text else "."))
            if text:
                self._write_again(one, text, result)
            return
        kept = keep_version(self._vault, source, text) if text else ""
        self._base.drop(one.ref, source)
        match one:
            case Room():
                result.events += hide_room(world, one.room_id)
                start = world.rooms[world.start_room_id].name
                what = f"is gone. Its people are in {start}; its exits and what is in it come back with the note"
            case Thing():
                result.events += hide_thing(world, one.thing_id)
                what = "is gone, and so is the thing"
            case _:
                result.events += hide_character(world, one.id)
                what = f"is gone; {one.id} starts over when they come back"
        result.messages.append(f"{source}: {what}." + (f" What it said is in {kept}." if kept else ""))

    def _write_again(self, one: Entity, text: str, result: ReloadResult) -> None:
        source = source_of(one)
        try:
            self._vault.write_text(text, source)
        except NoteError as error:
            kept = keep_version(self._vault, source, text)
            result.messages.append(f"{error} It is tried again; until then the note is in {kept}.")
            self._base.texts.pop(source)
            result.events.append(EntityChanged("", *one.ref))

    def _why_it_stays(self, one: Entity) -> str:
        """Return why something cannot be hidden although its note is gone; an empty text if it can."""
        if isinstance(one, Room) and one.id == self._world.start_room_id:
            return "the start room cannot go before config/world.md names another"
        return f"{one.name} is here" if isinstance(one, Character) and one.awake else ""

    def _refuse(self, source: str, why: str, result: ReloadResult) -> None:
        if self.broken.get(source) != why:
            stays = "What it said before still counts." if self._entity(source) else "Left out."
            result.messages.append(f"{why} {stays}")
        self.broken[source] = why

    def _entity(self, source: str) -> Entity | None:
        ref = ref_of(source)
        return self._world.get(ref) if ref else None

    def _check_free(self, source: str, ref: Ref) -> None:
        """Raises: NoteError if something else in the world has the name."""
        other = None if self._world.get(ref) is not None else self._world.id_ignoring_case(ref[1])
        if other is not None:
            raise NoteError(f"{source}: {ref[1]!r} is the name of something else, {other!r}; give it one of its own.")


def merge_messages(vault: Vault, source: str, merged: MergedEdit) -> list[str]:
    """Return what there is to say of a merge in which both sides had changes, once the loser's version is kept."""
    messages = []
    if merged.repeated:
        fields = ", ".join(merged.repeated)
        messages.append(f"{source}: was saved from an older copy; what the world wrote is written again: {fields}.")
    if merged.replaced:
        kept, fields = keep_version(vault, source, merged.replaced_text), ", ".join(merged.replaced)
        messages.append(f"{source}: the edit replaces what the world wrote: {fields}; the version before is in {kept}.")
    return messages


def run_steps(steps: Generator[None, None, T]) -> T:
    """Take all steps at once and return what comes of them."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            result: T = ended.value
            return result


def ref_of(source: str) -> Ref | None:
    """Return the kind and the id of what a note is of; None if it is of no room, thing or person."""
    folder, _, name = source.partition("/")
    return (KINDS[folder], name.removesuffix(".md")) if folder in KINDS and "/" not in name else None


def _name(source: str) -> str:
    return source.rpartition("/")[2].removesuffix(".md")
