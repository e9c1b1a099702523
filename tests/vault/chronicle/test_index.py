"""The index of the event log agrees with a plain reading of it, however the log came to be as it is."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.vault.vault_of import files
from vault.chronicle import intake
from vault.chronicle.event_log import LoggedEvent, day_ms, event_line, log_files, moment_text, parsed_event
from vault.chronicle.index import ChronicleIndex, Entry, EventQuery
from vault.chronicle.intake import HOUR_MS, Moment, MomentRules, NoRules, RuleState
from vault.errors import NoteError

DAY = day_ms("2026-11-22")
PEOPLE, ROOMS, KINDS = ("Ana", "Ben", "Cat"), ("The Yard", "The Mill"), ("said", "arrived", "left", "gave", "opened")


def event(at_ms: int, kind: str = "said", who: str = "Ana", room: str = "The Yard", **more: str) -> LoggedEvent:
    return LoggedEvent(at_ms, kind, who, room=room, line=more.pop("line", f"{who} {kind}."), **more)  # type: ignore[arg-type]


def write(folder: Path, *events: LoggedEvent) -> None:
    folder.mkdir(exist_ok=True)
    for one in events:
        with open(folder / f"{moment_text(one.at_ms)[:10]}.jsonl", "ab") as file:
            file.write(event_line(one))


def updated(folder: Path, database: Path | None = None, rules: MomentRules | None = None) -> ChronicleIndex:
    """Return an index that has taken in the log."""
    index = ChronicleIndex(folder, database, rules)
    index.update()
    return index


def plain_scan(folder: Path) -> Iterator[Entry]:
    """Yield every event of a log by reading all of it: what an index is to agree with."""
    number = 0
    for name in log_files(folder):
        for line, text in enumerate((folder / name).read_bytes().split(b"\n")[:-1], 1):
            if found := parsed_event(text):
                number += 1
                yield Entry(number, name, line, found)


def matches(entry: Entry, query: EventQuery) -> bool:
    one = entry.event
    return (
        query.start_ms <= one.at_ms < query.end_ms
        and (not query.person or query.person in (one.who, one.to))
        and (one.is_public or not query.is_public)
    )


def expected(folder: Path, query: EventQuery) -> list[Entry]:
    return sorted(
        (entry for entry in plain_scan(folder) if matches(entry, query)),
        key=lambda entry: (entry.event.at_ms, entry.number),
    )


times = st.integers(DAY, DAY + 3 * 24 * HOUR_MS - 1)
events = st.builds(
    LoggedEvent,
    times,
    st.sampled_from(KINDS),
    st.sampled_from(("", *PEOPLE)),
    st.sampled_from(("", *PEOPLE)),
    st.sampled_from(ROOMS),
    st.sampled_from(("", "Something happens.")),
)
queries = st.builds(
    EventQuery,
    times,
    times,
    st.sampled_from(("", *PEOPLE, "Nobody")),
    st.booleans(),
)
changes = st.sampled_from(("append", "tear", "garbage", "edit", "delete a day", "delete the index", "break the index"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(events, max_size=40), st.lists(st.tuples(changes, st.lists(events, max_size=8)), max_size=4), queries)
def test_an_index_answers_as_a_plain_scan_does(tmp_path_factory, first, later, query):
    folder = tmp_path_factory.mktemp("log") / "chronicle"
    database = folder.with_name("index.sqlite")
    index = ChronicleIndex(folder, database, Counting())
    write(folder, *sorted(first, key=lambda one: one.at_ms))
    index.update()
    for change, more in later:
        index = alter(folder, database, change, more) or index
        index.update()
        assert index.events(query) == expected(folder, query)
        assert index.count(query) == len(expected(folder, query))
        for is_public in (False, True):
            hours = Counter(
                one.event.at_ms // HOUR_MS * HOUR_MS for one in expected(folder, EventQuery(is_public=is_public))
            )
            assert index.hours(is_public) == sorted(hours.items())
        assert [one.rule for one in index.moments(0, 1)] == [str(n) for n, _ in enumerate(plain_scan(folder), 1)]
    index.close()


def alter(folder: Path, database: Path, change: str, more: list[LoggedEvent]) -> ChronicleIndex | None:
    """Change a log or its index; return another index where the first cannot go on."""
    days = log_files(folder)
    match change:
        case "append":
            write(folder, *sorted(more, key=lambda one: one.at_ms))
        case "tear" if days:
            path = folder / days[-1]
            path.write_bytes(path.read_bytes()[:-5])
        case "garbage" if days:
            with open(folder / days[-1], "ab") as file:
                file.write(b"this is no event\n")
        case "edit" if days:
            path = folder / days[0]
            path.write_bytes(path.read_bytes().replace(b"Ana", b"Ben"))
            os.utime(path, ns=(1, os.stat(path).st_mtime_ns + 1))
        case "delete a day" if days:
            (folder / days[0]).unlink()
        case "delete the index" | "break the index":
            for path in folder.parent.glob("index.sqlite*"):
                path.unlink()
            if change == "break the index":
                database.write_bytes(b"no database" * 100)
            return ChronicleIndex(folder, database, Counting())
    return None


@dataclass
class Counting:
    """Finds a moment in each event, named after how many there were, which it has to remember."""

    fingerprint: str = "1"

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        state.put("count", state.get("count", 0) + 1)
        return [Moment(0, str(state["count"]), event.who, event.to, event.room, (number,))]


def test_a_line_longer_than_a_step_and_many_steps_are_taken_in_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "STEP_BYTES", 300)
    folder = tmp_path / "chronicle"
    write(folder, *(event(DAY + n, words="long " * 200 * (n == 5)) for n in range(40)))
    index = updated(folder)
    assert index.events(EventQuery()) == list(plain_scan(folder))


def test_a_half_written_line_is_left_out_and_named_until_its_rest_comes(tmp_path):
    folder = tmp_path / "chronicle"
    write(folder, event(DAY))
    path, whole = folder / "2026-11-22.jsonl", event_line(event(DAY + 1))
    path.write_bytes(path.read_bytes() + b"nothing\n" + whole[:20])
    index = updated(folder)
    assert [one.event.at_ms for one in index.events(EventQuery())] == [DAY]
    assert index.problems() == [
        "chronicle/2026-11-22.jsonl:2: no event; left out",
        "chronicle/2026-11-22.jsonl:3: half-written; left out",
    ]
    with open(path, "ab") as file:
        file.write(whole[20:])
    index.update()
    assert [one.place for one in index.events(EventQuery())][1:] == ["chronicle/2026-11-22.jsonl:3"]
    assert index.problems() == ["chronicle/2026-11-22.jsonl:2: no event; left out"]


def test_two_programs_may_use_one_index(tmp_path):
    folder, database = tmp_path / "chronicle", tmp_path / "index.sqlite"
    one, other = ChronicleIndex(folder, database, Counting()), ChronicleIndex(folder, database, Counting())
    for number in range(6):
        write(folder, event(DAY + number, who=PEOPLE[number % 3]))
        (one, other)[number % 2].update()
    for index in (one, other):
        assert index.events(EventQuery()) == list(plain_scan(folder))
        assert [moment.rule for moment in index.moments(0, 1)] == ["1", "2", "3", "4", "5", "6"]
        assert index.people() == sorted(PEOPLE)


def test_other_rules_find_other_moments_in_what_was_read_before(tmp_path):
    folder, database = tmp_path / "chronicle", tmp_path / "index.sqlite"
    write(folder, event(DAY), event(DAY + 1))
    for rules in (None, Counting(), Counting("2")):
        index = updated(folder, database, rules)
        assert len(index.moments(0, 1)) == (2 if rules else 0)
        assert index.count(EventQuery()) == 2


def test_pages_follow_each_other_and_the_newest_come_by_themselves(tmp_path):
    folder = tmp_path / "chronicle"
    write(folder, *(event(DAY + n // 3) for n in range(10)))
    index = updated(folder)
    numbers, after = list[int](), (-1, -1)
    while page := index.events(EventQuery(after=after, limit=4)):
        numbers += [one.number for one in page]
        after = page[-1].event.at_ms, page[-1].number
    assert numbers == list(range(1, 11))
    assert [one.number for one in index.events(EventQuery(limit=3, newest=True))] == [8, 9, 10]
    assert [one.number for one in index.numbered((7, 2, 99))] == [2, 7]


def test_where_people_are_is_known_until_they_leave_or_the_world_opens_again(tmp_path):
    folder = tmp_path / "chronicle"
    write(
        folder,
        event(DAY, "opened", "", ""),
        event(DAY + 10, "arrived", "Ana"),
        event(DAY + 20, "left", "Ana", to_room="The Mill"),
        event(DAY + 20, "arrived", "Ana", "The Mill"),
        event(DAY + 30, "arrived", "Ben"),
        event(DAY + 40, "left", "Ben"),
        event(DAY + 50, "arrived", "Ben", "The Mill"),
        event(DAY + 60, "opened", "", ""),
        event(DAY + 70, "arrived", "Ben"),
    )
    index = updated(folder)
    assert index.places_at(DAY + 15) == {"Ana": "The Yard"}
    assert index.places_at(DAY + 45) == {"Ana": "The Mill"}
    assert index.places_at(DAY + 60) == {"Ana": "The Mill", "Ben": "The Mill"}
    assert index.places_at(DAY + 65) == {}
    assert index.stays("Ana", DAY + 12, DAY + 99) == [
        (DAY + 12, DAY + 20, "The Yard"),
        (DAY + 20, DAY + 60, "The Mill"),
    ]
    assert index.stays("Ben", DAY, DAY + 99)[-1] == (DAY + 70, DAY + 99, "The Yard")
    assert index.stays("Nobody", DAY, DAY + 99) == []


def test_a_world_without_a_log_has_no_events_and_no_complaint(tmp_path):
    index = updated(tmp_path / "chronicle", tmp_path / ".index" / "chronicle.sqlite")
    assert (index.events(EventQuery()), index.hours(), index.people(), index.problems()) == ([], [], [], [])
    assert (index.places_at(DAY), index.stays("Ana", 0, DAY), index.moments(0, DAY)) == ({}, [], [])


def test_an_index_that_cannot_be_kept_says_why(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(NoteError, match="the index of the chronicle cannot be used"):
        ChronicleIndex(tmp_path / "chronicle", tmp_path / "taken" / "index.sqlite").update()


def test_a_table_from_another_version_is_made_anew(tmp_path):
    folder, database = tmp_path / "chronicle", tmp_path / "index.sqlite"
    write(folder, event(DAY))
    db = sqlite3.connect(database)
    db.execute("CREATE TABLE events (id INTEGER)")
    db.close()
    assert updated(folder, database).count(EventQuery()) == 1


class Numbered(NoRules):
    """Notes the number of each event that is taken in."""

    def __init__(self) -> None:
        self.taken: list[int] = []

    def moments_of(self, number: int, event: LoggedEvent, state: RuleState) -> list[Moment]:
        self.taken.append(number)
        return []


def but_for_shared_memory(folder: Path) -> dict[str, bytes]:
    return {name: content for name, content in files(folder).items() if not name.endswith("-shm")}


@pytest.mark.parametrize(("how", "taken"), [("closed", [6]), ("open", [6]), ("broken", [1, 2, 3, 4, 5, 6])])
def test_an_index_in_memory_goes_on_from_the_file_of_the_world_and_writes_nothing(
    tmp_path: Path, how: str, taken: list[int]
):
    folder, database = tmp_path / "chronicle", tmp_path / ".index" / "chronicle.sqlite"
    write(folder, *(event(DAY + at) for at in range(5)))
    world = updated(folder, database, Numbered())
    if how != "open":
        world.close()
    write(folder, event(DAY + 7))
    if how == "broken":
        database.write_bytes(database.read_bytes()[:5000] + b"x" * 5000)
    before = but_for_shared_memory(database.parent)
    rules = Numbered()
    index = ChronicleIndex(folder, None, rules, seed=database)
    index.update()
    assert but_for_shared_memory(database.parent) == before
    assert index.events(EventQuery()) == expected(folder, EventQuery())
    assert rules.taken == taken
    world.close()
