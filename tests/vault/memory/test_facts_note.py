"""`facts.md` comes back as it was written, keeps what a person adds, and is refused by line where it is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from vault.errors import NoteError
from vault.markdown import one_line
from vault.memory.facts_note import (
    BEEN_THERE,
    COMMITMENTS,
    PEOPLE,
    PLACES,
    PROMISES,
    SECTIONS,
    THINGS,
    Fact,
    FactsFile,
    FactsNote,
    Pin,
    format_fact,
    format_facts,
    parse_fact,
    parse_facts,
)
from vault.note import parse_note

lines = st.text(max_size=60).map(one_line)
some = lines.filter(bool)


def link(seq: int) -> str:
    return f"[[2026-11-21#^m{seq}]]"


@st.composite
def facts(draw: st.DrawFn) -> Fact:
    section = draw(st.sampled_from(SECTIONS))
    phrases = {
        PEOPLE: st.just("last seen in The Mill"),
        PLACES: st.just(BEEN_THERE),
        THINGS: st.sampled_from(["I have it", "Moss has it", "it lies in The Mill", ""]),
    }
    since = draw(st.integers(1, 10**9))
    return Fact(
        section,
        draw(some),
        draw(phrases.get(section, some)),
        since,
        draw(st.integers(since, 10**9)),
        draw(st.integers(1, 40_000_000)),
        draw(st.integers(1, 10**6)),
        draw(lines),
        draw(st.sampled_from(["", "kept", "withdrawn", "done"])) if section in COMMITMENTS else "",
        draw(lines) if section in phrases else "",
    )


@given(facts())
def test_a_fact_is_read_back_as_it_was_written(fact):
    line = format_fact(fact, link)
    assert "\n" not in line
    assert parse_fact(line, fact.section) == fact


@given(st.text(max_size=100), st.sampled_from(SECTIONS))
def test_no_line_makes_reading_fail(line, section):
    found = parse_fact(line, section)
    if found:
        assert parse_fact(format_fact(found, link), section) == found


@given(st.lists(facts(), max_size=5), st.lists(st.builds(Pin, some, st.integers(0, 99)), max_size=4), st.lists(some))
def test_a_file_is_read_back_as_it_was_written(given_facts, pins, goals):
    goals = [goal for goal in goals if not goal.endswith("([[agent]])")]
    by_key = tuple({fact.key: fact for fact in given_facts}.values())
    ordered = tuple(fact for section in SECTIONS for fact in by_key if fact.section == section)
    file = FactsFile(7, "The Mill", (3, 5), tuple(dict.fromkeys(pins)), ordered, tuple(goals))
    text = format_facts(file, "Eliza", link, ("Find the page.",))
    found = parse_facts(parse_note(text, "facts.md"))
    assert (found.upto, found.place, found.marked) == (7, "The Mill", (3, 5))
    assert (found.pins, found.facts, found.goals) == (file.pins, file.facts, file.goals)
    assert format_facts(found, "Eliza", link, ("Find the page.",)) == text


def test_what_a_person_adds_stays_where_it_makes_sense():
    text = """---
mood: fine
upto: 12
---
My own words about this.

## Pinned
Think of these.
- The key is under the step. ([[2026-11-21#^m12]])

## People
Friends first.
- **Moss**: my brother
- **Ana**: likes tea · last seen in The Mill (seen 2026-11-21 20:35; 4 times; since [[2026-11-21#^m9]])

## Promises
- [X] **Moss**: I will bring bread.
- [ ] **Ana**: I will bring salt.

## Recipes
- flour
"""
    found = parse_facts(parse_note(text, "facts.md"))
    assert found.pins == (Pin("The key is under the step.", 12),)
    assert [(f.subject, f.value, f.remark, f.closed) for f in found.facts] == [
        ("Moss", "", "my brother", ""),
        ("Ana", "last seen in The Mill", "likes tea", ""),
        ("Moss", "I will bring bread.", "", "done"),
        ("Ana", "I will bring salt.", "", ""),
    ]
    written = format_facts(found, "Eliza", link)
    for kept in ("mood: fine", "My own words about this.", "Think of these.", "Friends first.", "## Recipes\n- flour"):
        assert kept in written
    assert parse_facts(parse_note(written, "facts.md")) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nupto: soon\n---\n", r"facts.md:2: upto is 'soon'; expected the number of a memory"),
        ("---\nupto: -1\n---\n", r"facts.md:2: upto is -1"),
        ("---\nupto: 3\nmarked: [a]\n---\n", r"facts.md:3: marked has 'a'; expected numbers"),
        (
            "## People\n- Moss is nice\n",
            r"facts.md:2: '- Moss is nice' is not of the form '- \*\*name\*\*: what is known'",
        ),
        ("## Things\n- **x**: y (seen 2026-11-21 10:00; sinc 3)\n", r"facts.md:2: .* is not of the form"),
        ("## People\n\n## People\n", r"facts.md:3: the heading 'People' stands there twice"),
        ("---\nupto: [\n---\n", r"facts.md:.*not valid YAML"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(text: str, message: str):
    with pytest.raises(NoteError, match=message):
        parse_facts(parse_note(text, "facts.md"))


def test_a_file_that_was_written_meanwhile_is_not_written_over(tmp_path: Path):
    note = FactsNote(vault_of(tmp_path, {}, FailingDisk()), "Eliza")
    (tmp_path / "agents/Eliza").mkdir(parents=True)
    assert note.read() is None
    assert note.write("one\n", (-1, -1))
    stamp = note.stamp()
    (tmp_path / "agents/Eliza/facts.md").write_text("by hand, and longer\n")
    assert not note.write("two\n", stamp)
    assert (tmp_path / "agents/Eliza/facts.md").read_text() == "by hand, and longer\n"
    assert sorted(path.name for path in (tmp_path / "agents/Eliza").iterdir()) == ["facts.md"]


def test_versions_kept_aside_take_no_name_that_is_taken(tmp_path: Path):
    note = FactsNote(vault_of(tmp_path, {}), "Eliza")
    names = [note.keep_aside(text, "20261121-203501") for text in ("a", "b")]
    assert names == ["facts (conflict 20261121-203501).md", "facts (conflict 20261121-203501)-2.md"]
    assert [(tmp_path / "agents/Eliza" / name).read_text() for name in names] == ["a", "b"]


def test_promises_are_tasks_that_can_be_ticked():
    fact = Fact(PROMISES, "Moss", "I will come.", 3, 3, 29_920_800)
    assert format_fact(fact, link) == ("- [ ] **Moss**: I will come. (seen 2026-11-21 08:00; since [[2026-11-21#^m3]])")
