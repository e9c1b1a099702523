"""Which pairs of prompt and completion are worth learning from."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.vault.vault_of import vault_of
from vault.chronicle.event_log import day_ms, moment_text
from vault.memory.archive import Archive
from vault.memory.archive_exchanges import (
    CHAT,
    Export,
    Pair,
    Question,
    export_training,
    newest_questions,
    pairs_in,
    questions_in,
    questions_up_to,
)

Entry = dict[str, Any]


def numbered(entries: list[Entry]) -> Iterator[tuple[str, Entry]]:
    """Yield entries with their references, as an archive does."""
    return ((f"2026-11-21#{number}", entry) for number, entry in enumerate(entries, 1))


def message(seq: int, prompt: str, shared: int = 0, finish: str = "stop") -> Entry:
    return {"event": "message", "seq": seq, "prompt_shared": shared, "prompt_rest": prompt, "finish": finish}


def call(seq: int, command: str) -> Entry:
    return {"event": "tool_call", "seq": seq, "command": command}


def result(seq: int, refused: bool = False) -> Entry:
    return {"event": "tool_result", "seq": seq, "text": "x", "refused": refused}


def test_a_prompt_goes_with_the_command_that_was_done_in_answer():
    entries = [message(1, "One>"), call(2, "look"), result(3), message(3, "Two>", 0), call(4, "say hi")]
    assert list(pairs_in(numbered(entries))) == [Pair("One>", "look"), Pair("Two>", "say hi")]


def test_a_prompt_is_put_together_from_what_it_shares_with_the_one_before():
    entries = [message(1, "The tale. One>"), call(2, "look"), message(2, "Two>", 10), call(3, "go out")]
    assert [pair.prompt for pair in pairs_in(numbered(entries))] == ["The tale. One>", "The tale. Two>"]


def test_what_was_refused_withdrawn_or_no_command_teaches_nothing():
    refused = [message(1, "One>"), call(2, "get moon"), result(3, refused=True)]
    withdrawn = [message(3, "Two>", finish="cancelled"), call(4, "look")]
    speechless = [message(4, "Three>")]
    silent = [message(4, "Four>", finish="silent"), call(5, "say hello")]  # somebody else had it say that
    assert list(Export().select(pairs_in(numbered([*refused, *withdrawn, *speechless, *silent])))) == []


def test_without_reasons_none_of_its_commands_has_one_those_in_the_prompt_neither():
    prompt = "Doors: a | b.\n~Rook> say hi | she is new\nYou say hi.\n~Rook>"
    (pair,) = Export(reasons=False).select([Pair(prompt, "look | to see who is here")])
    assert pair == Pair("Doors: a | b.\n~Rook> say hi\nYou say hi.\n~Rook>", "look")


def test_what_somebody_had_it_do_is_not_its_answer():
    led = [message(1, "One>"), {"event": "tool_result", "seq": 2, "text": "x"}, call(3, "say hello")]
    assert list(pairs_in(numbered([*led, call(4, "wave")]))) == []


def test_an_archive_becomes_a_file_of_pairs_and_nothing_else_is_beside_it(tmp_path):
    vault = vault_of(tmp_path / "world", {})
    archive = Archive(vault, "Rook")
    for seq, prompt in ((1, "The tale.\n~Rook>"), (2, "The tale goes on.\n~Rook>")):
        archive.append("message", 1_795_000_000_000, seq, prompt=prompt, reply="look", finish="stop")
        archive.append("tool_call", 1_795_000_000_000, seq + 1, command="look")
    path = tmp_path / "exports" / "Rook.jsonl"
    assert export_training(vault, "Rook", path) == 2
    assert [json.loads(line)["prompt"] for line in path.read_text().splitlines()] == [
        "The tale.\n~Rook>",
        "The tale goes on.\n~Rook>",
    ]
    assert [one.name for one in path.parent.iterdir()] == ["Rook.jsonl"]


def test_what_is_exported_can_be_chosen_by_day_and_by_whether_it_was_done():
    pairs = [
        Pair("One>", "look", "2026-11-20"),
        Pair("Two>", "get moon", "2026-11-21", accepted=False),
        Pair("Three>", "say hi | she is new", "2026-11-21"),
    ]
    assert [pair.prompt for pair in Export().select(pairs)] == ["One>", "Three>"]
    assert [pair.prompt for pair in Export(since="2026-11-21").select(pairs)] == ["Three>"]
    assert [pair.prompt for pair in Export(refused=True).select(pairs)] == ["One>", "Two>", "Three>"]


def test_private_reasons_can_be_left_out_and_a_bar_that_is_said_stays():
    pairs = [Pair("One>", "say hi | she is new"), Pair("Two>", r"say a\|b"), Pair("Three>", "look")]
    without = Export(reasons=False)
    assert [pair.completion for pair in without.select(pairs)] == ["say hi", r"say a\|b", "look"]


def test_a_pair_has_a_form_for_base_models_and_one_for_chat():
    pair = Pair("The tale.\n~Rook>", "look", accepted=False)
    assert json.loads(Export().line(pair)) == {"prompt": "The tale.\n~Rook>", "completion": "look"}
    assert json.loads(Export(form=CHAT, refused=True).line(pair)) == {
        "messages": [{"role": "user", "content": "The tale.\n~Rook>"}, {"role": "assistant", "content": "look"}],
        "accepted": False,
    }


def is_up_to(key: str, value: Any, entry: Entry) -> bool:
    return bool(entry[key] <= value)


def was_asked(is_before: Callable[[Entry], bool], question: Question) -> bool:
    return is_before(question.entry)


def test_questions_of_a_long_day_are_found_in_few_files(tmp_path):
    archive, day = Archive(vault_of(tmp_path, {}), "Rook", file_bytes=900), "2026-11-21"
    start_ms, turns = day_ms(day), 60
    for turn in range(turns):
        at_ms, seq = start_ms + turn * 1000, 2 * turn
        archive.append("message", at_ms, seq, prompt=f"The tale. Turn {turn}>", finish="stop")
        archive.append("tool_call", at_ms, seq + 1, command="look")
    everything = list(questions_in(archive.entries()))
    assert len({question.reference[:12] for question in everything}) > 9
    assert newest_questions(archive, 3) == everything[-3:]
    for turn in range(turns):
        at = moment_text(start_ms + turn * 1000 + 1)
        up_to_it = everything[max(0, turn - 2) : turn + 1]
        for is_before in (partial(is_up_to, "seq", 2 * turn), partial(is_up_to, "at", at)):
            assert questions_up_to(archive, day, is_before, partial(was_asked, is_before), 3) == up_to_it
        assert archive.find("tool_call", 2 * turn + 1, day)


def test_question_about_a_turn_keeps_little_of_its_archive(tmp_path):
    archive, day, turns = Archive(vault_of(tmp_path, {}), "Rook", file_bytes=1_000_000), "2026-11-21", 300
    for turn in range(turns):
        archive.append("message", day_ms(day) + turn, turn, prompt=f"{turn}: " + "The tale. " * 1_000, finish="stop")
    middle = partial(is_up_to, "seq", turns // 2)
    tracemalloc.start()
    near = questions_up_to(archive, day, middle, partial(was_asked, middle), 3)
    newest = newest_questions(archive, 3)
    _, most_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [question.seq for question in (*near, *newest)] == [148, 149, 150, 297, 298, 299]
    assert most_bytes < 500_000 < archive.size()[1] // 6
