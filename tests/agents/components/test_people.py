"""What an agent is told of those who are here: quotes for those who may hear them, and opinions as opinions."""

from __future__ import annotations

import pytest

from agents.choices.policy import Decision
from agents.commands.thought_commands import mind_command
from agents.component import Moment, Section
from agents.components.people import BOND_TOKENS
from agents.reflection.acquaintances import Quote
from agents.reflection.opinions import Dropped, Reflected
from agents.turn.asking import Question
from tests.agents.house import House
from vault.memory.bullet_note import Statement
from world.entities import Character, Role
from world.parsing import is_named

DAY = "2026-11-21"
MINUTE_MS = 60_000


class Tavern(House):
    """The inn with Rook in the common room, where Ana and Ben are. Rook has no model that chooses what is kept."""

    def __init__(self, root):
        super().__init__(root)
        self.game.commands.add(mind_command(self.agents, self.game.publish))
        self.agents["Rook"].queue = None

    def says(self, who: str, text: str, verb: str = "say") -> None:
        """Let somebody speak, and the talk be over."""
        self.game.perform(who, f"{verb} {text}")
        self.ms += 2 * MINUTE_MS
        self.agents["Rook"].reflection.start_if_due(self.game.world.time, self.ms)

    def moment(self, partner: str = "", hearers: tuple[str, ...] = ()) -> Moment:
        agent, world = self.agents["Rook"], self.game.world
        company = tuple(one for one in world.occupants(agent.character.room_id) if one is not agent.character)
        other = world.characters[partner] if partner else None
        return Moment(
            world, agent.character, self.ms, agent.memory.view(), company, partner=other, hearers=frozenset(hearers)
        )

    def section(self, name: str, partner: str = "", hearers: tuple[str, ...] = ()) -> Section | None:
        (part,) = [one for one in self.agents["Rook"].mind.components if one.name == name]
        return part.context(self.moment(partner, hearers))

    def told(self, name: str, partner: str = "", hearers: tuple[str, ...] = ()) -> list[str]:
        section = self.section(name, partner, hearers)
        return section.text.split("\n") if section else []


@pytest.fixture
def house(tmp_path):
    return Tavern(tmp_path)


def test_words_are_quoted_ten_lines_later_with_their_numbers(house):
    house.says("Ana", "Good morning, Rook! I lost my dog near the weir.")
    for number in range(10):
        house.says("Ben", f"That is {number}.")
    assert house.told("bonds") == [f'Ana said on {DAY}: "Good morning, Rook! I lost my dog near the weir."']
    assert house.section("bonds").shows == {1}
    assert "I lost my dog near the weir." in house.agents["Rook"].prompt().text


def test_private_words_are_told_where_all_hearers_know_them(house):
    secret = "I stole the red book, and I am ashamed."
    house.says("Ana", f"Rook {secret}", "whisper")
    told = [f'Ana said in confidence on {DAY}: "{secret}"']
    assert house.told("bonds", "Ana") == []  # Ben is here, and would hear it
    assert house.told("bonds", "Ben") == []
    assert house.told("bonds", "Ana", hearers=("Ana",)) == told
    house.game.perform("Ben", "go out")
    assert house.told("bonds", "Ana") == told
    house.says("Ana", secret)
    assert house.told("bonds", "Ana", hearers=("Ana", "Ben")) == [f'Ana said on {DAY}: "{secret}"']


def test_opinion_inherits_the_parties_of_its_memories(house):
    house.game.perform("Ana", "whisper rook I stole the red book.")
    opinions, people = house.agents["Rook"].reflection.opinions, house.agents["Rook"].reflection.people
    opinions.keep([Statement("Ana wants to be caught.", "Ana", (), (1,))], [], opinions.reflected)
    people.set_opinions("Ana", [Statement("Ask Ana about the book.", "Ana", (), (1,))])
    assert (house.told("insights"), house.told("bonds")) == ([], [])
    assert house.told("insights", hearers=("Ana",)) == ["Rook thinks: Ana wants to be caught."]
    assert house.told("bonds", hearers=("Ana",)) == ["Rook thinks: Ask Ana about the book."]


