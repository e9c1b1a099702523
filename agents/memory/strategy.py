"""Memory strategies: they plan compaction, and show the result as a view.

A strategy is a frozen dataclass, and its fields are its settings. Making, checking and publishing summaries is the same
for all. Waterfall is the default; layered, rolling and window come with it, and plugins add others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import entry_points
from typing import Any, ClassVar

from agents.memory.coverage import NONE, Coverage, Plan, TailSize, absorbing
from agents.memory.view import Tier, View, summary_tiers, tail_tier
from agents.plugins import with_plugins
from config.settings import MemorySettings, setting
from config.validation import SettingsError, closest_name, setting_names
from vault.config_notes import Settings, load_settings
from vault.entities.agent_notes import AgentNote
from vault.errors import NoteError
from vault.memory.memory_line import Memory, Range
from vault.memory.summaries import Summary
from vault.vault import Vault
from world.message_catalog import Wording

MAX_TAIL = 512
"""Maximum number of memories that a view has word for word, unless a strategy says otherwise."""

ENTRY_POINTS = "fallwater.strategies"


@dataclass(frozen=True)
class MemoryStrategy:
    """Decides what to summarise next and how it is shown. This one summarises nothing and shows what there is.

    `name` is its name in the setting `strategy`. With `has_sections` the long-term summary is in fixed sections. With
    `is_divided` it has a part for each name that `part_of` returns. `tells_summaries` is true if summaries are in the
    view, `as_messages` if each is a message of its own. `makes` names the tiers that the status reports as missing
    until they exist. `idle` names the sentence of `text/compaction.md` that says why there is nothing to do.
    With `counts_tokens` the size in tokens can make a cycle due.
    """

    name: ClassVar[str] = ""
    counts_tokens: ClassVar[bool] = False
    has_sections: ClassVar[bool] = False
    is_divided: ClassVar[bool] = False
    tells_summaries: ClassVar[bool] = True
    as_messages: ClassVar[bool] = False
    makes: ClassVar[tuple[str, ...]] = ("longterm", "recent")
    idle: ClassVar[str] = "compaction.nothing_due"

    @property
    def max_tail(self) -> int:
        """Maximum number of memories that a view has word for word."""
        return MAX_TAIL

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return the next plan of what to summarise; None if nothing is due.

        `sizes` are the tokens of the verbatim memories, oldest first, where they are known. `forced` plans below the
        threshold as well. What another strategy has summarised stays so.
        """
        return None

    def shorten(self, coverage: Coverage, count: int) -> Plan | None:
        """Return the plan by which at most the oldest `count` verbatim memories are summarised for want of room.

        It is asked for where `counts_tokens` and the tail is too large. None if the strategy makes no room.
        """
        return None

    def next_due_at(self, coverage: Coverage) -> int:
        """Return the n at which a cycle is due by count alone; 0 if counts do not decide."""
        return 0

    def part_of(self, memory: Memory) -> str:
        """Return the part of the long-term summary that will cover a memory, where it `is_divided`."""
        return ""

    def view(self, longterm: Summary | None, recent: Summary | None, n: int) -> list[Tier]:
        """Return the tiers of a view of n memories, the oldest first and the verbatim tail last, without its lines."""
        summaries = [one for one in (longterm, recent) if one] if self.tells_summaries else []
        told = [
            tier
            for one in summaries
            for tier in summary_tiers(one, "recent" if one is recent else "longterm", self.as_messages)
        ]
        return [*told, tail_tier(max((one.last for one in summaries), default=0), n)]

    def described(self, tail: TailSize, say: Wording) -> str:
        """Return the line of a status that names it, or its windows."""
        return say("status.strategy", strategy=self.name)

    def waits_for(self, coverage: Coverage, tail: TailSize, say: Wording) -> str:
        """Return the line of a status that says when the next cycle is due; nothing if it is due now."""
        due = self.next_due_at(coverage)
        if coverage.n >= due or (self.counts_tokens and tail.is_overfull):
            return ""
        return say("status.next", memory=f"{due:,}", count=f"{due - coverage.n:,}")

    def why_not_shown(self, say: Wording) -> str:
        """Return why an old verbatim memory is not in the view; empty if there is just no room."""
        return ""


