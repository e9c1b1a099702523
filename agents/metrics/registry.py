"""The metric registry: built-in metrics, and those of installed packages."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from agents.metrics.acting import Commands, Validity
from agents.metrics.costs import Retrieval, Tokens
from agents.metrics.metric import SOURCES, About, Metric
from agents.metrics.spreading import Diffusion, Promises
from agents.metrics.talking import Answered, Speeches

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
    return with_plugins(MetricRegistry(*BUILT_IN), entry_points(group=ENTRY_POINTS))


def with_plugins(known: MetricRegistry, found: Iterable[EntryPoint]) -> MetricRegistry:
    """Return these metrics and those of entry points; one that cannot be loaded is logged and left out."""
    for one in found:
        try:
            known = known.with_more(one.load())
        except Exception:
            log.exception("the metric %s cannot be loaded and is left out", one.value)
    return known
