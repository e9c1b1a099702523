"""Builds vaults of the older layout, the way the program that had it wrote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path


class OlderVault:
    """A folder to put notes into; every method writes one file."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, path: str, text: str) -> Path:
        """Write any file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        return file

    def room(self, name: str, description: str = "", file: str = "", **sections: Sequence[str]) -> Path:
        """Write a room; sections are lists of lines, by the section's name in lower case."""
        return self.write(f"world/locations/{file or name}.md", _object("location", name, description, sections))

    def agent(
        self, name: str, location: str = "", description: str = "", properties: Mapping[str, str] | None = None
    ) -> Path:
        """Write an agent's own note."""
        lines = [f"{key}: {value}" for key, value in (properties or {}).items()]
        text = _object("agent", name, description, {"properties": lines}, location)
        return self.write(f"agents/{name}/agent.md", text)

    def memory(
        self,
        agent: str,
        moment: datetime,
        text: str,
        location: str = "Hall",
        kind: str = "observed",
        occupants: str = "",
    ) -> Path:
        """Write one memory, its time local and with a Z."""
        head = f"timestamp: {moment.isoformat()}Z\ntype: memory\nlocation: [[{location}]]\n"
        head += f"occupants: {occupants}\nevent_type: {kind}\n"
        name = f"{moment:%Y%m%d-%H%M%S}-memory.md"
        return self.write(f"agents/{agent}/memories/{name}", f"---\n{head}---\n\n# Memory\n\n{text}\n")

    def memories(self, agent: str, start: datetime, count: int) -> None:
        """Write so many memories, ten seconds apart: `Memory 1.`, `Memory 2.` and so on."""
        for number in range(count):
            self.memory(agent, start + timedelta(seconds=10 * number), f"Memory {number + 1}.")

    def summary(self, agent: str, name: str, text: str, moment: datetime) -> Path:
        """Write a summary: recent, longterm, or a dated one."""
        head = f"type: summary\ntimestamp: {moment.isoformat()}Z\n"
        return self.write(f"agents/{agent}/summaries/{name}.md", f"---\n{head}---\n\n{text}\n")

    def state(self, *rows: tuple[str, str]) -> Path:
        """Write where everyone is."""
        lines = [f"| [[{who}]] | [[{where}]] |" for who, where in rows]
        table = "\n".join(["| Character | Room |", "|---|---|", *lines])
        return self.write("world/world_state.md", f"# World State\n\n## Character Locations\n{table}\n")


def _object(kind: str, name: str, description: str, sections: Mapping[str, Sequence[str]], location: str = "") -> str:
    head = f"object_id: {kind}_17\ntype: {kind}\ncreated: 2026-01-05T10:00:00Z\nmodified: 2026-02-05T10:00:00Z\n"
    head += f"location: [[{location}]]\n" if location else ""
    parts = [f"---\n{head}---\n\n# {name}\n", f"## Description\n{description}\n"]
    for section, lines in sections.items():
        parts.append(f"## {section.title()}\n" + "".join(f"- {line}\n" for line in lines))
    return "\n".join(parts)