@dataclass(frozen=True)
class Waterfall(MemoryStrategy):
    """Long-term, short-term and verbatim.

    With windows I and R a cycle is due at I + R + 1 memories and then every R: 129, 193, 257 … for 64 and 64. The
    boundary b moves by R a cycle (R + 1 the first time, so that the tail is I again), whatever was missed meanwhile:
    a backlog is worked through oldest first in the same steps. The n of the last plan is b + I and so needs no
    keeping: what is due follows from the coverage alone, after a crash as well.

    The windows are settings that all strategies share.
    """

    name: ClassVar[str] = "waterfall"
    counts_tokens: ClassVar[bool] = True

    immediate_window: int = 64
    recent_window: int = 64

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim) - self.immediate_window
        return self.shorten(coverage, outside) if outside >= (1 if forced else self._step(coverage)) else None

    def shorten(self, coverage: Coverage, count: int) -> Plan | None:
        longterm = Range(1, coverage.b) if coverage.recent else NONE
        taken = Range(coverage.b + 1, coverage.b + min(count, self._step(coverage)))
        return Plan(coverage.n, longterm, taken)

    def _step(self, coverage: Coverage) -> int:
        return self.recent_window + (coverage.b == 0)

    def next_due_at(self, coverage: Coverage) -> int:
        return coverage.b + self.immediate_window + self._step(coverage)

    def described(self, tail: TailSize, say: Wording) -> str:
        immediate, recent = tail.windows(self.immediate_window, self.recent_window)
        key = "status.windows_by_tokens" if self._is_short(tail) else "status.windows"
        return say(key, immediate=immediate, recent=recent, tokens=f"{tail.budget_tokens:,}")

    def waits_for(self, coverage: Coverage, tail: TailSize, say: Wording) -> str:
        waits, due = super().waits_for(coverage, tail, say), self.next_due_at(coverage)
        if waits and self._is_short(tail):
            return say("status.next_or_tokens", memory=f"{due:,}", tokens=f"{tail.budget_tokens:,}")
        return waits

    def _is_short(self, tail: TailSize) -> bool:
        windows = self.immediate_window, self.recent_window
        return tail.windows(*windows) != windows


@dataclass(frozen=True)
class Layered(MemoryStrategy):
    """One summary in fixed sections, and what came after it: made when the tail has more than so many tokens.

    Whether it is worth its cost is asked before it is made (`agents.memory.cost`); at most `most` memories a call.
    """

    name: ClassVar[str] = "layered"
    has_sections: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True

    threshold_tokens: int = setting(
        4000, "layered: more tokens than this after the summary are too many", low=100, high=1000000
    )
    most: int = 256

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim)
        if not outside or not (forced or sum(sizes) > self.threshold_tokens):
            return None
        return self.shorten(coverage, outside)

    def shorten(self, coverage: Coverage, count: int) -> Plan | None:
        return absorbing(coverage, min(self.most, count))

    def waits_for(self, coverage: Coverage, tail: TailSize, say: Wording) -> str:
        tokens = min(self.threshold_tokens, tail.budget_tokens or self.threshold_tokens)
        return say("status.next_by_tokens", tokens=f"{tokens:,}")


@dataclass(frozen=True)
class Rolling(MemoryStrategy):
    """One summary of everything but the newest: more than `threshold` memories after it are too many.

    The newest `retain_recent` stay word for word. With 7 and 3: seen at 10 it covers 1–7, at 15 1–12, at 20 1–17.
    What goes in is the summary before and only what is new, at most `most` memories a call.
    """

    name: ClassVar[str] = "rolling"
    as_messages: ClassVar[bool] = True
    counts_tokens: ClassVar[bool] = True

    threshold: int = setting(10, "rolling: more memories than this after the summary are too many", low=1, high=4096)
    retain_recent: int = setting(3, "rolling: how many of the newest stay word for word", low=0, high=4096)
    most: int = 64

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        outside = len(coverage.verbatim)
        if outside <= (self.retain_recent if forced else max(self.threshold, self.retain_recent)):
            return None
        return self.shorten(coverage, outside - self.retain_recent)

    def shorten(self, coverage: Coverage, count: int) -> Plan | None:
        return absorbing(coverage, min(self.most, count))

    def next_due_at(self, coverage: Coverage) -> int:
        return coverage.b + max(self.threshold, self.retain_recent) + 1


@dataclass(frozen=True)
class Window(MemoryStrategy):
    """Nothing is ever summarised, and the view shows the newest `max_memories`.

    What was summarised under another strategy stays on disk, untold.
    """

    name: ClassVar[str] = "window"
    tells_summaries: ClassVar[bool] = False
    idle: ClassVar[str] = "compaction.window"

    max_memories: int = setting(128, "window: how many of the newest memories the prompt shows", low=1, high=4096)

    @property
    def max_tail(self) -> int:
        return self.max_memories

    def waits_for(self, coverage: Coverage, tail: TailSize, say: Wording) -> str:
        return say("status.never_window")

    def why_not_shown(self, say: Wording) -> str:
        return say("memory.outside_the_window", most=self.max_memories)


