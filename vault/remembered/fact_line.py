"""One thing known and the line of `facts.md` that it is written as.

    - **Moss**: my brother · last seen in The Weir (seen 2026-11-21 20:35; 4 times; since [[2026-11-21#^m100]];
      last [[2026-11-21#^m129]]; before: last seen in The Mill)
    - [ ] **Moss**: I will bring you the lantern. (seen 2026-11-21 20:35; since [[2026-11-21#^m40]])

What is said is escaped, so that none of it can pass for a detail, a link or a second subject.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from vault.remembered.memory_line import one_line

PEOPLE, PLACES, THINGS = "People", "Places", "Things"
PROMISES, REQUESTS, LESSONS, CONFIDED = "Promises", "Requests", "To remember", "Confided"
SECTIONS = (PEOPLE, PLACES, THINGS, PROMISES, REQUESTS, LESSONS, CONFIDED)
COMMITMENTS = (PROMISES, REQUESTS)
TOLD = (LESSONS, CONFIDED)
ENDINGS = ("kept", "withdrawn", "done")
BEEN_THERE = "I have been there"
FORM = "- **name**: what is known"
PIN_LINK = re.compile(r"(?<!\s)\s*\(\[\[[^\[\]#|]*#\^m([1-9]\d{0,15})\]\]\)\s*\Z")

_PHRASES = {
    PEOPLE: r"last seen in .+",
    PLACES: re.escape(BEEN_THERE),
    THINGS: r"(?:I have it|\S.* has it|it lies in .+)",
}
_ESCAPED = re.compile(r"\\|<|\[(?=\[)|%(?=%)|#(?=\w)|\^(?=m\d)|\*(?=\*)|\((?=seen \d)|·")
_UNESCAPED = re.compile(r"\\([\\<\[%#^*(·])")
_LINE = re.compile(
    r"\s*[-*+] (?:\[(?P<box>[ xX])\] )?\*\*(?P<subject>(?:\\.|[^\\])+?)\*\*:(?: ?(?P<value>.*?))??"
    r"(?: \((?P<details>seen \d{4}-\d\d-\d\d \d\d:\d\d.*)\))?"
)
_DETAIL = re.compile(
    r"seen (?P<seen>\d{4}-\d\d-\d\d \d\d:\d\d)(?:; (?P<count>\d{1,9}) times)?"
    r"(?:; since \[\[[^\]]*\^m(?P<since>\d{1,16})\]\])?(?:; last \[\[[^\]]*\^m(?P<last>\d{1,16})\]\])?"
    r"(?:; (?P<closed>kept|withdrawn|done))?(?:; before: (?P<was>.*))?"
)


@dataclass(frozen=True)
class Fact:
    """What is known of one subject.

    `since` is the memory that made the value what it is, `last` the newest that bears it out (0: written by hand);
    `minute` is the time of the latter, in minutes since 1970 UTC; `was` the value before this one. `remark` is what
    a person has added. `closed` is empty for what still holds; a promise ends `kept`, `withdrawn` or `done`.
    """

    section: str
    subject: str
    value: str
    since: int = 0
    last: int = 0
    minute: int = 0
    count: int = 1
    was: str = ""
    closed: str = ""
    remark: str = ""

    @cached_property
    def key(self) -> tuple[str, str, str]:
        """What makes it another fact than any other: its section and subject, for words also the words."""
        by_words = self.section not in _PHRASES
        return self.section, self.subject.casefold(), self.value.casefold() if by_words else ""


def format_fact(fact: Fact, link: Callable[[int], str]) -> str:
    """Return a fact's line. `link` gives the link to a memory's line in the journal."""
    box = f"[{'x' if fact.closed else ' '}] " if fact.section in COMMITMENTS else ""
    value = " · ".join(escaped(part) for part in (fact.remark, fact.value) if part)
    line = f"- {box}**{escaped(fact.subject)}**: {value}".rstrip()
    details = [f"seen {_moment(fact.minute)}"]
    details += [f"{fact.count} times"] * (fact.count != 1)
    details += [f"since {link(fact.since)}"] * bool(fact.since)
    details += [f"last {link(fact.last)}"] * (fact.last not in (0, fact.since))
    details += [fact.closed] * bool(fact.closed)
    details += [f"before: {escaped(fact.was)}"] * bool(fact.was)
    by_hand = not (fact.since or fact.last or fact.minute)
    return line if by_hand and len(details) == 1 else f"{line} ({'; '.join(details)})"


def parse_fact(line: str, section: str) -> Fact | None:
    """Return the fact of a line in a section, or None if it is not of the form."""
    match = _LINE.fullmatch(line.rstrip())
    if not match:
        return None
    found = _DETAIL.fullmatch(match["details"] or "")
    if match["details"] and not found:
        return None
    details = found.groupdict() if found else {}
    remark, value = _split(match["value"] or "", section)
    ticked = "done" if (match["box"] or " ") in "xX" else ""
    since = int(details.get("since") or 0)
    return Fact(
        section,
        unescaped(match["subject"]),
        value,
        since,
        int(details.get("last") or since),
        _minute(details.get("seen")),
        int(details.get("count") or 1),
        unescaped(details.get("was") or ""),
        (details.get("closed") or ticked) if ticked else "",
        remark,
    )


def escaped(text: str) -> str:
    """Return text as a line may hold it."""
    return _ESCAPED.sub(r"\\\g<0>", one_line(text))


def unescaped(text: str) -> str:
    """Return what `escaped` was given."""
    return one_line(_UNESCAPED.sub(r"\1", text))


def _split(value: str, section: str) -> tuple[str, str]:
    """Return a person's remark and the registry's own words; only the latter change with what happens."""
    if section not in _PHRASES:
        return "", unescaped(value)
    remark, bar, phrase = value.rpartition(" · ")
    if re.fullmatch(_PHRASES[section], unescaped(phrase)):
        return (unescaped(remark) if bar else ""), unescaped(phrase)
    return unescaped(value), ""


def _moment(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%d %H:%M")


def _minute(text: str | None) -> int:
    try:
        return int(datetime.fromisoformat(text or "1970-01-01").replace(tzinfo=UTC).timestamp()) // 60
    except ValueError:
        return 0
