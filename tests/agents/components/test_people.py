"""What an agent is told of those who are here: facts in the third person, opinions as opinions, within their budget."""

from __future__ import annotations

import pytest

from agents.asking import Question
from agents.choices.policy import Decision
from agents.commands.thought_commands import mind_command
from agents.component import Moment, Section
from agents.components.people import BOND_TOKENS
from agents.reflection.acquaintances import Dropped, Reflected
from agents.reflection.speech_facts import OTHER, SpeechFact
from tests.agents.house import House
from vault.memory.bullet_note import Statement
from world.entities import Character, Role
from world.parsing import is_named

DAY = "2026-11-21"


class Tavern(House):
    """The inn with Rook in the common room, where Ana and Ben are."""

    def __init__(self, root):
        super().__init__(root)
        self.game.commands.add(mind_command(self.agents, self.game.publish))

    def says(self, who: str, text: str) -> None:
        self.game.perform(who, f"say {text}")

    def moment(self, partner: str = "") -> Moment:
        agent, world = self.agents["Rook"], self.game.world
        company = tuple(one for one in world.occupants(agent.character.room_id) if one is not agent.character)
        other = world.characters[partner] if partner else None
        return Moment(world, agent.character, self.ms, agent.memory.view(), company, partner=other)

    def section(self, name: str, partner: str = "") -> Section | None:
        (part,) = [one for one in self.agents["Rook"].mind.components if one.name == name]
        return part.context(self.moment(partner))

    def told(self, name: str, partner: str = "") -> list[str]:
        section = self.section(name, partner)
        return section.text.split("\n") if section else []


@pytest.fixture
def house(tmp_path):
    return Tavern(tmp_path)


def test_a_bare_name_counts_where_the_agent_has_asked_for_it(house):
    people = house.agents["Rook"].reflection.people
    house.says("Ana", "Robin.")
    assert people.called("Ana") == ""
    house.agents["Rook"].perform("say And what is your name?")
    house.says("Ana", "Robin.")
    assert people.called("Ana") == "Robin"
    house.says("Ana", "Porridge.")
    assert people.called("Ana") == "Robin"


def test_name_and_loss_are_known_ten_lines_later_in_the_third_person_with_their_numbers(house):
    house.says("Ana", "Good morning, Rook! My name is Robin. I lost my dog near the weir. He is called Biscuit.")
    for number in range(10):
        house.says("Ben", f"The fire is low, and that is {number}.")
    assert house.told("bonds") == [
        f"Ana: lost their dog near the weir; he is called Biscuit (said on {DAY}). "
        f"Ana: their name is Robin (said on {DAY})."
    ]
    assert house.section("bonds").shows == {1}
    assert "lost their dog near the weir" in house.agents["Rook"].prompt().text


def test_what_cannot_be_put_so_is_quoted_and_hearsay_says_whose_it_is(house):
    people = house.agents["Rook"].reflection.people
    house.says("Ana", "I lost my dog when I met you.")
    house.does("Rook", "say I lost my own hat.")
    house.game.perform("Ben", "whisper rook My brother is called Tom.")
    people.take(SpeechFact("Ben", OTHER, "Ben stole the bell.", 9, "Ana", day=DAY))
    assert house.told("bonds", "Ben") == [
        f'Ben: their brother is called Tom (whispered on {DAY}). Ana said of Ben on {DAY}: "Ben stole the bell."',
        f'Ana said on {DAY}: "I lost my dog when I met you."',
    ]


def test_only_who_is_present_is_told_of(house):
    house.says("Ana", "I lost my dog.")
    house.game.perform("Ana", "go out")
    assert house.section("bonds") is None


def test_a_persons_line_comes_first_and_an_opinion_is_told_as_one(house):
    people = house.agents["Rook"].reflection.people
    house.says("Ana", "I lost my dog.")
    people.set_opinions("Ana", [Statement("Ask Ana about the dog.", "Ana", (), (1,)), Statement("Ana is sad.", "Ana")])
    path = ("agents", "Rook", "people", "Ana.md")
    house.vault.write_text(house.vault.read_text(*path).replace("## Said\n", "## Said\n- my only sister\n"), *path)
    assert house.told("bonds") == [
        f"Ana: my only sister. Ana: lost their dog (said on {DAY}).",
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
        "Agents do so at night or after a summary, with a model of 1B or more that can be held to JSON.",
        "Since the start: looked back 0 times, cut short 0 times; 0 tokens, 0 s",
    ]
    house.says("Ben", "I lost my dog near the weir.")
    dropped = Dropped("Ben", "Ben is brave.", "its words do not stand there")
    opinions.keep([Statement("Ben lost a dog.", "Ben", (), (1,))], [dropped], Reflected(1, 0, 7, "at night, 20 s"))
    admin.screen()
    admin.types("@mind Rook")
    assert of_components(admin.screen())[:-1] == [
        "Notes on people: 1 (Ben)",
        "Opinions, newest first, with the memories that they rest on:",
        "  Ben: Ben lost a dog. (^m1)",
        "Dropped, newest first, and why:",
        "  Ben: Ben is brave. (its words do not stand there)",
        "Looked back last: at night, 20 s",
    ]
    admin.types("@mind Rook Ben")
    assert admin.screen() == ["What Rook knows and thinks of Ben", "  loss: I lost my dog near the weir. (^m1)"]
    admin.types("@mind Rook Cat")
    assert admin.screen() == ["Rook knows nothing of Cat from speech, and thinks nothing of them."]


