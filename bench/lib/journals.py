"""Long lives for measurements: journal files as the world writes them, made at once instead of lived."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from vault.memory.segment import ENTRIES_A_FILE, header, segment_name

SECONDS_APART = 20


def write_journal(agent: Path, memories: int, newest_ms: int) -> None:
    """Write so many memories, 20 seconds apart, of which the newest is from `newest_ms`."""
    folder = agent / "journal"
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    opened, part = "", 1
    for seq in range(1, memories + 1):
        at_ms = newest_ms - (memories - seq) * SECONDS_APART * 1000
        moment = datetime.fromtimestamp(at_ms / 1000, UTC)
        day = f"{moment:%Y-%m-%d}"
        part = 1 if day != opened[:10] else part + (len(lines) > ENTRIES_A_FILE)
        name = segment_name(day, part)
        if name != opened:
            _close(folder, opened, lines)
            lines, opened = [header(agent.name, name[:10], seq).rstrip("\n")], name
        text = f'Moss says, "This is stone {seq} of my wall, and the river is {seq % 90} inches high."'
        lines.append(f"- {moment:%H:%M:%S}.{at_ms % 1000:03} observed · The Landing · {text} [with:: Moss] ^m{seq}")
    _close(folder, opened, lines)


def _close(folder: Path, name: str, lines: list[str]) -> None:
    if lines:
        (folder / name).write_text("\n".join([*lines, ""]), encoding="utf-8")
