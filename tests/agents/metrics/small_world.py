"""A vault whose archives, journals and chronicle are written line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from vault.chronicle.event_log import LoggedEvent, event_line
from vault.memory.archive_file import ArchiveEntry, EventName, archive_lines
from vault.memory.memory_line import Memory, format_line
from vault.memory.segment import header

START_MS = 1_796_040_000_000  # 2026-11-30 12:00 UTC
DAY = "2026-11-30"


class SmallWorld:
    """Everything happens `step_ms` after what happened before, a minute if nobody says. `root` is the vault."""

    def __init__(self, root: Path, *agents: str) -> None:
        self.root = root
        self.at_ms, self.step_ms = START_MS, 60_000
        self._seqs = dict.fromkeys(agents, 0)
        self._prompts = dict.fromkeys(agents, "")
        (root / "rooms").mkdir(parents=True)
        for name in agents:
            folder = root / "agents" / name
            (folder / "archive").mkdir(parents=True)
            (folder / "journal").mkdir()
            (folder / "agent.md").write_text("---\n---\nSomebody.\n", "utf-8")
            (folder / "journal" / f"{DAY}.md").write_text(header(name, DAY, 1), "utf-8")

    def remembers(self, agent: str, kind: str, text: str, room: str = "Yard", refused: bool = False) -> int:
        """Write a memory into a journal; return its number."""
        self._seqs[agent] += 1
        memory = Memory(self._seqs[agent], self._later(), kind, room, text, refused=refused)
        self._append(self.journal(agent), (format_line(memory) + "\n").encode())
        return memory.seq

    def does(self, agent: str, line: str, refused: bool = False, room: str = "Yard") -> None:
        """Let an agent give a command, and have its result, in journal and archive."""
        seq = self.remembers(agent, "acted", line, room)
        self.archives(agent, "tool_call", seq, command=line, cause="free")
        seq = self.remembers(agent, "result", "No." if refused else "Done.", room, refused)
        self.archives(agent, "tool_result", seq, text="No." if refused else "Done.", refused=refused)

    def answers(self, agent: str, reply: str, prompt: str = "You are here.", **more: Any) -> None:
        """Write a question to the model with its answer into an archive."""
        told = {"reply": reply, "model": "m", "prompt_tokens": 100, "cached_tokens": 0, "completion_tokens": 10}
        self.archives(agent, "message", self._seqs[agent], **{"prompt": prompt, **told, "finish": "stop", **more})

    def archives(self, agent: str, event: EventName, seq: int, **fields: Any) -> None:
        """Write an entry into an archive."""
        entry = ArchiveEntry(event, self._later(), seq, fields)
        lines, self._prompts[agent] = archive_lines([entry], self._prompts[agent])
        self._append(self.archive(agent), *lines)

    def happens(self, kind: str, who: str, to: str = "", words: str = "", **more: Any) -> None:
        """Write an event into the chronicle; of who is an agent, it is said that they are one."""
        by = "agent" if who in self._seqs else ""
        event = LoggedEvent(self._later(), kind, who, to, room="Yard", line=f"{who}: {words}", words=words, by=by)
        self._append(self.chronicle, event_line(replace(event, **more)))

    def journal(self, agent: str) -> Path:
        """The file of an agent's journal."""
        return self.root / "agents" / agent / "journal" / f"{DAY}.md"

    def archive(self, agent: str) -> Path:
        """The file of an agent's archive."""
        return self.root / "agents" / agent / "archive" / f"{DAY}.jsonl"

    @property
    def chronicle(self) -> Path:
        """The file of the chronicle."""
        return self.root / "chronicle" / f"{DAY}.jsonl"

    def _append(self, path: Path, *lines: bytes) -> None:
        path.parent.mkdir(exist_ok=True)
        with open(path, "ab") as file:
            file.writelines(lines)

    def _later(self) -> int:
        self.at_ms += self.step_ms
        return self.at_ms
