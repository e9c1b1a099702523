"""The registry: a crash loses and doubles nothing, a person's edit counts, and pins stay until they are taken off."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.memory.facts.file import EXTRACT_EVERY, WRITE_EVERY, WRITE_MS, FactRegistry
from tests.english import ENGLISH
from tests.vault.failing_disk import FailingDisk, Stopped
from vault.memory.facts_note import PEOPLE, PROMISES, THINGS, Pin
from vault.memory.journal import Journal
from vault.memory.memory_line import Memory
from vault.vault import Vault
from world.errors import CommandError

AT = 1_795_248_000_000
NAMES = ("Moss", "Ana", "Odile")


class Desk:
    """A journal and a registry on disk; `again` is what a new process finds."""

    def __init__(self, root: Path, disk: FailingDisk | None = None) -> None:
        self.disk = disk or FailingDisk()
        self.vault = Vault(root, self.disk)
        self.path = root / "agents" / "Eliza" / "facts.md"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.ms = AT
        self.journal = Journal(self.vault, "Eliza")
        self.journal.load()
        self.registry = FactRegistry(self.vault, "Eliza", self.journal, lambda: self.ms)

    def lives(self, *texts: str, kind: str = "observed", who: str = "Moss") -> None:
        for text in texts:
            self.ms += 1000
            self.journal.append(Memory(0, self.ms, kind, "The Mill", text, (who,) if who else ()))

    def edit(self, change: Callable[[str], str]) -> None:
        """Change the file as an editor does; its time is another in any case."""
        text = change(self.path.read_text())
        self.path.write_text(text)

    def value(self, section: str, subject: str) -> str:
        self.registry.take_in()
        return next((f.value for f in self.registry.facts if (f.section, f.subject) == (section, subject)), "")

    def again(self) -> Desk:
        return Desk(self.vault.root, FailingDisk())


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


# Writing and crashing


def test_the_file_is_written_after_many_memories_or_some_time_and_not_at_every_one(desk: Desk):
    desk.ms = AT
    desk.registry.take_in()
    desk.lives("Moss hums.")
    desk.registry.take_in()
    first = desk.path.read_text()  # nothing had been written yet, so there was no reason to wait
    for _ in range(WRITE_EVERY - 40):
        desk.lives("Moss hums.")
        desk.registry.take_in()
    assert desk.path.read_text() == first
    desk.ms += WRITE_MS
    desk.registry.take_in()
    assert f"upto: {WRITE_EVERY - 39}\n" in desk.path.read_text()
    desk.lives(*["Moss hums."] * WRITE_EVERY)
    desk.registry.take_in()
    assert f"upto: {2 * WRITE_EVERY - 39}\n" in desk.path.read_text()


def life_of(rng: random.Random, length: int) -> list[tuple[str, str, str]]:
    texts = []
    for _ in range(length):
        who, thing = rng.choice(NAMES), rng.choice(["brass lantern", "keys"])
        texts.append(
            rng.choice(
                [
                    ("observed", f"{who} hums.", who),
                    ("observed", f"{who} arrives from The Weir.", who),
                    ("observed", f"{who} gives you the {thing}.", who),
                    ("observed", f'{who} says, "I will bring you the {thing}."', who),
                    (
                        "observed",
                        f'{who} says, "Never mind the {thing}. Please fetch me bread{rng.randrange(5)}."',
                        who,
                    ),
                    ("result", f"You give the {thing} to {who}.", ""),
                ]
            )
        )
    return texts


def test_memories_are_learnt_from_a_few_at_a_time_as_they_come(desk: Desk):
    for _ in range(EXTRACT_EVERY - 1):
        desk.lives("Moss hums.")
        desk.registry.keep_up()
    before = desk.registry.upto
    desk.lives("Moss hums.")
    desk.registry.keep_up()
    assert (before, desk.registry.upto) == (0, EXTRACT_EVERY)
    assert not desk.path.exists()


def test_a_journal_that_is_long_already_is_not_learnt_from_as_a_line_comes(desk: Desk):
    desk.lives(*["Moss hums."] * (2 * EXTRACT_EVERY + 1))
    desk.registry.keep_up()
    assert desk.registry.upto == 0


@pytest.mark.parametrize("seed", range(3))
def test_what_is_learnt_as_it_comes_is_the_same_and_an_edit_made_meanwhile_counts(tmp_path: Path, seed: int):
    keeping_up, at_once = Desk(tmp_path / "a"), Desk(tmp_path / "b")
    for kind, text, who in life_of(random.Random(seed), 60):
        for desk in (keeping_up, at_once):
            desk.lives(text, kind=kind, who=who)
            if desk.journal.last == 30:
                desk.registry.close()
                desk.edit(lambda text: text.replace("**Moss**: last", "**Moss**: my brother · last"))
        keeping_up.registry.keep_up()
    keeping_up.registry.take_in()
    at_once.registry.take_in()
    assert keeping_up.registry.facts == at_once.registry.facts
    assert "my brother" in {fact.remark for fact in keeping_up.registry.facts}


@pytest.mark.parametrize("after", range(4))
def test_a_process_that_dies_while_pinning_leaves_the_file_old_or_new_and_never_in_between(desk: Desk, after: int):
    desk.lives("Moss takes the keys.")
    desk.registry.pin("first", ENGLISH)
    old = desk.path.read_text()
    with desk.disk.stopping(after):
        try:
            desk.registry.pin("second", ENGLISH)
        except Stopped:
            assert after < 3
    again = desk.again()
    again.registry.take_in()
    assert again.registry.pins in ((Pin("first"),), (Pin("first"), Pin("second")))
    assert (desk.path.read_text() == old) == (again.registry.pins == (Pin("first"),))
    assert again.value(THINGS, "keys") == "Moss has it"


def test_facts_of_memories_that_a_power_cut_took_do_not_hide_what_comes_after(desk: Desk):
    desk.lives("Moss takes the keys.")
    desk.registry.take_in()
    desk.edit(lambda text: text.replace("upto: 1\n", "upto: 9\n"))
    again = desk.again()
    again.registry.take_in()
    again.lives("Moss puts down the keys.")
    assert again.value(THINGS, "keys") == "it lies in The Mill"


def test_without_its_file_everything_is_learnt_again_from_the_journal(desk: Desk):
    desk.lives("Moss takes the keys.", 'Moss says, "I will bring bread."')
    desk.registry.close()
    desk.path.unlink()
    again = desk.again()
    assert again.value(THINGS, "keys") == "Moss has it"
    assert again.registry.facts == desk.registry.facts


# A person's hand


def test_an_edit_made_while_it_runs_counts_until_something_happens(desk: Desk):
    desk.lives("Moss takes the keys.", "Ana hums.", who="Moss")
    desk.registry.close()
    desk.edit(lambda text: text.replace("**keys**: Moss has it", "**keys**: Ana has it"))
    desk.lives("Moss hums.")
    assert desk.value(THINGS, "keys") == "Ana has it"
    desk.registry.close()
    desk.lives(*["Moss hums."] * WRITE_EVERY)
    assert desk.value(THINGS, "keys") == "Ana has it"
    assert "**keys**: Ana has it" in desk.path.read_text()
    desk.lives("Ana gives you the keys.", who="Ana")
    assert desk.value(THINGS, "keys") == "I have it"
    assert next(f.was for f in desk.registry.facts if f.subject == "keys") == "Ana has it"


def test_a_remark_stays_while_the_rest_goes_on(desk: Desk):
    desk.lives("Moss hums.")
    desk.registry.close()
    desk.edit(lambda text: text.replace("**Moss**: last", "**Moss**: my brother · last"))
    desk.lives("Moss leaves north to The Weir.")
    desk.registry.take_in()
    moss = next(f for f in desk.registry.facts if f.subject == "Moss")
    assert (moss.remark, moss.value) == ("my brother", "last seen in The Weir")
    desk.registry.close()
    assert "- **Moss**: my brother · last seen in The Weir (" in desk.path.read_text()


def test_what_happened_since_the_file_was_written_is_learnt_on_top_of_an_edit(desk: Desk):
    desk.lives("Moss takes the keys.")
    desk.registry.take_in()
    desk.lives("Ana takes the lamp.", who="Ana")  # learnt, but not in the file yet
    desk.registry.take_in()
    desk.edit(lambda text: text + "\n## To remember\n- **I**: The gate closes at nine.\n")
    assert desk.value(THINGS, "lamp") == "Ana has it"
    assert desk.value("To remember", "I") == "The gate closes at nine."
    desk.registry.close()
    assert "The gate closes at nine." in desk.path.read_text()
    assert "**lamp**: Ana has it" in desk.path.read_text()


def test_a_promise_ticked_by_hand_is_settled(desk: Desk):
    desk.lives('Moss says, "I will bring bread."')
    desk.registry.close()
    desk.edit(lambda text: text.replace("- [ ] **Moss**", "- [x] **Moss**"))
    desk.registry.take_in()
    assert [f.closed for f in desk.registry.facts if f.section == PROMISES] == ["done"]


def test_a_file_that_is_not_valid_changes_nothing_is_named_by_line_and_never_written_over(desk: Desk):
    desk.lives("Moss takes the keys.")
    desk.registry.close()
    desk.edit(lambda text: text.replace("- **keys**", "- keys"))
    broken = desk.path.read_text()
    line = broken.split("\n").index(next(row for row in broken.split("\n") if row.startswith("- keys"))) + 1
    desk.lives(*["Moss hums."] * WRITE_EVERY, "Moss gives Ana the keys.")
    told: list[str] = []
    desk.registry.on_trouble = told.append
    assert desk.value(THINGS, "keys") == "Ana has it"
    assert told == [desk.registry.problem]
    assert desk.registry.problem.startswith(f"agents/Eliza/facts.md:{line}: ")
    assert desk.path.read_text() == broken
    with pytest.raises(CommandError, match="not of the form"):
        desk.registry.pin("x", ENGLISH)
    assert desk.registry.pins == ()
    desk.edit(lambda text: text.replace("- keys", "- **keys**"))
    assert desk.value(THINGS, "keys") == "Ana has it"
    assert desk.registry.problem == ""
    desk.registry.close()
    assert "**keys**: Ana has it" in desk.path.read_text()


def test_a_file_taken_away_while_it_runs_is_written_again(desk: Desk):
    desk.lives("Moss takes the keys.")
    desk.registry.pin("Hold the line.", ENGLISH)
    desk.path.unlink()
    desk.ms += WRITE_MS
    desk.registry.take_in()
    assert "- Hold the line." in desk.path.read_text()
    assert "**keys**: Moss has it" in desk.path.read_text()


def test_an_older_version_saved_over_newer_pins_leaves_both(desk: Desk):
    desk.lives("Moss hums.")
    desk.registry.close()
    opened = desk.path.read_text()  # somebody has the file open in an editor
    desk.lives("Moss hums.")
    desk.registry.pin("Hold the line.", ENGLISH)
    desk.path.write_text(opened.replace("last seen", "my brother · last seen"))
    desk.registry.take_in()
    assert desk.registry.pins == ()  # the person's version counts
    assert next(f.remark for f in desk.registry.facts if f.section == PEOPLE) == "my brother"
    kept = [path for path in desk.path.parent.iterdir() if "(conflict " in path.name]
    assert len(kept) == 1
    assert "- Hold the line." in kept[0].read_text()
    assert any(kept[0].name in warning for warning in desk.registry.warnings)


def test_an_edit_that_races_a_pin_is_taken_in_before_it(desk: Desk):
    desk.lives("Moss takes the keys.")
    desk.registry.close()
    write, raced = desk.disk.write_draft, list[int]()

    def write_draft(draft: Path, text: bytes, durable: bool) -> None:
        if draft.name == ".facts.md.draft" and not raced:
            raced.append(1)
            desk.edit(lambda old: old.replace("**keys**: Moss has it", "**keys**: is broken"))
        write(draft, text, durable)

    desk.disk.write_draft = write_draft  # type: ignore[method-assign]
    desk.registry.pin("Hold the line.", ENGLISH)
    assert "**keys**: is broken" in desk.path.read_text()
    assert "- Hold the line." in desk.path.read_text()


# Pins


def test_a_memory_is_pinned_by_its_number_with_a_link_and_words_as_they_are(desk: Desk):
    desk.lives('Moss says, "The key is under the third step."')
    desk.registry.pin("^m1", ENGLISH)
    desk.registry.pin("Never lend the lamp.", ENGLISH)
    text = desk.path.read_text()
    assert '- Moss says, "The key is under the third step." ([[2026-11-21#^m1]])' in text
    assert "- Never lend the lamp." in text
    assert desk.again().registry.pins == ()  # nothing is read before it is asked for
    again = desk.again()
    again.registry.take_in()
    assert again.registry.pins == (
        Pin('Moss says, "The key is under the third step."', 1),
        Pin("Never lend the lamp."),
    )


@pytest.mark.parametrize(
    ("wanted", "message"), [("99", "has no memory 99; they go from 1 to 1"), ("1", "pinned already")]
)
def test_what_cannot_be_pinned_is_said(desk: Desk, wanted: str, message: str):
    desk.lives("Moss hums.")
    desk.registry.pin("1", ENGLISH)
    with pytest.raises(CommandError, match=message):
        desk.registry.pin(wanted, ENGLISH)


def test_pins_that_would_take_too_much_are_refused(desk: Desk):
    desk.registry.pin("one two three", ENGLISH, lambda text: len(text.split()) <= 5)
    with pytest.raises(CommandError, match="pin_tokens"):
        desk.registry.pin("four five six", ENGLISH, lambda text: len(text.split()) <= 5)


def test_a_pin_is_taken_off_by_number_or_words(desk: Desk):
    desk.lives("Moss hums.", "Moss sings.")
    for wanted in ("1", "2", "Never lend the lamp.", "Never lend the oil."):
        desk.registry.pin(wanted, ENGLISH)
    assert desk.registry.unpin("2", ENGLISH).text == "Moss sings."
    assert desk.registry.unpin("OIL", ENGLISH).text == "Never lend the oil."
    with pytest.raises(CommandError, match="No pin matches 'xyz'. Pins: 1: Moss hums.; -: Never lend the lamp."):
        desk.registry.unpin("xyz", ENGLISH)
    desk.registry.pin("Never lend money.", ENGLISH)
    with pytest.raises(CommandError, match="More than one pin"):
        desk.registry.unpin("never lend", ENGLISH)


def test_a_line_marked_in_the_journal_is_pinned_until_it_is_unpinned(desk: Desk):
    desk.lives("Moss hums.", 'Moss says, "The key is under the step."')
    desk.registry.close()
    desk.journal.close()
    path = desk.path.parent / "journal" / "2026-11-21.md"
    path.write_text(path.read_text().replace(" ^m2", " #pinned ^m2"))
    desk.journal.reload()
    desk.registry.take_in()
    assert [pin.seq for pin in desk.registry.pins] == [2]
    desk.registry.unpin("2", ENGLISH)
    desk.journal.close()
    again = desk.again()
    again.registry.take_in()
    assert again.registry.pins == ()


def test_a_bullet_deleted_by_hand_is_unpinned_although_the_journal_marks_it(desk: Desk):
    desk.lives("Moss hums.")
    desk.journal.close()
    path = desk.path.parent / "journal" / "2026-11-21.md"
    path.write_text(path.read_text().replace(" ^m1", " #pinned ^m1"))
    again = desk.again()
    again.registry.take_in()
    assert [pin.seq for pin in again.registry.pins] == [1]
    again.edit(lambda text: "\n".join(row for row in text.split("\n") if not row.startswith("- Moss hums.")))
    again.registry.take_in()
    assert again.registry.pins == ()


def test_a_bullet_written_by_hand_is_a_pin(desk: Desk):
    desk.registry.pin("first", ENGLISH)
    desk.edit(lambda text: text.replace("- first", "- first\n- Mind the *gap* ^m7 #tag"))
    desk.registry.take_in()
    assert desk.registry.pins == (Pin("first"), Pin("Mind the *gap* ^m7 #tag"))


def test_goals_are_those_of_the_profile_and_those_written_by_hand(desk: Desk):
    desk.registry.profile_goals = ("Find the page.",)
    desk.registry.pin("x", ENGLISH)
    assert "- Find the page. ([[agent]])" in desk.path.read_text()
    desk.edit(lambda text: text.replace("([[agent]])", "([[agent]])\n- Sleep well."))
    desk.registry.take_in()
    assert desk.registry.goals == ("Find the page.", "Sleep well.")
