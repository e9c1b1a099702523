"""Facts are learnt from sentences in whatever language the world speaks, and from those before a translation."""

from __future__ import annotations

import pytest

from agents.attending.perception import impression
from agents.memory.facts.extraction import Utterance, extract_facts, utterance_in
from agents.memory.facts.narration_parser import NarrationParser, ParsedEvent
from agents.memory.facts.store import FactStore, in_order
from agents.memory.summaries.prompt import group_memories, render_groups
from tests.english import ENGLISH
from tests.german import GERMAN, SENTENCES
from tests.world.inn import inn_game
from vault.markdown import one_line
from vault.memory.facts_note import PEOPLE, PLACES, THINGS, Fact
from vault.memory.memory_line import Memory
from vault.message_notes import starter_sentences
from world.entities import Role
from world.message_catalog import Wording, variables

AT = 1_795_248_000_000
ARTICLES = {"brass lamp": "eine", "oil lamp": "eine", "stable bill": "einen", "saddle bag": "einen"}
EVENING = [
    ("Rook", "look"),
    ("Rook", "go south"),
    ("Ana", "say to Rook Good evening. Please bring me the apples."),
    ("Ben", "take oil lamp"),
    ("Ana", "take brass lamp"),
    ("Ana", "give brass lamp to Rook"),
    ("Rook", "inventory"),
    ("Ben", "give oil lamp to Ana"),
    ("Ana", "drop oil lamp"),
    ("Rook", "look"),
    ("Ben", "whisper Rook The silver is behind the seventh brick."),
    ("Ben", "say Rook takes whatever is not nailed down."),
    ("Rook", "go out"),
    ("Cat", "go stable door"),
    ("Rook", "go stable door"),
    ("Cat", "get stable bill from saddle bag"),
    ("Cat", "read stable bill"),
    ("Cat", "put stable bill in oat chest"),
    ("Rook", "put brass lamp in saddle bag"),
    ("Rook", "look in saddle bag"),
    ("Rook", "get brass lamp from saddle bag"),
    ("Rook", "take slate"),
    ("Rook", "drop slate"),
    ("Ana", "tell Rook I promise to come to The Stable."),
    ("Cat", "emote takes a long look at Rook."),
    ("Cat", "go west"),
    ("Rook", "look"),
    ("Rook", "give brass lamp to Cat"),
    ("Rook", "go west"),
    ("Ana", "go out"),
    ("Rook", "give brass lamp to Cat"),
    ("Ben", "shout Supper!"),
]


class Rook:
    """Remembers an evening as an agent does, in a world that says it with this wording."""

    def __init__(self, wording: Wording, articles: dict[str, str]) -> None:
        self.memories: list[Memory] = []
        game = inn_game()
        game.world.wording = wording
        for name, article in articles.items():
            game.world.things[name].article = article
        for one in game.world.characters.values():
            one.role = Role.PLAYER

        def observe(event, text):
            left = impression(event, "Rook", game.world)
            if left and text:
                self._remember(left.kind, game.world.characters["Rook"].room_id, text, left.people)

        game.wake("Rook", observe)
        for who, line in EVENING:
            game.perform(who, line)

    def _remember(self, kind: str, room: str, text: str, people: tuple[str, ...]) -> None:
        seq = len(self.memories) + 1
        self.memories.append(Memory(seq, AT + seq * 60_000, kind, room, one_line(text), people))

    def knows(self, reading: NarrationParser) -> list[Fact]:
        known = FactStore()
        for memory in self.memories:
            extract_facts(known, memory, reading=reading)
        return list(in_order(known.facts.values()))


@pytest.fixture(scope="module")
def english() -> Rook:
    return Rook(ENGLISH, {})


@pytest.fixture(scope="module")
def german() -> Rook:
    return Rook(GERMAN, ARTICLES)


def german_reading() -> NarrationParser:
    return NarrationParser(lambda: GERMAN)


