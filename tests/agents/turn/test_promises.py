"""What an agent promises is told once, to the right person, whatever happens to its file meanwhile."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from agents.component import Moment
from agents.memory.view import TAIL, Tier, View
from agents.turn.promises import MAX_KEPT, MAX_OPEN, MAX_OPEN_OF_ASKER, Promises
from tests.english import ENGLISH
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from tests.world.inn import inn
from vault.memory.memory_line import DAY_MS, NO_NUMBERS, Memory
from vault.memory.promises_note import MAX_PROMISES, Promise

AT = 1_795_248_000_000  # 2026-11-21 08:00 UTC
DAY = "2026-11-21"
FILE = ("agents", "Rook", "promises.md")


class Life:
    """Rook's promises in a vault; `journal` has what it said, and outlives the process."""

    def __init__(self, root: Path) -> None:
        self.ms = AT
        self.disk = FailingDisk()
        self.vault = vault_of(root, {"agents/Rook/agent.md": "You are Rook."}, self.disk)
        self.journal: list[Memory] = []
        self.trouble: list[str] = []
        self.begin()

    def begin(self) -> None:
        """Begin a process, as after a kill."""
        self.promises = Promises(self.vault, "Rook", self.link, lambda: self.ms, self.trouble.append)
        self.promises.mend(self.journal)

    def link(self, seq: int) -> str:
        return f"[[{DAY}#^m{seq}]]"

    def hears(self) -> int:
        return self.records("observed", "Robin", "said")

    def says(self, number: int) -> int:
        return self.records("acted", "", f"delivered {number}")

    def records(self, kind: str, by: str, event: str) -> int:
        self.journal.append(Memory(len(self.journal) + 1, self.ms, kind, "The Mill", "…", by=by, event=event))
        return len(self.journal)

    def asks(self, asker: str, target: str, words: str = "The weir leaks.", **more) -> str:
        """Ask for a promise; return why none was made."""
        refusal = self.promises.refusal(asker, target, words, **more)
        if not refusal:
            self.promises.make(asker, target, words, self.hears(), **more)
        return refusal.removeprefix("promises.")

    def delivers(self, target: str) -> str:
        promise = self.promises.due([target])
        if promise is None:
            return ""
        self.says(promise.number)
        self.promises.delivered(promise.number)
        return self.promises.sentence(promise, ENGLISH, str)

    def edits(self, old: str, new: str) -> None:
        text = self.text
        assert old in text
        self.writes(text.replace(old, new))

    def writes(self, text: str) -> None:
        self.vault.write_text(text, *FILE)

    @property
    def text(self) -> str:
        return self.vault.read_exact(*FILE)

    def told(self, partner: str, *others: str) -> str:
        """Return what the prompt tells of a promise in some company."""
        world = inn()
        company = tuple(world.characters[name] for name in (*([partner] if partner else []), *others))
        view = View("Rook", (Tier(TAIL, NO_NUMBERS),))
        moment = Moment(
            world, world.characters["Rook"], self.ms, view, company, partner=company[0] if partner else None
        )
        section = self.promises.context(moment)
        return section.text if section else ""


@pytest.fixture
def life(tmp_path):
    return Life(tmp_path)


def test_words_and_things_are_told_once_to_their_target(life):
    assert life.asks("Ana", "Ben") == ""
    assert life.asks("Cat", "Ben", "Keep it.", thing="brass lamp") == ""
    assert (life.delivers("Dan"), life.promises.due(["Robin", "BEN"]).asker) == ("", "Ana")
    assert [life.delivers("Ben") for _ in range(3)] == [
        'Ana asked me to tell you: "The weir leaks."',
        "Cat left this with me for you: the brass lamp.",
        "",
    ]
    assert life.text.endswith(
        "- [x] 1 · Ana → Ben: The weir leaks. ([[2026-11-21#^m1]])\n"
        "- [x] 2 · Cat → Ben: [thing:: brass lamp] Keep it. ([[2026-11-21#^m2]])\n"
    )


def test_each_reason_against_a_promise_has_its_sentence(life):
    assert life.asks("Ana", "Ben") == ""
    assert life.asks("ANA", "ben", "More.") == "one_a_pair"
    assert life.asks("Ana", "Cat", " \x1b[0m ") == "no_words"
    assert life.asks("Ana", "Cat", "x" * 221) == "too_long"
    assert life.asks("Ana", "Ana") == life.asks("Ana", "Rook") == life.asks("Rook", "Ana") == "same_person"
    assert life.asks("Ana", "Cat", parties=("Ben", "Rook")) == "not_confided"
    assert life.asks("Ana", "Cat") == life.asks("Ana", "Dan") == ""
    assert life.asks("Ana", "Old Tom") == "too_many_of_asker"
    for number in range(9):
        assert life.asks(f"Guest{number}", "Dan", f"{number}") == ""
    assert life.asks("Ben", "Dan") == "too_many"
    with pytest.raises(ValueError, match="promises.too_many; ask `refusal` first"):
        life.promises.make("Ben", "Dan", "No.", 1)


