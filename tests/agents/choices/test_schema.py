"""What the JSON schema admits, and that an agent's model is given it where the profile says so."""

from __future__ import annotations

import json
import re

import pytest

from agents.choices.possible import possible
from agents.choices.schema import JSON_TOKENS, schema_of
from agents.models.model import Request, TakesSchema
from agents.models.ollama_model import OllamaModel
from agents.models.openai_model import OpenAIModel
from agents.replies.reply import first_command
from config.settings import AgentSettings
from tests.agents.choices.test_possible import TABLE, a_world, lines
from tests.agents.circles.test_circles import RIVER
from tests.agents.test_agent import Life


def forms():
    world = a_world()
    return possible(world, world.characters["Ana"], TABLE)


def pattern(found=None):
    return re.compile(schema_of(found or forms())["properties"]["command"]["pattern"])


def test_every_possible_line_is_admitted_and_read_back_from_its_json():
    admitted = pattern()
    every = [line for form in forms().values() for line in lines(form)]
    assert len(every) > 20
    assert [line for line in every if not admitted.fullmatch(line)] == []
    for line in every:
        reply = first_command(json.dumps({"command": line, "reason": "to see it"}), "Ana", TABLE, ["east"])
        assert reply.line == f"{line} | to see it"


@pytest.mark.parametrize(
    "line",
    [
        "dance",
        "look moon",
        "go up",
        "say",
        "say ",
        "say a | b",
        'say "Hello"',
        "say a\nlook",
        "get",
        "lookout",
        "xlook",
    ],
)
def test_what_is_not_possible_is_not_admitted(line):
    assert not pattern().fullmatch(line)


@pytest.mark.parametrize(
    "line", ["say Für heute ist es genug!", "say 水門は閉まっています。", "emote sits down (tired)."]
)
def test_words_are_free_in_any_language_and_so_are_poses(line):
    assert pattern().fullmatch(line)


def test_names_with_marks_of_patterns_mean_themselves_and_those_that_json_would_break_are_left_out():
    world = a_world()
    for name in ("box (big)", "a+b?", 'the "cup"'):
        world.things[name] = type(world.things["lamp"])(name, "Landing")
    admitted = pattern({"get": possible(world, world.characters["Ana"], TABLE)["get"]})
    assert [bool(admitted.fullmatch(f"get {one}")) for one in ("box (big)", "a+b?", "aab", 'the "cup"')] == [
        True,
        True,
        False,
        False,
    ]


def test_an_answer_is_an_object_of_a_command_and_a_reason_and_nothing_else():
    schema = schema_of(forms())
    assert (schema["type"], schema["required"]) == ("object", ["command", "reason"])
    assert schema["additionalProperties"] is False
    assert json.loads(json.dumps(schema)) == schema


@pytest.mark.parametrize(("constraint", "takes"), [("json_schema", True), ("none", False), ("grammar", False)])
def test_models_take_a_schema_if_their_profile_says_so(constraint, takes):
    models = [
        OllamaModel("http://127.0.0.1:1", "m", constraint=constraint),
        OpenAIModel("http://127.0.0.1:1", "m", constraint=constraint),
    ]
    assert [isinstance(one, TakesSchema) and one.takes_schema for one in models] == [takes, takes]


def held_by_schema(tmp_path, *replies: str, turns: int = 1) -> tuple[list[Request], list[str]]:
    """Return what a model that takes a schema was asked, and the lines that came of its replies."""
    life = Life(tmp_path, *replies, own=AgentSettings(reply_tokens=50))
    life.model.takes_schema = True
    done = life.turns(turns)
    return life.model.requests, [turn.line for turn in done]


def test_a_model_that_takes_a_schema_is_given_that_of_the_moment_and_room_for_it(tmp_path):
    (request,), done = held_by_schema(tmp_path, '{"command": "say hello", "reason": "he is new"}')
    assert done == ["say hello | he is new"]
    assert request.schema is not None
    assert re.fullmatch(request.schema["properties"]["command"]["pattern"], "go north")
    assert (request.grammar, request.max_tokens) == (None, 50 + JSON_TOKENS)


def test_a_model_that_takes_none_is_given_none(tmp_path):
    life = Life(tmp_path, "look", own=AgentSettings(reply_tokens=50))
    life.turns()
    assert [(one.schema, one.max_tokens) for one in life.model.requests] == [(None, 50)]


def test_who_goes_in_circles_is_given_a_schema_without_what_leads_on_in_them(tmp_path):
    said = json.dumps({"command": RIVER, "reason": ""})
    requests, _ = held_by_schema(tmp_path, *[said] * 4, said, said, turns=5)
    patterns = [one.schema["properties"]["command"]["pattern"] for one in requests if one.schema]
    assert [bool(re.fullmatch(one, "say hello")) for one in patterns] == [True] * 4 + [False] * 2
    assert all(re.fullmatch(one, "go north") for one in patterns)


def test_an_answer_that_was_cut_in_its_reason_still_has_its_command(tmp_path):
    _, done = held_by_schema(tmp_path, '{"command": "say hello", "reason": "he is ne')
    assert done == ["say hello"]
