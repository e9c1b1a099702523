"""Notes on people: quotes in their own words, who may know of them, and names that guests go by."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.reflection.acquaintances import (
    MAX_QUOTE_CHARACTERS,
    MAX_QUOTES,
    MAX_UNCHOSEN,
    Acquaintances,
    Quote,
    quote_in,
)
from tests.agents.reflection.looking_back import memories, role_of, typed
from tests.vault.vault_of import vault_of
from vault.markdown import one_line
from vault.memory.bullet_note import Statement

ROBIN = ("agents", "Eliza", "people", "Robin.md")
LOST = "I lost my dog near the weir."


class Circle:
    """Whom Eliza knows; `denied` are the memories whose lines somebody has changed."""

    def __init__(self, tmp_path):
        self.vault = vault_of(tmp_path, {"agents/Eliza/agent.md": "You are Eliza."})
        self.denied: list[int] = []
        self.trouble: list[str] = []
        self.open()

    def open(self) -> None:
        """Begin anew with the same files."""
        self.people = Acquaintances(self.vault, "Eliza", link, self.denied.append, self.trouble.append, role_of)

    def takes(
        self, words: str, seq: int, who: str = "Robin", parties: tuple[str, ...] = (), chosen: bool = True
    ) -> int:
        return self.people.take([Quote(who, words, seq, parties)], chosen)

    def edits(self, old: str, new: str) -> None:
        text = self.vault.read_text(*ROBIN)
        assert old in text
        self.vault.write_text(text.replace(old, new), *ROBIN)

    def said(self, who: str = "Robin") -> list[str]:
        return [one.words for one in self.people.facts(who)]

    def parties(self, who: str = "Robin") -> list[tuple[str, ...]]:
        return [self.people.parties_of(who, one) for one in self.people.facts(who)]


def link(seq: int) -> str:
    return f"[[2026-11-22#^m{seq}]]"


@pytest.fixture
def circle(tmp_path):
    return Circle(tmp_path)


def test_quotes_stand_with_links_and_parties(circle):
    circle.takes(LOST, 43)
    circle.takes("The red book is mine.", 61, parties=("Robin", "Eliza"))
    text = circle.vault.read_text(*ROBIN)
    assert "person: Robin" in text
    assert text.endswith(
        "## Said\n- I lost my dog near the weir. ([[2026-11-22#^m43]])\n"
        "- **private** · Robin · Eliza: The red book is mine. ([[2026-11-22#^m61]])\n"
    )
    circle.open()
    assert circle.said() == [LOST, "The red book is mine."]
    assert circle.parties() == [(), ("Robin", "Eliza")]
    assert circle.people.facts("Robin")[0].day == "2026-11-22"


def test_lines_of_older_versions_keep_their_parties_and_speakers(circle):
    circle.takes(LOST, 43)
    circle.edits(
        "## Said\n", "## Said\n- **home** · Moss · whispered: Robin comes from Lisbon.\n- **kin** · whispered: Hm.\n"
    )
    circle.edits("Hm.\n", "Hm.\n- **loss**: I lost a hat.\n- **private**: I am shy.\n")
    assert circle.parties() == [("Moss", "Eliza"), ("Robin", "Eliza"), (), ("Robin", "Eliza"), ()]


@given(
    st.one_of(
        st.text(max_size=60), st.sampled_from(["**called**: Ana", "**private** · Ana: x", "x ([[2026-11-22#^m9]])"])
    ),
    st.lists(st.text(min_size=1, max_size=9), max_size=3),
)
def test_no_words_and_no_names_change_what_a_line_is(tmp_path_factory, words, others):
    circle = Circle(tmp_path_factory.mktemp("vault"))
    words, others = one_line(words).strip(), [one_line(name).strip() for name in others]
    parties = tuple(name for name in ("Robin", *others) if name)
    for seq, known_to in enumerate((parties, ()), 43):
        circle.takes(words or "Well.", seq, parties=known_to)
    circle.open()
    assert [bool(one) for one in circle.parties()] == [True, False]
    assert circle.people.called("Robin") == ""


def test_repeated_words_stand_once_but_what_is_said_aloud_is_free(circle):
    assert circle.takes(LOST, 43, parties=("Robin", "Eliza")) == 1
    assert circle.takes("I LOST  my dog near the weir.", 60, parties=("Robin", "Eliza")) == 0
    assert circle.takes(LOST, 70) == 1
    assert circle.takes(LOST, 80) == circle.takes(LOST, 81, parties=("Robin", "Eliza")) == 0
    assert circle.parties() == [("Robin", "Eliza"), ()]


def test_a_choice_replaces_the_oldest_and_without_one_the_longest_stay(circle):
    for number in range(MAX_QUOTES + 3):
        circle.takes(f"I like song {number} best.", number + 1)
    assert circle.said() == [f"I like song {number} best." for number in range(3, MAX_QUOTES + 3)]
    words = ["Long and longer. " * 3 + f"Number {number}." for number in range(MAX_UNCHOSEN)]
    rows = ["This is short.", *words, "This is short, too."]
    circle.people.take([Quote("Ana", one, seq) for seq, one in enumerate(rows, 1)], is_chosen=False)
    assert (len(circle.said("Ana")), circle.said("Ana")[-1]) == (MAX_UNCHOSEN, "This is short, too.")
    assert "This is short." not in circle.said("Ana")


def test_a_persons_edit_counts_and_what_it_changed_stays_out(circle):
    circle.takes(LOST, 43)
    circle.edits("I lost my dog", "I lost my ferret")
    assert circle.said() == ["I lost my ferret near the weir."]
    assert circle.denied == [43]
    assert circle.takes("Oh. I lost my dog near the weir.", 43) == circle.takes(LOST, 43, chosen=False) == 0
    circle.open()
    circle.denied.clear()
    assert circle.said() == ["I lost my ferret near the weir."]
    assert circle.denied == [43]  # as if it had been edited while the world was closed


def test_opinions_are_two_at_most_and_a_persons_stay(circle):
    circle.people.set_opinions("Robin", [Statement("A a.", evidence=(1,)), Statement("B b.", evidence=(2,))])
    circle.edits("- A a. ([[2026-11-22#^m1]])\n", "")
    circle.edits("B b. ([[2026-11-22#^m2]])\n", "B b. ([[2026-11-22#^m2]])\n- My own.\n")
    circle.people.set_opinions("Robin", [Statement("C c.", evidence=(3,))])
    assert [one.words for one in circle.people.opinions("Robin")] == ["My own.", "B b.", "C c."]
    assert circle.denied == []


def test_guest_is_known_by_a_told_name_and_private_words_are_not(circle):
    people = circle.people
    assert circle.takes(LOST, 1, "Guest1") == 0
    assert people.call("Guest1", "Nemo", 2)
    circle.takes(LOST, 1, "Guest1")
    assert circle.takes("I am a thief.", 3, "Guest1", ("Guest1", "Eliza")) == 0
    assert (people.called("Guest1"), people.names_of("Guest1")) == ("Nemo", ("Nemo", "Guest1"))
    assert (circle.said("Guest1"), people.met()) == ([LOST], ["Nemo"])
    assert not people.call("Guest2", "Nemo", 9)  # one person is not two
    circle.open()
    people = circle.people
    circle.vault.write_text(
        circle.vault.read_text("agents", "Eliza", "people", "Nemo.md") + "- **private** · Nemo: My secret.\n",
        "agents", "Eliza", "people", "Nemo.md",
    )  # fmt: skip
    assert circle.said("Guest2") == []
    assert people.call("Guest2", "Nemo", 9)
    assert circle.said("Guest2") == [LOST]
    assert people.names_of_guests() == {"Guest2": "Nemo"}


@pytest.mark.parametrize(("who", "name"), [("Guest1", "Ana"), ("Guest1", ""), ("Ana", "Nemo")])
def test_nobody_goes_by_the_name_of_somebody_else(circle, who, name):
    assert not circle.people.call(who, name, 1)
    assert (circle.people.called(who), circle.people.met()) == ("", [])


def test_name_written_by_hand_counts(circle):
    circle.takes(LOST, 43)
    circle.edits("## Said\n", "## Said\n- **called**: Nemo\n")
    assert (circle.people.called("Robin"), circle.people.names_of("Robin")) == ("Nemo", ("Nemo", "Robin"))
    assert circle.said() == [LOST]


def test_odd_names_and_namesakes_of_a_file_have_notes_of_their_own(circle):
    names = ("con", "A/B", "A:B", "..", "Zoë", "[[x]]")
    for seq, name in enumerate(names, 1):
        circle.takes(f"My name is {name}", seq, name)
    circle.open()
    assert [circle.said(name) for name in names] == [[f"My name is {name}"] for name in names]
    assert (len(circle.people.met()), circle.trouble) == (6, [])


def test_many_people_cost_one_file_each_and_few_are_at_hand(circle: Circle, monkeypatch: pytest.MonkeyPatch):
    for number in range(300):
        circle.takes(LOST, number + 1, f"P{number}")
    read = Counter[str]()
    before = circle.vault.read_exact

    def text(*parts: str) -> str:
        read["/".join(parts)] += 1
        return before(*parts)

    monkeypatch.setattr(circle.vault, "read_exact", text)
    assert circle.said("P0") == circle.said("P299") == [LOST]
    assert read.total() == 1


@pytest.mark.parametrize("form", [lambda memory: memory, typed], ids=["old lines", "typed lines"])
def test_others_words_are_quoted_with_their_parties(form):
    lines = ('Moss: Moss whispers to you, "I will come."', 'Moss: Moss says, "No."', "I: say Oh.", "Moss: Moss smiles.")
    whisper, aloud, own, smile = (quote_in(form(one), "Eliza") for one in memories(*lines, first=8))
    assert whisper == Quote("Moss", "I will come.", 8, ("Moss", "Eliza"))
    assert (aloud, own, smile) == (Quote("Moss", "No.", 9), None, None)


@pytest.mark.parametrize("end", [". ", "! ", "? ", "。", "؟ "])
def test_long_words_end_with_a_sentence(end):
    (memory,) = memories(f'Moss: Moss says, "{f"About 3.5 feet of it{end}" * 40}"')
    quote = quote_in(memory, "Eliza")
    assert quote is not None
    assert quote.words.endswith(f"of it{end}".strip())
    assert MAX_QUOTE_CHARACTERS - 30 < len(quote.words) <= MAX_QUOTE_CHARACTERS