def test_delivered_words_are_not_carried_further(life):
    life.asks("Ana", "Ben")
    spoken = life.delivers("Ben")
    assert life.asks("Ben", "Cat", f"Cat must know: {spoken}") == "delivered_words"
    assert life.asks("Dan", "Cat", spoken, say=ENGLISH) == "delivered_words"
    assert life.asks("Ana", "Ben") == ""


def test_whispered_words_reach_their_parties_alone(life):
    life.asks("Ana", "Ben", parties=("Ana", "Rook"))
    assert life.told("Ben") == 'You promised Ana to tell Ben: "The weir leaks."'
    assert life.told("Ben", "Ana") == ""  # who has asked for it may tell it themselves
    assert life.told("Ben", "Cat") == life.told("Cat", "Ben") == life.told("", "Ben", "Cat") == ""
    assert life.promises.due(["Guest4"], told=["Ben"]) is None
    life.delivers("Ben")
    assert life.promises.all()[0].parties == ("Ana", "Rook", "Ben")
    assert life.told("Ben") == ""


def test_a_promise_shows_for_anybody_present_the_partner_first(life):
    life.asks("Cat", "Dan", "Come home.")
    life.asks("Cat", "Ben", "Keep it.", thing="oil lamp")
    assert life.told("Ben", "Dan") == "Cat left the oil lamp with you for Ben."
    assert life.told("", "Dan") == 'You promised Cat to tell Dan: "Come home."'
    assert life.promises.due(["Guest4"], told=["Ben"]).thing == "oil lamp"


def test_an_open_promise_lapses_after_thirty_days(life):
    life.asks("Ana", "Ben")
    life.ms += 30 * DAY_MS
    assert life.told("Ben") != ""
    life.ms += DAY_MS
    assert (life.told("Ben"), life.asks("Ana", "Ben", "Come.")) == ("", "")
    assert life.promises.describe(ENGLISH) == [
        "Promises, those to be kept first:",
        '  2. Ana to Ben: "Come." (to be kept)',
        '  1. Ana to Ben: "The weir leaks." (lapsed)',
    ]


def test_an_edit_by_hand_counts_at_once(life):
    life.asks("Ana", "Ben")
    life.edits("leaks", "is dry")
    life.writes(life.text + "- Cat → Ben: Come home.\n- Cat to Ben\n")
    assert [life.delivers("Ben"), life.delivers("Ben")] == [
        'Ana asked me to tell you: "The weir is dry."',
        'Cat asked me to tell you: "Come home."',
    ]
    assert life.text.endswith("- [x] 2 · Cat → Ben: Come home. (2026-11-21)\n- Cat to Ben\n")
    assert ["agents/Rook/promises.md:8: '- Cat to Ben' is no promise" in one for one in life.trouble] == [True]
    life.edits("- [x] 1", "- [ ] 1")
    assert life.delivers("Ben") == ""


def test_an_old_delivery_ticks_off_no_new_promise(life):
    life.asks("Ana", "Ben")
    life.delivers("Ben")
    life.vault.path(*FILE).unlink()
    life.begin()
    life.writes("- Cat → Ben: Come home.\n")
    life.begin()
    assert life.delivers("Ben") == 'Cat asked me to tell you: "Come home."'
    assert life.asks("Dan", "Ben", "Go.") == ""
    assert [one.number for one in life.promises.all()] == [2, 3]


def test_a_full_file_takes_no_more_promises(life):
    life.writes("".join(f"- [x] Ana → Ben: {number}.\n" for number in range(MAX_PROMISES)))
    assert (life.asks("Ana", "Cat"), life.trouble) == ("no_file", [])
    life.writes(f"{life.text}- Ana → Cat: Go.\n")
    assert life.delivers("Cat") == ""
    assert life.trouble == [
        f"agents/Rook/promises.md:{MAX_PROMISES + 4}: a promise too many; {MAX_PROMISES} are the most. "
        "What it said before still counts."
    ]


