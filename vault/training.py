"""What an agent was asked and what it answered, as pairs to train a model with: JSONL, a pair a line.

Only what was done counts: neither what was refused, nor what was no command, nor what somebody else had it do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vault.archive import Archive
from vault.folder import Vault
from vault.notes import NoteError


def export_training(vault: Vault, agent_id: str, path: Path) -> int:
    """Write every accepted pair of prompt and completion to a file, and return how many there are.

    Raises: NoteError if the archive cannot be read or the file cannot be written; there is no file then.
    """
    count = 0
    draft = path.with_name(f".{path.name}.draft")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            for prompt, completion in accepted_pairs(entry for _, entry in Archive(vault, agent_id).entries()):
                file.write(json.dumps({"prompt": prompt, "completion": completion}) + "\n")
                count += 1
        os.replace(draft, path)
    except OSError as error:
        with suppress(OSError):
            draft.unlink()
        raise NoteError(f"{path}: cannot be written: {error.strerror}.") from error
    return count


def accepted_pairs(entries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield prompts with the commands that were done in answer to them, from the entries of an archive in order."""
    prompt, asked, command, seq = "", False, "", 0
    for entry in entries:
        match entry["event"]:
            case "message":
                if command:
                    yield prompt, command
                prompt = prompt[: int(entry.get("prompt_shared", 0))] + str(entry.get("prompt_rest", ""))
                asked, command, seq = entry.get("finish") != "cancelled", "", int(entry.get("seq", 0))
            case "tool_call":
                if command:
                    yield prompt, command
                # The very next memory: another one would be somebody else's doing.
                answers = asked and int(entry.get("seq", 0)) == seq + 1
                asked, command = False, str(entry.get("command", "")) if answers else ""
            case "tool_result" if entry.get("refused"):
                command = ""
    if command:
        yield prompt, command
