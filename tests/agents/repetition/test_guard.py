"""A whole agent that goes in circles: it is told, asked otherwise, led out and slowed down; and what it rests from."""

from __future__ import annotations

import itertools

import pytest

from agents.component import Turn
from config.settings import AgentSettings
from tests.agents.test_agent import ROOM, Life, running
from world.world import World

RIVER = "say The river is high today."
TOLD = "You have said that twice already; do something else."
AGAIN = "You were about to do the same as before; do something else."
NEW = ("look", "think It rains.", "get brass lamp", "say The lamp is heavy.", "drop brass lamp", "emote hums")


def kitchen_only(world: World) -> None:
    """Let nobody but Rook be in the kitchen, or next door."""
    world.characters["Rook"].room_id = "The Stable"
    for name in ("Ana", "Ben", "Cat"):
        world.characters[name].awake = False


def test_who_repeats_itself_is_told_so_in_its_next_prompt(tmp_path):
    life = Life(tmp_path, RIVER, RIVER, "look", "look")
    life.turns(4)
    assert [TOLD in prompt for prompt in life.model.prompts] == [False, False, True, False]


def test_then_its_model_is_asked_for_more_variety_and_then_once_more(tmp_path):
    life = Life(tmp_path, *[RIVER] * 4, RIVER, "look | something else")
    turns = life.turns(5)
    assert [turn.line for turn in turns] == [RIVER] * 4 + ["look | something else"]
    assert [r.temperature for r in life.model.requests] == pytest.approx([0.9, 0.9, 0.9, 1.1, 1.3, 1.3])
    assert [r.repeat_penalty > 1 for r in life.model.requests] == [False, False, False, True, True, True]
    assert [AGAIN in prompt for prompt in life.model.prompts] == [False] * 5 + [True]
    assert len({r.seed for r in life.model.requests}) == 6


def test_who_is_asked_once_more_is_not_asked_a_third_time(tmp_path):
    life = Life(tmp_path, lambda request: RIVER)
    turns = life.turns(8)
    assert [turn.outcome for turn in turns] == ["acted"] * 4 + ["silent"] * 4
    assert len(life.model.requests) == 4 + 2 * 4


def test_a_second_answer_that_is_none_leaves_the_first(tmp_path):
    life = Life(tmp_path, *["go north", "go south"] * 3, "go north", "As an AI, I cannot.")
    assert life.turns(7)[-1] == Turn("acted", "go north")


def test_who_would_say_its_own_words_a_second_time_in_a_turn_is_silent(tmp_path):
    life = Life(tmp_path, lambda request: f"{RIVER} | I like it.")
    turns = life.turns(9)
    assert turns[-1] == Turn("silent", why=f"It would have said again what it has said lately: {RIVER}")
    assert [line for line in life.ana.screen() if "river" in line] == ['Rook says, "The river is high today."'] * 4
    assert life.remembered("acted") == [f"{RIVER} | I like it."] * 4
    assert life.agent.pause_seconds == 20 * 4


def test_nearly_the_same_words_are_the_same_and_others_are_not(tmp_path):
    nearly = "say Oh, the river by the old mill is very high and very brown today."
    other = "say The lamp is heavy."
    life = Life(tmp_path, *[nearly] * 4, nearly, nearly.replace("Oh, the", "The"), nearly, other)
    assert [turn.line for turn in life.turns(6)][4:] == ["", other]


def test_a_pose_is_not_struck_again_by_one_who_was_asked_twice(tmp_path):
    life = Life(tmp_path, lambda request: "emote looks at the river")
    assert [turn.outcome for turn in life.turns(7)] == ["acted"] * 4 + ["silent"] * 3


def test_who_is_silent_speaks_again_to_a_person_who_speaks_to_it_and_with_new_words(tmp_path):
    answer, new = "say I am well, Ana.", "say The lamp is heavy."
    life = Life(tmp_path, *[RIVER] * 6, answer, *[RIVER] * 2, *[new] * 2)

    async def act(queue: object) -> list[str]:
        for _ in range(5):
            await life.agent.tick()
        life.ana.types("say Rook, how are you?")
        return [(await life.agent.tick()).line for _ in range(3)]

    assert running(life, act) == [answer, "", new]


def test_who_is_silent_owes_no_answer_after_that(tmp_path):
    life = Life(tmp_path, lambda request: RIVER)
    life.turns(5)
    assert not life.agent.awareness.thinks_of.spoken
    assert life.agent.last_turn.outcome == "silent"


def test_then_it_thinks_less_often_and_all_that_ends_with_new_things(tmp_path):
    life = Life(tmp_path, *[RIVER] * 5, RIVER, *NEW)
    pauses = []

    async def act(queue: object) -> None:
        for _ in range(5 + len(NEW)):
            await life.agent.tick()
            pauses.append(life.agent.pause_seconds)

    running(life, act)
    assert pauses == [20, 20, 20, 20, 40, 20, 20, 20, 20, 20, 20]
    assert life.model.requests[-1].temperature == 0.9


def test_answers_to_its_own_commands_do_not_hasten_who_thinks_less_often(tmp_path):
    life = Life(tmp_path, *[RIVER] * 6)
    hastened = []
    life.agent.on_addressed = lambda: hastened.append(len(life.model.prompts))

    async def act(queue: object) -> None:
        life.game.tell("Rook", "It is done.")
        for _ in range(5):
            await life.agent.tick()
        life.game.tell("Rook", "It is done.")
        life.ana.types("say Rook, what is done?")

    running(life, act)
    assert hastened[0] == 0
    assert len(hastened) == 2  # by the first answer, and by Ana


