"""The archive and micro-compaction, each capability under its number."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from agents.commands.memory_commands import memory_commands
from agents.memory.coverage import Coverage
from agents.memory.memory import AgentMemory
from agents.models.model import ModelError
from server import cli
from tests.agents.memory import on_disk
from tests.agents.memory.lives import NAME, Life, QuickDisk, archived, expanded, windows, writer
from tests.agents.test_agent import Life as AgentLife
from tests.english import ENGLISH
from tests.scripted_model import ScriptedModel
from tests.server.test_cli import MemoryReactor
from world.entities import Role
from world.events import Output, Refused

LOOK = "The Landing\nGreen planks, still wet from the spray.\n\n   Carved into one: “1871”.\n" + "It goes by. " * 30
REFERENCE = re.compile(r"\^m\d+|\d{4}-\d\d-\d\d(?:-\d+)?#\d+")


class FullArchive(QuickDisk):
    """A disk on which there is room for everything but the archive, while it `is_full`."""

    is_full = False

    def append(self, descriptor: int, line: bytes) -> None:
        if self.is_full and line.startswith(b'{"event"'):
            raise OSError(errno.ENOSPC, "No space left on device")
        super().append(descriptor, line)


def looks(memory: AgentMemory, times: int, result: str = LOOK) -> None:
    """Have somebody look around so many times, and hear something each time."""
    for _ in range(times):
        memory.record("acted", "look | where am I?", "The Landing")
        memory.record("result", result, "The Landing")
        memory.record("observed", f'Moss says, "{"word for word, " * 20}I say."', "The Landing", ("Moss",))


def body(text: str) -> str:
    """Return what an expansion tells, without its heading."""
    return text.split("\n", 1)[1]


# 2.20 A result that is too long on arrival


def test_2_20_a_megabyte_never_puts_more_than_the_cap_into_the_prompt(tmp_path):
    life, log = AgentLife(tmp_path), "\n".join(f"Line {number} of the room's log." for number in range(40_000))
    assert len(log) > 1_000_000
    before = len(life.agent.prompt().text)
    life.game.wake("Rook", life.agent.perceive)
    life.game.publish((Output("Rook", log),))
    assert len(life.agent.prompt().text) - before < 4000 + 200
    (told,) = [m for m in life.memory.view().tail if m.text.startswith("Line 0")]
    assert len(life.memory.view().tail_text()) < 4000 + 200
    reference = REFERENCE.findall(told.text)[-1]
    assert told.text.endswith(f" more characters: {reference}]")
    assert life.memory.archive_writer.archive.read(reference)["text"] == log
    life.memory.record("acted", "nod")
    told_then = f'[result: ok, {len(log):,} characters, "Line 0 of the room\'s log. Line 1…" {reference}]'
    assert told_then in life.memory.view().tail_text()


def test_2_20_a_result_that_cannot_be_archived_is_remembered_whole_and_told_within_the_cap(tmp_path):
    disk = FullArchive()
    life = Life(tmp_path, windows(8, 8), writer(), disk=disk)
    disk.is_full = True
    life.memory.record("result", "word " * 10_000)
    assert life.memory.memory(1) is not None
    (told,) = life.memory.view().tail
    assert told.text == ("word " * 10_000).strip()
    assert len(life.memory.view().tail_text()) <= 4000
    assert life.memory.view().tail_text().endswith(" more characters: ^m1]")


def test_2_20_the_whole_of_it_can_be_read_a_screen_at_a_time(tmp_path):
    life = Life(tmp_path, windows(8, 8), writer())
    text = "".join(f"{number:06} " for number in range(10_000))
    life.memory.record("result", text)
    pages = [body(expanded(life.memory, f"^m1 from {first}")) for first in range(1, len(text), 16_000)]
    assert "".join(page.rpartition("\n[Characters ")[0] for page in pages) == text
    assert pages[0].endswith("[Characters 1 to 16,000 of 70,000. More: @memory-expand Eliza ^m1 from 16001]")
    assert pages[-1].endswith("[Characters 64,001 to 70,000 of 70,000.]")


# 3.3 Micro-compaction


def test_3_3_a_placeholder_names_command_status_size_and_a_reference_to_the_original_bytes(tmp_path):
    memory = Life(tmp_path, windows(64, 64), writer()).memory
    looks(memory, 1)
    assert "Green planks, still wet from the spray. Carved" in memory.view().tail_text()
    memory.record("acted", "nod")
    line = memory.view().tail_text().split("\n")[1]
    found = re.fullmatch(r'\[look: ok, (\d+) characters, "The Landing Green planks, still…" (\^m2)\]', line)
    assert found
    assert abs(int(found[1]) - len(LOOK)) < 10  # the journal's line has no blank lines and no indents
    assert body(expanded(memory, found[2])) == LOOK


def test_3_3_a_refused_command_is_told_as_refused_after_a_restart_too(tmp_path):
    life = AgentLife(tmp_path)
    life.memory.record("acted", "go up")
    life.game.wake("Rook", life.agent.perceive)
    life.game.publish((Refused("Rook", f"There is no exit 'up' here. {'Exits: north. ' * 30}"),))
    life.memory.record("acted", "go down")
    life.game.publish((Refused("Rook", "There is no exit 'down' here."),))
    told = life.memory.view().tail_text()
    assert "[go: refused, " in told
    life.memory.close()
    assert AgentLife(tmp_path).memory.view().tail_text() == told


# 3.7 Compacting on demand


def test_3_7_who_asks_is_told_tokens_before_and_after_and_the_archive_has_them(tmp_path):
    life = Life(tmp_path, windows(8, 8), writer())
    looks(life.memory, 10)
    asyncio.run(life.force())
    found = re.search(r"takes (\d+) tokens, (\d+) before", life.heard[0].told(ENGLISH))
    assert found
    assert int(found[1]) < int(found[2])
    entries = archived(life.memory, "manual_compact")
    assert (entries[0]["tokens_before"], entries[-1]["tokens_after"]) == (int(found[2]), int(found[1]))


def test_3_7_who_asks_hears_why_it_failed_and_the_archive_has_it_too(tmp_path):
    life = Life(tmp_path, windows(8, 8), ScriptedModel(lambda request: ModelError("scripted is gone.")))
    life.live(30)
    asyncio.run(life.force())
    assert [(one.done, "scripted is gone." in one.told(ENGLISH)) for one in life.heard] == [(False, True)]
    (entry,) = archived(life.memory, "manual_compact")
    assert (entry["outcome"], entry["why"]) == ("failed", "scripted is gone.")


# 3.8 The archive


def archive_files(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in root.glob("agents/*/archive/*.jsonl")}


def test_3_8_a_turn_is_archived_whole_in_one_write(tmp_path):
    life = AgentLife(tmp_path, "go north | it is warm", "go south | it is hot")
    life.turns(2)
    entries = archived(life.memory)
    assert [entry["event"] for entry in entries] == [
        *("message", "tool_call", "tool_result"),
        *("message", "tool_call", "tool_result"),
    ]
    assert (entries[0]["reply"], entries[0]["model"]) == ("go north | it is warm", "scripted")
    assert (entries[1]["command"], entries[2]["text"]) == ("go north | it is warm", "You go north to The Kitchen.")
    references = [
        reference for reference, entry in life.memory.archive_writer.archive.entries() if entry["event"] == "message"
    ]
    assert [life.memory.archive_writer.archive.prompt_of(reference) for reference in references] == life.model.prompts
    assert sum(len(content) for content in archive_files(tmp_path).values()) < sum(map(len, life.model.prompts)) + 2000


def test_3_8_every_event_of_a_life_stands_in_it(tmp_path):
    life = Life(tmp_path, windows(8, 8), writer())
    looks(life.memory, 8)
    asyncio.run(life.compact())
    looks(life.memory, 2)
    asyncio.run(life.force())
    leaf = life.memory.summaries.leaf_names()[0]
    assert life.memory.longterm
    life.memory.publish(replace(life.memory.longterm, text="I slept.", checksum=""), life.memory.recent)

    asyncio.run(life.rebuild())
    life.memory.roll_back(leaf.removesuffix(".md"))
    life.memory.close()
    assert {entry["event"] for entry in archived(life.memory)} == {
        *("tool_call", "tool_result", "micro_compact"),
        *("auto_compact", "manual_compact", "rebuild", "rollback"),
    }  # and message, which is a turn's


def test_3_8_an_archived_compaction_has_ranges_sources_and_every_text(tmp_path):
    life = Life(tmp_path, windows(8, 8), writer())
    life.live(40)
    asyncio.run(life.compact())
    last = archived(life.memory, "auto_compact")[-1]
    longterm, recent = life.memory.longterm, life.memory.recent
    assert longterm
    assert recent
    assert last["outcome"] == "accepted"
    assert (last["longterm"]["covers"], last["longterm"]["text"]) == ([1, longterm.last], longterm.text)
    assert (last["recent"]["covers"], last["recent"]["text"]) == ([recent.first, recent.last], recent.text)
    assert last["recent"]["sources"] == [f"{recent.first}-{recent.last}"]
    assert last["replaced"]["recent"]["covers"][1] == longterm.last


def test_3_8_no_player_reads_another_s_archive(tmp_path):
    life = AgentLife(tmp_path, "say hello | secretly tired")
    life.game.commands.add(memory_commands({"Rook": life.agent}, life.game.tell, lambda: 0))
    life.turns()
    reference = next(
        reference for reference, e in life.memory.archive_writer.archive.entries() if e["event"] == "message"
    )
    performed = life.game.perform("Ben", f"@memory-expand Rook {reference}")
    assert performed.refusal == "Only Rook, observers and admins can look into the memory of Rook."
    life.game.world.characters["Ana"].role = Role.ADMIN
    life.ana.screen()
    life.ana.types(f"@memory-expand Rook {reference}")
    told = "\n".join(life.ana.screen())
    assert f"Archive {reference} of Rook: message, " in told
    assert "secretly tired" in told


def test_3_8_with_archive_false_nothing_is_archived_and_summaries_are_made(tmp_path):
    life = Life(tmp_path, windows(8, 8, archive=False), writer())
    looks(life.memory, 2, "word " * 2000)
    life.live(30)
    asyncio.run(life.compact())
    life.memory.close()
    assert archive_files(tmp_path) == {}
    assert life.compactor.stats.cycles > 0
    assert "Archive: off, because archive is false" in "\n".join(life.status())
    assert life.memory.memory(2) is not None
    assert life.memory.journal.read(2, 2)[0].text == ("word " * 2000).strip()


# 3.9 References


def test_3_9_every_reference_in_every_prompt_and_summary_resolves(tmp_path):
    life, told = Life(tmp_path, windows(16, 8), writer()), set[str]()
    for turn in range(40):
        looks(life.memory, 1, LOOK if turn % 5 else "word " * 2000)
        told |= set(REFERENCE.findall(life.memory.view().tail_text()))
        asyncio.run(life.compact())
    summaries = [summary for _, summary in life.memory.summaries.leaves() + life.memory.summaries.former()]
    sources = [source for s in summaries for source in s.sources if source.startswith("archive ")]
    assert len(sources) == len(summaries) > 10
    references = told | {source.removeprefix("archive ") for source in sources}
    assert len(told) > 30
    for reference in references:
        assert len(expanded(life.memory, reference)) > 100
    for source, summary in zip(sources, summaries, strict=True):
        entry = life.memory.archive_writer.archive.read(source.removeprefix("archive "))
        texts = [entry[tier]["text"] for tier in ("longterm", "recent") if entry[tier]]
        assert summary.text in texts


@pytest.mark.parametrize("wanted", ["2026-11-21#999", "2025-01-01#1", "^m99999", "2026-13-41#1"])
def test_3_9_a_reference_to_nothing_says_so(tmp_path, wanted):
    life = AgentLife(tmp_path, "say hello")
    life.game.commands.add(memory_commands({"Rook": life.agent}, life.game.tell, lambda: 0))
    life.game.world.characters["Ana"].role = Role.ADMIN
    life.turns()
    refusal = life.game.perform("Ana", f"@memory-expand Rook {wanted}").refusal
    assert re.search("has no entry 999|is not there|has no memories|has no summary", refusal)


# 2.9, 3.10, 3.11, 3.14 What fails


def test_3_10_while_the_archive_cannot_be_written_nothing_is_summarised_and_life_goes_on(tmp_path):
    disk = FullArchive()
    life = Life(tmp_path, windows(8, 8), writer(), disk=disk)
    disk.is_full = True
    for _ in range(5):
        looks(life.memory, 4)
        life.memory.archive_writer.write()
        life.clock.ms += 3_600_000
        asyncio.run(life.compact())
    assert (life.compactor.stats.cycles, life.model.requests) == (0, [])
    assert life.memory.journal.last == 60
    assert life.memory.problem == ""
    (told,) = [line for line in life.status() if line.startswith("Archive:")]
    assert "No space left on device" in told
    disk.is_full = False
    life.clock.ms += 3_600_000
    asyncio.run(life.compact())
    assert life.compactor.stats.cycles > 0
    assert life.memory.archive_writer.problem == ""
    assert len(archived(life.memory, "tool_result")) == 20


def test_3_10_an_archive_that_fills_up_at_the_last_moment_stops_the_publication(tmp_path):
    disk = FullArchive()
    life = Life(tmp_path, windows(8, 8), writer(), disk=disk)
    life.live(20)

    async def filling() -> None:
        await life.begin()
        disk.is_full = True
        life.model.release()
        await life.finish()

    before = life.memory.view()
    asyncio.run(filling())
    assert life.memory.view() == before
    assert life.compactor.stats.cycles == 0
    assert life.memory.summaries.leaf_names() == []
    assert "No space left on device" in life.compactor.stats.last_error


def test_3_10_an_agent_takes_its_turns_on_a_full_archive(tmp_path):
    life = AgentLife(tmp_path, "say hello", "say again")
    disk = FullArchive()
    life.memory.archive_writer.archive._open._disk = disk
    disk.is_full = True
    assert [turn.outcome for turn in life.turns(2)] == ["acted", "acted"]
    assert life.remembered("acted") == ["say hello", "say again"]
    assert "No space left on device" in life.memory.archive_writer.problem


def test_2_9_a_failed_compaction_leaves_the_old_view_and_every_line_and_one_warning(tmp_path, caplog):
    life = Life(tmp_path, windows(8, 8), ScriptedModel(lambda request: ModelError("scripted is gone.")))
    life.live(20)
    before, lines = life.memory.view(), on_disk.lines(life.folder)
    for _ in range(3):
        asyncio.run(life.compact())
        life.clock.ms += 3_600_000
    assert (life.memory.view(), on_disk.lines(life.folder)) == (before, lines)
    assert life.compactor.stats.failures_in_a_row == 3
    assert caplog.text.count("Compaction failed; the old summaries stay. scripted is gone.") == 1


def test_3_11_a_reply_is_unaffected_by_a_failed_compaction(tmp_path):
    life = AgentLife(tmp_path, "say hello", "say again")
    failing = Life(tmp_path / "other", windows(1, 1), ScriptedModel(lambda request: ModelError("scripted is gone.")))
    failing.live(8)
    life.agent.compactor = failing.compactor

    async def live() -> list[str]:
        life.wakes()
        lines = [(await life.agent.tick()).line for _ in range(2)]
        await failing.finish()
        return lines

    assert asyncio.run(live()) == ["say hello", "say again"]
    assert failing.compactor.stats.failures_in_a_row == 1


def test_3_14_without_a_summariser_placeholders_alone_slow_the_growth_and_ask_no_model(tmp_path):
    grown = {}
    for limit in (0, 240):
        model = ScriptedModel(lambda request: ModelError("scripted is gone."))
        life = Life(tmp_path / str(limit), windows(8, 8, micro_result_characters=limit), model)
        looks(life.memory, 20)
        asyncio.run(life.compact())
        asked, before = len(model.requests), len(life.memory.view().tail_text())
        for _ in range(20):
            looks(life.memory, 1)
            asyncio.run(life.compact())
        grown[limit] = len(life.memory.view().tail_text()) - before
        assert len(model.requests) == asked
    assert grown[240] < 0.7 * grown[0]


# 3.18, 3.23


def test_3_18_everything_is_there_after_ten_compactions_in_the_archive_and_beyond(tmp_path):
    life, lived = Life(tmp_path, windows(8, 8), writer()), list[str]()
    for number in range(60):
        results = f"Result {number}. {'It goes on. ' * 30}"
        looks(life.memory, 1, results)
        lived.append(results)
        asyncio.run(life.compact())
    assert life.compactor.stats.cycles >= 10
    assert [entry["text"] for entry in archived(life.memory, "tool_result")] == lived
    assert [m.seq for m in life.memory.journal.read(1, 180)] == list(range(1, 181))
    assert [m.text for m in life.memory.journal.read(1, 180) if m.kind == "result"] == [text.strip() for text in lived]


def test_3_23_an_archive_beyond_its_budget_is_told_of_in_the_status(tmp_path):
    life = Life(tmp_path, windows(8, 8, archive_alarm_mb=1), writer())
    life.memory.record("result", "word " * 150_000)
    assert "Archive: 1 file, 0.8 MB." in life.status()
    assert "Note: the archive" not in "\n".join(life.status())
    life.memory.record("result", "word " * 150_000)
    assert "Note: the archive is larger than archive_alarm_mb, which is 1." in "\n".join(life.status())


def test_3_23_an_old_file_moved_away_harms_nothing(tmp_path):
    life = Life(tmp_path, windows(8, 8), writer())
    looks(life.memory, 3)
    life.memory.archive_writer.write()
    for path in tmp_path.glob("agents/*/archive/*.jsonl"):
        path.unlink()
    told = body(expanded(life.memory, "^m2"))
    assert " ".join(told.split()) == " ".join(LOOK.split())
    life.live(30)
    asyncio.run(life.compact())
    assert life.compactor.stats.cycles > 0


def lived(root: Path) -> Life:
    """Return a life with a journal, summaries and an archive, whose files are all closed."""
    life = Life(root, windows(8, 8), writer())
    (life.folder / "agent.md").write_text("You are Eliza.\n", encoding="utf-8")
    looks(life.memory, 10)
    asyncio.run(life.compact())
    life.memory.close()
    return life


def contents(root: Path, *names: str) -> dict[str, str]:
    """Return a hash of every file in the folders of that name, by its path from there on."""
    paths = [path for name in names for folder in root.rglob(name) for path in folder.rglob("*") if path.is_file()]
    return {f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.parametrize("kept", [False, True])
def test_3_21_an_agent_can_begin_anew_and_its_archive_stays_or_goes_as_is_asked(tmp_path, capsys, kept):
    life = lived(tmp_path)
    before = contents(tmp_path, "journal", "summaries", "archive")
    assert {name.split("/")[0] for name in before} == {"journal", "summaries", "archive"}
    cli.run(MemoryReactor(), ["reset-agent", NAME, "--vault", str(tmp_path), *(["--keep-archive"] if kept else [])])
    assert "Eliza remembers nothing now." in capsys.readouterr().out
    after = contents(tmp_path, "journal", "summaries", "archive")
    assert before.items() <= after.items()
    assert len(after) == len(before) + kept  # the archive that stays is told that numbers begin again
    assert (life.folder / "archive").exists() == kept
    assert not list((tmp_path / ".index").rglob("Eliza*"))  # nothing that tells of the former life, or restores it
    again = Life(tmp_path, windows(8, 8), writer())
    assert again.memory.coverage == Coverage(0, 0, 0)
    assert again.memory.view().tail == ()
    assert again.memory.warnings == []
    again.live(20)
    asyncio.run(again.compact())
    assert (again.memory.coverage.n, again.compactor.stats.last_error) == (20, "")
    assert [memory.seq for memory in again.memory.journal.read(1, 20)] == list(range(1, 21))
    again.memory.close()
    assert Life(tmp_path, windows(8, 8), writer()).memory.journal.last == 20  # whatever a former life had counted to


@pytest.mark.parametrize(("name", "why"), [("Zebulon", "no agent 'Zebulon'; there are Eliza"), (NAME, "nothing yet")])
def test_3_21_who_is_not_there_or_remembers_nothing_cannot_begin_anew(tmp_path, name, why):
    folder = tmp_path / "agents" / NAME
    folder.mkdir(parents=True)
    (folder / "agent.md").write_text("You are Eliza.\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=why):
        cli.run(MemoryReactor(), ["reset-agent", name, "--vault", str(tmp_path)])
