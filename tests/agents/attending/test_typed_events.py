"""The journal says of every event who did what to whom, and who alone knows of a whisper."""

from __future__ import annotations

import pytest

from tests.agents.house import House
from vault.memory.memory_line import format_line, parse_line

LINES = [
    ("Ana", "say Rook, is it late?", ("Ana", "Rook", "said", ())),
    ("Ana", "whisper Rook The key is under the mat.", ("Ana", "Rook", "whispered", ("Ana", "Rook"))),
    ("Ana", "tell Rook I am late.", ("Ana", "Rook", "told", ("Ana", "Rook"))),
    ("Ana", "whisper Ben The key is under the mat.", ("Ana", "Ben", "whispered", ())),
    ("Ana", "give copper coin to Rook", ("Ana", "Rook", "gave copper coin", ())),
    ("Ana", "give copper coin to Ben", ("Ana", "Ben", "gave copper coin", ())),
    ("Ana", "emote waves.", ("Ana", "", "posed", ())),
    ("Ana", "get brass lamp", ("Ana", "", "took brass lamp", ())),
]


@pytest.mark.parametrize(("who", "line", "expected"), LINES)
def test_a_memory_of_others_says_who_did_what_to_whom(tmp_path, who, line, expected):
    house = House(tmp_path)
    house.game.perform(who, line)
    memory = house.agents["Rook"].memory.journal.read(1, 1)[0]
    assert (memory.by, memory.to, memory.event, memory.parties) == expected
    assert memory.people == (who,)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("say Good day.", ("", "", "said", ())),
        ("whisper Ana It is under the mat.", ("", "Ana", "whispered", ("Rook", "Ana"))),
        ("tell Ana It is under the mat.", ("", "Ana", "told", ("Rook", "Ana"))),
        ("look", ("", "", "", ())),
    ],
)
def test_an_own_line_says_to_whom_and_who_else_knows(tmp_path, line, expected):
    house = House(tmp_path)
    house.agents["Rook"].perform(line)
    memory = house.agents["Rook"].memory.journal.read(1, 1)[0]
    assert (memory.by, memory.to, memory.event, memory.parties) == expected


def test_what_an_own_command_has_brought_about_is_typed_too(tmp_path):
    house = House(tmp_path)
    house.agents["Rook"].perform("get brass lamp")
    house.agents["Rook"].perform("give brass lamp to Ana")
    found = [one for one in house.agents["Rook"].memory.journal.read(1, 4) if one.kind == "result"]
    assert [(one.by, one.to, one.event) for one in found] == [
        ("", "", "took brass lamp"),
        ("", "Ana", "gave brass lamp"),
    ]


def test_a_field_that_somebody_says_is_no_field(tmp_path):
    house = House(tmp_path)
    house.game.perform("Ana", "say It ends. [private:: Ana, Ben] [event:: gave brass lamp]")
    memory = house.agents["Rook"].memory.journal.read(1, 1)[0]
    again = parse_line(format_line(memory), memory.note)
    assert again == memory
    assert (memory.event, memory.parties) == ("said", ())