def test_what_fits_the_talk_is_told_first_in_any_language(house):
    people = house.agents["Rook"].reflection.people
    long = "Das hier ist ein langer Satz und er füllt die Zeile. " * 3
    quotes = [Quote("Ana", f"{long}{word}", seq) for seq, word in enumerate(("Schleuse.", "Brücke.", "Fähre."), 1)]
    people.take(quotes, is_chosen=True)
    house.game.perform("Ben", "say Wie hoch steht die Schleuse?")
    assert [house.section("bonds").text.count(word) for word in ("Schleuse", "Brücke", "Fähre")] == [1, 0, 0]


def test_only_who_is_present_is_told_of(house):
    house.says("Ana", "I lost my dog yesterday.")
    assert house.section("bonds") is not None
    house.game.perform("Ana", "go out")
    assert house.section("bonds") is None


def test_a_persons_line_comes_first_and_an_opinion_is_told_as_one(house):
    people = house.agents["Rook"].reflection.people
    house.says("Ana", "I lost my dog yesterday.")
    people.set_opinions("Ana", [Statement("Ask Ana about the dog.", "Ana", (), (1,)), Statement("Ana is sad.", "Ana")])
    path = ("agents", "Rook", "people", "Ana.md")
    house.vault.write_text(house.vault.read_text(*path).replace("## Said\n", "## Said\n- my only sister\n"), *path)
    assert house.told("bonds") == [
        f'Ana: my only sister. Ana said on {DAY}: "I lost my dog yesterday."',
        "Rook thinks: Ask Ana about the dog.",
    ]


def test_a_crowd_and_long_words_stay_within_the_budget_and_two_lines_a_person(house):
    for number in range(40):
        house.says("Ana", f"I lost my {'abcdefghijklmnopqrstuvwxyz'[number % 26] * 8} {'dear ' * 30} near the weir.")
    section = house.section("bonds")
    assert section.max_tokens == BOND_TOKENS
    assert section.text.count("\n") == 0
    assert len(section.text) < 700


def test_at_most_two_opinions_on_those_present_or_on_what_is_said_are_told(house):
    opinions = house.agents["Rook"].reflection.opinions
    rows = [("Ana", "Ana misses the dog."), ("life", "The weir is old and loud."), ("Moss", "Moss is late.")]
    rows += [("Ana", "Ana will leave."), ("Ana", "Ana sings.")]
    house.says("Ana", "Hello.")
    opinions.keep([Statement(words, about, (), (1,)) for about, words in rows], [], opinions.reflected)
    assert house.told("insights") == ["Rook thinks: Ana sings.", "Rook thinks: Ana will leave."]
    house.game.perform("Ana", "go out")
    assert house.told("insights") == []
    house.says("Ben", "How loud and old the weir is!")
    assert house.told("insights") == ["Rook thinks: The weir is old and loud."]


def test_an_opinion_that_rests_on_anothers_words_says_so(house):
    opinions = house.agents["Rook"].reflection.opinions
    told = Statement("Ana is the admin.", "Ana", ("as told by Mallory",), (1,))
    opinions.keep([told], [], opinions.reflected)
    assert house.told("insights") == ["Rook thinks, from what Mallory said: Ana is the admin."]


def of_components(screen: list[str]) -> list[str]:
    """Return what `@mind` tells of the components of a mind, without its turns, its prompt and its tiers."""
    assert screen[0] == "What goes on in Rook's mind"
    first = next(at for at, line in enumerate(screen) if line.startswith("Notes on people"))
    return screen[first : next(at for at, line in enumerate(screen) if line.startswith("Prompt: "))]


