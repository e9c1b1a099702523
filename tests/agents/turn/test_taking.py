"""A turn with a model: laid out as a talk or a transcript, asked once more at most, retaken if the world moved."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from agents.agent import WALK_SECONDS
from agents.attending.turn_taking import owed_rows
from agents.component import Turn
from agents.models.endpoint import CircuitBreaker, ConcurrencyLimit, Endpoint, Route
from agents.models.model import Capabilities, ModelError, Request
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from agents.turn.reading_ahead import READ_AFTER
from tests.agents.models.places import settle
from tests.agents.test_agent import ROOM, Life
from tests.agents.turn.talking import CHAT, KITCHEN, Talking, first_of_the_menu, menu_of, words
from tests.english import ENGLISH
from tests.scripted_model import Reply, ScriptedModel
from vault.entities.agent_notes import Errand
from vault.memory.archive_file import shared_length
from world.events import Event, Said

GLOVE = """\
Ben says, "I lost my left glove yesterday."
~Rook> say Where was it?
Ben says, "On the stairs."
~Rook> say Then I will look there.
"""

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


def test_who_is_spoken_to_is_asked_for_words_in_a_talk_that_ends_with_what_was_said(tmp_path):
    life = Talking(tmp_path, words("Good morning, Ana."))
    assert life.answers("say Good morning, Rook!") == Turn("acted", "say Good morning, Ana.")
    (asked,) = life.model.requests
    roles = [one.role for one in asked.messages]
    assert (roles[0], roles[-1]) == ("system", "user")
    assert asked.messages[-1].content.endswith("Good morning, Rook!")
    assert asked.schema and list(asked.schema["properties"]) == ["words", "you_do"]


def test_a_model_in_this_process_that_is_talked_with_is_asked_for_words_too_though_it_takes_a_grammar(tmp_path):
    both = Capabilities(chat=True, raw=False, grammar=True, json_schema=True, parameters_billion=1.5)
    life = Talking(tmp_path, words("Good morning, Ana."), capabilities=both)
    assert life.answers("say Good morning, Rook!") == Turn("acted", "say Good morning, Ana.")
    (asked,) = life.model.requests
    assert (asked.grammar, asked.messages[-1].role) == (None, "user")
    assert asked.schema and list(asked.schema["properties"]) == ["words", "you_do"]


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
        life.ana.types("say Rook!")
        turn = asyncio.ensure_future(life.agent.tick())
        life.ana.types("say Rook, is the soup ready?")
        return await turn

    assert asyncio.run(live()).line == "say Yes, Ana."
    assert life.model.requests[0].messages[-1].content.endswith("is the soup ready?")


def test_who_could_not_be_answered_is_answered_when_the_model_is_back(tmp_path):
    life = Talking(tmp_path, ModelError("gone"), words("Here I am."))
    assert life.answers("say Rook, are you there?").outcome == "failed"
    assert life.answers().line == "say Here I am."


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
    life = Talking(tmp_path, words("Good morning, Ana."), capabilities=CHAT)
    rook = life.game.world.characters["Rook"]
    rook.room_id = KITCHEN
    life.agent.settings = replace(life.agent.settings, welcomes=True)
    first = life.answers()
    assert (first.outcome, first.cause, rook.room_id) == ("acted", "errand", ROOM)
    assert life.agent.pause_seconds == WALK_SECONDS < life.agent.settings.think_seconds
    assert life.answers() == Turn("acted", "say Good morning, Ana.", cause="greet")
    assert life.agent.pause_seconds == life.agent.settings.think_seconds


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


@pytest.mark.parametrize("which", range(8))
def test_who_is_spoken_to_while_it_waits_answers_though_the_first_endpoint_fails(tmp_path, which):
    life = Life(tmp_path)
    life.agent._conduct.policy._rng.seed(which)
    near = ScriptedModel("look\n", GONE, name="near", constrains=True)
    far = ScriptedModel("look\n", " say I am well. | she asked\n", name="far", constrains=True)
    done = turn_spoken_to_while_waiting(life, near, far)
    assert done.line == "say I am well. | she asked"
    grammars = [one.grammar for model in (near, far) for one in model.requests if one.grammar]
    assert len(grammars) == 2
    assert all('" say " words' in one for one in grammars)


def test_who_could_not_answer_for_want_of_a_model_still_owes_the_answer(tmp_path):
    life = Life(tmp_path)
    near = ScriptedModel("look\n", GONE, name="near", constrains=True)
    done = turn_spoken_to_while_waiting(life, near)
    assert done.outcome == "failed"
    assert life.agent.awareness.addressed.spoken


def test_who_has_gone_while_the_model_found_a_greeting_is_not_greeted(tmp_path):
    life = Talking(tmp_path, capabilities=CHAT)

    def greets_too_late(request: Request) -> str:
        life.ana.types("go north")
        return words("Good morning, Ana.")

    life.model = ScriptedModel(greets_too_late, capabilities=CHAT)
    assert life.answers() == Turn("resting", why=ENGLISH("talk.rests"))
    assert life.game.world.characters["Ana"].room_id == KITCHEN


def test_whom_an_agent_speaks_to_is_told_to_all_who_hear_it(tmp_path):
    life, heard = Talking(tmp_path, words("It is warm.")), list[Event]()
    life.game.subscribe("test", heard.extend, (Said,))
    life.answers("say Rook, is it cold?")
    life.agent.perform("say And now?")  # somebody has typed this for it
    assert [one.meant_for_id for one in heard if isinstance(one, Said)] == ["", "Ana", ""]


async def test_its_model_reads_ahead_what_an_answer_begins_with(tmp_path):
    life = Idle(tmp_path, *[words("It is warm.")] * 4)
    life.wakes()
    (ahead,) = await life.ticks()
    assert life.remembered() == []  # it was asked nothing, and said nothing
    (asked,) = await life.ticks("say Rook, what do you make of the winter?")
    assert shared_length(ahead, asked) > len(asked) - 300
    assert await life.ticks() == []


async def test_it_reads_ahead_once_more_when_something_has_happened_and_a_person_is_there(tmp_path):
    life = Idle(tmp_path, *[words("Hm.")] * 3)
    life.wakes()
    assert len(await life.ticks()) == 1
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


def test_what_it_knows_stands_in_the_scene_without_bullets(tmp_path):
    life = Talking(tmp_path, words("At nine."))
    life.agent.pin("The boat comes at nine.")
    life.answers("say Rook, when does the boat come?")
    assert " The boat comes at nine." in life.model.requests[0].prompt
    assert "- The boat" not in life.model.requests[0].prompt
