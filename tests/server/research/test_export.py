"""A world as a data set: what is in it, whose words are not, and the way back."""

from __future__ import annotations

import argparse
import errno
import io
import json
from pathlib import Path
from typing import Any, BinaryIO

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.metrics.small_world import SmallWorld
from vault.chronicle.event_log import moment_text
from vault.errors import NoteError

pytest.importorskip("pyarrow", reason="the extra export is missing: pip install -e '.[export]'")

import pyarrow.parquet as pq

from server.research.command import add_export_command, run_export
from server.research.dataset import write_dataset
from server.research.rows import restore

NOW_MS = 1_900_000_000_000


def consenting(root: Path, *agents: str, people: str = "") -> SmallWorld:
    town = SmallWorld(root, *agents)
    (root / "config").mkdir()
    (root / "config" / "agents.md").write_text("---\ntraining_export: true\n---\n", "utf-8")
    (root / "config" / "world.md").write_text(f"---\nexport_people: '{people}'\n---\n", "utf-8")
    return town


@pytest.fixture
def town(tmp_path) -> SmallWorld:
    return consenting(tmp_path / "town", "Eliza", "Moss")


def table(dataset: Path, name: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(dataset / f"{name}.parquet").to_pylist()
    return rows


def exported(town: SmallWorld, name: str = "data") -> Path:
    write_dataset(town.root, town.root.parent / name, NOW_MS)
    return town.root.parent / name


def jsonl_of(root: Path) -> dict[str, bytes]:
    """Return the chronicle and the archives of a world."""
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*.jsonl"))}


def comes_back(town: SmallWorld) -> bool:
    """Export a world and return whether its JSON lines are the same bytes when they are restored."""
    data = exported(town)
    restore(data, data.with_name("again"))
    return jsonl_of(data.with_name("again") / "town") == jsonl_of(town.root)


def test_a_turn_has_its_question_answer_command_and_result(town):
    town.answers("Eliza", "look | to see", "You are in the yard.", cause="free", seconds=0.5)
    town.does("Eliza", "look | to see")
    town.does("Eliza", "get moon", refused=True)  # the engine's
    town.answers("Eliza", "mumble", "You are in the yard still.", finish="cancelled")
    turns = table(exported(town), "turns")
    wanted = ("reference", "event", "reply", "command", "outcome", "result", "prompt_tokens", "cause", "seconds")
    assert [tuple(row[name] for name in wanted) for row in turns] == [
        ("2026-11-30#1", "message", "look | to see", "look | to see", "done", "Done.", 100, "free", 0.5),
        ("2026-11-30#4", "tool_call", None, "get moon", "refused", "No.", None, "free", None),
        ("2026-11-30#6", "message", "mumble", None, "discarded", None, 100, None, None),
    ]
    prompts = table(town.root.parent / "data", "prompts")
    assert [(row["reference"], row["prompt"]) for row in prompts] == [
        ("2026-11-30#1", "You are in the yard."),
        ("2026-11-30#6", "You are in the yard still."),
    ]


def test_events_memories_and_runs_are_tables_too(town):
    town.happens("said", "Eliza", words="Hello.", reason="to be kind")
    town.remembers("Moss", "observed", 'Eliza says, "Hello."')
    data = exported(town)
    (event,), (memory,), (run,) = (table(data, name) for name in ("events", "memories", "runs"))
    assert (event["who"], event["words"], event["reason"], event["by"]) == ("Eliza", "Hello.", "to be kind", "agent")
    assert (memory["agent"], memory["seq"], memory["text"]) == ("Moss", 1, 'Eliza says, "Hello."')
    assert (run["run"], run["agents"], moment_text(int(run["until"].timestamp() * 1000))) == (
        "town",
        ["Eliza", "Moss"],
        event["at"].strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    )


texts = st.text(st.characters(codec=None, exclude_categories=()), max_size=40)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(("answers", "does", "happens", "compacts")), texts, texts), max_size=12))
def test_json_lines_to_parquet_and_back_are_the_same_bytes(tmp_path_factory, happened):
    town = consenting(tmp_path_factory.mktemp("world") / "town", "Eliza", "Möss «2»")
    prompt = ""
    for number, (what, one, other) in enumerate(happened):
        who = ("Eliza", "Möss «2»")[number % 2]
        if what == "answers":
            prompt = prompt[: len(one)] + other
            town.answers(who, one, prompt, told={"here": [0, 3]}, retrieved=[[3, 0.5]])
        elif what == "does":
            town.archives(who, "tool_call", number, command=one, cause="free")
            town.archives(who, "tool_result", number, text=other, refused=False)
        elif what == "compacts":
            town.archives(who, "auto_compact", number, longterm={"text": one}, outcome=other)
        else:
            town.happens("said", who, words=one, reason=other)
    assert comes_back(town)