def test_the_mind_of_another_is_for_admins(house):
    house.player("Ben")
    assert (
        house.game.perform("Ben", "@mind Rook").refusal
        == "Only Rook, observers and admins can look into the memory of Rook."
    )


def test_a_file_edited_into_nonsense_is_told_of_and_what_was_known_still_counts(house):
    house.says("Ana", "I lost my dog.")
    trouble: list[str] = []
    house.agents["Rook"].on_trouble = trouble.append
    path = ("agents", "Rook", "people", "Ana.md")
    house.vault.write_text("---\nwritten: oops\n---\n", *path)
    assert house.told("bonds") == [f"Ana: lost their dog (said on {DAY})."]
    assert trouble[0].startswith("agents/Rook/people/Ana.md:2: written has 'oops'")
    house.says("Ana", "I come from Lisbon.")
    assert "comes from Lisbon" in house.told("bonds")[0]
    assert house.vault.read_text(*path) == "---\nwritten: oops\n---\n"


def arrives(house: Tavern, guest: str) -> None:
    house.game.world.add_character(Character(guest, "The Common Room", role=Role.GUEST, awake=True))


def leaves(house: Tavern, guest: str) -> None:
    del house.game.world.characters[guest]


def test_a_guest_who_tells_a_name_is_known_by_it_at_the_next_visit(house):
    arrives(house, "Guest1")
    house.says("Guest1", "I lost my dog near the weir. My name is Robin.")
    assert "Guest1: lost their dog near the weir" in house.told("bonds")[0]
    assert house.told("bonds")[1] == "Guest1 has told Rook their name: Robin."
    leaves(house, "Guest1")
    arrives(house, "Guest2")
    people = house.agents["Rook"].reflection.people
    assert (house.section("bonds"), people.from_before("Guest2")) == (None, [])
    house.says("Guest2", "It is me, Robin. I'm Robin. I come from Lisbon.")
    told = house.section("bonds")
    assert "lost their dog" in told.text and "comes from Lisbon" in told.text
    assert told.names == {"Guest1": "Robin", "Guest2": "Robin"}
    assert "I lost my dog near the weir." in [one.words for one in people.from_before("Guest2")]
    assert "I come from Lisbon." not in [one.words for one in people.from_before("Guest2")]
    assert people.met() == ["Robin"]


@pytest.mark.parametrize("name", ["Ana", "rook", "Robin"])
def test_nobody_is_taken_for_somebody_who_is_in_the_world_already(house, name):
    arrives(house, "Guest1")
    house.says("Guest1", "My name is Robin. I lost my dog near the weir.")
    arrives(house, "Guest2")
    house.says("Guest2", f"My name is {name}. I lost my hat.")
    people = house.agents["Rook"].reflection.people
    assert people.met() == ["Robin"]
    assert [one.words for one in people.facts("Guest1")] == ["My name is Robin.", "I lost my dog near the weir."]
    assert "I lost my dog near the weir." not in [one.words for one in people.facts("Guest2")]


def test_what_a_guest_whispers_or_says_without_a_name_is_in_no_file(house):
    arrives(house, "Guest1")
    house.says("Guest1", "I come from Lisbon.")
    assert house.told("bonds") == [f"Guest1: comes from Lisbon (said on {DAY})."]
    assert not house.vault.exists("agents", "Rook", "people")
    house.says("Guest1", "My name is Robin.")
    house.game.perform("Guest1", "whisper Rook I lost my mother's ring.")
    assert "ring" in house.told("bonds", "Guest1")[0]
    assert "ring" not in house.vault.read_text("agents", "Rook", "people", "Robin.md")


def test_a_guest_who_tells_another_name_leaves_the_note_of_the_first_as_it_is(house):
    arrives(house, "Guest1")
    house.says("Guest1", "My name is Robin.")
    house.says("Guest1", "My name is Bert.")
    people = house.agents["Rook"].reflection.people
    assert (people.called("Guest1"), people.called("Robin"), people.met()) == ("Bert", "Robin", ["Robin"])


def test_a_guest_who_has_told_a_name_is_called_by_it_in_a_talk_and_by_the_world_s_where_commands_are_typed(house):
    ana = house.game.world.characters["Ana"]
    ana.role = Role.GUEST
    house.says("Ana", "Good morning, Rook! My name is Robin. I lost my dog near the weir.")
    rook = house.agents["Rook"]
    talk = rook.prompt(Question(Decision("answer", "speech", partner=ana))).text
    assert not is_named("Ana", talk)
    assert "Robin has told Rook their name: Robin." in talk
    assert "Robin: lost their dog near the weir" in talk
    typed = rook.prompt().text
    assert "Ana has told Rook their name: Robin." in typed


def test_nobody_is_called_by_the_name_of_somebody_else(house):
    house.game.world.characters["Ana"].role = Role.GUEST
    house.says("Ana", "My name is Ben.")
    talk = house.agents["Rook"].prompt(Question(Decision("answer", "speech"))).text
    assert is_named("Ana", talk)


def test_a_player_who_is_no_guest_keeps_the_name_that_everybody_sees(house):
    house.says("Ana", "My name is Robin.")
    assert house.section("bonds").names == {}
