"""Measure the reactor under questions: `python -m bench.questions [MEMORIES] [MEGABYTES]` (1,000,000 and 100).

A real server has an agent with MEMORIES memories, a summary of each 64 of them, and an archive of MEGABYTES, all of
one day. An admin asks each
question several times; a heartbeat inside the server measures the longest pause of its event loop meanwhile.
"""

from __future__ import annotations

import re
import socket
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from bench.lib.crowd import HOST
from bench.lib.reporting import Table, argument_parser, publish
from bench.lib.servers import OPEN, run_program, wait_for
from bench.lib.worlds import SECONDS_APART, SECRET, add_people, caller_name, change_settings, write_journal
from bench.pauses import INSIDE, read_pauses
from vault.chronicle.event_log import moment_text
from vault.memory.archive import FILE_BYTES
from vault.memory.archive_file import ArchiveEntry, archive_lines, archive_name
from vault.memory.caches import SearchIndex
from vault.memory.summaries import Summary, SummaryFolder
from vault.vault import Vault, open_vault

TIMES = 5
GOAL_MS = 50.0
ANSWER_SECONDS = 60.0
LEAF_MEMORIES = 64
QUESTIONS = (
    "@why Eliza",
    "@why Eliza {at}",
    "@llm-log Eliza 3",
    "@llm-log Eliza 1 full",
    "@mind Eliza",
    "@mind Eliza {at}",
    "@mind Eliza longterm 2",
    "@memory-status Eliza",
    "@memory-diff Eliza",
    "@memory-expand Eliza recent",
    "@memory-expand Eliza {entry}",
    "@impersonate Eliza",
    "@memory-find Eliza wall",
    "@memory-find Eliza stone wall river",
    "@memory-find Eliza zebra wall",
    "@memories Eliza river",
    "@chronicle",
)


def write_vault(path: Path, memories: int, megabytes: int) -> dict[str, str]:
    """Write the vault; return what stands in the questions."""
    vault = open_vault(path)[0]
    add_people(path, 1, "The Landing", "admin")
    change_settings(path / "config" / "server.md", {"web_port": 0, "speech_per_second": 0})
    newest_ms = int(time.time() * 1000) - 60_000
    write_journal(path / "agents" / "Eliza", memories, newest_ms)
    entry = write_archive(path / "agents" / "Eliza" / "archive", memories, megabytes, newest_ms)
    write_summaries(vault, memories, newest_ms)
    (path / "agents" / "Eliza" / "facts.md").write_text(f"---\nupto: {memories}\n---\n", encoding="utf-8")
    index(vault)
    at = datetime.fromtimestamp(newest_ms / 1000 - 600, UTC)
    return {"at": f"{at:%Y-%m-%dT%H:%M}", "entry": entry}


