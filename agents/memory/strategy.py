"""Memory strategies: they plan compaction, and show the result as a view.

A strategy is a frozen dataclass in a module of `agents/memory/strategies`. Its fields are its settings.
Making, checking and publishing summaries is the same for all.
"""

from __future__ import annotations

import dataclasses
import pkgutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, ClassVar

from agents.memory import strategies
from agents.memory.coverage import NONE, Coverage
from agents.memory.view import Tier, View, summary_tiers, tail_tier
from agents.plugins import with_plugins
from config.settings import MemorySettings
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
class Plan:
    """One cycle, planned when there were `n` memories.

    `longterm` is what the long-term summary will cover, made from the summaries in force and from the memories in
    `absorbed`; empty if it stays as it is. `recent` is what a new short-term summary will cover; empty if there will be
    none. Both summaries are made and published together.
    """

    n: int
    longterm: Range
    recent: Range
    absorbed: Range = NONE

    @property
    def taken(self) -> Range:
        """The memories that leave the verbatim tail."""
        return self.recent or self.absorbed

    def fault(self, coverage: Coverage) -> str:
        """Return the reason why the plan would not leave a partition; empty if it would."""
        starts = coverage.b + 1
        if self.n != coverage.n or self.taken.first != starts or not starts <= self.taken.last <= coverage.n:
            return f"it takes memories {self.taken}, and {coverage.verbatim} are word for word"
        if self.absorbed:
            return "" if self.longterm == Range(1, self.absorbed.last) and not self.recent else "it absorbs too little"
        fits = self.longterm == Range(1, coverage.b) if self.longterm else not coverage.recent
        return "" if fits else f"its long-term summary of {self.longterm} does not end at {coverage.b}"


def absorbing(coverage: Coverage, count: int) -> Plan:
    """Return the plan by which the long-term summary takes in the oldest `count` verbatim memories."""
    taken = Range(coverage.b + 1, coverage.b + count)
    return Plan(coverage.n, Range(1, taken.last), NONE, taken)


@dataclass(frozen=True)
class MemoryStrategy:
    """Decides what to summarise next and how it is shown. This one summarises nothing and shows what there is.

    `name` is its name in the setting `strategy`. With `has_sections` the long-term summary is in fixed sections. With
    `is_divided` it has a part for each name that `part_of` returns. `tells_summaries` is true if summaries are in the
    view, `as_messages` if each is a message of its own. `makes` names the tiers that the status reports as missing
    until they exist. `idle` names the sentence of `text/compaction.md` that says why there is nothing to do.
    """

    name: ClassVar[str] = ""
    has_sections: ClassVar[bool] = False
    is_divided: ClassVar[bool] = False
    tells_summaries: ClassVar[bool] = True
    as_messages: ClassVar[bool] = False
    makes: ClassVar[tuple[str, ...]] = ("longterm", "recent")
    idle: ClassVar[str] = "compaction.nothing_due"

    @property
    def counts_tokens(self) -> bool:
        """True if the size in tokens can make a cycle due."""
        return False

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

    def described(self, say: Wording) -> str:
        """Return the line of a status that names it, or nothing."""
        return say("status.strategy", strategy=self.name)

    def waits_for(self, coverage: Coverage, say: Wording) -> str:
        """Return the line of a status that says when the next cycle is due; nothing if it is due by count now."""
        due = self.next_due_at(coverage)
        return say("status.next", memory=f"{due:,}", count=f"{due - coverage.n:,}") if coverage.n < due else ""

    def why_not_shown(self, say: Wording) -> str:
        """Return why an old verbatim memory is not in the view; empty if there is just no room."""
        return ""


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
        own = [(one.name, one.type, _copied(one)) for kind in self.values() for one in _own_fields(kind)]
        fields: list[tuple[str, Any, Any]] = [("strategy", str, names), *own]
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
        try:
            plan = self.strategy.plan(coverage, forced, sizes)
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


def strategies_in(package: ModuleType) -> StrategyRegistry:
    """Return the strategies that the modules of a package define, by the names of the modules."""
    modules = [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    kinds = [kind for module in modules for kind in vars(module).values() if _is_of(kind, module)]
    return StrategyRegistry(*sorted(kinds, key=lambda kind: (kind.name != MemorySettings().strategy, kind.name)))


@cache
def loaded_strategies() -> StrategyRegistry:
    """Return the strategies that come with Fallwater, the default first, and those of installed packages."""
    return with_plugins(strategies_in(strategies), entry_points(group=ENTRY_POINTS), "memory strategy")


def _is_of(value: object, module: ModuleType) -> bool:
    return isinstance(value, type) and issubclass(value, MemoryStrategy) and value.__module__ == module.__name__


def _own_fields(kind: type[MemoryStrategy]) -> list[dataclasses.Field[Any]]:
    """Return the settings that are a strategy's own; a field without a description is none."""
    shared = setting_names(MemorySettings)
    return [one for one in dataclasses.fields(kind) if one.metadata and one.name not in shared]


def _copied(field: dataclasses.Field[Any]) -> Any:
    return dataclasses.field(default=field.default, metadata=field.metadata)
