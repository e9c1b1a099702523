"""What the world knows of the place, the person or the thing that somebody asks an agent about."""

from __future__ import annotations

import json

import pytest

from agents.asking import Question
from agents.choices.policy import Decision
from agents.components.asked import Person, answers, surely_known
from agents.models.model import Capabilities
from tests.agents.house import House
from tests.agents.test_thinking import Talking
from vault.memory.bullet_note import Statement
from world.entities import Detail, Role, Thing
from world.lore import Lore, LoreEntry


class Asking(House):
    """The inn with Rook in the common room, where Ana asks."""

    def told_after(self, words: str, section: str = "asked") -> str:
        """Return what Rook's prompt for an answer to Ana tells beside her words."""
        self.game.perform("Ana", f"say {words}")
        ana = self.game.world.characters["Ana"]
        prompt = self.agents["Rook"].prompt(Question(Decision("answer", "speech", partner=ana)))
        return prompt.section(section)


@pytest.fixture
def inn(tmp_path):
    return Asking(tmp_path)


NONE_KNOWN = "Not that I know. I have never seen one here."
WAY = "Rook knows the way from here to The Kitchen: go north."


def test_the_way_to_a_room_is_told_exit_by_exit(inn):
    assert (
        inn.told_after("Excuse me, which way is The Kitchen?")
        == "Rook knows the way from here to The Kitchen: go north."
    )
    assert inn.told_after("Is this The Common Room?") == "This is The Common Room."
    assert inn.told_after("Good morning! What is this place?") == "This is The Common Room."
    assert inn.told_after("Could I have it, to remember this place by?") == ""


def test_a_name_is_told_to_who_asks_for_it_and_to_nobody_else(inn):
    def told(words: str) -> list[str]:
        return answers(words, inn.game.world, inn.game.world.characters["Rook"], Person("Ana", "Ana", "Ana"))

    assert told("Do you still know my name?") == told("I told you my name. Do you remember it?") == ["You are Ana."]
    assert told("Can I have the ink? I want to write my name on something.") == []


def test_a_place_is_also_known_by_a_last_word_that_no_other_has(inn):
    assert inn.told_after("Which is the way to the inn kitchen?") == WAY
    assert inn.told_after("I have a kitchen at home.") == ""
    assert inn.told_after("Where is the ladies' room?") == ""


@pytest.mark.parametrize("words", ["Which way is the kitchen?", "where is the kitchen", "How do I get to the kitchen?"])
def test_who_asks_the_way_is_told_it_and_no_lore_of_the_place(inn, words):
    world = inn.game.world
    world.lore = Lore([LoreEntry("Soup", "Soup is made in The Kitchen.", ("kitchen",))])
    told = surely_known(words, world, world.characters["Rook"], Person("Ana", "Ana"))
    assert told == ["To The Kitchen you go north."]


def test_who_asks_what_lies_that_way_is_told(inn):
    leads = "Going north from here one comes to The Kitchen."
    assert inn.told_after("lo. whats north of here? any good") == leads
    assert inn.told_after("Where does the north lead?") == leads
    assert inn.told_after("It is cold up north.") == ""


def test_what_can_be_seen_in_one_other_room_is_found(inn):
    kitchen = inn.game.world.rooms["The Kitchen"]
    kitchen.details["wheel"] = Detail("wheel", "It turns.", ("crank",))
    found = "There is wheel in The Kitchen: from here go north."
    assert inn.told_after("my lad talks of some big wheel. where wd that be?") == found
    assert inn.told_after("I saw a big wheel once.") == ""
    inn.game.world.rooms["The Common Room"].details["wheel"] = Detail("wheel", "It stands.")
    assert "wheel in The Kitchen" not in inn.told_after("Where is the wheel?")


def test_there_is_the_place_that_was_named_before(inn):
    rook = inn.game.world.characters["Rook"]
    asked = "He waits for me in the kitchen, The Kitchen. How does one get there?"
    assert surely_known(asked, inn.game.world, rook, Person("Ana", "Ana")) == ["To The Kitchen you go north."]