def test_lines_that_another_version_wrote_come_back_the_same_too(town):
    lines = [
        b'{"seq":1,"event":"message","prompt_rest":"Hi","prompt_shared":0,"extra":{"a":[1]},"reply":"look"}',
        b'{"event": "unheard_of", "at": 7, "x": "\\ud800"}',
        b'{"event": "message", "prompt_shared": 9, "prompt_rest": "too much shared"}',
        b'{"event": "message", "seq": "one", "prompt_tokens": 1e300, "prompt_rest": ""}',
    ]
    town.archive("Eliza").write_bytes(b"".join(line + b"\n" for line in lines))
    assert comes_back(town)
    assert [row["whole"] for row in table(town.root.parent / "data", "prompts")] == [True, False, True]


def test_a_prompt_of_200_kb_comes_back(town):
    for number in range(3):
        town.answers("Eliza", "look", "ä" * 200_000 + str(number))
    assert comes_back(town)
    assert [len(row["prompt"]) for row in table(town.root.parent / "data", "prompts")] == [200_001] * 3


def test_who_has_not_agreed_has_no_rows_and_no_words_in_the_rows_of_others(tmp_path):
    town = consenting(tmp_path / "town", "Eliza", "Moss", people="Ben")
    (town.root / "agents" / "Moss" / "agent.md").write_text("---\ntraining_export: false\n---\nMoss.\n", "utf-8")
    secret = "crocodiles guard the cellar door"
    town.happens("said", "Ana", "Eliza", words=f"Listen: {secret}.")
    town.happens("whispered", "Moss", "Eliza", words="", secret="marmalade hides behind the clock")
    town.happens("said", "Ben", "Eliza", words="The kettle sings.")
    town.happens("said", "Eliza", words=f"They say {secret}!")
    town.remembers("Eliza", "observed", f'Ana says to you, "Listen: {secret}."')
    town.remembers("Eliza", "observed", 'Ben says to you, "The kettle sings."')
    town.answers("Eliza", f"say They say {secret}!", f'You are here.\nAna says to you, "Listen: {secret}."')
    town.does("Eliza", f"say They say {secret}!")
    town.answers("Eliza", "look", "You heard that marmalade hides behind the clock.")
    town.answers("Eliza", "look", "Nobody is here.", told={"tail": [0, 15]})
    town.remembers("Moss", "acted", "say tangerine weather")
    data = exported(town)
    everything = json.dumps([table(data, name) for name in ("turns", "events", "memories", "prompts")], default=str)
    for word in ("crocodiles", "marmalade", "tangerine", "Ana"):
        assert word not in everything
    assert "The kettle sings." in everything
    assert {row["who"] for row in table(data, "events")} == {"Ben", "Eliza"}
    assert {row["agent"] for name in ("turns", "memories", "prompts") for row in table(data, name)} == {"Eliza"}
    assert [row["withheld"] for row in table(data, "prompts")] == [True, True, False]
    assert "1 agent, 1 person" in (data / "README.md").read_text("utf-8")


def summarised(town: SmallWorld, last: int, text: str, **more: Any) -> None:
    """Let Eliza's memories up to one be summarised."""
    summary = {"covers": [1, last], "text": text, "sources": []}
    town.archives("Eliza", "auto_compact", last, recent=summary, longterm=None, **more)


def test_a_paraphrase_of_who_has_not_agreed_is_left_out_with_the_summary_that_covers_their_words(tmp_path):
    town = consenting(tmp_path / "town", "Eliza", people="Ben")
    first = town.remembers("Eliza", "observed", "The kettle sings.")
    summarised(town, first, "I heard a kettle.")
    town.answers("Eliza", "look", "Of the past: I heard a kettle.", told={"older": [13, 17]}, newest=first)
    town.happens("said", "Ana", words="Crocodiles guard the cellar.")
    last = town.remembers("Eliza", "observed", 'Ana says, "Crocodiles guard the cellar."')
    summarised(town, last, "Reptiles keep people from going downstairs.")
    town.archives("Eliza", "reflection", last, question="What of reptiles?", reply="Keep away.", model="m")
    town.answers("Eliza", "look", "Reptiles! They keep us upstairs.", told={"older": [0, 32]}, newest=last)
    town.answers("Eliza", "look", "You are in the yard.", told={"scene": [0, 20]}, newest=last)
    data = exported(town)
    lines = "".join(line for row in table(data, "turns") for line in row["lines"])
    assert [row["prompt"] for row in table(data, "prompts")] == [
        "Of the past: I heard a kettle.",
        "[withheld]",
        "You are in the yard.",
    ]
    assert "I heard a kettle." in lines
    for word in ("eptiles", "Keep away."):
        assert word not in lines


def test_an_agent_is_not_exported_unless_a_note_says_so(tmp_path):
    town = SmallWorld(tmp_path / "town", "Eliza")
    town.does("Eliza", "say Hello.")
    town.happens("said", "Eliza", words="Hello.")
    data = exported(town)
    assert [table(data, name) for name in ("turns", "events", "memories", "prompts")] == [[]] * 4


