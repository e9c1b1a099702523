"""Edits a vault in random ways, as people, editors, syncs and checkouts do, from a process of its own.

    python -m tests.integration.random_editor VAULT SEED COUNT

What it has broken on purpose it mends before it ends.
"""

from __future__ import annotations

import os
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

START = "The Landing"


class Editor:
    """Somebody with a text editor and no patience. `rng` decides everything."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.made = 0
        self.broken: dict[Path, str] = {}

    def edit(self) -> None:
        """Do one thing; a note that is gone just then is no reason to stop."""
        acts: list[Callable[[], None]] = [
            *([self.reword] * 6),
            *([self.open_exit] * 2),
            *(self.close_exit, self.add_room, self.add_thing, self.rename_room, self.remove_room, self.remove_thing),
            *(self.break_note, self.mend, self.litter, self.touch_everything, self.add_agent, self.remove_agent),
            *(self.reword_sentence, self.copy_and_remove),
        ]
        with suppress(FileNotFoundError):
            self.rng.choice(acts)()

    # One way or another of writing a file

    def save(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        ways = (self._whole, self._truncated, self._renamed, self._with_backup, self._in_pieces)
        self.rng.choice(ways)(path, text)

    def _whole(self, path: Path, text: str) -> None:
        path.write_text(text, "utf-8")

    def _truncated(self, path: Path, text: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.flush()
            time.sleep(0.05)
            file.write(text)

    def _renamed(self, path: Path, text: str) -> None:
        draft = path.with_name(f".{path.name}.tmp")
        draft.write_text(text, "utf-8")
        os.replace(draft, path)

    def _with_backup(self, path: Path, text: str) -> None:
        backup = path.with_name(f"{path.name}~")
        if path.exists():
            path.rename(backup)
        swap = path.with_name(f".{path.name}.swp")
        swap.write_bytes(b"\0swap")
        path.write_text(text, "utf-8")
        swap.unlink()
        backup.unlink(missing_ok=True)

    def _in_pieces(self, path: Path, text: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            for start in range(0, len(text), 64):
                file.write(text[start : start + 64])
                file.flush()

    # What is edited

    def notes(self, folder: str) -> list[Path]:
        found = sorted(path for path in (self.root / folder).glob("*.md") if not path.name.startswith("."))
        return [path for path in found if path not in self.broken]

    def any_note(self, folder: str) -> Path:
        return self.rng.choice(self.notes(folder) or [self.root / "Fallwater.md"])

    def reword(self) -> None:
        path = self.any_note(self.rng.choice(["rooms", "rooms", "things"]))
        head, fence, body = path.read_text("utf-8").partition("\n---\n")
        self.made += 1
        self.save(path, f"{head}{fence}It has been reworded {self.made} times.\n\n{body}")

    def open_exit(self) -> None:
        path, target = self.any_note("rooms"), self.any_note("rooms")
        text = path.read_text("utf-8")
        self.made += 1
        line = f"- **hole {self.made}**, h{self.made}: [[{target.stem}]]\n"
        if "## Exits\n" in text:
            self.save(path, text.replace("## Exits\n", f"## Exits\n{line}", 1))

    def close_exit(self) -> None:
        path = self.any_note("rooms")
        self.save(path, re.sub(r"(?m)^- \*\*hole \d+\*\*.*\n", "", path.read_text("utf-8"), count=1))

    def add_room(self) -> None:
        self.made += 1
        name, back = f"Room {self.made}", self.any_note("rooms")
        note = f"---\nnumber: {1000 + self.made}\n---\nNew.\n\n## Exits\n- **out**: [[{back.stem}]]\n"
        self.save(self.root / "rooms" / f"{name}.md", note)

    def add_thing(self) -> None:
        self.made += 1
        self.save(self.root / "things" / f"toy {self.made}.md", f"---\nat: '[[{START}]]'\n---\nA toy.\n")

    def rename_room(self) -> None:
        path = self.any_note("rooms")
        self.made += 1
        new = path.with_name(f"Renamed {self.made}.md")
        if path.stem == START:
            return
        path.rename(new)
        if self.rng.random() < 0.5:  # as an editor does that knows of links
            for other in self.notes("rooms"):
                text = other.read_text("utf-8")
                if f"[[{path.stem}]]" in text:
                    self.save(other, text.replace(f"[[{path.stem}]]", f"[[{new.stem}]]"))

    def remove_room(self) -> None:
        path = self.any_note("rooms")
        if path.stem != START:
            path.unlink()

    def remove_thing(self) -> None:
        self.any_note("things").unlink()

    def break_note(self) -> None:
        path = self.any_note(self.rng.choice(["rooms", "things", "text"]))
        text = path.read_text("utf-8")
        self.broken[path] = text
        self.save(path, self.rng.choice(["---\nat: [\n---\n", "---\nopen: '\n", text + "\n## Exits\n- nowhere\n"]))

    def mend(self) -> None:
        for path, text in list(self.broken.items())[:1]:
            self.save(path, text)
            del self.broken[path]

    def litter(self) -> None:
        for name in (".Hall.md.swp", "4913", "Hall.md~", ".syncthing.Hall.md.tmp", "Hall.png"):
            (self.root / "rooms" / name).write_bytes(b"\xff\x00")
            (self.root / "rooms" / name).unlink()

    def touch_everything(self) -> None:
        """Write every room anew, as a checkout does: the file goes away and comes back."""
        for path in self.notes("rooms"):
            text = path.read_text("utf-8")
            path.unlink()
            path.write_text(text, "utf-8")

    def copy_and_remove(self) -> None:
        path = self.any_note("things")
        copy = path.with_name(f"{path.stem} copy.md")
        copy.write_text(path.read_text("utf-8"), "utf-8")
        copy.unlink()

    def add_agent(self) -> None:
        self.made += 1
        text = f"---\nroom: '[[{START}]]'\n---\nYou are Pim{self.made}.\n"
        self.save(self.root / "agents" / f"Pim{self.made}" / "agent.md", text)

    def remove_agent(self) -> None:
        added = sorted((self.root / "agents").glob("Pim*/agent.md"))
        if added:
            self.rng.choice(added).unlink()

    def reword_sentence(self) -> None:
        path = self.root / "text" / "movement.md"
        if path not in self.broken:
            self.save(path, path.read_text("utf-8").replace("Exits:", "The exits:", 1))


def main() -> None:
    """Edit as often as was asked for, then mend what is broken."""
    root, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    editor = Editor(root, random.Random(seed))
    for _ in range(count):
        editor.edit()
        time.sleep(editor.rng.choice([0.0, 0.0, 0.02, 0.1, 0.3]))
    while editor.broken:
        editor.mend()


if __name__ == "__main__":
    main()
