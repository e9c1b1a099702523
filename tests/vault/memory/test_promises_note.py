"""`promises.md`: what is written reads the same, and what a person writes stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hostile import hostile_input
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.promises_note import MAX_NUMBER, MAX_WORDS, Promise, PromisesNote

FILE = "agents/Eliza/promises.md"
EMPTY = PromisesNote("What Eliza has promised.\n", FILE)
LINE = "- [ ] 7 · Robin → Isaura: The weir leaks. ([[2026-11-21#^m129]])"

lines = st.one_of(st.text(max_size=60), hostile_input).map(lambda text: one_line(text)[:MAX_WORDS].strip())
names = lines.map(lambda text: one_line(text[:40])).filter(bool)
days = st.dates().map(str)


def link(seq: int) -> str:
    return f"[[2026-11-21#^m{seq}]]"


@st.composite
def promises(draw) -> list[Promise]:
    numbers = draw(st.lists(st.integers(1, MAX_NUMBER), max_size=4, unique=True))
    return [
        Promise(
            number,
            draw(names),
            draw(names),
            draw(lines) or "x",
            draw(lines),
            tuple(draw(st.lists(names, max_size=3))),
            draw(st.integers(0, 10**15 - 1)),
            draw(days),
            draw(st.booleans()),
        )
        for number in numbers
    ]


@given(promises())
def test_promises_come_back_as_they_were_written(made):
    note = EMPTY.changed(made, link)
    assert note.promises == tuple(made)
    assert note.faults == ()
    assert note.last == max((one.number for one in made), default=0)


@given(promises(), st.lists(lines.map("Remark: {}".format), max_size=5), st.data())
def test_other_lines_stay_to_the_letter(made, prose, data):
    text = EMPTY.changed(made, link).text
    rows = text.split("\n")
    for line in prose:
        rows.insert(data.draw(st.integers(len(rows) - len(made) - 1, len(rows) - 1)), line)
    note = PromisesNote("\n".join(rows), FILE)
    ticked = note.changed([replace(one, is_done=True) for one in note.promises], link)
    kept = [row for row in ticked.text.split("\n") if not row.startswith("- [")]
    assert kept == [row for row in rows if not row.startswith("- [")]


def test_a_line_typed_by_hand_gets_number_and_day():
    note = EMPTY.parse(f"---\ncolour: '007'  # mine\r\n---\r\n{LINE}\r\n  * Moss -> Odile:  Come (soon). \r\nMine.\r\n")
    assert note.numbered("2026-11-28").text == (
        "---\ncolour: '007'  # mine\r\nlast: 8\n---\r\n"
        f"{LINE}\r\n  - [ ] 8 · Moss → Odile: Come (soon). (2026-11-28)\r\nMine.\r\n"
    )


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("- Robin", "'- Robin' is no promise; expected a line such as '- [ ] Robin → Isaura: The weir leaks.'"),
        ("- [-] Robin → Isaura: No.", "is no promise; expected a line such as"),
        ("- 0 · Robin → Isaura: No.", "is no promise; expected a line such as"),
        (f"- {'9' * 5000} · Robin → Isaura: No.", "is no promise; expected a line such as"),
        ("- Robin →  : No.", "a name is missing; expected"),
        ("- Robin → Isaura:", "it has no words; expected"),
        (f"- Robin → Isaura: {'x' * 221}", "the words have 221 characters; expected at most 220"),
        ("- Robin → Isaura: No. (2026-02-31)", "'2026-02-31' is no day; expected one such as '2026-11-21'"),
        (
            "- Robin → Isaura: No. %% why? %%",
            "a comment stands in the line of a promise; expected it in a line of its own",
        ),
        ("- 7 · Moss → Odile: No.", "the number 7 stands above already; expected one without it"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_kept(line, fault):
    note = EMPTY.parse(f"Mine.\n{LINE}\n{line}\n")
    assert [one.number for one in note.promises] == [7]
    assert [one.startswith(f"{FILE}:3: ") and fault in one for one in note.faults] == [True]
    more = note.changed([Promise(8, "Nia", "Moss", "Hello.", day="2026-11-28")], link)
    assert more.text == (f"---\nlast: 8\n---\nMine.\n{LINE}\n- [ ] 8 · Nia → Moss: Hello. (2026-11-28)\n{line}\n")


def test_bullets_in_code_and_comments_are_no_promises():
    note = EMPTY.parse(f"```\n{LINE}\n```\n%%\n{LINE}\n%%\n")
    assert (note.rows, note.faults) == ((), ())


@pytest.mark.parametrize("value", ["much", "-1", "true", "1000000000"])
def test_a_last_number_that_is_none_is_refused(value):
    with pytest.raises(NoteError, match=f"{FILE}:2: last is .*; expected the highest number of a promise, as in 7."):
        EMPTY.parse(f"---\nlast: {value}\n---\n")


def test_an_older_version_loses_no_promise_made_since():
    older = EMPTY.parse(f"{LINE}\n- Nia → Moss: Hello.\n")
    before = older.numbered("2026-11-28").changed([Promise(9, "Ana", "Ben", "Come.", day="2026-11-28")], link)
    saved = EMPTY.parse(f"{older.text}- Ben → Ana: Soon.\n").with_lost(before).numbered("2026-11-28")
    assert [(one.number, one.words) for one in saved.promises] == [
        (7, "The weir leaks."),
        (8, "Hello."),
        (10, "Soon."),
        (9, "Come."),
    ]


def test_a_promise_that_a_person_took_out_stays_out():
    before = EMPTY.parse(f"---\nlast: 7\n---\n{LINE}\n")
    assert EMPTY.parse("---\nlast: 7\n---\n").with_lost(before).promises == ()


def test_after_the_last_number_the_lowest_free_one_is_given():
    note = EMPTY.parse(f"- {MAX_NUMBER} · Robin → Isaura: No.\n- 1 · Ana → Ben: No.\n- Nia → Moss: No.\n")
    assert [one.number for one in note.numbered("2026-11-28").promises] == [MAX_NUMBER, 1, 2]
