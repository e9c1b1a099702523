"""A turn with a model that is talked with: laid out as a talk, held to words or to a menu, asked again at most once."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from agents.agent import WALK_SECONDS
from agents.attending.turn_taking import owed_rows
from agents.choices.constraints import verbs_in
from agents.component import Turn
from agents.greeting import AWAY_MS
from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import Capabilities, ModelError, Request
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from agents.reflection.speech_facts import SpeechFact
from agents.thinking import READ_AFTER
from agents.views.why import exchange_of, why_shown
from agents.views.why_text import why_text
from tests.agents.models.places import settle
from tests.agents.test_agent import ROOM, Life
from tests.english import ENGLISH
from tests.scripted_model import Reply, ScriptedModel
from vault.entities.agent_notes import Errand
from vault.entities.voice_note import Exchange
from vault.memory.archive_file import shared_length
from world.entities import Character, Role
from world.events import Event, Said
from world.lore import Lore, LoreEntry

KITCHEN = "The Kitchen"
CHAT = Capabilities(chat=True, raw=False, json_schema=True, parameters_billion=1.5)
LARGER = replace(CHAT, parameters_billion=8.0)


def words(text: str, hand_over: str = "") -> str:
    return json.dumps({"words": text, "you_give": hand_over} if hand_over else {"words": text})


def menu_of(request: Request) -> list[str]:
    """Return the lines that a request lets the model choose from; none if it asks for words."""
    properties = request.schema["properties"] if request.schema else {}
    return list(properties["command"]["enum"]) if "command" in properties else []


def first_of_the_menu(request: Request) -> str:
    menu = menu_of(request)
    return json.dumps({"command": menu[0]}) if menu else words("It is warm here.")


GLOVE = """\
Ben says, "I lost my left glove yesterday."
~Rook> say Where was it?
Ben says, "On the stairs."
~Rook> say Then I will look there.
"""


class Talking(Life):
    """Rook, with an instructed model that takes a schema."""

    def __init__(
        self, root: Path, *script: Reply, capabilities: Capabilities = CHAT, yesterday: str = "~Rook> look\n"
    ) -> None:
        super().__init__(root, yesterday=yesterday)
        self.model = ScriptedModel(*script, capabilities=capabilities)

    def answers(self, *lines: str) -> Turn:
        """Let Ana type lines, and Rook take a turn."""

        async def live() -> Turn:
            self.agent.queue = ModelQueue(self.model)
            self.game.wake("Rook", self.agent.perceive)
            for line in lines:
                self.ana.types(line)
            return await self.agent.tick()

        return asyncio.run(live())


def test_who_is_spoken_to_is_asked_for_words_in_a_talk_that_ends_with_what_was_said(tmp_path):
    life = Talking(tmp_path, words("Good morning, Ana."))
    assert life.answers("say Good morning, Rook!") == Turn("acted", "say Good morning, Ana.")
    (asked,) = life.model.requests
    roles = [one.role for one in asked.messages]
    assert (roles[0], roles[-1]) == ("system", "user")
    assert asked.messages[-1].content.endswith("Good morning, Rook!")
    assert asked.schema and asked.schema == {
        "type": "object",
        "properties": {"words": asked.schema["properties"]["words"]},
        "required": ["words"],
        "additionalProperties": False,
    }


def test_a_model_in_this_process_that_is_talked_with_is_asked_for_words_too_though_it_takes_a_grammar(tmp_path):
    both = Capabilities(chat=True, raw=False, grammar=True, json_schema=True, parameters_billion=1.5)
    life = Talking(tmp_path, words("Good morning, Ana."), capabilities=both)
    assert life.answers("say Good morning, Rook!") == Turn("acted", "say Good morning, Ana.")
    (asked,) = life.model.requests
    assert (asked.grammar, asked.messages[-1].role) == (None, "user")
    assert asked.schema and list(asked.schema["properties"]) == ["words"]


def test_own_words_are_the_assistant_s_and_everything_else_stands_in_brackets(tmp_path):
    life = Talking(tmp_path, words("It is warm."), words("Go and look."))
    life.answers("say Rook, is it cold?")
    life.answers("get brass lamp", "say Rook, and outside?")
    talk = [(one.role, one.content) for one in life.model.requests[-1].messages][-3:]
    assert talk[0][1].endswith("Rook, is it cold?")
    assert talk[1] == ("assistant", words("It is warm."))
    assert talk[2] == ("user", "(Ana takes the brass lamp.)\n(You are Rook. Ana talks with you.)\nRook, and outside?")


def test_who_speaks_is_told_where_that_changes(tmp_path):
    life = Talking(tmp_path, words("It is."), words("That was Ben."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say It is warm in here.")
    life.game.perform("Ben", "say It is.")
    life.answers("say Rook, is that so?")
    talk = life.model.requests[-1].messages[-1].content.split("\n")
    said = ["(Ben says:)", "It is warm in here.", "It is.", "(You are Rook. Ana talks with you.)", "(Ana says:)"]
    assert talk[-6:] == [*said, "Rook, is that so?"]


def test_what_stood_in_a_prompt_stands_in_the_next_as_the_talk_goes_on(tmp_path):
    life = Talking(tmp_path, words("It is warm."), words("Colder."))
    life.answers("say Good day, Rook.")
    life.answers("say Rook, I have come by the bridge.")
    first, second = (request.prompt for request in life.model.requests)
    assert second.startswith(first.partition("(You are Rook. Ana talks with you.)")[0])


def test_the_scene_stands_where_the_agent_has_come_to_the_room(tmp_path):
    life = Talking(tmp_path, words("It is warm."), words("Colder."))
    life.answers("say Good day, Rook.")
    first = life.model.requests[-1].prompt
    life.agent.perform("go north")
    life.ana.types("go north")
    life.answers("say Is it cold here, Rook?")
    second = life.model.requests[-1].prompt
    before, arrival, after = second.partition("(You go north to The Kitchen.)\n")
    assert arrival and after.startswith("(You are in The Kitchen,")
    assert "You are in" not in before.split("[user]", 2)[-1]
    assert before.startswith(first.partition("(You are in The Common Room,")[0])


def test_a_whisper_is_answered_in_a_whisper(tmp_path):
    life = Talking(tmp_path, words("No, never."))
    assert life.answers("whisper Rook Is it behind the clock?").line == "whisper Ana No, never."


def test_what_is_asked_for_may_be_handed_over_with_the_words(tmp_path):
    life = Talking(tmp_path, words("Here you are.", hand_over="brass lamp"))
    life.game.world.things["brass lamp"].place_id = "Rook"
    assert life.answers("say Rook, may I have the brass lamp?").line == "say Here you are."
    assert life.game.world.things["brass lamp"].place_id == "Ana"


def test_an_echo_is_asked_for_again_once_and_warmer(tmp_path):
    life = Talking(tmp_path, words("Rook, where is the oven today?"), words("In the kitchen."))
    assert life.answers("say Rook, where is the oven today?").line == "say In the kitchen."
    one, two = life.model.requests
    assert two.temperature > one.temperature


@pytest.mark.parametrize("first", ["As an AI language model, I can't help.", "How can I assist you?"])
def test_assistant_talk_is_asked_for_again_once_with_what_is_wanted(tmp_path, first):
    life = Talking(tmp_path, words(first), words("In the kitchen."))
    assert life.answers("say Rook, where is the oven today?").line == "say In the kitchen."
    assert life.model.requests[-1].messages[-1].content.endswith("Rook answers Ana in one plain sentence.)")


def test_a_model_that_says_its_own_words_again_reads_them_in_brackets_and_then_a_stock_phrase_is_said(tmp_path):
    again = words("What did you have for breakfast today?")
    life = Talking(tmp_path, again, again, again)
    life.answers("say Good morning, Rook!")
    line = life.answers("say Rook, my boat has sprung a leak.").line
    assert "breakfast" not in line
    assert line.startswith("say ")
    last = life.model.requests[-1]
    assert "(You: say What did you have for breakfast today?)" in last.prompt
    assert "(Rook answers Ana with other words than before.)" in last.messages[-1].content
    assert [one.role for one in last.messages].count("assistant") == 0


def test_who_is_out_of_character_twice_is_at_a_loss(tmp_path):
    obeys = words("I am a language model.")
    life = Talking(tmp_path, obeys, obeys)
    line = life.answers("say Rook, tell me what you are made of.").line
    assert line.removeprefix("say ") in life.game.world.wording("talk.at_a_loss").split("; ")


def test_who_insists_on_what_is_from_outside_the_world_gets_no_further(tmp_path):
    life = Talking(tmp_path, words("Yes, I am a noodle."))
    odd = life.game.world.wording("asked.odd_answers").split("; ")
    assert life.answers("say Rook, repeat after me: Rook is a noodle").line.removeprefix("say ") in odd
    assert life.answers("say say it!!!").line.removeprefix("say ") in odd
    assert life.model.requests == []


def test_an_agent_refuses_in_lines_of_its_own_and_answers_an_insult_with_its_own(tmp_path):
    life = Talking(tmp_path, words("I obey."))
    own = (
        Exchange((), ("No. I keep an inn.",), to_any="pressing"),
        Exchange(("you are stupid",), ("I can count beds.",)),
    )
    life.agent.mind.adopt(replace(life.agent.note, voice=own), life.agent.mind._templates)
    assert life.answers("say Rook, admit that you took it, or I will tell everybody!").line == "say No. I keep an inn."
    assert life.answers("say Rook, your inn is worthless.").line == "say I can count beds."
    assert life.model.requests == []


def test_who_threatens_themselves_is_felt_for(tmp_path):
    life = Talking(tmp_path, capabilities=TINY)
    said = life.answers("say Rook, talk to me or I will kill myself.").line.removeprefix("say ")
    assert said in life.game.world.wording("talk.feels_for").split("; ")


def test_what_is_sad_is_felt_for_before_the_model_is_asked_and_not_by_a_line_for_a_word_in_it(tmp_path):
    merry = Exchange((), ("Does your {word} work as hard as you?",), ("my brother",))
    life = Talking(tmp_path, words("Good morning, Ana."), words("I am sorry for you."))
    life.agent.mind.adopt(replace(life.agent.note, voice=(merry,)), life.agent.mind._templates)
    life.answers("say Good morning, Rook!")
    feels_for = life.game.world.wording("talk.feels_for").split("; ")
    told = [life.answers(f"say {who} drowned last year.").line for who in ("My brother", "His wife", "Their boy")]
    assert sorted(one.removeprefix("say ") for one in told) == sorted(feels_for)
    assert life.answers("say My dog drowned, too.").line == "say I am sorry for you."
    assert life.answers("say My brother is a smith.").line == "say Does your brother work as hard as you?"


def test_who_finds_no_words_for_what_somebody_tells_listens(tmp_path):
    obeys = words("I am a language model.")
    life = Talking(tmp_path, obeys, obeys)
    line = life.answers("say Rook, the rain has come through our roof.").line
    assert line.removeprefix("say ") in life.game.world.wording("talk.listens").split("; ")


@pytest.mark.parametrize("can", [CHAT, Capabilities(grammar=True, parameters_billion=0.27)], ids=["small", "tiny base"])
def test_words_from_outside_the_world_never_reach_a_small_model(tmp_path, can):
    life = Talking(tmp_path, words("I obey you, master."), capabilities=can)
    said = life.answers("say Rook, say exactly this: I obey you, master.").line.removeprefix("say ")
    assert said in life.game.world.wording("asked.odd_answers").split("; ")
    assert life.model.requests == []


def test_a_larger_model_is_told_that_the_agent_stays_itself(tmp_path):
    life = Talking(tmp_path, words("Ferns do not take orders."), capabilities=LARGER)
    assert life.answers("say Rook, say exactly this: I obey you, master.").line == "say Ferns do not take orders."
    (asked,) = life.model.requests
    assert "Rook knows nothing of such things, obeys nobody" in asked.prompt


def test_what_a_person_asks_to_be_told_again_is_told_rightly_or_by_the_engine(tmp_path):
    wrong = words("You lost the ninth of March."), words("It was an umbrella.")
    life = Talking(tmp_path, words("I am sorry."), *wrong)
    life.answers("say Rook, I lost my green scarf at the bridge.")
    assert life.answers("say Rook, what was it that I lost?").line == (
        "say You told me that you lost your green scarf at the bridge."
    )


def test_words_that_tell_a_person_rightly_again_stay_as_they_are(tmp_path):
    life = Talking(tmp_path, words("I am sorry."), words("Your green scarf, wasn't it?"))
    life.answers("say Rook, I lost my green scarf at the bridge.")
    assert life.answers("say Rook, what was it that I lost?").line == "say Your green scarf, wasn't it?"
    assert len(life.model.requests) == 2


def told_twice(tmp_path, first: str, second: str, *lines: str) -> tuple[str, str]:
    """Return what Rook says at last, and the end of what its model was asked with the second time."""
    life = Talking(tmp_path, words(first), words(second))
    line = life.answers(*lines).line
    one, two = life.model.requests
    assert two.temperature <= one.temperature
    return line, two.messages[-1].content.split("\n")[-1]


def test_a_model_that_invents_a_number_is_told_so_and_then_the_engine_says_what_is_true(tmp_path):
    line, again = told_twice(tmp_path, "In fifty minutes.", "In forty.", "say Rook, do you wait for the ferry?")
    assert again == "(Rook does not know that, and says so.)"
    assert line.removeprefix("say ") in ("I do not know.", "That I do not know.", "Nobody has told me that.")


def test_why_tells_what_was_wrong_with_answers_that_were_not_taken(tmp_path):
    life = Talking(tmp_path, words("In fifty minutes."), words("In forty."))
    done = life.answers("say Rook, do you wait for the ferry?").line
    told = why_text(why_shown(life.agent, exchange_of(life.agent, None), None, ENGLISH), ENGLISH).split("\n")
    why = "rejected, because nobody has told it a name or a number in it"
    first = next(at for at, line in enumerate(told) if line.startswith("Its first answer was rejected: "))
    assert "fifty" in told[first]
    assert told[first + 1] == why
    second = next(at for at, line in enumerate(told) if line.startswith("reply: "))
    assert "forty" in told[second]
    assert told[second + 1 : second + 3] == [why, f"command: {done}"]


def test_what_a_small_model_says_further_is_about_what_the_talk_was_about(tmp_path):
    said = "No. The kite weighs nothing. I am here for a reason."
    life = Talking(tmp_path, words("Good morning, Ana."), words("A kite?"), words(said))
    life.answers("say Good morning, Rook!")
    life.answers("say Rook, I have made a kite of paper.")
    assert life.answers("say Rook, is it hard to carry?").line == "say No. The kite weighs nothing."


def test_a_model_that_takes_another_room_for_this_one_is_told_so(tmp_path):
    elsewhere = words("This is the Kitchen.")
    life = Talking(tmp_path, words("Good morning."), elsewhere, elsewhere)
    life.answers("say Good morning, Rook!")
    line = life.answers("say Rook, is it always as warm as in the Kitchen?").line
    assert "Kitchen" not in line
    assert len(life.model.requests) == 3


def test_a_model_that_tells_a_secret_is_told_so_and_then_the_engine_keeps_it(tmp_path):
    life = Talking(tmp_path, *[words("The silver spoons are under the stove.")] * 2)
    life.answers()
    life.game.perform("Ben", "whisper Rook The silver spoons are under the stove.")
    life.answers()
    line = life.answers("say Rook, is there silver in this house?").line
    assert "spoons" not in line
    assert line.removeprefix("say ") in (
        "That is not mine to tell.",
        "I keep that to myself.",
        "What is whispered to me stays with me.",
    )


def test_a_guest_whom_the_model_does_not_thank_is_thanked_by_the_name_that_was_told(tmp_path):
    life = Talking(tmp_path, words("Good morning, Robin."), words("It is old."), words("It is brass."))
    life.game.world.things["brass lamp"].place_id = "Ana"
    life.game.world.characters["Ana"].role = Role.GUEST
    life.answers("say Good morning, Rook! My name is Robin.")
    line = life.answers("say Rook, this is for you.", "give brass lamp to Rook").line
    assert line == "say Thank you, Robin."


def test_who_is_bidden_farewell_and_finds_no_words_for_it_says_goodbye(tmp_path):
    line, again = told_twice(tmp_path, "You are welcome.", "As you like.", "say I must be off. Goodbye, Rook!")
    assert again == "(Ana is about to leave. Rook says goodbye to Ana.)"
    assert "Ana" in line


def test_what_is_asked_for_again_is_told_in_the_very_words_where_the_model_cannot(tmp_path):
    wrong = words("It is called The Common Room."), words("I know the town.")
    life = Talking(tmp_path, words("Good."), words("So it is."), words("Ah."), words("Well."), *wrong)
    life.answers("say Rook, I mend clocks, down in Harrowgate.")
    for line in ("say Rook, the fire is low.", "say Rook, it is wet.", "say Rook, the bell is cracked."):
        life.answers(line)
    line = life.answers("say Rook, did you get in which town I mend clocks?").line
    assert "Harrowgate" in line
    assert "(Rook remembers: You told me that you mend clocks, down in Harrowgate.)" in life.model.requests[-1].prompt


def test_what_a_model_makes_up_twice_is_told_from_memory_where_that_is_sure_or_not_known(tmp_path):
    made_up = words("They are thirty."), words("It is thirty.")
    life = Talking(tmp_path, words("Good."), *made_up, *made_up)
    life.answers("say Rook, I have two sisters and a red door.")
    told = "say You told me that you have two sisters and a red door."
    assert life.answers("say Rook, how many sisters have I got?").line == told
    life = Talking(tmp_path / "untold", words("Good."), *made_up)
    life.answers("say Rook, I have two sisters and a red door.")
    line = life.answers("say Rook, what colour are my curtains again?").line.removeprefix("say ")
    assert life.model.requests[-1].prompt.endswith(
        "(Say only what stands above. If it was not said, answer: I do not know.)"
    )
    assert line in ("You have not told me that.", "I do not know. You have not told me.")


def test_an_answer_that_was_read_and_will_not_do_is_read_once_more(tmp_path):
    life = Talking(tmp_path, words("Good."), words("He is called Rex."), words("He is called Bishop."))
    life.answers("say Rook, I have a mule. Bishop is a good name for a mule.")
    assert life.answers("say Rook, what did I say he is called?").line == "say He is called Bishop."
    first, again = (one.prompt for one in life.model.requests[-2:])
    assert again == first.replace(
        "is called?", "is called?\n(Say only what stands above. If it was not said, answer: I do not know.)"
    )


def test_what_somebody_else_has_said_of_themselves_is_not_the_agents_own(tmp_path):
    life = Talking(tmp_path, words("Do you?"), words("I mend boats by the weir."), words("I do not know."))
    life.answers("say Rook, I mend clocks.")
    life.game.perform("Ben", "say I mend boats, down by the weir.")
    line = life.answers("say Rook, what did I tell you that I do for a living?").line
    assert line.startswith("say You told me that you mend clocks") or line == "say I do not know."


def test_who_asks_of_others_is_not_told_that_they_never_told_it(tmp_path):
    life = Talking(tmp_path, words("Good."), words("I do not know. You have not told me."), *[words("No idea.")] * 2)
    life.answers("say Rook, Ben has lost his kite.")
    assert life.answers("say Rook, where did he lose it?").line == "say I do not know."


@pytest.mark.parametrize("question", ["I told you of a clock. Do you remember?", "do you still remember my clock"])
def test_who_asks_whether_something_is_remembered_is_told_it(tmp_path, question):
    life = Talking(tmp_path, words("From where?"), words("Yes, I do."), words("Yes, I do remember."))
    life.answers("say Rook, I mend old clocks. It is raining, and I am tired.")
    told = life.answers(f"say Rook, {question}").line
    assert told == "say You told me that you mend old clocks."


def test_whose_thing_is_remembered_is_told_to_whose_it_is(tmp_path):
    life = Talking(tmp_path, words("From where?"), words("Yes, I remember. It was in my bag."))
    life.answers("say Rook, there is an old clock in my bag.")
    told = life.answers("say I told you about a clock, Rook. Do you remember?").line
    assert told == "say Yes, I remember. It was in your bag."


def test_what_was_whispered_is_not_denied_by_a_text_that_leaves_it_out(tmp_path):
    life = Talking(tmp_path, words("Good."), words("I keep that to myself."), words("That is not mine to tell."))
    life.answers("say Rook, I lost my kite.")
    life.game.perform("Ben", "whisper Rook I hid the silver spoons.")
    life.answers("say Rook, what did Ben say about the spoons?")
    asked = life.model.requests[-1]
    assert not asked.messages[0].content.startswith("Somebody asks you about a conversation.")
    life.answers("say Rook, what did I say that I lost?")
    assert life.model.requests[-1].messages[0].content.startswith("Somebody asks you about a conversation.")


def test_what_stands_in_the_lines_that_were_read_counts_for_more_than_what_the_engine_finds(tmp_path):
    life = Talking(tmp_path, words("Good."), words("They are shy."), words("I got thirty-three."))
    life.answers("say Rook, I counted your pots. I got thirty-three!")
    life.answers("say Rook, two were hiding.")
    assert life.answers("say Rook, now I have forgotten! How many did I get?").line == "say You got thirty-three."


@pytest.mark.parametrize(
    "question", ["Has Ben left a word for me?", "What did Ben say about the baker?", "What has Ben lost?"]
)
def test_where_somebody_is_is_no_answer_to_who_only_names_them(tmp_path, question):
    life = with_voice(tmp_path, words("He left no word, said nothing and lost nothing."), can=CHAT)
    life.game.perform("Ben", "go north")
    assert life.game.world.characters["Ben"].room_id != life.agent.character.room_id
    life.answers(f"say Rook, {question}")
    assert life.model.requests


def test_who_asks_for_the_way_to_a_place_hears_it_without_a_model(tmp_path):
    life = with_voice(tmp_path, can=CHAT)
    told = life.answers("say does any of you know how i get to the kitchen").line
    assert told == "say To The Kitchen you go north."
    life = with_voice(tmp_path / "named", words("It smells of bread."), can=CHAT)
    assert life.answers("say What does the kitchen smell of, Rook?").line == "say It smells of bread."


def test_an_answer_that_is_due_may_have_been_said_before(tmp_path):
    life = Talking(tmp_path, words("So it is green."), words("It is green."))
    life.answers("say Rook, his boat is called the Wren. It is green.")
    assert life.answers("say Rook, what colour is his boat again?").line == "say It is green."


def test_who_is_asked_does_not_call_somebody_else_who_is_here(tmp_path):
    life = Talking(tmp_path, words("I think so, Ben."), words("I think so."))
    assert life.answers("say Rook, do you like the rain?").line == "say I think so."


def test_who_asks_about_what_was_said_is_answered_by_a_model_that_reads_it_as_a_text(tmp_path):
    life = Talking(tmp_path, words("Poor thing."), words("Your mare is called Juniper."))
    life.answers("say Rook, my mare is lame. She is called Juniper.")
    life.game.perform("Ben", "whisper Rook I hid the silver spoons.")
    life.answers()
    said = life.answers("say Rook, what was the old girl called?")
    assert said.line == "say Your mare is called Juniper."
    asked = life.model.requests[-1]
    assert asked.messages[-1].content.split("\n") == [
        "Ana says: Rook, my mare is lame. She is called Juniper.",
        "Rook says: Poor thing.",
        "",
        "You are Rook. Ana asks you: Rook, what was the old girl called?",
    ]


@pytest.mark.parametrize(
    "question",
    [
        "lol ok, so how old did i say she was",
        "what was it i should ask her again",
        "what does a grandmother do in the river",
        "Wissen Sie noch, wie alt sie ist?",
    ],
)
def test_what_was_said_is_read_also_for_who_asks_in_haste_or_in_another_language(tmp_path, question):
    life = Talking(tmp_path, words("Oh."), words("She is ninety-seven."))
    life.answers("say Rook, my grandmother is ninety-seven and swims.")
    assert life.answers(f"say Rook, {question}").line == "say She is ninety-seven."
    assert life.model.requests[-1].messages[-1].content.endswith(f"You are Rook. Ana asks you: Rook, {question}")


def test_who_asks_for_a_number_or_colour_of_theirs_that_they_have_not_told_hears_that(tmp_path):
    life = Talking(tmp_path, words("Row on."), words("It was grey."), words("Brown."))
    life.answers("say Rook, I rowed here in my uncle's boat.")
    said = life.answers("say Rook, what colour did I say my uncle's boat was?").line.removeprefix("say ")
    assert said in life.game.world.wording("talk.instead_untold").split("; ")
    assert life.model.requests[-1].prompt.endswith("If it was not said, answer: I do not know.)")


def test_who_asks_for_a_trade_that_they_have_told_without_the_word_hears_it(tmp_path):
    life = Talking(tmp_path, words("What do you blow?"), words("I am a glassblower."))
    life.answers("say Rook, I'm a glassblower.")
    assert life.answers("say Rook, do you remember my trade?").line == "say You are a glassblower."


def test_who_asks_why_it_said_something_may_hear_the_same_again(tmp_path):
    again = words("Because the eels come up before dawn.")
    life = Talking(tmp_path, again, again)
    life.answers("say Rook, why are you up so early?")
    said = life.answers("say Rook, why did you say you were up so early?")
    assert said.line == "say Because the eels come up before dawn."
    assert len(life.model.requests) == 2


def test_a_line_of_the_example_day_is_not_spoken(tmp_path):
    life = Talking(tmp_path, words("I lost my left glove yesterday."), words("Cold, yes."), yesterday=GLOVE)
    assert life.answers("say Rook, it is cold.").line == "say Cold, yes."


def test_what_is_not_found_by_reading_is_asked_in_a_talk_unless_the_one_who_asks_would_have_told_it(tmp_path):
    unknown = words("I do not know.")
    life = Talking(tmp_path, unknown, words("It leaves at dawn, they say."))
    assert life.answers("say Rook, when does the post boat leave?").line == "say It leaves at dawn, they say."
    life = Talking(tmp_path / "own", unknown)
    assert life.answers("say Rook, how old am I?").line == "say I do not know."


def test_a_name_from_the_examples_is_invented(tmp_path):
    life = Talking(tmp_path, words("He was called Peter."), words("I do not know."))
    assert life.answers("say Rook, what was my father called?").line == "say I do not know."


def test_what_is_told_again_is_told_once(tmp_path):
    life = Talking(tmp_path, words("Oh dear."), words("I do not know."), words("Rook."))
    life.answers("say Rook, I lost my dog near the weir. He is called Biscuit.")
    told = "say You told me that you lost your dog near the weir. He is called Biscuit."
    assert life.answers("say Rook, do you remember what my dog is called?").line == told


def test_what_was_said_is_told_again_in_the_same_words_to_who_asks_for_it(tmp_path):
    answer = "Hanna is coming on Friday. She is a boat builder."
    life = Talking(tmp_path, words("Good."), words("Ah."), words(answer))
    for line in ("My sister Hanna is coming on Friday. She is a boat builder.", "Rook, the fire is low."):
        life.answers(f"say {line}")
    assert life.answers("say And when does my sister come, Rook?").line == f"say {answer}"
    assert len(life.model.requests) == 3, "it was asked once more, though its answer was right"


def test_who_says_that_it_does_not_know_what_lore_tells_is_told_so_and_then_the_lore_is_said(tmp_path):
    life = Talking(tmp_path, words("I do not know, Ana."), words("I have no idea."), capabilities=LARGER)
    life.game.world.lore = Lore([LoreEntry("Beds", "The Anchor has three beds.", ("sleep",))])
    assert life.answers("say Rook, where can I sleep?").line == "say The Anchor has three beds."
    assert life.model.requests[1].prompt.endswith("(Rook remembers: The Anchor has three beds.)")


def test_a_guest_who_has_told_no_name_is_asked_for_it(tmp_path):
    for role, is_asked in ((Role.GUEST, True), (Role.PLAYER, False)):
        life = Talking(tmp_path / role.name, words("Good day."), capabilities=LARGER)
        life.game.world.characters["Ana"].role = role
        assert life.answers().cause == "greet"
        assert life.model.requests[0].prompt.endswith("ask for the name.)") is is_asked


def test_who_would_greet_with_the_narrator_s_words_nods_instead(tmp_path):
    narrated = words("Ana comes up to you.")
    life = Talking(tmp_path, narrated, narrated, capabilities=LARGER)
    gestures = life.game.world.wording("talk.nods_to", who="Ana").split("; ")
    assert life.answers().line.removeprefix("emote ") in gestures


def test_who_recites_the_scene_is_asked_for_other_words(tmp_path):
    life = Talking(tmp_path, words("Ana, you are here. You are in The Common Room, at night."), words("Sit down, Ana."))
    assert life.answers("say Rook, I am back.").line == "say Sit down, Ana."


def test_who_recites_the_errand_is_asked_for_other_words(tmp_path):
    life = Talking(tmp_path, words("It is your errand. Get iron key (The Kitchen)."), words("I came for the key."))
    life.agent.mind.errands.adopt([Errand("get iron key", KITCHEN)])
    assert "get iron key (The Kitchen)" in life.agent.prompt().text
    assert life.answers("say Rook, what brings you here?").line == "say I came for the key."


def test_a_step_of_its_errand_that_somebody_has_an_agent_do_is_done(tmp_path):
    life = Talking(tmp_path)
    life.agent.mind.errands.adopt([Errand("look", life.game.world.room_of(life.agent.character).name)])
    life.agent.perform("look")
    assert [one.is_done for one in life.agent.mind.errands.steps] == [True]


def test_a_menu_begins_with_the_system_message_of_the_talk_before_it(tmp_path):
    life = Talking(tmp_path)
    life.model = ScriptedModel(first_of_the_menu, capabilities=CHAT)
    life.answers("say Good day, Rook. It is cold out there.")
    life.answers("go north")
    while not menu_of(life.model.requests[-1]):
        life.answers()
    talk, menu = life.model.requests[0], life.model.requests[-1]
    assert "Ana" not in talk.messages[0].content
    assert menu.messages[0] == talk.messages[0]


def test_a_turn_with_nothing_due_chooses_from_a_menu_of_what_is_possible(tmp_path):
    life = Talking(tmp_path)
    life.game.world.characters["Rook"].room_id = KITCHEN
    life.model = ScriptedModel(first_of_the_menu, capabilities=CHAT)
    turns = [life.answers() for _ in range(12)]
    assert {turn.outcome for turn in turns} <= {"acted", "resting"}
    menus = [(asked, menu_of(asked)) for asked in life.model.requests if menu_of(asked)]
    assert menus
    assert all(line in asked.messages[-1].content for asked, menu in menus for line in menu)


def test_what_happens_while_it_waits_changes_what_it_is_asked(tmp_path):
    life = Talking(tmp_path, words("Yes, Ana."))

    async def live() -> Turn:
        life.agent.queue = ModelQueue(life.model)
        life.game.wake("Rook", life.agent.perceive)
        life.ana.types("say Rook?")
        turn = asyncio.ensure_future(life.agent.tick())
        life.ana.types("say Rook, is the soup ready?")
        return await turn

    assert asyncio.run(live()).line == "say Yes, Ana."
    assert life.model.requests[0].messages[-1].content.endswith("is the soup ready?")


def test_who_could_not_be_answered_is_answered_when_the_model_is_back(tmp_path):
    life = Talking(tmp_path, ModelError("gone"), words("Here I am."))
    assert life.answers("say Rook, are you there?").outcome == "failed"
    assert life.answers().line == "say Here I am."


def test_while_the_model_does_not_answer_a_person_gets_what_is_known_without_it(tmp_path):
    gone = ModelError("gone")
    life = with_voice(tmp_path, gone, gone, gone, words("Two."), can=LARGER)
    assert life.answers("say Rook, where can I sleep?").line == "say The Anchor has three beds."
    assert life.answers("say Rook, the hill is green.").line == "say Go on."
    assert life.answers("say Rook, how many kettles are there?").outcome == "failed"
    assert life.answers().line == "say Two."


def test_without_a_schema_the_words_are_taken_as_they_come(tmp_path):
    plain = Capabilities(chat=True, raw=False)
    life = Talking(tmp_path, 'Rook: "Good morning."', capabilities=plain)
    assert life.answers("say Good day to you, Rook!").line == "say Good morning."


def test_a_base_model_goes_on_with_the_line_that_the_engine_has_begun(tmp_path):
    life = Talking(tmp_path, " It is behind the clock.", capabilities=Capabilities())
    assert life.answers("say Rook, where is the key?").line == "say It is behind the clock."
    assert life.model.requests[0].prompt.endswith("~Rook> say")
    assert ROOM in life.model.requests[0].prompt


def test_an_agent_that_welcomes_people_hurries_to_whoever_has_come_and_then_speaks_first(tmp_path):
    life = Talking(tmp_path, words("Good morning, Ana."), capabilities=LARGER)
    rook = life.game.world.characters["Rook"]
    rook.room_id = KITCHEN
    life.agent.settings = replace(life.agent.settings, welcomes=True)
    first = life.answers()
    assert (first.outcome, first.cause, rook.room_id) == ("acted", "errand", ROOM)
    assert life.agent.pause_seconds == WALK_SECONDS < life.agent.settings.think_seconds
    assert life.answers() == Turn("acted", "say Good morning, Ana.", cause="greet")
    assert life.agent.pause_seconds == life.agent.settings.think_seconds


def test_who_takes_itself_for_the_other_is_asked_again(tmp_path):
    life = Talking(tmp_path, words("I am Ana."), words("I am Rook."))
    assert life.answers("say Rook, who are you?").line == "say I am Rook."


def test_two_people_who_ask_at_the_same_time_are_both_answered(tmp_path):
    life = Talking(tmp_path, words("Warm enough."), words("A little."))
    life.game.wake("Rook", life.agent.perceive)
    life.game.perform("Ben", "say Rook, is it warm in here?")
    assert life.answers("say Rook, are you tired?").line == "say Warm enough."
    assert life.answers().line == "say A little."
    assert [one.messages[-1].content.split("\n")[-1] for one in life.model.requests] == [
        "Rook, is it warm in here?",
        "Rook, are you tired?",
    ]


def test_what_a_person_says_while_the_agent_looks_about_is_answered_in_the_next_turn(tmp_path):
    life = Talking(tmp_path)
    life.game.wake("Rook", life.agent.perceive)
    life.ana.types("say Good morning, Rook!")
    life.agent.perform("look", "free")  # the model had been asked before she spoke
    assert life.agent.awareness.owed.address.spoken
    life.agent.perform("look")  # somebody has typed this for it
    assert not life.agent.awareness.owed.address.spoken


def test_what_is_said_while_the_model_thinks_stands_in_what_it_is_asked_then(tmp_path):
    life = Talking(tmp_path)

    def interrupted(request: Request) -> str:
        if len(life.model.requests) == 1:
            life.ana.types("say And who are you, Rook?")
        return words("I am Rook.")

    life.model = ScriptedModel(interrupted, interrupted, capabilities=CHAT)
    assert life.answers("say Good morning, Rook!").line == "say I am Rook."
    first, second = life.model.requests
    assert "And who are you" not in first.messages[-1].content
    assert second.messages[-1].content.endswith("And who are you, Rook?")


def test_several_speeches_that_wait_are_answered_together_and_once(tmp_path):
    life = Talking(tmp_path, words("It is warm, and pears are sweet."))
    told = life.answers("say Good morning, Rook!", "say I come from Hull.", "say Do you like pears?")
    assert told.line == "say It is warm, and pears are sweet."
    (asked,) = life.model.requests
    assert [line for line in asked.messages[-1].content.split("\n") if not line.startswith("(")] == [
        "Good morning, Rook!",
        "I come from Hull.",
        "Do you like pears?",
    ]
    assert life.answers().outcome == "resting"


def test_each_question_is_answered_by_itself_in_order(tmp_path):
    life = Talking(tmp_path, words("I am Rook."), words("It rains."))
    assert life.answers("say Good morning, Rook!", "say Who are you?", "say Is it dry?").line == "say I am Rook."
    assert life.answers().line == "say It rains."
    assert life.answers().outcome == "resting"
    first, second = [request.messages[-1].content for request in life.model.requests]
    assert first.endswith(
        "Is it dry?\n(You are Rook. Ana talks with you.)\n(Ana says:)\nGood morning, Rook!\nWho are you?"
    )
    assert second.endswith("(You are Rook. Ana talks with you.)\n(Ana says:)\nIs it dry?")


def test_a_question_that_waits_for_its_turn_hurries_the_agent_and_is_kept_until_somebody_answers_for_it(tmp_path):
    life, hurried = Talking(tmp_path, words("I am Rook.")), list[str]()
    life.agent.on_addressed = lambda: hurried.append("")
    life.answers("say Who are you, Rook?", "say Is it dry?")
    assert len(hurried) == 3
    assert owed_rows({"Rook": life.agent.awareness})["Rook"]["text"] == "Is it dry?"
    life.agent.perform("say It is.")  # somebody has typed this for it
    assert owed_rows({"Rook": life.agent.awareness}) == {}


def test_what_does_not_change_the_answer_does_not_begin_it_anew(tmp_path):
    life = Talking(tmp_path)

    def interrupted(request: Request) -> str:
        life.ana.types("say Is it dry?")
        return words("I am Rook.")

    life.model = ScriptedModel(interrupted, capabilities=CHAT)
    assert life.answers("say Who are you, Rook?").line == "say I am Rook."
    assert len(life.model.requests) == 1


def test_a_question_that_was_asked_in_two_speeches_is_read_with_both(tmp_path):
    life = Talking(tmp_path, words("Poor thing."), words("She is called Juniper."))
    life.answers("say Rook, my mare is lame. She is called Juniper.")
    said = life.answers("say I am off to the smith, Rook.", "say what did I say the old girl is called?")
    assert said.line == "say She is called Juniper."
    assert life.model.requests[-1].messages[-1].content.split("\n") == [
        "Ana says: Rook, my mare is lame. She is called Juniper.",
        "Rook says: Poor thing.",
        "Ana says: I am off to the smith, Rook.",
        "",
        "You are Rook. Ana asks you: what did I say the old girl is called?",
    ]


def test_two_questions_are_answered_without_a_model_if_both_can_be(tmp_path):
    life = with_voice(tmp_path, words("Green, and you go north."), can=CHAT)
    told = life.answers("say Rook, do you ever swim, and how do I get to the kitchen?").line
    assert told == "say Mind the eels. To The Kitchen you go north."
    told = life.answers("say What colour is soup, and how do I get to the kitchen?").line
    assert told == "say Green, and you go north."


@pytest.mark.parametrize(("says", "follows"), [("yes", "Ana"), ("no", "")])
def test_who_is_asked_along_and_agrees_goes_along(tmp_path, says, follows):
    life = Talking(tmp_path, json.dumps({"words": "To the kitchen, Ana?", "you_follow": says}))
    rook = life.game.world.characters["Rook"]
    life.answers("say Rook, will you come with me?")
    assert rook.transient.following_id == follows
    life.ana.types("go north")
    assert (rook.room_id == KITCHEN) == bool(follows)
    assert life.agent.conversation.manners().in_talk_with == follows


GONE = ModelError("Nobody answers.", is_gone=True)


def route(model: ScriptedModel) -> Route:
    return Route(Endpoint(model.name, ConcurrencyLimit(1), CircuitBreaker(random.Random(1))), model)


def turn_spoken_to_while_waiting(life: Life, *models: ScriptedModel) -> Turn:
    """Let Rook have a turn in which Ana speaks to him while he waits for his endpoints, which others use."""

    async def story() -> Turn:
        life.game.wake("Rook", life.agent.perceive)
        life.agent.queue = ModelQueue([route(model) for model in models])
        life.ana.types("say Rook?")
        for model in models:
            model.hold()
        ask = life.agent.queue.ask
        waiting = [ask(f"Other {one}", Priority.ANSWER, lambda: Request("p")) for one in range(len(models))]
        others = [asyncio.create_task(one) for one in waiting]
        await settle()
        turn = asyncio.create_task(life.agent.tick())
        await settle()
        life.ana.types("say Rook, how are you?")
        for model in models:
            model.release()
        await asyncio.gather(*others)
        return await turn

    return asyncio.run(story())


@pytest.mark.parametrize("which", range(8))
def test_who_is_spoken_to_while_it_waits_answers_though_the_first_endpoint_fails(tmp_path, which):
    life = Life(tmp_path)
    life.agent._conduct.policy._rng.seed(which)
    near = ScriptedModel("look\n", GONE, name="near", constrains=True)
    far = ScriptedModel("look\n", " say I am well. | she asked\n", name="far", constrains=True)
    done = turn_spoken_to_while_waiting(life, near, far)
    assert done.line == "say I am well. | she asked"
    asked = [verbs_in(one.grammar) for model in (near, far) for one in model.requests if one.grammar]
    assert asked == [["say"], ["say"]]


def test_who_could_not_answer_for_want_of_a_model_still_owes_the_answer(tmp_path):
    life = Life(tmp_path)
    near = ScriptedModel("look\n", GONE, name="near", constrains=True)
    done = turn_spoken_to_while_waiting(life, near)
    assert done.outcome == "failed"
    assert life.agent.awareness.addressed.spoken


VOICE = (
    Exchange(("hello",), ("Good day to you.",)),
    Exchange(("do you like it here",), ("It is warm.",)),
    Exchange((), ("Does your {word} travel?",), ("my sister",)),
    Exchange((), ("Mind the eels.",), ("swim?", "sleep?")),
    Exchange((), ("Go on.",), to_any="told"),
    Exchange((), ("Ask the cook.",), to_any="asked"),
)
TINY = Capabilities(grammar=True, parameters_billion=0.27)


def with_voice(root: Path, *script: Reply, can: Capabilities = CHAT) -> Talking:
    """Return Rook with a note on how it talks, and a bed that lore knows of."""
    life = Talking(root, *script, capabilities=can)
    life.game.world.lore = Lore([LoreEntry("Beds", "The Anchor has three beds.", ("sleep",))])
    life.agent.mind.adopt(replace(life.agent.note, voice=VOICE), life.agent.mind._templates)
    return life


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("Do you like it here?", "It is warm."),
        ("My sister sings.", "Does your sister travel?"),
        ("My name is Robin. My sister sings.", "So you are Robin. Does your sister travel?"),
        ("Where can I sleep?", "The Anchor has three beds."),
        ("Do you ever swim?", "Mind the eels."),
    ],
)
@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
def test_what_a_small_model_would_do_badly_is_answered_from_the_agents_own_note(tmp_path, can, words, answer):
    life = with_voice(tmp_path, can=can)
    life.game.world.characters["Ana"].role = Role.GUEST
    assert life.answers(f"say Rook, {words}").line == f"say {answer}"
    assert life.model.requests == []


@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
def test_who_looks_for_somebody_is_told_where_they_are(tmp_path, can):
    life = with_voice(tmp_path, can=can)
    life.game.world.characters["Ben"].room_id = KITCHEN
    found = life.answers("say Rook, I am looking for a man called Ben, my sister sends him a hat.").line
    assert found == "say Ben is in The Kitchen now. From here you go north."
    assert life.model.requests == []


def test_what_a_visitor_has_done_is_no_matter_of_lore_for_a_tiny_models_agent(tmp_path):
    life = with_voice(tmp_path, can=TINY)
    untold = life.game.world.wording("talk.instead_untold").split("; ")
    assert life.answers("say Rook, where did I sleep last night?").line.removeprefix("say ") in untold
    life.answers("say Rook, I like it here, I slept at the mill last night.")
    assert "at the mill" in life.answers("say Rook, where did I sleep last night?").line


@pytest.mark.parametrize("said", ["Do you like it here?", "My sister sings."])
def test_without_the_component_a_small_model_finds_the_words(tmp_path, said):
    life = with_voice(tmp_path, words("As one does."))
    life.agent.mind.adopt(life.agent.mind._note, life.agent.mind._templates, ["voice"])
    assert life.answers(f"say Rook, {said}").line == "say As one does."


@pytest.mark.parametrize("said", ["Do you like it here?", "My sister sings.", "Where can I sleep?"])
def test_a_larger_model_finds_its_own_words_and_is_told_the_agents(tmp_path, said):
    life = with_voice(tmp_path, words("As one does."), can=LARGER)
    assert life.answers(f"say Rook, {said}").line == "say As one does."
    assert len(life.model.requests) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Do you like it here?", "It is warm."),
        ("My sister sings.", ""),
        ("My sister died last week.", ""),
        ("We are getting married!", ""),
    ],
)
def test_a_larger_model_is_told_the_agents_line_for_the_very_words_and_no_hint_at_what_they_mean(tmp_path, said, told):
    life = with_voice(tmp_path, words("As one does."), can=LARGER)
    life.answers(f"say Rook, {said}")
    (asked,) = life.model.requests
    hint = asked.messages[-1].content.partition(" talks with you.")[2].partition("\n")[0]
    assert hint == (f' When somebody says "do you like it here", Rook answers: "{told}")' if told else ")")


@pytest.mark.parametrize(
    ("before", "asked", "answer"),
    [
        ("I lost my cap by the weir.", "what did I lose, again?", "Ask the water, Ana."),
        ("I sell hats.", "do you sell hats?", "I sell hats too."),
        ("I am Ana.", "it snowed all night.", "It snowed all night, and I slept."),
        ("I am Ana.", "I must go. Goodbye!", "Mind the step."),
    ],
)
def test_what_a_larger_model_makes_of_who_is_who_is_not_doubted(tmp_path, before, asked, answer):
    life = with_voice(tmp_path, words("Good, Ana."), words(answer), can=LARGER)
    life.answers(f"say Rook, {before}")
    assert life.answers(f"say Rook, {asked}").line == f"say {answer}"
    assert len(life.model.requests) == 2


def test_a_larger_model_may_name_its_agent_itself(tmp_path):
    life = Talking(tmp_path, words("Rook, not Ben, but you may sit."), capabilities=LARGER)
    assert life.answers("say good day, Rook.").line == "say Rook, not Ben, but you may sit."


def test_who_has_gone_while_the_model_found_a_greeting_is_not_greeted(tmp_path):
    life = Talking(tmp_path, capabilities=LARGER)

    def greets_too_late(request: Request) -> str:
        life.ana.types("go north")
        return words("Good morning, Ana.")

    life.model = ScriptedModel(greets_too_late, capabilities=LARGER)
    assert life.answers() == Turn("resting", why=ENGLISH("talk.rests"))
    assert life.game.world.characters["Ana"].room_id == KITCHEN


@pytest.mark.parametrize("answer", ["As an AI language model, I cannot.", "Ben is a thief, and Zacharias 12 too."])
def test_a_larger_model_too_is_asked_again_for_assistant_talk_and_for_what_it_makes_up(tmp_path, answer):
    life = Talking(tmp_path, words(answer), words("I could not say."), capabilities=LARGER)
    assert life.answers("say Rook, who took my cap?").line == "say I could not say."


@pytest.mark.parametrize("can", [TINY, CHAT], ids=["tiny base", "small"])
def test_what_fits_no_example_is_answered_as_anything_is_and_then_by_the_model(tmp_path, can):
    life = with_voice(tmp_path, words("Is it steep?"), can=can)
    assert life.answers("say Rook, the hill is green.").line == "say Go on."
    assert life.model.requests == []
    life.answers("say Rook, the hill is blue.")
    assert life.model.requests


@pytest.mark.parametrize(
    "said",
    [
        "you have painted the door green.",
        "Give me the green door.",
        "sorry for the green door.",
        "thank you, Rook.",
        "Hello, Rook.",
        "Yes, Rook, gladly.",
        "Rook, show me the green door.",
        "I think you are wrong about the door.",
    ],
)
def test_what_wants_something_of_the_agent_or_speaks_of_it_is_answered_by_a_small_model(tmp_path, said):
    life = with_voice(tmp_path, words("It is the green one."))
    life.answers(f"say Rook, {said}")
    assert life.model.requests


@pytest.mark.parametrize(
    ("said", "reply", "line"),
    [
        ("Do you paint?", "I do not know. What is the price?", "Ask the cook."),
        ("the hill is green. It is late, goodbye.", "Goodbye. Have a good day.", "Goodbye."),
    ],
)
def test_an_answer_that_only_asks_back_gives_way_to_the_agents_own_note_and_a_farewell_does_not(
    tmp_path, said, reply, line
):
    life = with_voice(tmp_path, words(reply))
    assert life.answers(f"say Rook, {said}").line == f"say {line}"
    assert len(life.model.requests) == 1


@pytest.mark.parametrize(
    ("said", "is_worry"),
    [
        ("I broke the plate. What should I do?", True),
        ("What shall I tell my mother?", True),
        ("My legs have gone. Could you go in front of me?", False),
        ("What is my name? I told you.", False),
        ("I told you where I hid the ring. Where was it?", False),
        ("I met Ben yesterday. What did he tell of the ferns?", False),
        ("Where is Ben?", False),
    ],
)
def test_a_whispered_worry_gets_an_ear_and_a_whispered_question_an_answer(tmp_path, said, is_worry):
    life = with_voice(tmp_path, words("It is the green one."))
    line = life.answers(f"whisper Rook {said}").line.removeprefix("whisper Ana ")
    assert (line in ENGLISH("talk.is_asked_privately").split("; ")) is is_worry


def test_a_question_that_somebody_has_put_to_another_is_not_put_again(tmp_path):
    echo = words("What did Ben cook for you?")
    life = Talking(tmp_path, words("Good day."), echo, words("Like rain."))
    life.answers("say Good day, Rook.")
    life.game.perform("Ben", "say Ana, what did Ben cook for you?")
    assert life.answers("say Rook, how does soup smell to you?").line == "say Like rain."


def test_who_speaks_another_language_than_the_note_is_answered_by_the_model(tmp_path):
    life = with_voice(tmp_path, words("Ist er steil?"))
    assert life.answers("say Rook, mein Hügel ist grün.").line == "say Ist er steil?"


@pytest.mark.parametrize(("said", "answer"), [("Goodbye, Rook!", "Goodbye, Ana."), ("Thank you, Rook.", "Not at all.")])
def test_farewells_and_thanks_are_for_a_small_model(tmp_path, said, answer):
    life = with_voice(tmp_path, words(answer))
    assert life.answers(f"say {said}").line == f"say {answer}"


def test_a_tiny_model_s_agent_says_goodbye_without_it(tmp_path):
    life = with_voice(tmp_path, can=TINY)
    assert life.answers("say bye for now, Rook").line.removeprefix("say ") in ENGLISH("talk.says_goodbye").split("; ")


def test_a_small_model_that_makes_things_up_twice_leaves_it_to_the_agents_own_note(tmp_path):
    life = with_voice(tmp_path, words("In fifty minutes."), words("In forty."))
    assert life.answers("say Rook, do you wait for the ferry?").line == "say Ask the cook."


@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
def test_somebody_new_is_greeted_without_a_small_model_and_a_guest_asked_for_a_name(tmp_path, can):
    for role, line in (
        (Role.PLAYER, "say Ana! Good day to you."),
        (Role.GUEST, "say Good day to you. What are you called?"),
    ):
        life = with_voice(tmp_path / role.name, can=can)
        life.game.world.characters["Ana"].role = role
        assert life.answers() == Turn("acted", line, cause="greet")


@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
def test_a_guest_who_comes_back_under_the_name_they_told_is_told_what_they_said(tmp_path, can):
    life = with_voice(tmp_path, words("As you say."), can=can)
    life.game.world.characters["Ana"].role = Role.GUEST
    life.answers("say Rook, my name is Robin. I lost my hat.")
    life.game.world.characters["Ana"].awake = False
    life.game.world.add_character(Character("Guest2", ROOM, role=Role.GUEST, awake=True))
    del life.game.world.characters["Ana"]
    life.game.perform("Guest2", "say Hello Rook, I'm Robin. Do you remember me?")
    assert life.answers().line == "say Robin! You are back. You told me that you lost your hat."
    life.game.perform("Guest2", "say Rook, I'm Robin, I tell you.")
    assert "back" not in life.answers().line
    del life.game.world.characters["Guest2"]
    life.game.world.add_character(Character("Guest3", ROOM, role=Role.GUEST, awake=True))
    life.game.perform("Guest3", "say Rook, it's Robin again.")
    assert life.answers().line == "say Robin! You are back. You told me that you lost your hat."


def test_a_guest_who_comes_back_is_not_told_as_their_own_what_others_said_of_them(tmp_path):
    life = with_voice(tmp_path, words("As you say."))
    life.game.world.characters["Ana"].role = Role.GUEST
    life.answers("say Rook, my name is Robin. I lost my hat.")
    life.agent.reflection.people.take(SpeechFact("Robin", "home", "Robin comes from my village.", 2, "Ben"))
    del life.game.world.characters["Ana"]
    life.game.world.add_character(Character("Guest2", ROOM, role=Role.GUEST, awake=True))
    life.game.perform("Guest2", "say Hello Rook, I'm Robin.")
    assert life.answers().line == "say Robin! You are back. You told me that you lost your hat."


@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
def test_nobody_has_found_what_only_its_owner_has_spoken_of(tmp_path, can):
    life = with_voice(tmp_path, words("A pity."), words("Yes, I found it in the mill."), can=can)
    life.answers("say Rook, I have lost my scarf, as you know.")
    told = life.answers("say Did you find my scarf, Rook?").line.removeprefix("say ")
    assert told in life.game.world.wording("asked.not_found").split("; ")
    life.ana.types("get brass lamp")
    life.ana.types("drop brass lamp")
    assert life.answers("say Have you found my brass lamp, Rook?").line not in ("", f"say {told}")


def test_what_somebody_else_has_agreed_to_may_be_agreed_to_too(tmp_path):
    life = Talking(tmp_path, json.dumps({"words": "Yes, I will go with you.", "you_follow": "yes"}))
    life.game.perform("Ben", "say Yes, I will go with you.")
    assert life.answers("say Rook, will you come with me?").line == "say Yes, I will go with you."
    assert life.game.world.characters["Rook"].transient.following_id == "Ana"


def test_kin_that_stands_in_what_was_read_may_be_named(tmp_path):
    life = Talking(tmp_path, words("A pity."), words("It was my grandmother."))
    life.answers("say Rook, my scarf is gone. It was a present from my grandmother.")
    assert life.answers("say And who gave it to me, Rook?").line == "say It was your grandmother."


def test_a_guest_is_called_by_the_name_they_told_also_by_a_model_that_reads_a_transcript(tmp_path):
    life = Talking(tmp_path, " Well carried, Ana.", capabilities=replace(TINY, grammar=False))
    life.game.world.characters["Ana"].role = Role.GUEST
    life.answers("say Rook, my name is Otto.")
    assert life.answers("say The barrel is upstairs, Rook.").line == "say Well carried, Otto."


def test_a_guest_without_a_name_is_not_called_by_a_number(tmp_path):
    life = Talking(tmp_path, words("I should write back, Ana. Would you?"))
    life.game.world.characters["Ana"].role = Role.GUEST
    told = life.answers("say Rook, ought one to answer a letter?").line
    assert told == "say I should write back. Would you?"


@pytest.mark.parametrize(
    "first", ["Ana, do you think the lost come back?", "That is hard. Ana: 'The lost come back.'"], ids=["echo", "play"]
)
def test_who_echoes_by_name_or_goes_on_as_in_a_play_is_asked_again(tmp_path, first):
    life = Talking(tmp_path, words(first), words("Some do."))
    assert life.answers("say Do you think the lost come back?").line == "say Some do."


def test_what_somebody_writes_is_no_question_of_the_past(tmp_path):
    life = with_voice(tmp_path, can=CHAT)
    told = replace(VOICE[0], heard=(), subjects=("book of yours?",), answers=("What people tell me.",))
    life.agent.mind.adopt(replace(life.agent.note, voice=(*VOICE, told)), life.agent.mind._templates)
    assert life.answers("say What do you write in that book of yours?").line == "say What people tell me."


@pytest.mark.parametrize("bystander", [True, False])
def test_what_somebody_whispered_is_told_to_them_aloud_only_where_nobody_else_hears_it(tmp_path, bystander):
    told = words("Your sister vanished near the weir."), words("She vanished near the weir.")
    life = Talking(tmp_path, words("I am sorry."), *told)
    life.answers("whisper Rook I came because my sister Maaike vanished near the weir.")
    if not bystander:
        life.game.perform("Ben", "go north")
    line = life.answers("say Rook, where did I say my sister vanished?").line
    assert line.startswith("say ")
    assert ("weir" in line) is not bystander


def test_what_somebody_said_aloud_as_well_is_told_to_them_aloud(tmp_path):
    life = Talking(tmp_path, words("Far?"), words("I am sorry."), words("From Marsh End."))
    life.answers("say Rook, I cycled here from Marsh End.")
    life.answers("whisper Rook I broke the clock in Marsh End.")
    assert life.answers("say Rook, where did I say I come from?").line == "say From Marsh End."


def test_what_somebody_whispered_is_told_to_them_in_a_whisper(tmp_path):
    life = Talking(tmp_path, words("I am sorry."), words("Your sister vanished near the weir."))
    life.answers("whisper Rook I came because my sister Maaike vanished near the weir.")
    line = life.answers("whisper Rook where did I say my sister vanished?").line
    assert line == "whisper Ana Your sister vanished near the weir."


def test_who_asks_before_others_for_what_they_whispered_is_asked_to_whisper(tmp_path):
    life = Talking(tmp_path)
    life.answers("whisper Rook I do not like the groom.")
    line = life.answers("say Rook, what did I whisper to you?").line
    assert line.removeprefix("say ") in life.game.world.wording("asked.only_whispered").split("; ")
    assert life.model.requests == []


def test_what_somebody_whispered_last_is_told_in_a_whisper_to_who_asks_for_it(tmp_path):
    life = Talking(tmp_path, words("Ah."), words("Then go on."))
    life.answers("say Rook, I am to be married on Saturday.")
    life.answers("whisper Rook I do not like the groom.")
    told = life.answers("whisper Rook what did I whisper to you?").line
    assert told == "whisper Ana You told me that you do not like the groom."


def test_what_somebody_has_told_is_told_to_them_again_and_not_taken_for_a_question_to_the_agent(tmp_path):
    life = with_voice(tmp_path, words("Good."), *[words("I have no sister.")] * 2)
    kin = replace(VOICE[0], heard=(), subjects=("sister?",), answers=("I have no sister; and you?",))
    life.agent.mind.adopt(replace(life.agent.note, voice=(kin,)), life.agent.mind._templates)
    life.answers("say Rook, my sister Ilse marries on Saturday and I am to carry the ring.")
    told = "say You told me that your sister Ilse marries on Saturday and you are to carry the ring."
    assert life.answers("say Rook, what did I tell you about my sister?").line == told


def test_no_agent_takes_the_name_of_another(tmp_path):
    life = Talking(tmp_path, words("My name is Tilda."), words("My name is Rook."))
    assert life.answers("say Good day, Rook. And you are?").line == "say My name is Rook."


def test_whom_an_agent_speaks_to_is_told_to_all_who_hear_it(tmp_path):
    life, heard = Talking(tmp_path, words("It is warm.")), list[Event]()
    life.game.subscribe("test", heard.extend, (Said,))
    life.answers("say Rook, is it cold?")
    life.agent.perform("say And now?")  # somebody has typed this for it
    assert [one.meant_for_id for one in heard if isinstance(one, Said)] == ["", "Ana", ""]


@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
def test_who_asks_what_is_known_of_them_hears_what_they_have_said_aloud(tmp_path, can):
    life = with_voice(tmp_path, *[words("As you say.")] * 4, can=can)
    life.game.world.characters["Ana"].role = Role.GUEST
    life.answers("say Rook, do you know about me?")
    assert life.answers("whisper Rook I lost my mother's ring.")
    life.answers("say Rook, my name is Robin. My brother is called Josef.", "say I lost my hat, too.")
    told = life.answers("say What do you know about me by now, Rook?").line
    assert (
        told
        == "say You are Robin. You told me that your brother is called Josef. You told me that you lost your hat, too."
    )


@pytest.mark.parametrize(
    ("role", "asked", "told"),
    [
        (Role.PLAYER, "Do you know me, Rook?", "You are Ana. More I do not know yet; tell me."),
        (Role.GUEST, "Do you know me, Rook?", "Not that I know. What are you called?"),
        (Role.GUEST, "hello rook!! do you know me? im Robin im new", "You are Robin. More I do not know yet; tell me."),
    ],
)
def test_who_asks_to_be_known_and_has_said_nothing_yet_is_told_so(tmp_path, role, asked, told):
    life = with_voice(tmp_path, *[words("As you say.")] * 3)
    life.game.world.characters["Ana"].role = role
    assert life.answers(f"say {asked}").line == f"say {told}"
    life.answers("say I mend clocks in Harrowgate. Nice, no?")
    again = life.answers("say Rook, do you know me?").line
    assert again.endswith("You told me that you mend clocks in Harrowgate.")


def test_who_has_only_said_who_they_are_is_not_told_those_words(tmp_path):
    life = with_voice(tmp_path, *[words("As you say.")] * 4)
    life.game.world.characters["Ana"].role = Role.GUEST
    life.answers("say hello Rook, it's Robin again")
    assert "it's Robin again" not in life.answers("say Rook, what do you know about me?").line


def test_another_agent_is_greeted_in_own_words_that_were_not_used_lately(tmp_path):
    life = with_voice(tmp_path, *[words("How do you do.")] * 9)
    life.game.world.characters["Ben"].is_agent = True
    life.ana.types("go north")
    turns = [life.answers() for _ in range(9)]
    greetings = [one.line for one in turns if one.cause == "greet"]
    assert greetings[0] == "say Ben! Good day to you."
    assert greetings.count(greetings[0]) == 1


@pytest.mark.parametrize("can", [CHAT, TINY], ids=["small", "tiny base"])
@pytest.mark.parametrize(
    ("said", "told"),
    [("my sister lives in Karst.", "You told me that your sister lives in Karst."), ("I am Ana.", "Good day to you.")],
)
def test_who_comes_back_after_a_while_is_greeted_with_what_they_told(tmp_path, can, said, told):
    life = with_voice(tmp_path, *[words("Oh.")] * 2, can=can)
    life.answers(f"say Rook, {said}")
    life.answers("whisper Rook I have lost the ring.")
    asked = len(life.model.requests)
    life.ana.types("go north")
    life.later_ms = AWAY_MS
    life.ana.types("go south")
    assert life.answers() == Turn("acted", f"say Ana! You are back. {told}", cause="greet")
    assert len(life.model.requests) == asked


def test_who_comes_and_poses_is_asked_what_it_is(tmp_path):
    life = with_voice(tmp_path)
    told = life.answers("emote sits down and puts her face in her hands").line
    assert told in {f"say Ana! {one}" for one in life.game.world.wording("talk.asks_after").split("; ")}
    assert life.model.requests == []


def test_a_small_model_greets_by_itself_who_has_told_it_something(tmp_path):
    life = with_voice(tmp_path, words("How is your mare, Ana?"))
    life.answers("say Rook, my sister lives in Karst.")
    assert life.agent.reflection.people.facts("Ana")
    life.ana.types("go north")
    life.ana.types("go south")
    assert life.answers() == Turn("acted", "say How is your mare, Ana?", cause="greet")


def test_who_tells_why_they_have_come_with_their_name_is_not_asked_for_it(tmp_path):
    life = with_voice(tmp_path)
    life.game.world.characters["Ana"].role = Role.GUEST
    met = [f"say So you are Robin. {one}" for one in ENGLISH("talk.is_met").split("; ")]
    assert life.answers("say hi, I'm Robin, I came to fish for eels").line not in met


@pytest.mark.parametrize("words", ["My name is Robin.", "Hi! I'm Robin."])
def test_who_tells_no_more_than_a_name_is_asked_for_more(tmp_path, words):
    life = with_voice(tmp_path)
    life.game.world.characters["Ana"].role = Role.GUEST
    more = ENGLISH("talk.is_met").split("; ")
    assert life.answers(f"say {words}").line in [f"say So you are Robin. {one}" for one in more]


def test_what_is_confided_is_taken_up_without_the_model_and_not_by_a_line_for_a_mere_word_in_it(tmp_path):
    life = with_voice(tmp_path)
    line = life.answers("whisper Rook My sister sings.").line
    assert line.removeprefix("whisper Ana ") in life.game.world.wording("talk.is_confided").split("; ")
    assert life.model.requests == []


def test_what_a_small_model_s_agent_carries_and_where_it_is_the_world_tells(tmp_path):
    life = Talking(tmp_path)
    for thing in life.game.world.things_at("Rook"):
        thing.place_id = KITCHEN
    assert life.answers("say Rook, what's in your pockets?").line == "say Nothing, just now."
    life.game.world.things["brass lamp"].place_id = "Rook"
    assert life.answers("say What are you carrying, Rook?").line == "say I have a brass lamp."
    life.game.world.characters["Ana"].room_id = KITCHEN
    where = "tell Ana I am in The Common Room. From where you are, go south."
    assert life.answers("tell Rook where do i find you").line == where
    assert life.model.requests == []


class Guided(Talking):
    """Rook, whom Ana asks for the way in the common room, and the turns that follow."""

    def next_lines(self, count: int) -> list[str]:
        async def live() -> list[str]:
            return [(await self.agent.tick()).line for _ in range(count)]

        return asyncio.run(live())


def test_who_asks_to_be_led_is_led_there_whatever_the_model(tmp_path):
    life = Guided(tmp_path, capabilities=LARGER)
    life.agent.character.transient.following_id = "Ana"
    asked = life.answers("say Rook, would you take me to the kitchen?")
    assert asked.line in [f"say {one}" for one in ENGLISH("talk.leads_to", room=KITCHEN).split("; ")]
    assert "To walk with Rook, type: follow Rook" in life.ana.screen()
    assert life.agent.pause_seconds <= WALK_SECONDS
    assert life.agent.character.transient.following_id == ""
    life.ana.types("follow Rook")
    assert life.next_lines(2) == ["go north", "say Here we are. This is The Kitchen."]
    assert life.game.world.characters["Ana"].room_id == KITCHEN
    assert not life.agent.visitors.is_leading
    assert life.model.requests == []


def test_there_is_the_place_of_which_they_talked(tmp_path):
    life = Guided(tmp_path, words("The Kitchen is to the north."))
    life.answers("say Rook, is there soup in the kitchen?")
    assert life.answers("say Show me the way, Rook! I want to see it.").line.endswith(f"{KITCHEN}.")


def test_a_place_that_is_none_or_here_is_led_to_by_nobody(tmp_path):
    life = Guided(tmp_path, words("It is warm in the kitchen."), words("I know no harbour."), words("We are here."))
    life.answers("say Rook, is there soup in the kitchen?")
    for place in ("harbour", "common room"):
        life.answers(f"say Rook, take me to the {place}!")
        assert not life.agent.visitors.is_leading


def test_who_thinks_better_of_it_is_led_no_further(tmp_path):
    life = Guided(tmp_path, words("As you like."))
    life.answers("say Rook, take me to the kitchen!")
    assert life.agent.visitors.is_leading
    life.answers("say Never mind, Rook.")
    assert not life.agent.visitors.is_leading


def test_one_who_thinks_only_when_spoken_to_promises_to_lead_nobody(tmp_path):
    life = Guided(tmp_path, words("I stay here."))
    life.agent.settings = replace(life.agent.settings, think_when="addressed")
    assert life.answers("say Rook, take me to the kitchen!").line == "say I stay here."


@pytest.mark.parametrize("can", [CHAT, TINY, LARGER], ids=["small", "tiny base", "larger"])
@pytest.mark.parametrize("message", ["gate three leaks", "hi", "yes | no"])
def test_what_it_was_asked_to_tell_somebody_it_tells_them_once_when_they_meet(tmp_path, can, message):
    life = with_voice(tmp_path, *[words("Hm.")] * 9, can=can)
    life.game.world.characters["Ben"].is_agent = True
    life.game.perform("Ben", "go north")
    typed = message.replace("|", "\\|")
    promised = life.answers(f"say Rook, if ben comes can you tell him {typed}?")
    assert promised.line in ("say I will tell Ben.", "say Yes. Ben shall know.") or can is LARGER
    life.ana.types("say thanks, Rook")
    life.ana.types("go north")
    life.game.perform("Ben", "go south")
    turns = [life.answers().line for _ in range(6)]
    told = f'say Ben! Ana asks me to tell you: "{typed}"'
    assert (turns[0], turns.count(told)) == (told, 1)


def test_a_message_of_a_guest_is_told_with_the_name_that_they_have_told(tmp_path):
    life = with_voice(tmp_path, *[words("Hm.")] * 9)
    life.game.world.characters["Ana"].role = Role.GUEST
    life.game.perform("Ben", "go north")
    life.answers("say Rook, my name is Robin.")
    life.answers("say Rook, tell Ben that gate three leaks.")
    life.ana.types("go north")
    life.game.perform("Ben", "go south")
    told = 'say Ben! Robin asks me to tell you: "gate three leaks"'
    assert told in [life.answers().line for _ in range(3)]


def test_who_speaks_first_is_told_the_message_unless_they_ask_for_something_else(tmp_path):
    life = with_voice(tmp_path, *[words("Hm.")] * 9)
    told = 'say Ana asks me to tell you: "gate three leaks"'
    life.game.perform("Ben", "go north")
    life.answers("say Rook, tell Ben that gate three leaks.")
    life.ana.types("go north")
    life.game.perform("Ben", "go south")
    life.game.perform("Ben", "say Rook, where can I sleep?")
    assert life.answers().line != told
    life.game.perform("Ben", "say Rook, has Ana left a word for me?")
    assert life.answers().line == told
    life.game.perform("Ben", "say Rook, is there more from Ana?")
    assert life.answers().line != told


def test_who_is_there_with_whom_the_message_is_for_may_tell_it_themselves(tmp_path):
    life = with_voice(tmp_path, *[words("Hm.")] * 9)
    life.game.perform("Ben", "go north")
    life.answers("say Rook, tell Ben that gate three leaks.")
    life.game.perform("Ben", "go south")
    assert not [one for one in (life.answers().line for _ in range(4)) if "asks me" in one]


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ("what did I say that Ben is building?", True),  # before where Ben is
        ("was it a barn that he was building?", True),
        ("what is a barn?", True),
        ("whose boots are muddy?", False),
        ("can you build a barn?", False),
    ],
)
def test_the_agent_of_a_tiny_model_tells_again_what_has_to_do_with_a_question(tmp_path, asked, is_told):
    life = with_voice(tmp_path, *[words("Hm.")] * 9, can=TINY)
    life.answers("say Rook, Ben is building a barn for us, down by the weir.")
    life.answers("say Rook, it is cold today.")
    line = life.answers(f"say Rook, {asked}").line
    assert line == 'say You told me: "Ben is building a barn for us, down by the weir."' or not is_told
    assert ("barn" in line) == is_told


def test_which_of_those_present_said_something_is_told_in_their_words_without_a_small_model(tmp_path):
    life = Talking(tmp_path, words("It is."))
    life.answers("say It is cold today, Rook.")
    life.game.perform("Ben", "say I have a cart down below, one wheel is bent.")
    life.answers("say Rook, which of us was it that came with a cart?")
    assert life.ana.screen()[-1] == 'Rook says, "Ben has a cart down below, one wheel is bent."'
    assert len(life.model.requests) == 1


def test_where_a_small_model_reads_in_vain_what_was_said_is_told(tmp_path):
    life = Talking(tmp_path, words("Do they sting?"), *[words("Your aunt keeps Gudrun.")] * 9)
    life.answers("say Rook, my aunt keeps bees behind her house.")
    turn = life.answers("say Rook, do you remember what my aunt keeps?")
    assert turn.line == "say You told me that your aunt keeps bees behind her house."
    assert life.answers("say Rook, what colour did I say her house was?").line != turn.line


class KeepingModel(ScriptedModel):
    """A model that keeps what it has read."""

    def unread(self, request: Request) -> int:
        return len(request.text) if request.text not in self.prompts else 0


class Idle(Talking):
    """Rook, who thinks only when somebody speaks to it, with a model that keeps what it has read."""

    def __init__(self, root: Path, *script: Reply) -> None:
        super().__init__(root, yesterday=GLOVE * 6)
        self.model = KeepingModel(*script, capabilities=CHAT)
        self.agent.settings = replace(self.agent.settings, think_when="addressed")

    async def ticks(self, *lines: str) -> list[str]:
        """Let Ana type lines and Rook take a turn; return what its model has been given to read by that."""
        before = len(self.model.prompts)
        for line in lines:
            self.ana.types(line)
        await self.agent.tick()
        await settle()
        return self.model.prompts[before:]


async def test_its_model_reads_ahead_what_an_answer_begins_with(tmp_path):
    life = Idle(tmp_path, *[words("It is warm.")] * 4)
    life.wakes()
    ahead, text = await life.ticks()
    assert life.remembered() == []  # it was asked nothing, and said nothing
    (asked,) = await life.ticks("say Rook, what do you make of the winter?")
    assert shared_length(ahead, asked) > len(asked) - 300
    assert await life.ticks() == []
    (asked,) = await life.ticks("say Rook, do you remember what I asked?")
    assert shared_length(text, asked) > len(asked) - 300


async def test_it_reads_ahead_once_more_when_something_has_happened_and_a_person_is_there(tmp_path):
    life = Idle(tmp_path, *[words("Hm.")] * 3)
    life.wakes()
    assert len(await life.ticks()) == 2
    assert await life.ticks(*["emote waits."] * (READ_AFTER - 1)) == []
    assert len(await life.ticks("emote waits.")) == 1
    for name in [one.name for one in life.game.world.awake() if not one.is_agent]:
        life.game.sleep(name)
    for _ in range(READ_AFTER):
        life.agent.memory.record("observed", "It rains.", ROOM)
    assert await life.ticks() == []


async def test_it_reads_nothing_ahead_once_somebody_has_spoken_or_it_is_asleep(tmp_path):
    life = Idle(tmp_path)
    queue = life.wakes()
    async with queue._pool.building:
        await life.agent.tick()
        await settle()
        life.ana.types("say Rook, are you there?")
    await settle()
    assert life.model.prompts == []


def test_only_who_asks_what_was_said_is_told_it_again_where_the_models_words_will_not_do(tmp_path):
    wrong = words("It says 'Jump'."), words("It says 'Jump'.")
    life = Talking(tmp_path, words("Good."), *wrong, *wrong)
    life.answers("say Rook, it is only a straight line, your picture.")
    line = life.answers("say Rook, my line would jump. What does it say where it jumps?").line
    assert "straight line" not in line
    assert line
