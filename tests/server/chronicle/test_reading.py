"""What is read of the chronicle: by whom, and in which form; what is private never reaches the window."""

from __future__ import annotations

import random
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from config.settings import WorldSettings
from server.chronicle import reading as reading_module
from server.chronicle.reading import Reader, Reading, reader_of
from server.chronicle.rendering import RoomMap, html_page, markdown, plain_lines, room_map
from server.chronicle.scope import Own, PastAccess, Public, Whole
from tests.english import ENGLISH
from tests.server.chronicle.lived_day import DAY, SCRIPT, SECRET, lived_vault
from tests.world.inn import inn
from vault.chronicle.event_log import EventLog, LoggedEvent, Period, day_ms, period_of
from vault.vault import Vault

PERIOD = Period(DAY, day_ms(DAY), day_ms(DAY) + 86_400_000)
FORMS = ("html", "markdown", "plain")


@pytest.fixture(scope="module")
def lived(tmp_path_factory) -> Vault:
    return Vault(lived_vault(tmp_path_factory.mktemp("lived") / "w"))


def reading_of(vault: Vault) -> Reader:
    return reader_of(vault, WorldSettings(), lambda: ENGLISH, in_memory=True)


def shown(reading: Reading, form: str) -> str:
    """Return everything that a reading shows in one of its forms."""
    match form:
        case "html":
            return html_page(reading, "Fallwater", RoomMap({}, {}, ()), ENGLISH)
        case "markdown":
            return markdown(reading, "Fallwater", ENGLISH).replace("\\", "")
    return "\n".join(plain_lines(reading, ENGLISH))


@pytest.mark.parametrize(
    ("name", "hours"), [("2026-11-22", 24), ("2026-11-22T20", 1), ("2026-02-30", 0), ("2026-11-22T24", 0), ("x", 0)]
)
def test_a_period_is_a_day_or_an_hour(name, hours):
    period = period_of(name)
    assert (period.end_ms - period.start_ms if period else 0) == hours * 3_600_000


def test_moments_are_quoted_with_their_places_in_log_and_journal(lived):
    moments = reading_of(lived).read(PERIOD, Whole()).moments
    (secret,) = [one for one in moments if one.rule == "secret_passed_on"]
    assert secret.title == "Robin passes on to Moss what was whispered."
    assert secret.quotes[0].places == (f"chronicle/{DAY}.jsonl:5", f"agents/Eliza/journal/{DAY}.md:6")
    journal = (lived.root / "agents" / "Eliza" / "journal" / f"{DAY}.md").read_text().split("\n")
    assert SECRET in journal[6 - 1]
    rules = [one.rule for one in reading_of(lived).read(PERIOD, Public()).moments]
    assert sorted(set(rules)) == ["first_meeting", "promise_kept", "promise_made", "quarrel", "return"]


def test_one_person_reads_what_was_within_reach_and_no_reason(lived):
    reader = reading_of(lived)
    robin, eliza = (reader.read(PERIOD, reader.scope_of(PastAccess(name))).events for name in ("Robin", "Eliza"))
    assert [one.secret for one in robin if one.event.kind == "whispered"] == [
        f'whispered: "{SECRET}"',
        f'whispered: "Eliza says {SECRET}!"',
    ]
    assert [bool(one.secret) for one in eliza if one.event.kind == "whispered"] == [True, False]
    assert not any("As I promised" in one.text for one in robin), "Robin was in the next room"
    assert any("As I promised" in one.text for one in eliza)
    assert {one.reason for one in (*robin, *eliza)} == {""}
    assert not any(one.event.kind == "thought" for one in eliza)


def test_an_hour_says_where_everybody_was_when_it_began(lived):
    period = period_of(f"{DAY}T20")
    assert period
    reading = reading_of(lived).read(period, Public())
    assert reading.before == {"Eliza": "The Landing", "Moss": "The Landing", "Robin": "The Landing"}
    assert len(reading.events) == 3


def test_what_is_too_much_is_counted(lived):
    reading = reading_of(lived).read(PERIOD, Public(), most=4)
    assert (len(reading.events), reading.left_out) == (4, 10)
    for form in FORMS:
        assert "10 more events are left out" in shown(reading, form)