def write_summaries(vault: Vault, memories: int, newest_ms: int) -> None:
    """Write a summary of each LEAF_MEMORIES memories, and the two in force."""
    folder, last = SummaryFolder(vault, "Eliza"), LEAF_MEMORIES * (memories // LEAF_MEMORIES - 1)
    text = "Moss told me that the stone of the wall by the river is cold. I sang to Ana of the harbour. " * 3
    (vault.root / "agents" / "Eliza" / "summaries").mkdir()
    for end in range(LEAF_MEMORIES, last, LEAF_MEMORIES):
        made_ms = newest_ms - (memories - end) * SECONDS_APART * 1000
        folder.add_leaf(Summary(end - LEAF_MEMORIES + 1, end, text, made_ms=made_ms))
        if end % (16 * LEAF_MEMORIES) == 0:
            folder.add_former(Summary(1, end, text, made_ms=made_ms))
    folder.publish(Summary(1, last - LEAF_MEMORIES, text), Summary(last - LEAF_MEMORIES + 1, last, text), newest_ms)


def write_archive(folder: Path, memories: int, megabytes: int, newest_ms: int) -> str:
    """Write an archive of some megabytes, all of the newest day; return the reference to a late question."""
    folder.mkdir()
    day, part, size, total, prompt, tail = moment_text(newest_ms)[:10], 1, 0, 0, "", list[str]()
    rules = "\n".join(
        f"Rule {number}: what is said in this town is heard by those who stand near." for number in range(40)
    )
    turns = max(1, megabytes * 1_000_000 // 1_500)
    for turn in range(turns):
        seq = max(1, memories - 3 * (turns - turn))
        tail = [*tail[-20:], f'Moss says, "This is stone {turn} of my wall."', f"~Eliza> say It is stone {turn}."]
        asked = {"prompt": rules + "\n".join(tail[:-1]), "reply": "say It is.", "model": "m", "prompt_tokens": 900}
        asked |= {"cached_tokens": 700, "completion_tokens": 20, "seconds": 0.5, "finish": "stop", "newest": seq}
        at_ms = newest_ms - (turns - turn)
        call = ArchiveEntry("tool_call", at_ms, seq + 1, {"command": "say It is.", "cause": "free"})
        new, prompt = archive_lines([ArchiveEntry("message", at_ms, seq, asked), call], prompt)
        size += sum(map(len, new))
        with (folder / archive_name(day, part)).open("ab") as file:
            file.writelines(new)
        if size > FILE_BYTES:
            total, part, size, prompt = total + size, part + 1, 0, ""
        if total + size > megabytes * 1_000_000:
            break
    return f"{archive_name(day, max(1, part - 1)).removesuffix('.jsonl')}#{FILE_BYTES // 1_000 | 1}"


def index(vault: Vault) -> None:
    """Read the journal into the search index, as a server does in the background."""
    words = SearchIndex(vault, "Eliza")
    for name in words.stale():
        words.index_file(name)
    words.close()


_LATER = re.compile(r"You think back; it will take a moment\.|The chronicle is being read\.")


class Asker:
    """An admin at a socket of a server."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=ANSWER_SECONDS)
        self._socket.sendall(f"{caller_name(0)}\n{SECRET}\n".encode())
        self._read("Exits: ")

    def asks(self, question: str) -> float:
        """Ask, and wait for the answer and for what comes behind it; return the seconds until it came."""
        began = time.perf_counter()
        self._socket.sendall(f"{question}\n".encode())
        told = ""
        while not told.strip("> \r\n"):
            told = _LATER.sub("", self._read("\n"))
        seconds = time.perf_counter() - began
        self._socket.sendall(b"say done\n")
        self._read('You say, "done"')
        return seconds

    def _read(self, text: str) -> str:
        content = b""
        while text.encode() not in content:
            new = self._socket.recv(262144)
            if not new:
                raise RuntimeError(f"The server hung up before it said {text!r}.")
            content += new
        return content.decode(errors="ignore")


def measure(folder: Path, memories: int, megabytes: int) -> Iterator[list[str]]:
    """Yield a row of each question."""
    values = write_vault(folder / "world", memories, megabytes)
    serve = ["serve", "--vault", str(folder / "world"), "--port", "0", "--model", "none"]
    spans: list[tuple[str, float, float, float]] = []
    with run_program(["bench.pauses", INSIDE, str(folder), *serve]) as process:
        found = OPEN.search(wait_for(process, " is open on "))
        assert found
        asker = Asker(int(found[2]))
        time.sleep(2)
        for question in QUESTIONS:
            for _ in range(TIMES):
                began = time.time()
                seconds = asker.asks(question.format(**values))
                spans.append((question, began, time.time(), seconds))
        pauses = read_pauses(folder)
    for question in QUESTIONS:
        own = [row for row in spans if row[0] == question]
        longest = max(
            (ms for at, ms in pauses for _, since, until, _ in own if since <= at <= until + 0.05), default=0.0
        )
        mark = "" if longest <= GOAL_MS else "over"
        yield [question, f"{max(row[3] for row in own) * 1000:.0f} ms", f"{longest:.1f} ms", mark]


def main() -> None:
    """Print the longest pause of each question as a table."""
    parser = argument_parser(__doc__)
    parser.add_argument("memories", type=int, nargs="?", default=1_000_000)
    parser.add_argument("megabytes", type=int, nargs="?", default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        rows = list(measure(Path(name), options.memories, options.megabytes))
    heads = ["question", "answered within", "longest pause", f"goal {GOAL_MS:g} ms"]
    publish("questions", [Table(heads, rows)], options.record)


if __name__ == "__main__":
    main()
