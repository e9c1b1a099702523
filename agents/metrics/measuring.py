"""Measuring a world: the metrics that there are, and its records, read once for the metrics of their source."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from agents.memory.strategy import loaded_strategies
from agents.metrics.acting import Commands, Retrieval, Tokens, Validity
from agents.metrics.metric import (
    ARCHIVE,
    CHRONICLE,
    JOURNAL,
    SOURCES,
    About,
    MeasuredWorld,
    Metric,
    Price,
    Results,
    Unknown,
    Value,
)
from agents.metrics.moments import Lexicon, phrases
from agents.metrics.talking import Answered, Diffusion, Promises, Speeches
from agents.plugins import with_plugins
from config.profiles import THINKER, ModelProfile
from vault.chronicle.event_log import LoggedEvent, moment_text
from vault.errors import NoteError
from vault.memory.archive_exchanges import Question, questions_in
from vault.memory.memory_line import Memory
from vault.message_notes import load_wording
from vault.snapshot import Problems, Snapshot, world_in
from vault.vault import Vault

log = logging.getLogger(__name__)

ENTRY_POINTS = "fallwater.metrics"
BUILT_IN: tuple[type[Metric], ...] = (
    Validity,
    Commands,
    Answered,
    Speeches,
    Diffusion,
    Promises,
    Retrieval,
    Tokens,
)


class MetricRegistry:
    """Metrics by the names of their figures, which are each of one metric."""

    def __init__(self, *kinds: type[Metric]) -> None:
        """Raises: ValueError if a name is taken, or a metric says nothing of itself."""
        self.kinds = kinds
        self.abouts: dict[str, About] = {}
        for kind in kinds:
            if not kind.figures or kind.source not in SOURCES:
                raise ValueError(f"{kind.__qualname__} needs figures, and a source: {', '.join(SOURCES)}")
            for about in kind.figures:
                if about.name in self.abouts:
                    raise ValueError(f"{kind.__qualname__}: there is a figure {about.name!r} already")
                self.abouts[about.name] = about

    def with_more(self, *kinds: type[Metric]) -> MetricRegistry:
        """Return these metrics and others. Raises: ValueError as above."""
        return MetricRegistry(*self.kinds, *kinds)


@cache
def loaded_metrics() -> MetricRegistry:
    """Return the metrics that come with Fallwater and those of installed packages."""
    return with_plugins(MetricRegistry(*BUILT_IN), entry_points(group=ENTRY_POINTS), "metric")


TakeRecord = Callable[..., None]
LOCAL = ("embedded", "gguf")
"""The kinds of models that are known by their place, because config/models.md has no name for them."""


@dataclass
class Measured:
    """The result of a measurement: figures by name, reasons for missing ones, details, and the problems of reading."""

    figures: dict[str, Value] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    details: list[str] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    abouts: dict[str, About] = field(default_factory=dict)


def measure(folder: Path, names: Sequence[str] | None = None, *, fact: str = "", since: str = "") -> dict[str, float]:
    """Return the figures of a vault or of a simulation's folder by name; one that cannot be known is not there.

    `names` are those of the figures wanted, None for all; `fact` is the planted fact; `since` is the first day or
    moment (UTC, ISO 8601).

    Raises: NoteError if there is no world, a file cannot be read, or a name is none of a figure.
    """
    measured = measure_world(world_in(folder), names, fact=fact, since=since)
    return {name: one.value for name, one in measured.figures.items()}


def measure_world(
    vault: Vault,
    names: Sequence[str] | None = None,
    registry: MetricRegistry | None = None,
    *,
    fact: str = "",
    since: str = "",
) -> Measured:
    """Return the measured figures of a vault, asked for as in `measure`. Raises: NoteError as `measure`."""
    known = registry or loaded_metrics()
    wanted = _check_names(known, names)
    snapshot = Snapshot(vault)
    world = _world(vault, snapshot, fact)
    measured = Measured(problems=snapshot.problems, abouts={name: known.abouts[name] for name in wanted})
    feeds = [_Feed(kind, world) for kind in known.kinds if any(one.name in wanted for one in kind.figures)]
    _read(snapshot, feeds, world, since)
    missing = _missing(snapshot)
    for feed in feeds:
        feed.add_results(measured, missing.get(feed.kind.source, ""))
    measured.figures = {name: measured.figures[name] for name in wanted if name in measured.figures}
    return measured


class _Feed:
    """One metric that is being fed; if it raises, `problem` says so, and it is fed no more."""

    def __init__(self, kind: type[Metric], world: MeasuredWorld) -> None:
        self.kind = kind
        self.problem = ""
        self.metric: Metric | None = None
        try:
            self.metric = kind(world)
        except Exception as error:
            self.fail(error)

    def fail(self, error: Exception) -> None:
        """Take in what the metric has raised."""
        log.error("the metric %s failed and is left out", self.kind.__qualname__, exc_info=error)
        self.problem = f"the metric {self.kind.__qualname__} failed: {type(error).__name__}: {error}"
        self.metric = None

    def add_results(self, measured: Measured, missing: str) -> None:
        """Add the metric's figures, or why they are not known."""
        found: Results = {}
        if self.metric and not missing:
            try:
                found = self.metric.results()
                measured.details += self.metric.details()
            except Exception as error:
                self.fail(error)
        for name in (about.name for about in self.kind.figures if about.name in measured.abouts):
            match found.get(name):
                case Value() as value if not self.problem:
                    measured.figures[name] = value
                case Unknown(why) if not self.problem:
                    measured.unknown[name] = why
                case _:
                    measured.unknown[name] = self.problem or missing or "the metric does not say"