def test_one_who_may_see_little_of_much_is_shown_all_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(reading_module, "MIN_PIECE", 7)
    start, vault = day_ms(DAY), Vault(tmp_path)
    rooms = ("The Mill", "The Mill", "The Mill", "The Yard")
    EventLog(vault).append(
        LoggedEvent(start + n, "emoted", "Ana", room=rooms[n % 4], line=f"Ana counts {n}.") for n in range(200)
    )
    reader = reading_of(vault)
    yard = Own("Ben", [(start, start + 200, "The Yard")])
    whole = reader.read(PERIOD, yard, most=100)
    assert ([one.text for one in whole.events][-1], len(whole.events), whole.left_out) == ("Ana counts 199.", 50, 0)
    first = reader.read(PERIOD, yard, most=30)
    rest = reader.read(PERIOD, yard, most=30, after=first.last)
    assert [*first.events, *rest.events] == list(whole.events)


def test_a_stay_begins_and_ends_with_what_was_perceived_in_that_very_moment():
    own = Own("Ana", [(10, 20, "The Mill"), (20, 30, "The Yard"), (50, 60, "The Mill")])
    moments = [(at_ms, room) for at_ms in (9, 10, 20, 30, 31, 55) for room in ("The Mill", "The Yard")]
    seen = [own.seen(LoggedEvent(at_ms, "emoted", "Ben", room=room, line="Seen.")) for at_ms, room in moments]
    assert [moment for moment, one in zip(moments, seen, strict=True) if one] == [
        *((10, "The Mill"), (20, "The Mill"), (20, "The Yard"), (30, "The Yard"), (55, "The Mill")),
    ]


class Page(HTMLParser):
    """The tags of a page, and the addresses in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.addresses += [value for name, value in attrs if name in ("src", "href", "action", "xlink:href", "data")]


def test_the_page_stands_alone_and_text_of_the_world_is_never_markup(lived):
    reading = reading_of(lived).read(PERIOD, Whole())
    text = html_page(reading, SCRIPT, room_map(None, [SCRIPT]), ENGLISH)
    page = Page(text)
    assert [one for one in page.addresses if not one.startswith("#")] == []
    assert [tag for tag in page.tags if tag in ("script", "link", "img", "iframe", "b")] == ["script"]
    assert re.search(r"url\(|@import|https?:|fetch\(|innerHTML", text) is None
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_markdown_means_nothing_but_itself(lived):
    text = markdown(reading_of(lived).read(PERIOD, Whole()), "Fall*water*", ENGLISH)
    assert re.search(r"(?<!\\)[<*_`\[]script", text) is None
    assert "\\<script\\>alert(1)" in text
    assert "# Fall\\*water\\*, " in text


def test_an_empty_day_is_a_page_too(lived):
    period = period_of("2020-01-01")
    assert period
    text = html_page(reading_of(lived).read(period, Public()), "Fallwater", RoomMap({}, {}, ()), ENGLISH)
    assert "Nothing that you may read is in the chronicle of 2020-01-01." in text


def test_rooms_that_no_map_can_place_stand_below_it():
    found = room_map(inn(), ["The Common Room", "A room that is gone"])
    assert (
        found.places["A room that is gone"][1]
        > max(south for room, (_, south) in found.places.items() if room in inn().rooms) - 1
    )
    assert len(set(found.places.values())) == len(found.places)


def random_log(vault: Vault, rng: random.Random, count: int) -> None:
    """Write events of which every second has something private in it, marked so that it is found anywhere."""
    people, kinds = ("Ana", "Ben", "Cat", "Rook"), ("said", "whispered", "paged", "gave", "thought", "arrived", "left")
    events = []
    for number in range(count):
        kind = rng.choice(kinds)
        who, to = rng.sample(people, 2)
        is_secret = kind in ("whispered", "paged", "thought")
        events.append(
            LoggedEvent(
                day_ms(DAY) + number * 8_000,
                kind,
                who,
                to if kind in ("whispered", "paged", "gave") else "",
                rng.choice(("The Yard", "The Mill")),
                "" if kind in ("paged", "thought") else f"{who} does {number}.",
                words="I will bring you the lamp." if kind == "said" else "",
                thing="lamp",
                by="agent",
                secret=f"PRIVATE{rng.choice(('key stone quay', 'lamp bread door'))} I promise" if is_secret else "",
                reason="PRIVATE" if rng.random() < 0.5 else "",
            )
        )
    EventLog(vault).append(events)


def test_thousands_of_events_leave_nothing_private_in_the_window(tmp_path: Path):
    vault = Vault(tmp_path)
    random_log(vault, random.Random(7), 2_000)
    reader = reading_of(vault)
    window, whole = reader.read(PERIOD, Public()), reader.read(PERIOD, Whole())
    assert len(window.events) > 1_000
    for form in FORMS:
        assert "PRIVATE" not in shown(window, form)
        assert "PRIVATE" in shown(whole, form)
