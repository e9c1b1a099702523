"""Edits a vault in random ways, as people, editors, sync tools and checkouts do, from a process of its own.

    python -m tests.integration.random_editor VAULT SEED COUNT LEDGER

Each edit carries a word that stands nowhere else. What was broken or taken away on purpose is mended before the end.
Then the file LEDGER says, as JSON, what the editor last saved in each note that it has not deleted.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

START = "The Landing"
FOLDERS = ("rooms", "rooms", "rooms", "things", "people", "agents")
COPIES = (
    "{}.sync-conflict-20261127-120000-ABCDEF{}",
    "{} (Ana's conflicted copy 2026-11-27 {})",
    "{}_conflict-20261127-{}",
)
_WORD = re.compile(r"\bqe[0-9a-f]{10}\b")


def words_in(text: str) -> list[str]:
    """Return the words of an editor that stand in a text."""
    return _WORD.findall(text)


class Editor:
    """Somebody with a text editor, a sync tool and no patience. `rng` decides everything."""

    def __init__(self, root: Path, rng: random.Random) -> None:
        self.root = root
        self.rng = rng
        self.made = 0
        self.saved: dict[Path, str] = {}
        self.broken: dict[Path, str] = {}
        self.buffers: dict[Path, str] = {}

    def edit(self) -> None:
        """Do one thing; a note that is gone just then is no reason to stop."""
        acts: list[Callable[[], None]] = [
            *([self.reword] * 8),
            *([self.save_older_copy] * 3),
            *([self.open_exit] * 2),
            *(self.add_room, self.add_thing, self.rename_room, self.remove_room, self.remove_thing, self.close_exit),
            *(self.break_note, self.leave_conflict, self.mend, self.mend, self.litter, self.leave_sync_copy),
            *(self.take_away, self.take_away, self.check_out, self.cut, self.hold_open, self.hold_open),
        ]
        with suppress(FileNotFoundError):
            self.rng.choice(acts)()

    def word(self) -> str:
        """Return a word that stands nowhere else."""
        return f"qe{self.rng.getrandbits(40):010x}"

    def pause(self, *seconds: float) -> None:
        time.sleep(self.rng.choice(seconds))

    # One way or another of writing a file

    def save(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        ways = (self._whole, self._truncated, self._renamed, self._with_backup, self._in_pieces)
        self.rng.choice(ways)(path, text)
        self.saved[path] = text

    def _whole(self, path: Path, text: str) -> None:
        path.write_text(text, "utf-8")

    def _truncated(self, path: Path, text: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            file.flush()
            self.pause(0.02, 0.1, 0.5, 1.2)
            file.write(text)

    def _renamed(self, path: Path, text: str) -> None:
        draft = path.with_name(f".{path.name}.tmp")
        draft.write_text(text, "utf-8")
        os.replace(draft, path)

    def _with_backup(self, path: Path, text: str) -> None:
        backup = path.with_name(f"{path.name}~")
        if path.exists():
            path.rename(backup)
        path.with_name(f".{path.name}.swp").write_bytes(b"\0swap")
        path.write_text(text, "utf-8")
        path.with_name(f".{path.name}.swp").unlink()
        backup.unlink(missing_ok=True)

    def _in_pieces(self, path: Path, text: str) -> None:
        with open(path, "w", encoding="utf-8") as file:
            for start in range(0, len(text), 97):
                file.write(text[start : start + 97])
                file.flush()
                self.pause(0.0, 0.01)

    # What is edited

    def notes(self, folder: str) -> list[Path]:
        pattern = "*/agent.md" if folder == "agents" else "*.md"
        found = sorted(path for path in (self.root / folder).glob(pattern) if not path.name.startswith("."))
        whole = [path for path in found if path not in self.broken and "onflict" not in path.as_posix()]
        for path in whole:
            if self.rng.random() < 0.2:
                with suppress(FileNotFoundError):
                    self.buffers[path] = path.read_text("utf-8")
        return whole

    def any_note(self, folder: str) -> Path:
        return self.rng.choice(self.notes(folder) or [self.root / "Fallwater.md"])

    def with_word(self, text: str) -> str:
        """Return a note's text with one more word in its description."""
        head, fence, body = text.partition("\n---\n") if text.startswith("---\n") else ("", "", text)
        lines = body.lstrip("\n").split("\n")
        if lines and words_in(lines[0]):
            lines = lines[1:]
        kept = words_in(body.split("\n##")[0])[-2:]
        return f"{head}{fence}{' '.join([*kept, self.word()])} are words.\n" + "\n".join(lines)

    def reword(self) -> None:
        path = self.any_note(self.rng.choice(FOLDERS))
        self.save(path, self.with_word(path.read_text("utf-8")))

    def save_older_copy(self) -> None:
        """Save what was read some time ago, with an edit, as an editor does that was left open."""
        known = sorted(path for path in self.buffers if path.exists() and path not in self.broken)
        if known:
            path = self.rng.choice(known)
            self.save(path, self.with_word(self.buffers[path]))

    def hold_open(self) -> None:
        """Open a note, and write into the open file some time later."""
        path = self.any_note(self.rng.choice(FOLDERS))
        with open(path, "r+", encoding="utf-8") as file:
            text = self.with_word(file.read())
            self.pause(0.05, 0.3, 1.0, 1.5)
            file.seek(0)
            file.truncate()
            file.write(text)
        self.saved[path] = text

    def cut(self) -> None:
        """Leave only the beginning of a note for a while."""
        path = self.any_note(self.rng.choice(FOLDERS))
        text = path.read_text("utf-8")
        path.write_text(text[: self.rng.randrange(len(text) + 1)], "utf-8")
        self.pause(0.3, 1.0, 2.6)
        self.save(path, self.with_word(text))

    def open_exit(self) -> None:
        path, target = self.any_note("rooms"), self.any_note("rooms")
        text, name = path.read_text("utf-8"), self.word()
        link = self.rng.choice([f"[[{target.stem}]]", f"[[rooms/{target.stem}|there]]", f"[[{target.stem}.md]]"])
        if "## Exits\n" in text:
            self.save(path, text.replace("## Exits\n", f"## Exits\n- **{name}**: {link}\n", 1))

    def close_exit(self) -> None:
        path = self.any_note("rooms")
        self.save(path, re.sub(r"(?m)^- \*\*qe\w+\*\*.*\n", "", path.read_text("utf-8"), count=1))

    def add_room(self) -> None:
        self.made += 1
        name, back = f"Hall {self.made}", self.any_note("rooms")
        note = f"---\nnumber: {1000 + self.made}\n---\nNew: {self.word()}.\n\n## Exits\n- **out**: [[{back.stem}]]\n"
        self.save(self.root / "rooms" / f"{name}.md", note)

    def add_thing(self) -> None:
        self.made += 1
        name = f"toy {self.made}"
        self.save(self.root / "things" / f"{name}.md", f"---\nat: '[[{START}]]'\n---\nA toy, {self.word()}.\n")

    def rename_room(self) -> None:
        path = self.any_note("rooms")
        self.made += 1
        new = path.with_name(f"Renamed {self.made}.md")
        if path.stem == START:
            return
        path.rename(new)
        if path in self.saved:
            self.saved[new] = self.saved.pop(path)
        self.buffers.pop(path, None)
        if self.rng.random() < 0.7:  # as Obsidian does, a moment later
            self.pause(0.05, 0.2, 0.5)
            for other in self.notes("rooms"):
                text = other.read_text("utf-8")
                if f"[[{path.stem}]]" in text:
                    other.write_text(text := text.replace(f"[[{path.stem}]]", f"[[{new.stem}]]"), "utf-8")
                    self.saved[other] = text

    def remove_room(self) -> None:
        path = self.any_note("rooms")
        if path.stem != START and len(self.notes("rooms")) > 8:
            self.forget(path)

    def remove_thing(self) -> None:
        self.forget(self.any_note("things"))

    def forget(self, path: Path) -> None:
        path.unlink()
        self.saved.pop(path, None)
        self.buffers.pop(path, None)

    def break_note(self) -> None:
        path = self.any_note(self.rng.choice(["rooms", "things"]))
        text = path.read_text("utf-8")
        self.broken[path] = text
        self.save(path, self.rng.choice(["---\nat: [\n---\n", "---\nopen: '\n", text + "\n## Exits\n- nowhere\n"]))

    def leave_conflict(self) -> None:
        """Leave both sides of a merge in a note, as git does."""
        path = self.any_note("rooms")
        text = path.read_text("utf-8")
        self.broken[path] = text
        self.save(path, f"{text}<<<<<<< HEAD\n{self.word()}\n=======\n{self.word()}\n>>>>>>> laptop\n")

    def mend(self) -> None:
        for path, text in list(self.broken.items())[:1]:
            del self.broken[path]
            self.save(path, self.with_word(text))

    def litter(self) -> None:
        for name in (".Hall.md.swp", "4913", "Hall.md~", ".syncthing.Hall.md.tmp", "Hall.png"):
            (self.root / "rooms" / name).write_bytes(b"\xff\x00")
            (self.root / "rooms" / name).unlink()

    def leave_sync_copy(self) -> None:
        path = self.any_note(self.rng.choice(FOLDERS))
        self.made += 1
        form = self.rng.choice(COPIES)
        name = form.format(path.parent.name if path.name == "agent.md" else path.stem, self.made)
        copy = path.parent.with_name(name) / path.name if path.name == "agent.md" else path.with_name(f"{name}.md")
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(path.read_text("utf-8"), "utf-8")

    def take_away(self) -> None:
        """Take some notes away for a while, as a sync tool or `git stash` does."""
        away = self.root.with_name("away")
        away.mkdir(exist_ok=True)
        notes = self.notes(self.rng.choice(FOLDERS))
        taken = self.rng.sample(notes, min(len(notes), self.rng.choice([1, 1, 3, 20])))
        for number, path in enumerate(taken):
            path.rename(away / f"{number}.md")
        self.pause(0.1, 0.5, 1.5, 3.0)
        for number, path in enumerate(taken):
            if path.exists():  # written again by the world meanwhile: a sync tool keeps both
                path.rename(path.with_name(f"{path.stem} (conflicted copy 2026-11-27 {number}).md"))
            (away / f"{number}.md").rename(path)

    def check_out(self) -> None:
        """Write the rooms as they were some time ago, and a moment later as they are now."""
        now = {path: path.read_text("utf-8") for path in self.notes("rooms")}
        for path in now:
            if path in self.buffers:
                path.unlink()
                path.write_text(self.buffers[path], "utf-8")
        self.pause(0.2, 1.0, 2.0)
        for path, text in now.items():
            path.write_text(text, "utf-8")
            self.saved[path] = text


def main() -> None:
    """Edit as often as was asked for, then mend what is broken and write the ledger."""
    root, seed, count, ledger = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])
    editor = Editor(root, random.Random(seed))
    for _ in range(count):
        editor.edit()
        editor.pause(0.0, 0.0, 0.02, 0.1, 0.2)
    while editor.broken:
        editor.mend()
    saved = {path.relative_to(root).as_posix(): text for path, text in editor.saved.items()}
    ledger.write_text(json.dumps(saved), "utf-8")


if __name__ == "__main__":
    main()