def test_a_translated_sentence_has_the_variables_that_it_is_given():
    known = starter_sentences()
    assert [key for key, text in SENTENCES.items() if variables(text) - variables(known[key])] == []


def test_a_translated_evening_teaches_what_an_english_one_does(english, german):
    learnt = english.knows(NarrationParser())
    sections = {section: {f.subject for f in learnt if f.section == section} for section in (PEOPLE, PLACES, THINGS)}
    assert sections == {
        PEOPLE: {"Ana", "Ben", "Cat"},
        PLACES: {"The Kitchen", "The Common Room", "The Yard", "The Stable"},
        THINGS: {"apples", "brass lamp", "oil lamp", "stable bill", "saddle bag", "oat chest", "slate"},
    }
    assert german.knows(german_reading()) == learnt
    assert [m.text for m in german.memories] != [m.text for m in english.memories]


def test_what_was_remembered_before_a_translation_is_read_as_ever(english):
    assert english.knows(german_reading()) == english.knows(NarrationParser())


def test_without_its_translation_a_translated_evening_teaches_no_things(german):
    assert [fact.subject for fact in german.knows(NarrationParser()) if fact.section == THINGS] == []


def test_a_translation_counts_as_soon_as_it_is_in_force():
    wording = ENGLISH
    reading = NarrationParser(lambda: wording)
    assert reading.event_in("Ana nimmt die Lampe.", "Ana") is None
    wording = GERMAN
    assert reading.event_in("Ana nimmt die Lampe.", "Ana") == ParsedEvent("takes", {"who": "Ana", "thing": "die Lampe"})


@pytest.mark.parametrize(
    ("text", "deed"),
    [
        (
            "Ana nimmt Lampe aus Korb heraus.",
            ParsedEvent("takes_from", {"who": "Ana", "thing": "Lampe", "container": "Korb"}),
        ),
        ("Ana nimmt Lampe zur Hand.", ParsedEvent("uses", {"who": "Ana", "thing": "Lampe"})),
        ("Von The Yard her kommt Ana.", ParsedEvent("arrives", {"room": "The Yard", "who": "Ana"})),
        ("Ana sagt: »Ben nimmt Lampe.«", ParsedEvent("says", {"who": "Ana", "text": "Ben nimmt Lampe."})),
        ("Ben nimmt Lampe.", None),
        ("Ana lacht.", None),
    ],
)
def test_of_what_a_text_may_tell_what_says_most_counts(text, deed):
    assert german_reading().event_in(text, "Ana") == deed


def test_somebody_whose_name_is_a_part_of_the_sentence_is_read_as_who_it_is():
    told = 'Ana says says, "Good morning."'
    assert NarrationParser().event_in(told, "Ana says") == ParsedEvent(
        "says", {"who": "Ana says", "text": "Good morning."}
    )


def test_a_speech_in_another_language_is_heard_with_who_said_it_and_how():
    memory = Memory(1, AT, "told", "The Yard", "Ana flüstert dir zu: »Nichts sagen!«", ("Ana",))
    assert utterance_in(memory, german_reading()) == Utterance("Ana", "Nichts sagen!", privately=True)


@pytest.mark.parametrize(
    ("text", "things"),
    [
        ("nichts", []),
        ("nothing", []),
        ("eine Laterne, einen Krug und einige Hand und Fuß", ["Laterne", "Krug", "Hand und Fuß"]),
        ("a lamp, an oar and some keys", ["lamp", "oar", "keys"]),
        ("alles Mögliche", None),
    ],
)
def test_lists_of_things_are_read_without_articles(text, things):
    assert german_reading().things(text) == things


def test_steps_are_counted_in_any_language():
    walk = [
        Memory(1, AT, "acted", "The Yard", "go out", importance=2),
        Memory(2, AT, "result", "The Yard", "Du gehst out nach The Yard.", importance=2),
    ]
    assert render_groups(group_memories(walk, "none"), "Rook", 400, german_reading()) == "[went about: 1 move]"