class StrategyRegistry(Mapping[str, type[MemoryStrategy]]):
    """Memory strategies by name. Raises: ValueError if two have one name, or one of their settings two meanings."""

    def __init__(self, *kinds: type[MemoryStrategy]) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        if len(self._kinds) < len(kinds) or "" in self._kinds:
            raise ValueError(f"each memory strategy has a name of its own: {', '.join(kind.name for kind in kinds)}")
        self._own = [field.name for kind in kinds for field in _own_fields(kind)]
        if twice := sorted({name for name in self._own if self._own.count(name) > 1}):
            raise ValueError(f"two memory strategies have a setting {', '.join(twice)}")

    def __getitem__(self, name: str) -> type[MemoryStrategy]:
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    def with_more(self, *kinds: type[MemoryStrategy]) -> StrategyRegistry:
        """Return these strategies and others."""
        return StrategyRegistry(*self.values(), *kinds)

    @cached_property
    def settings_kind(self) -> type[MemorySettings]:
        """The class of config/memory_compaction.md: what all share, and the settings of each strategy."""
        shared = next(one for one in dataclasses.fields(MemorySettings) if one.name == "strategy")
        names = dataclasses.field(
            default=shared.default, metadata={**shared.metadata, "choices": tuple(self), "pattern": ""}
        )
        fields: list[tuple[str, Any, Any]] = [("strategy", str, names)]
        for one in (field for kind in self.values() for field in _own_fields(kind)):
            fields.append((one.name, one.type, dataclasses.field(default=one.default, metadata=one.metadata)))
        return dataclasses.make_dataclass("MemorySettings", fields, bases=(MemorySettings,), frozen=True)

    def strategy_of(self, settings: MemorySettings) -> MemoryStrategy:
        """Return the strategy that the settings name, with what they say of it.

        Raises: SettingsError if there is none of that name.
        """
        kind = self.get(settings.strategy)
        if kind is None:
            raise SettingsError(f"there is no memory strategy {settings.strategy!r}; there are {', '.join(self)}.")
        given = vars(settings)
        names = [field.name for field in dataclasses.fields(kind) if field.name in given]
        return kind(**{name: given[name] for name in names})

    def load_settings(self, vault: Vault) -> Settings:
        """Return the settings in `config/`, with those of the strategies. Raises: NoteError."""
        return load_settings(vault, self.settings_kind)

    def settings_of(self, note: AgentNote, general: MemorySettings) -> MemorySettings:
        """Return the memory settings of one agent. Raises: NoteError naming file and line."""
        names = setting_names(self.settings_kind)
        for key, given in note.given.items():
            if key not in names and (meant := closest_name(key, tuple(self._own))):
                raise NoteError(f"{note.source}:{given.line}: unknown setting {key!r}; did you mean {meant!r}?")
        return note.memory_settings(general)


class ChosenStrategy:
    """The strategy of one agent's settings. One that raises, or leaves no partition, is switched off.

    `failed` is called with its name and what went wrong.
    """

    def __init__(
        self,
        strategies: StrategyRegistry,
        settings: Callable[[], MemorySettings],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._strategies = strategies
        self._settings = settings
        self._failed = failed
        self._off: set[str] = set()

    @property
    def strategy(self) -> MemoryStrategy:
        """The strategy; one that summarises nothing if it is off."""
        settings = self._settings()
        return MemoryStrategy() if settings.strategy in self._off else self._strategies.strategy_of(settings)

    def plan(self, coverage: Coverage, forced: bool = False, sizes: Sequence[int] = ()) -> Plan | None:
        """Return the next plan of what to summarise, or None."""
        return self._checked(coverage, lambda strategy: strategy.plan(coverage, forced, sizes))

    def make_room(self, coverage: Coverage, tail: TailSize) -> Plan | None:
        """Return the next plan by which the oldest memories leave a tail that has too many tokens, or None."""
        count = tail.surplus
        return self._checked(coverage, lambda strategy: strategy.shorten(coverage, count) if count else None)

    def _checked(self, coverage: Coverage, make: Callable[[MemoryStrategy], Plan | None]) -> Plan | None:
        try:
            plan = make(self.strategy)
            if plan and (fault := plan.fault(coverage)):
                raise ValueError(fault)
            return plan
        except Exception as error:
            self._switch_off(error)
            return None

    def parts_of(self, memories: Sequence[Memory]) -> dict[int, str]:
        """Return the part of the long-term summary for each memory, by its number. Raises: ValueError if it fails."""
        try:
            return {memory.seq: str(self.strategy.part_of(memory)) for memory in memories}
        except Exception as error:
            self._switch_off(error)
            raise ValueError(f"the memory strategy failed: {error}") from error

    def tiers(self, longterm: Summary | None, recent: Summary | None, n: int) -> list[Tier]:
        """Return the tiers of a view of n memories, the tail without its lines."""
        try:
            tiers = self.strategy.view(longterm, recent, n)
            if View("", tuple(tiers)).n != n:
                raise ValueError(f"the view does not go to memory {n}")
            return tiers
        except Exception as error:
            self._switch_off(error)
            return MemoryStrategy().view(longterm, recent, n)

    def _switch_off(self, error: Exception) -> None:
        name = self._settings().strategy
        self._off.add(name)
        self._failed(name, error)


@cache
def loaded_strategies() -> StrategyRegistry:
    """Return the strategies that come with Fallwater, the default first, and those of installed packages."""
    built_in = StrategyRegistry(Waterfall, Layered, Rolling, Window)
    return with_plugins(built_in, entry_points(group=ENTRY_POINTS), "memory strategy")


def _own_fields(kind: type[MemoryStrategy]) -> list[dataclasses.Field[Any]]:
    """Return the settings that are a strategy's own; a field without a description is none."""
    shared = setting_names(MemorySettings)
    return [one for one in dataclasses.fields(kind) if one.metadata and one.name not in shared]
