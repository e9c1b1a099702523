"""The registry of the loaded components of minds: Fallwater's own, and those that plugins add to every mind."""

from __future__ import annotations

import logging
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType

from agents import components
from agents.component import AddedComponent, Owner
from agents.plugins import with_plugins

log = logging.getLogger(__name__)

ENTRY_POINTS = "fallwater.components"


@dataclass(frozen=True)
class ComponentRegistry:
    """`names` are those of all components, which may have a slot in a template; `added` are made for each agent."""

    names: frozenset[str] = frozenset()
    added: tuple[type[AddedComponent], ...] = ()

    def with_more(self, *kinds: type[AddedComponent]) -> ComponentRegistry:
        """Return these components and others. Raises: ValueError if one has no name of its own."""
        names = [kind.name for kind in kinds]
        if not all(names) or len(self.names.union(names)) < len(self.names) + len(names):
            raise ValueError(f"each component has a name of its own: {', '.join(names)}")
        return ComponentRegistry(self.names.union(names), (*self.added, *kinds))

    def made_for(self, owner: Owner) -> Iterator[AddedComponent]:
        """Yield the added components of one agent; one that cannot be made is logged and left out."""
        for kind in self.added:
            try:
                yield kind(owner)
            except Exception:
                log.exception("the component %s of %s cannot be made and is left out", kind.name, owner.name)


def components_in(package: ModuleType) -> ComponentRegistry:
    """Return the components that the modules of a package define."""
    modules = [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]
    kinds = [kind for module in modules for kind in vars(module).values() if _is_of(kind, module)]
    added = [kind for kind in kinds if issubclass(kind, AddedComponent)]
    built_in = frozenset(vars(kind)["name"] for kind in kinds if not issubclass(kind, AddedComponent))
    return ComponentRegistry(built_in).with_more(*added)


@cache
def loaded_components() -> ComponentRegistry:
    """Return the components that come with Fallwater and those of installed packages."""
    return with_plugins(components_in(components), entry_points(group=ENTRY_POINTS), "component")


def _is_of(value: object, module: ModuleType) -> bool:
    is_class = isinstance(value, type) and value.__module__ == module.__name__ and hasattr(value, "context")
    return is_class and isinstance(vars(value).get("name"), str)