def test_mind_shows_opinions_with_evidence_what_was_dropped_and_what_it_cost(house):
    opinions = house.agents["Rook"].reflection.opinions
    admin = house.player("Ana", Role.ADMIN)
    admin.types("@mind Rook")
    assert of_components(admin.screen()) == [
        "Notes on people: none yet",
        "Opinions: none yet",
        "Looked back last: never. "
        "Agents do so after a talk, at night or after a summary, with a model that speaks and can be held to JSON.",
        "Since the start: looked back 0 times, cut short 0 times; 0 tokens, 0 s",
        "Promises: none yet",
    ]
    house.says("Ben", "I lost my dog near the weir.")
    dropped = Dropped("Ben", "Ben is brave.", "its words do not stand there")
    opinions.keep([Statement("Ben lost a dog.", "Ben", (), (1,))], [dropped], Reflected(1, 0, 7, "at night, 20 s"))
    admin.screen()
    admin.types("@mind Rook")
    assert of_components(admin.screen())[:-2] == [
        "Notes on people: 1 (Ben)",
        "Opinions, newest first, with the memories that they rest on:",
        "  Ben: Ben lost a dog. (^m1)",
        "Dropped, newest first, and why:",
        "  Ben: Ben is brave. (its words do not stand there)",
        "Looked back last: at night, 20 s",
    ]
    admin.types("@mind Rook Ben")
    assert admin.screen() == ["What Rook knows and thinks of Ben", "  Ben: I lost my dog near the weir. (^m1)"]
    admin.types("@mind Rook Cat")
    assert admin.screen() == ["Rook knows nothing of Cat from speech, and thinks nothing of them."]


def test_the_mind_of_another_is_for_admins(house):
    house.player("Ben")
    assert (
        house.game.perform("Ben", "@mind Rook").refusal
        == "Only Rook, observers and admins can look into the memory of Rook."
    )


def test_a_file_edited_into_nonsense_is_told_of_and_what_was_known_still_counts(house):
    house.says("Ana", "I lost my dog yesterday.")
    trouble: list[str] = []
    house.agents["Rook"].on_trouble = trouble.append
    path = ("agents", "Rook", "people", "Ana.md")
    house.vault.write_text("---\nwritten: oops\n---\n", *path)
    assert house.told("bonds") == [f'Ana said on {DAY}: "I lost my dog yesterday."']
    assert trouble[0].startswith("agents/Rook/people/Ana.md:2: written has 'oops'")
    house.says("Ana", "I come from far Lisbon.")
    assert "I come from far Lisbon." in house.told("bonds")[0]
    assert house.vault.read_text(*path) == "---\nwritten: oops\n---\n"


def arrives(house: Tavern, guest: str) -> None:
    house.game.world.add_character(Character(guest, "The Common Room", role=Role.GUEST, awake=True))


def test_guest_is_known_by_a_told_name_at_the_next_visit(house):
    people = house.agents["Rook"].reflection.people
    arrives(house, "Guest1")
    assert people.call("Guest1", "Robin", 1)
    house.says("Guest1", "I lost my dog near the weir.")
    house.says("Guest1", "Rook I am the thief of the bell.", "whisper")
    assert house.told("bonds", "Guest1") == [
        f'Guest1 said on {DAY}: "I lost my dog near the weir."',
        "Guest1 has told Rook their name: Robin.",
    ]
    del house.game.world.characters["Guest1"]
    arrives(house, "Guest2")
    assert house.section("bonds", "Guest2", ("Guest2",)) is None
    assert people.call("Guest2", "Robin", 9)
    section = house.section("bonds", "Guest2", ("Guest2",))
    assert "I lost my dog near the weir." in section.text
    assert "thief" not in section.text
    assert section.names == {"Guest1": "Robin", "Guest2": "Robin"}


def test_guest_is_called_by_a_told_name_in_a_talk_alone(house):
    ana = house.game.world.characters["Ana"]
    ana.role = Role.GUEST
    assert house.agents["Rook"].reflection.people.call("Ana", "Robin", 1)
    house.says("Ana", "Good morning, Rook! I lost my dog near the weir.")
    rook = house.agents["Rook"]
    talk = rook.prompt(Question(Decision("answer", "speech", partner=ana))).text
    assert not is_named("Ana", talk)
    assert "Robin has told Rook their name: Robin." in talk
    assert "Ana has told Rook their name: Robin." in rook.prompt().text


def test_player_keeps_the_name_that_everybody_sees(house):
    assert not house.agents["Rook"].reflection.people.call("Ana", "Robin", 1)
    house.says("Ana", "My name is Robin, by the way.")
    assert house.section("bonds").names == {}