@pytest.mark.parametrize("raw", [b"---\nlast: [\n---\n", b"---\nlast: x\n---\n", b"\xff\xfe", b"x" * 70_000])
def test_an_unreadable_file_stays_and_nothing_new_is_promised(life, raw):
    life.asks("Ana", "Ben")
    life.vault.path(*FILE).write_bytes(raw)
    assert life.asks("Ana", "Cat") == "no_file"
    assert [life.delivers("Ben") != "", life.delivers("Ben")] == [True, ""]
    assert life.vault.path(*FILE).read_bytes() == raw
    assert [one.startswith("agents/Rook/promises.md") for one in life.trouble] == [True]
    life.vault.path(*FILE).write_bytes(b"- 1 \xc2\xb7 Ana -> Ben: The weir leaks.\n")
    assert life.delivers("Ben") == ""


def test_a_long_life_keeps_its_file_short(life):
    for number in range(MAX_KEPT + 9):
        life.asks("Ana", "Ben", f"Flood {number}!")
        life.delivers("Ben")
    assert [one.number for one in life.promises.all()] == [*range(9, MAX_KEPT + 10)]


class AnyLife(RuleBasedStateMachine):
    """A life in which people edit, the disk fills and the process is killed at any moment.

    `made` are the promises that must be known still, by number. `heard` counts how often each was delivered.
    """

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.life = Life(self.root)
        self.made: dict[int, Promise] = {}
        self.heard: dict[int, int] = {}
        self.older = ""
        self.full = ExitStack()
        self.is_full = False

    def teardown(self) -> None:
        self.full.close()
        shutil.rmtree(self.root)

    @rule(
        asker=st.sampled_from("ABCDE"),
        who=st.sampled_from("VWXYZ"),
        is_private=st.booleans(),
        thing=st.sampled_from(["", "lamp"]),
    )
    def ask(self, asker: str, who: str, is_private: bool, thing: str) -> None:
        before, promises = self.life.promises.open(), self.life.promises
        parties = (asker, "Rook") if is_private else ()
        refusal = promises.refusal(asker, who, "Come.", parties, thing)
        is_within = (
            len(before) < MAX_OPEN
            and sum(one.asker == asker for one in before) < MAX_OPEN_OF_ASKER
            and (asker, who) not in {(one.asker, one.target) for one in before}
        )
        assert (refusal == "") is is_within
        if not refusal:
            made = promises.make(asker, who, "Come.", self.life.hears(), thing, parties)
            assert made.number not in self.made
            self.made[made.number] = made

    @rule(who=st.sampled_from("VWXYZ"), is_killed=st.booleans())
    def deliver(self, who: str, is_killed: bool) -> None:
        promise = self.life.promises.due([who])
        if promise is None:
            return
        assert promise.target == who
        assert not self.life.promises.has_lapsed(promise)
        self.life.says(promise.number)
        self.heard[promise.number] = self.heard.get(promise.number, 0) + 1
        if is_killed and not self.is_full:
            self.life.begin()
        else:
            self.life.promises.delivered(promise.number)

    @precondition(lambda self: not self.is_full)
    @rule()
    def kill(self) -> None:
        self.life.promises.all()  # what a full disk has not taken is written with the next look
        self.life.begin()

    @rule(days=st.integers(1, 20))
    def wait(self, days: int) -> None:
        self.life.ms += days * DAY_MS

    @rule()
    def fill_or_clear_the_disk(self) -> None:
        self.full.close()
        self.is_full = not self.is_full
        if self.is_full:
            self.full.enter_context(self.life.disk.full())

    @precondition(lambda self: not self.is_full and self.life.vault.exists(*FILE))
    @rule(what=st.sampled_from(["untick", "type", "open", "save", "garble"]))
    def edit(self, what: str) -> None:
        if what == "untick":
            self.life.writes(self.life.text.replace("- [x]", "- [ ]"))
        elif what == "type":
            self.life.writes(f"{self.life.text}- A -> Z: Hello.\n")
        elif what == "garble":
            self.life.writes(f"{self.life.text}- garble\n")
        elif what == "open":
            self.older = self.life.text
        elif self.older:
            self.life.writes(self.older)

    @invariant()
    def every_promise_is_known_and_none_is_told_twice(self) -> None:
        known = {one.number: one for one in self.life.promises.all()}
        assert self.made.keys() <= known.keys()
        assert {number: known[number].is_done for number in self.heard} == dict.fromkeys(self.heard, True)
        assert max(self.heard.values(), default=1) == 1
        for number in self.heard:
            assert not known[number].parties or known[number].target in known[number].parties
        assert len(known) == len(self.life.promises.all())


def test_promises_survive_whatever_happens():
    run_state_machine_as_test(AnyLife, settings=settings(max_examples=60, stateful_step_count=40, deadline=None))