def test_an_agent_that_may_go_in_circles_is_left_alone(tmp_path):
    life = Life(tmp_path, *[RIVER] * 7, own=AgentSettings(break_loops=False))
    assert {turn.outcome for turn in life.turns(7)} == {"acted"}
    assert not [prompt for prompt in life.model.prompts if TOLD in prompt or AGAIN in prompt]
    assert {r.temperature for r in life.model.requests} == {0.9}
    assert life.agent.pause_seconds == 20


def test_the_engine_gives_a_small_model_no_verb_that_leads_further_round(tmp_path):
    life = Life(tmp_path, *[f"{RIVER}\n"] * 4, "look\n", "look\n", constrains=True)
    while len(life.model.requests) < 5:  # it may rest between them
        life.turns()
    grammar = life.model.requests[4].grammar
    assert grammar is not None
    assert '"say"' not in grammar.partition("\n")[0]


def test_a_person_is_answered_even_by_one_who_has_said_enough(tmp_path):
    life = Life(tmp_path, *[f"{RIVER}\n"] * 4, "say I am well.\n", constrains=True)

    async def act(queue: object) -> Turn:
        for _ in range(4):
            await life.agent.tick()
        life.ana.types("say Rook, how are you?")
        return await life.agent.tick()

    assert running(life, act).line == "say I am well."
    assert str(life.model.requests[4].grammar).startswith('root ::= " say "')


def test_the_same_life_is_led_the_same_way(tmp_path):
    asked = []
    for name in ("one", "two"):
        life = Life(tmp_path / name, lambda request: f"{RIVER}\n", constrains=True)
        life.turns(6)
        asked.append(life.model.requests)
    assert asked[0] == asked[1]


@pytest.mark.parametrize(("when", "outcome"), [("always", "acted"), ("near", "resting"), ("addressed", "resting")])
def test_where_nobody_is_a_model_may_rest(tmp_path, when, outcome):
    life = Life(tmp_path, "look", own=AgentSettings(think_when=when))
    kitchen_only(life.game.world)
    (turn,) = life.turns()
    assert turn.outcome == outcome
    assert len(life.model.requests) == (outcome == "acted")


def test_who_rests_still_remembers_and_thinks_when_a_person_comes(tmp_path):
    life = Life(tmp_path, "say Hello, Ana.", own=AgentSettings(think_when="near"))
    kitchen_only(life.game.world)
    ana = life.game.world.characters["Ana"]

    async def act(queue: object) -> list[str]:
        calls = itertools.count()

        def count() -> None:
            next(calls)

        life.agent.on_addressed = count
        outcomes = [(await life.agent.tick()).outcome]
        ana.room_id, ana.awake = "The Yard", True
        life.ana.types("go east")
        return [*outcomes, (await life.agent.tick()).outcome, str(next(calls))]

    assert running(life, act) == ["resting", "acted", "1"]
    assert any(text.startswith("Ana arrives") for text in life.remembered("observed"))


def test_a_model_that_shows_its_thoughts_is_given_room_for_them_from_then_on(tmp_path):
    life = Life(tmp_path, "<think>Who is", "<think>Nobody.\n\nI look.</think>\n\nlook", "look")
    outcomes = [turn.outcome for turn in life.turns(3)]
    assert outcomes == ["speechless", "acted", "acted"]
    assert [r.max_tokens for r in life.model.requests] == [48, 48 + 512, 48 + 512]


def test_thoughts_are_kept_in_the_archive_and_not_remembered(tmp_path):
    life = Life(tmp_path, "<think>Nobody must know.</think>\nlook")
    life.turns()
    assert not [text for text in life.remembered() if "Nobody must know" in text]
    assert "Nobody must know" in "".join(
        entry["reply"] for _, entry in life.memory.archive_writer.archive.entries() if entry["event"] == "message"
    )


def test_an_answer_ends_with_its_command(tmp_path):
    life = Life(tmp_path, "look\n" + "I did this because I wanted to see where I am. " * 20)

    async def act(queue: object) -> int:
        await life.agent.tick()
        return life.agent.queue.status().answered if life.agent.queue else 0

    assert running(life, act) == 1
    (entry,) = [entry for _, entry in life.memory.archive_writer.archive.entries() if entry["event"] == "message"]
    assert entry["completion_tokens"] < 12


def test_the_room_is_where_it_was_tried(tmp_path):
    life = Life(tmp_path, "north", "south", "north", "south")
    life.turns(4)
    assert life.agent.character.room_id == ROOM
    assert life.agent._conduct.mitigation.told[0].sign.value == "to_and_fro"


def test_who_finds_no_command_is_told_what_it_could_type_and_then_asked_once_more(tmp_path):
    life = Life(tmp_path, *["I will greet her."] * 4, "look")
    turns = life.turns(4)
    assert [turn.outcome for turn in turns] == ["speechless"] * 3 + ["acted"]
    assert ["That was no command. You could type " in prompt for prompt in life.model.prompts] == [False] + [True] * 4
    assert {r.temperature for r in life.model.requests} == {0.9}


def test_what_it_could_type_would_be_accepted(tmp_path):
    life = Life(tmp_path, *["I will greet her."] * 12)
    life.turns(4)
    for line in life.agent._conduct._suggested:
        assert life.game.perform("Rook", line).accepted or line.startswith("go ")
    assert len(life.agent._conduct._suggested) == 3