def test_lore_is_told_that_fits_what_was_said_and_said_by_a_tiny_model_as_it_stands(inn):
    world, text = inn.game.world, "The Anchor has three beds."
    world.lore = Lore([LoreEntry("Beds", text, ("sleep",)), LoreEntry("Rook", "Rook is odd.", ("you",))])
    assert inn.told_after("Where could I sleep?", "lore") == f"Rook knows: {text}"
    assert inn.told_after("Who are you?", "lore") == inn.told_after("It is cold.", "lore") == ""
    rook = world.characters["Rook"]
    assert answers("Where could I sleep?", world, rook, Person("Ana", "Ana")) == [text]
    assert answers("Can I sleep in your bed?", world, rook, Person("Ana", "Ana")) == []
    assert answers("Is it ok if I sleep now?", world, rook, Person("Ana", "Ana")) == []
    assert answers("I slept badly; sleep is dear.", world, rook, Person("Ana", "Ana")) == []


def test_what_can_be_seen_here_is_told_to_who_asks_about_it(inn):
    room = inn.game.world.rooms["The Common Room"]
    room.details["clock"] = Detail("clock", "It stands at noon.", ("dial",))
    assert inn.told_after("What is that dial for?") == "Of the clock here one can see: It stands at noon."
    assert inn.told_after("That is a fine clock.") == ""
    world, rook = inn.game.world, inn.game.world.characters["Rook"]
    assert answers("Does the clock go?", world, rook, Person("Ana", "Ana")) == ["It stands at noon."]


def test_whether_there_is_something_in_the_town_is_answered_by_what_can_be_seen_there(inn):
    world, rook = inn.game.world, inn.game.world.characters["Rook"]
    world.rooms["The Kitchen"].details["kettle"] = Detail("kettle", "It is cold.", ("pot",))
    world.lore = Lore([LoreEntry("Beds", "The Anchor has three beds.", ("sleep",))])

    def answered(words: str) -> list[str]:
        return surely_known(words, world, rook, Person("Ana", "Ana"))

    assert answered("Is there an old kettle in this town?") == ["Yes, in The Kitchen."]
    assert answered("hm. are there any pots here") == ["Yes, in The Kitchen."]
    assert answered("Is there a good tailor around here?") == [NONE_KNOWN]
    for words in ("Is there a bed in this town?", "Is there a reason for that?", "Is there a lamp here?"):
        assert answered(words) == []
    world.lore = Lore([*world.lore, LoreEntry("The town", "It is small.", ("this town",))])
    baker = "Is there a baker in this town?"
    assert answers(baker, world, rook, Person("Ana", "Ana")) == answered(baker) == [NONE_KNOWN]
    assert inn.told_after("Is there a kettle in this town?") == "kettle: there is one in The Kitchen."


@pytest.mark.parametrize(
    ("words", "is_answered"),
    [
        ("What eels are there?", True),
        ("Are the smoked eels from here?", True),
        ("do eels bite?? asking cos my foot is in the water", False),
        ("did u hear?? somebody let all the eels out", False),
        ("Is there an eel in this town?", True),
        ("can i buy an eel", True),
        ("Is there an eel to buy and a place to dry three socks?", True),
        ("how much is an eel", True),
        ("How many eels have you?", False),
    ],
)
def test_lore_answers_only_what_it_can_hold_the_answer_to(inn, words, is_answered):
    text = "Smoked eels are sold here by the kitchen door."
    world, rook = inn.game.world, inn.game.world.characters["Rook"]
    world.lore = Lore([LoreEntry("Eels", text, ("eel", "eels", "how much"))])
    assert answers(words, world, rook, Person("Ana", "Ana")) == ([text] if is_answered else [])


def test_who_asks_what_place_this_is_is_told_of_the_town_too(inn):
    world = inn.game.world
    world.lore = Lore([LoreEntry("The town", "It is small.", ("this place",))])
    asked = Person("Ana", "Ana")
    assert surely_known("What is this place?", world, world.characters["Rook"], asked) == [
        "This is The Common Room.",
        "It is small.",
    ]


def test_where_somebody_is_who_is_not_here(inn):
    world = inn.game.world
    world.characters["Ben"].room_id = "The Kitchen"
    assert inn.told_after("Where is Ben?") == "Ben is in The Kitchen now: from here go north."
    world.characters["Ben"].room_id = "The Common Room"
    assert inn.told_after("Where is Ben?") == ""


