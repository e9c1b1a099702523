"""Notes on people: facts in their own words, what replaces what, and whose word counts."""

from __future__ import annotations

from collections import Counter

import pytest

from agents.memory.facts.extraction import Utterance
from agents.reflection.acquaintances import MAX_FACTS_A_KIND, Acquaintances
from agents.reflection.speech_facts import HOME, KIN, LIKE, LOSS, NAME, SpeechFact, heard_facts
from tests.vault.vault_of import vault_of
from vault.memory.bullet_note import Statement


class Circle:
    """Whom Eliza knows; `contradicted` are the facts that count no more."""

    def __init__(self, tmp_path):
        self.vault = vault_of(tmp_path, {"agents/Eliza/agent.md": "You are Eliza."})
        self.contradicted: list[SpeechFact] = []
        self.trouble: list[str] = []
        self.open()

    def open(self) -> None:
        """Begin anew with the same files."""
        self.people = Acquaintances(self.vault, "Eliza", link, self.contradicted.append, self.trouble.append)

    def hears(self, who: str, text: str, seq: int) -> list[bool]:
        return [self.people.take(fact) for fact in heard_facts(Utterance(who, text), seq, "2026-11-22")]

    def facts(self, who: str = "Robin") -> list[str]:
        return [one.words for one in self.people.facts(who)]


def link(seq: int) -> str:
    return f"[[2026-11-22#^m{seq}]]"


def said(about: str, words: str, seq: int, speaker: str = "", kind: str = LOSS) -> SpeechFact:
    return SpeechFact(about, kind, words, seq, speaker or about, day="2026-11-22")


@pytest.fixture
def circle(tmp_path):
    return Circle(tmp_path)


def test_what_is_heard_stands_at_once_in_the_persons_note_with_number_and_words(circle):
    circle.hears("Robin", "My name is Robin. I lost my dog near the weir.", 43)
    text = circle.vault.read_text("agents", "Eliza", "people", "Robin.md")
    assert "person: Robin" in text
    assert text.endswith(
        "## Said\n- **name**: My name is Robin. ([[2026-11-22#^m43]])\n"
        "- **loss**: I lost my dog near the weir. ([[2026-11-22#^m43]])\n"
    )
    circle.open()
    assert circle.facts() == ["My name is Robin.", "I lost my dog near the weir."]
    assert circle.people.facts("Robin")[1].day == "2026-11-22"


def test_the_same_told_again_or_confirmed_by_a_model_changes_nothing(circle):
    circle.hears("Robin", "I lost my dog near the weir.", 43)
    assert circle.hears("Robin", "I lost my  dog near the weir.", 60) == [False]
    assert not circle.people.take(said("Robin", "lost my dog", 43, kind=KIN))
    assert circle.contradicted == []


def test_more_of_the_same_memory_takes_the_place_of_less(circle):
    circle.people.take(said("Robin", "I lost my dog.", 43))
    assert circle.people.take(said("Robin", "Oh dear. I lost my dog.", 43))
    assert (circle.facts(), circle.contradicted) == (["Oh dear. I lost my dog."], [])


def test_a_newer_word_of_the_same_person_on_the_same_replaces_the_older(circle):
    circle.hears("Robin", "I lost my dog near the weir. My name is Robin.", 43)
    circle.hears("Robin", "I found my dog!", 90)
    circle.hears("Robin", "Call me Rob.", 91)
    assert circle.facts() == ["I found my dog!", "Call me Rob."]
    assert [one.words for one in circle.contradicted] == ["I lost my dog near the weir.", "My name is Robin."]
    assert [one.seq for one in circle.contradicted] == [43, 43]


def test_what_others_say_of_somebody_stands_beside_it_and_replaces_nothing(circle):
    circle.people.take(said("Robin", "I lost my dog.", 43))
    circle.people.take(said("Robin", "Robin lost my dog.", 50, speaker="Mallory"))
    assert [(one.words, one.tags) for one in circle.people.facts("Robin")] == [
        ("I lost my dog.", ()),
        ("Robin lost my dog.", ("Mallory",)),
    ]


def test_of_each_kind_the_newest_are_kept(circle):
    for number in range(20):
        circle.people.take(said("Robin", f"I like {'abcdefghijklmnopqrst'[number] * 4} best.", number + 1, kind=LIKE))
    circle.people.take(said("Robin", "I come from Lisbon.", 30, kind=HOME))
    assert len(circle.facts()) == MAX_FACTS_A_KIND + 1
    assert circle.facts()[0] == "I like oooo best."


def test_a_persons_edit_counts_and_what_it_changed_is_contradicted_and_stays_out(circle):
    circle.hears("Robin", "I lost my dog near the weir.", 43)
    path = ("agents", "Eliza", "people", "Robin.md")
    circle.vault.write_text(circle.vault.read_text(*path).replace("I lost my dog", "I lost my ferret"), *path)
    assert circle.facts() == ["I lost my ferret near the weir."]
    assert [(one.seq, one.words) for one in circle.contradicted] == [(43, "I lost my dog near the weir.")]
    assert not circle.people.take(said("Robin", "Oh. I lost my dog near the weir.", 43))
    assert circle.facts() == ["I lost my ferret near the weir."]
    circle.open()
    circle.contradicted.clear()
    circle.facts()
    assert [one.seq for one in circle.contradicted] == [43]  # as if it had been edited while the world was closed


def test_of_a_person_there_are_two_opinions_of_its_own_at_most_and_a_persons_stay(circle):
    circle.people.set_opinions("Robin", [Statement("A a.", evidence=(1,)), Statement("B b.", evidence=(2,))])
    path = ("agents", "Eliza", "people", "Robin.md")
    text = circle.vault.read_text(*path).replace("- A a. ([[2026-11-22#^m1]])\n", "")
    circle.vault.write_text(text + "- My own.\n", *path)
    circle.people.set_opinions("Robin", [Statement("C c.", evidence=(3,))])
    assert [one.words for one in circle.people.opinions("Robin")] == ["My own.", "B b.", "C c."]
    assert circle.contradicted == []


def test_names_that_are_no_file_names_and_namesakes_of_a_file_have_notes_of_their_own(circle):
    for seq, name in enumerate(("con", "A/B", "A:B", "..", "Zoë", "[[x]]"), 1):
        circle.people.take(said(name, f"My name is {name}", seq, kind=NAME))
    circle.open()
    for name in ("con", "A/B", "A:B", "..", "Zoë", "[[x]]"):
        assert circle.facts(name) == [f"My name is {name}"]
    assert len(circle.people.met()) == 6
    assert circle.trouble == []


def test_any_number_of_people_costs_one_file_each_and_few_are_at_hand(circle: Circle, monkeypatch: pytest.MonkeyPatch):
    for number in range(300):
        circle.people.take(said(f"Guest{number}", "I lost my dog.", number + 1))
    read = Counter[str]()
    before = circle.vault.read_exact

    def text(*parts: str) -> str:
        read["/".join(parts)] += 1
        return before(*parts)

    monkeypatch.setattr(circle.vault, "read_exact", text)
    assert circle.facts("Guest0") == circle.facts("Guest299") == ["I lost my dog."]
    assert read.total() == 1
    assert len(circle.people._files) <= 256