def test_of_a_world_that_is_lived_in_nothing_is_later_than_the_point_in_time(town):
    town.happens("said", "Eliza", words="Before.")
    until = town.at_ms
    town.step_ms = 1_000
    town.does("Eliza", "look")
    town.happens("said", "Eliza", words="After.")
    for path in (town.archive("Eliza"), town.chronicle):
        with open(path, "ab") as file:
            file.write(b'{"event": "mess')  # being written
    written = write_dataset(town.root, town.root.parent / "data", until + 5_000)
    assert written.runs[0]["until"] == until
    assert [row["words"] for row in table(town.root.parent / "data", "events")] == ["Before."]
    assert written.rows["turns"] == written.rows["memories"] == 0
    assert written.problems == []
    assert "it was being lived in" in (town.root.parent / "data" / "README.md").read_text("utf-8")


def test_a_sweep_has_all_runs_that_are_done_in_one_data_set(tmp_path):
    for name in ("aa", "bb", "cc"):
        town = consenting(tmp_path / "sweep" / "runs" / name / "world", "Eliza")
        town.does("Eliza", f"say {name}")
        if name != "cc":
            report = {"world": "Town", "seed": 3}
            (tmp_path / "sweep" / "runs" / name / "report.json").write_text(json.dumps(report), "utf-8")
            (tmp_path / "sweep" / "runs" / name / "run.json").write_text(json.dumps({"program": "0.1"}), "utf-8")
    written = write_dataset(tmp_path / "sweep", tmp_path / "data", NOW_MS)
    assert [(row["run"], row["command"]) for row in table(tmp_path / "data", "turns")] == [
        ("aa", "say aa"),
        ("bb", "say bb"),
    ]
    assert [(row["seed"], row["version"]) for row in table(tmp_path / "data", "runs")] == [(3, "0.1"), (3, "0.1")]
    assert written.problems == [f"{tmp_path / 'sweep' / 'runs' / 'cc'}: this run is not done and was left out."]


class FullDisk(io.FileIO):
    """A file on a disk that has room for little."""

    def write(self, data: Any) -> int:
        if self.tell() > 2_000:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


def test_a_full_disk_leaves_no_half_table(town):
    for number in range(50):
        town.answers("Eliza", "look", "".join(chr(97 + (number * place) % 26) for place in range(1_000)))
    to = town.root.parent / "data"

    def full(path: Path) -> BinaryIO:
        return FullDisk(str(path), "wb")

    with pytest.raises(NoteError, match=r"data: cannot be written: No space left on device\. Make room"):
        write_dataset(town.root, to, NOW_MS, full)
    assert [path.name for path in town.root.parent.iterdir()] == ["town"]


def test_a_half_written_line_is_left_out_and_named(town):
    town.does("Eliza", "look")
    with open(town.archive("Eliza"), "ab") as file:
        file.write(b'{"event": \n{"event": "mess')
    written = write_dataset(town.root, town.root.parent / "data", NOW_MS)
    assert written.problems == [
        "agents/Eliza/archive/2026-11-30.jsonl:3: this entry is not valid and was left out",
        "agents/Eliza/archive/2026-11-30.jsonl:4: the last line is torn and was left out",
    ]
    assert written.problems[0] in (town.root.parent / "data" / "README.md").read_text("utf-8")


def test_the_card_has_the_header_of_hugging_face_with_each_table(town):
    town.does("Eliza", "look")
    head = (exported(town) / "README.md").read_text("utf-8").split("---\n")[1]
    configs = {one["config_name"]: one["data_files"] for one in yaml.safe_load(head)["configs"]}
    assert configs == {name: f"{name}.parquet" for name in ("turns", "events", "memories", "prompts", "runs")}


def test_nothing_is_written_over(town):
    (town.root.parent / "data").mkdir()
    (town.root.parent / "data" / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(NoteError, match="exists already, and nothing is written over"):
        exported(town)


def test_a_hostile_data_set_writes_no_file_outside_its_folder(town, tmp_path):
    town.happens("said", "Eliza", words="Hello.")
    data = exported(town)
    events = pq.read_table(data / "events.parquet")
    evil = events.set_column(0, "run", [["../../evil"]])
    pq.write_table(evil, data / "events.parquet")
    with pytest.raises(NoteError, match="characters that a note's name cannot have"):
        restore(data, tmp_path / "again")


def test_the_command_says_what_is_in_it_and_what_is_not(tmp_path):
    town = SmallWorld(tmp_path / "town", "Eliza")
    town.happens("said", "Ana", words="Hello.")
    parser, said = argparse.ArgumentParser(), list[str]()
    add_export_command(parser.add_subparsers(dest="command"))
    options = parser.parse_args(["export", str(town.root), "--to", str(tmp_path / "data")])
    assert run_export(options, said.append) == 0
    assert said == [
        f"The data set is in {tmp_path / 'data'}: turns 0, events 0, memories 0, prompts 0, runs 1.",
        "Left out, for they have not agreed: Eliza. Set training_export: true in their agent.md, or in "
        "config/agents.md for all, if they are to be in it.",
        "Left out are the words of 1 who are not named by export_people in config/world.md.",
    ]