def test_who_is_named_before_the_question_is_not_who_is_asked_after(inn):
    inn.game.world.characters["Ben"].room_id = "The Kitchen"
    inn.game.world.characters["Ben"].awake = True
    assert "Ben" in inn.told_after("Where is Ben?")
    assert inn.told_after("Ben told me that there is a cellar. How do I get there?") == ""


def test_a_thing_that_it_does_not_carry_is_not_its_to_give(inn):
    world = inn.game.world
    world.things["iron key"] = Thing("iron key", "The Kitchen")
    assert inn.told_after("Could I have the iron key?") == "Rook cannot give the iron key: Rook does not have it."
    world.things["iron key"].place_id = "The Common Room"
    assert inn.told_after("Could I have the iron key?") == "The iron key lies here; Rook does not carry it."
    world.things["iron key"].place_id = "Rook"
    assert inn.told_after("Could I have the iron key?") == ""


def test_nothing_is_told_of_what_nobody_has_named(inn):
    assert inn.told_after("How are you?") == ""


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("Where is Ben?", ["Ben is in The Kitchen now. From here you go north."]),
        ("Who are you?", ["I am Rook."]),
        ("What do people call you?", ["I am Rook."]),
        ("Do you still know my name?", ["You are Robin."]),
        ("What is my name?", ["You are Robin."]),
        ("Do you know what my dog is called?", ["You told me that your dog is called Biscuit."]),
        ("What is my name, and what did I lose?", ["You are Robin.", "You told me that you lost your hat."]),
        ("I lost my coat in The Kitchen.", ["I am sorry to hear that, Robin. I will remember it."]),
        ("My brother lives in Bree.", ["I will remember that, Robin."]),
        ("I was in The Kitchen.", []),
        ("How are you?", []),
    ],
)
def test_what_the_world_and_what_was_told_before_answer_without_a_model(inn, words, answer):
    world = inn.game.world
    world.characters["Ben"].room_id = "The Kitchen"
    facts = [("name", "My name is Robin."), ("kin", "My dog is called Biscuit."), ("loss", "I lost my hat.")]
    ana = Person("Ana", "Ana", "Robin", [Statement(said, kind) for kind, said in facts])
    assert answers(words, world, world.characters["Rook"], ana) == answer


def test_a_tiny_base_model_is_not_asked_what_the_world_can_answer(tmp_path):
    tiny = Capabilities(grammar=True, parameters_billion=0.27)
    life = Talking(tmp_path, " hello\n", capabilities=tiny)
    assert life.answers("say Rook, where is The Kitchen?").line == "say To The Kitchen you go north."
    assert not life.model.requests


def test_with_a_tiny_base_model_it_thanks_for_a_gift_by_itself(tmp_path):
    life = Talking(tmp_path, " hello\n", capabilities=Capabilities(grammar=True, parameters_billion=0.27))
    life.game.world.things["brass lamp"].place_id = "Ana"
    assert life.answers("give brass lamp to Rook").line == "say Thank you, Ana."


def test_who_asks_for_their_name_is_answered_with_it(inn):
    assert inn.told_after("Do you know my name?") == "Rook answers with the name Ana."
    inn.game.world.characters["Ana"].role = Role.GUEST
    assert inn.told_after("Do you know my name?") == ""


def test_what_the_other_has_told_is_not_said_as_its_own_but_told_again(tmp_path):
    swapped = json.dumps({"words": "I lost my hat in the stable."})
    life = Talking(tmp_path, json.dumps({"words": "What a pity."}), swapped, swapped)
    life.answers("say Rook, I lost my hat in the stable.")
    assert life.answers("say And what was it that I lost?").line == "say You lost your hat in the stable."


def test_who_is_not_in_the_world_is_known_by_the_looks(inn):
    inn.game.world.characters["Ben"].description = "A tall, quiet man in a green coat."
    inn.game.world.characters["Ben"].awake = False
    assert inn.told_after("That tall quiet man, whats his name").startswith("That is Ben: A tall, quiet man")
