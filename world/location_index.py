"""Indexed tables of entities: unique names, and lookup by place among thousands.

Both are kept up by each change of a table, and of a place, itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from functools import partial
from itertools import takewhile
from typing import Any, ClassVar, Generic, TypeVar

from world.errors import WorldError
from world.sanitize import name_key

OnChange = Callable[[Any, str, Any], None]
"""Is called with something that is about to change, the name of the attribute that does, and its new value."""


class Located:
    """Something with a place, which the attribute named by `PLACE` holds. Its index is notified of each change.

    `INDEXED_FLAGS` are boolean attributes by which the entities at a place are grouped.
    """

    PLACE: ClassVar[str]
    INDEXED_FLAGS: ClassVar[tuple[str, ...]] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if (name == self.PLACE or name in self.INDEXED_FLAGS) and (hears := self.__dict__.get("_hears")):
            hears(self, name, value)
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        # A copy is kept nowhere, so nothing hears of it.
        return {name: value for name, value in self.__dict__.items() if name != "_hears"}

    @property
    def location_id(self) -> str:
        """The id of its place."""
        return str(getattr(self, self.PLACE))

    def attach(self, hears: OnChange | None) -> None:
        """Have another hear of changes of place from now on, or nobody."""
        self.__dict__["_hears"] = hears


T = TypeVar("T")
P = TypeVar("P", bound=Located)


class EntityTable(dict[str, T], Generic[T]):
    """Things by id, used like any dict. No two ids in it, or in tables beside it, differ in case or accents alone.

    Setting one that is taken raises WorldError and changes nothing.
    """

    def __init__(self, items: Iterable[tuple[str, T]] = ()) -> None:
        super().__init__()
        self._ids: dict[str, str] = {}
        self._beside: tuple[EntityTable[Any], ...] = ()
        for one_id, one in items:
            self[one_id] = one

    def share_ids_with(self, *others: EntityTable[Any]) -> None:
        """Refuse ids here that one of the other tables has."""
        self._beside = others

    def add(self, items: Iterable[tuple[str, T]]) -> None:
        """Put something new in. Raises: WorldError if one of the ids is taken, even by the same item."""
        for one_id, one in items:
            if one_id in self:
                raise WorldError(f"Two are called {one_id!r}; give one another name.")
            self[one_id] = one

    def id_ignoring_case(self, name: str) -> str | None:
        """Return the id that a name is, in any case and any encoding of accents; None if none is."""
        return self._ids.get(name_key(name))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self.items()),)  # a copy of all of it finds out for itself what is where

    def __setitem__(self, one_id: str, one: T) -> None:
        if one_id not in self:
            key = name_key(one_id)
            taken = next((other for table in (self, *self._beside) if (other := table._ids.get(key))), None)
            if taken is not None:
                raise WorldError(f"{one_id!r} is the name of something else, {taken!r}; give it one of its own.")
            self._ids[key] = one_id
        super().__setitem__(one_id, one)

    def __delitem__(self, one_id: str) -> None:
        super().__delitem__(one_id)
        del self._ids[name_key(one_id)]

    def __ior__(self, others: Any) -> Any:  # type: ignore[misc]  # as `dict` declares it, only for any value
        self.update(others)
        return self

    def pop(self, one_id: str, *default: Any) -> Any:
        """Take something out and return it, or else the default. Raises: KeyError if there is neither."""
        if one_id not in self and default:
            return default[0]
        one = self[one_id]
        del self[one_id]
        return one

    # Every other change of a dict, made of setting and deleting.
    popitem = MutableMapping.popitem
    clear = MutableMapping.clear
    update = MutableMapping.update
    setdefault = MutableMapping.setdefault


class LocationIndex(EntityTable[P], Generic[P]):
    """Things or characters by id, which also knows what is at each place, and what has moved.

    What is at a place and has a trait is found, and counted, without a look at the others.

    It is used like any dict: nobody has to tell it anything.
    """

    def __init__(self, placed: Iterable[tuple[str, P]] = ()) -> None:
        self._at: dict[tuple[str, str], dict[int, P]] = {}
        self._ordered: dict[tuple[str, str], list[P]] = {}
        """The answers of `at`, each until what is there changes: a crowd is not sorted again at each line."""
        self._ranks: dict[str, int] = {}
        self._last_rank = 0
        self._moved: dict[int, P] = {}
        self._removed: dict[str, None] = {}
        super().__init__(placed)

    def at(self, place_id: str, trait: str = "") -> list[P]:
        """Return the entities at a place, or those with a trait, in the order in which they came into the world."""
        key = place_id, trait
        ordered = self._ordered.get(key)
        if ordered is None:
            here = self._at.get(key)
            if not here:
                return []
            ordered = self._ordered[key] = [here[rank] for rank in sorted(here)]
        return ordered.copy()

    def count_at(self, place_id: str, trait: str = "") -> int:
        """Return how much that is, however much it is at the same cost."""
        return len(self._at.get((place_id, trait), ()))

    def first_at(self, place_id: str, trait: str = "") -> Iterator[P]:
        """Yield it in the order in which it came there or got the trait, lazily."""
        return iter(self._at.get((place_id, trait), {}).values())

    def drain_moved(self) -> list[P]:
        """Return the entities that came or moved since the last call, each once."""
        moved, self._moved = list(self._moved.values()), {}
        return moved

    def drain_removed(self) -> list[str]:
        """Return the ids of the entities that were taken out since the last call, though they may be back."""
        removed, self._removed = list(self._removed), {}
        return removed

    def ids_since(self, rank: int) -> tuple[int, list[str]]:
        """Return the ids that came into the world after a rank (0 for all), and the rank to ask with next time.

        It costs what the answer is long.
        """
        newest = takewhile(lambda one_id: self._ranks[one_id] > rank, reversed(self._ranks))
        return self._last_rank, list(newest)

    def __setitem__(self, one_id: str, one: P) -> None:
        before = self.get(one_id)
        super().__setitem__(one_id, one)
        if before is not None:
            self._forget(one_id, before)
        else:
            self._last_rank += 1
            self._ranks[one_id] = self._last_rank
        rank = self._ranks[one_id]
        self._arrive(rank, one, one.location_id)
        one.attach(partial(self._change, rank))

    def __delitem__(self, one_id: str) -> None:
        one = self[one_id]
        super().__delitem__(one_id)
        self._forget(one_id, one)
        del self._ranks[one_id]
        self._removed[one_id] = None

    def _change(self, rank: int, one: P, name: str, value: Any) -> None:
        if name == one.PLACE:
            self._leave(rank, one)
            self._arrive(rank, one, value)
        elif value:
            self._put(rank, one, one.location_id, name)
        else:
            self._drop(rank, one.location_id, name)

    def _arrive(self, rank: int, one: P, place_id: str) -> None:
        for trait in ("", *(trait for trait in one.INDEXED_FLAGS if getattr(one, trait))):
            self._put(rank, one, place_id, trait)
        self._moved[rank] = one

    def _leave(self, rank: int, one: P) -> None:
        for trait in ("", *one.INDEXED_FLAGS):
            self._drop(rank, one.location_id, trait)

    def _put(self, rank: int, one: P, place_id: str, trait: str) -> None:
        self._ordered.pop((place_id, trait), None)
        self._at.setdefault((place_id, trait), {})[rank] = one

    def _drop(self, rank: int, place_id: str, trait: str) -> None:
        self._ordered.pop((place_id, trait), None)
        here = self._at.get((place_id, trait), {})
        here.pop(rank, None)
        if not here:
            self._at.pop((place_id, trait), None)

    def _forget(self, one_id: str, one: P) -> None:
        rank = self._ranks[one_id]
        one.attach(None)
        self._leave(rank, one)
        self._moved.pop(rank, None)
