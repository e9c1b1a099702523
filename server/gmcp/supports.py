"""Which packages a client has said that it takes."""

from __future__ import annotations

MOST_PACKAGES = 100
LONGEST_NAME = 64


class Supports:
    """A client's list of packages, compared without regard to case; a package includes what stands below it.

    What a client says may be anything: what is no list of texts changes nothing, and what is too long or too much
    is left out.
    """

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._held: dict[str, bool] = {}

    def replace(self, payload: object) -> None:
        """Take the list as a whole (`Core.Supports.Set`)."""
        if isinstance(payload, list):
            self._names.clear()
            self.add(payload)

    def add(self, payload: object) -> None:
        """Take these as well (`Core.Supports.Add`): each a name and perhaps a version behind it, `Room 1`."""
        self._held.clear()
        for name in _names_in(payload):
            if len(self._names) < MOST_PACKAGES:
                self._names.add(name)

    def remove(self, payload: object) -> None:
        """Take these no longer (`Core.Supports.Remove`)."""
        self._held.clear()
        self._names.difference_update(_names_in(payload))

    def copy(self) -> Supports:
        """Return the list as it is now."""
        other = Supports()
        other._names = set(self._names)
        return other

    def holds(self, package: str) -> bool:
        """Return whether a client takes a package: it has named that, or one above it."""
        held = self._held.get(package)
        if held is None:
            parts = package.casefold().split(".")
            above = (".".join(parts[:count]) for count in range(1, len(parts) + 1))
            held = self._held[package] = any(name in self._names for name in above)
        return held


def _names_in(payload: object) -> list[str]:
    texts = [one for one in payload if isinstance(one, str)] if isinstance(payload, list) else []
    names = [text.split(" ", 1)[0].casefold() for text in texts if len(text) <= LONGEST_NAME]
    return [name for name in names if name]
