"""What an import took, what it could not take as it was, and under which name everything is now."""

from __future__ import annotations

from dataclasses import dataclass, field

from world.sanitize import file_name_for, name_key


@dataclass
class Report:
    """`taken` says what is in the new vault, `problems` what is not, or not as it was, each with file and line."""

    taken: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def problem(self, source: str, line: int, text: str) -> None:
        """Note something that could not be taken as it was."""
        self.problems.append(f"{source}:{line}: {text}" if line else f"{source}: {text}")


@dataclass
class Names:
    """The names in the new vault. Rooms, things and characters share them, whatever the case."""

    taken: dict[str, str] = field(default_factory=dict)
    _by_kind: dict[tuple[str, str], str] = field(default_factory=dict)

    def claim(self, kind: str, name: str) -> str:
        """Return a free name for something of a kind, and remember it under its old one."""
        new = file_name_for(name, self.taken.values())
        self.taken[name_key(new)] = new
        self.call(kind, name, new)
        return new

    def call(self, kind: str, old: str, new: str) -> None:
        """Let something be found under another old name, unless something else of the kind is."""
        self._by_kind.setdefault((kind, name_key(old)), new)

    def find(self, kind: str, old: str) -> str:
        """Return what something of a kind is called now, or an empty string if there is no such thing."""
        return self._by_kind.get((kind, name_key(old)), "")