def _feed_all(
    records: Iterable[tuple[Any, ...]], feeds: Sequence[_Feed], take_of: Callable[[Metric], TakeRecord]
) -> None:
    """Give every record to every metric."""
    takes = [(feed, take_of(feed.metric)) for feed in feeds if feed.metric]
    for record in records:
        for pair in takes:
            try:
                pair[1](*record)
            except Exception as error:
                pair[0].fail(error)
                takes = [one for one in takes if one is not pair]


def _read(snapshot: Snapshot, feeds: Sequence[_Feed], world: MeasuredWorld, since: str) -> None:
    """Feed every record from `since` on. Raises: NoteError if a file cannot be read."""
    for source, records, take_of in (
        (ARCHIVE, _questions(snapshot, since), lambda metric: metric.take_question),
        (JOURNAL, _memories(snapshot, since), lambda metric: metric.take_memory),
        (CHRONICLE, _events(snapshot, since, world), lambda metric: metric.take_event),
    ):
        if of_source := [one for one in feeds if one.kind.source == source]:
            _feed_all(records, of_source, take_of)


def _questions(snapshot: Snapshot, since: str) -> Iterator[tuple[str, Question]]:
    for agent in snapshot.agents:
        for question in questions_in(snapshot.entries(agent)):
            if str(question.entry.get("at", "")) >= since:
                yield agent, question


def _memories(snapshot: Snapshot, since: str) -> Iterator[tuple[str, Memory]]:
    for agent in snapshot.agents:
        for memory in snapshot.memories(agent):
            if not since or moment_text(memory.at_ms) >= since:
                yield agent, memory


def _events(snapshot: Snapshot, since: str, world: MeasuredWorld) -> Iterator[tuple[LoggedEvent]]:
    for event in snapshot.events():
        world.where.take_event(event)
        if not since or moment_text(event.at_ms) >= since:
            yield (event,)


def _missing(snapshot: Snapshot) -> dict[str, str]:
    """Return what to say of the sources that are not there, by their names."""
    found = {ARCHIVE: snapshot.archives.values(), JOURNAL: snapshot.journals.values(), CHRONICLE: [snapshot.chronicle]}
    return {source: f"there is no {source}" for source, files in found.items() if not any(files)}


def _check_names(known: MetricRegistry, names: Sequence[str] | None) -> list[str]:
    """Return the names of the figures that are wanted. Raises: NoteError at one that there is none of."""
    for name in names or ():
        if name not in known.abouts:
            raise NoteError(f"There is no figure {name!r}; there are {', '.join(known.abouts)}.")
    return list(known.abouts if names is None else dict.fromkeys(names))


def _world(vault: Vault, snapshot: Snapshot, fact: str) -> MeasuredWorld:
    """Return the facts that metrics need beforehand. Notes that cannot be read are added to the problems."""
    profiles: Mapping[str, ModelProfile] = {}
    lexicon = Lexicon()
    try:
        profiles = loaded_strategies().load_settings(vault).profiles
    except NoteError as error:
        snapshot.problems.add(f"{error} So no prices are known.")
    try:
        lexicon = Lexicon(phrases(load_wording(vault)("chronicle.promise_phrases")))
    except NoteError as error:
        snapshot.problems.add(f"{error} So promises are known by English words alone.")
    return MeasuredWorld(frozenset(snapshot.agents), fact, lambda model: price_of(model, profiles), lexicon)


def price_of(model: str, profiles: Mapping[str, ModelProfile]) -> Price | None:
    """Return what a million prompt and answer tokens cost of a model, by its name in the archive; None if unsaid.

    The price is in the section of config/models.md that names the model, or `embedded` or `gguf:` as its place.
    """
    kind, _, rest = model.partition(":")
    name = rest.rpartition("@")[0] or rest
    thinker = profiles.get(THINKER)
    for profile in profiles.values():
        has_price = {"price_in", "price_out"} & profile.given
        settings = (profile.inherit_from(thinker) if thinker else profile).settings
        is_its = settings.model == name or (kind in LOCAL and settings.endpoints.startswith(kind))
        if has_price and is_its:
            return settings.price_in, settings.price_out
    return None
