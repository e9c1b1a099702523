"""Plugins: what installed packages add to the components, the memory strategies and the metrics."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from importlib.metadata import EntryPoint
from typing import Any, Protocol, TypeVar

log = logging.getLogger(__name__)


class Registry(Protocol):
    """A registry that plugins are added to; `with_more` returns a new one of the same kind."""

    def with_more(self, *kinds: Any) -> Any: ...


R = TypeVar("R", bound=Registry)


def with_plugins(known: R, found: Iterable[EntryPoint], noun: str) -> R:
    """Return a registry with those of entry points; one that cannot be loaded is logged, by `noun`, and left out."""
    for one in found:
        try:
            known = known.with_more(one.load())
        except Exception:
            log.exception("the %s %s cannot be loaded and is left out", noun, one.value)
    return known
