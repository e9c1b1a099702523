"""What a model's reply comes to, whatever it puts round the command."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.model import Request
from agents.replies.reply import LONGEST_ARGUMENTS, LONGEST_REASON, Listener, Reply, first_command, is_enough, open_to
from tests.full_table import full_table
from tests.rows import rows_in
from tests.scripted_model import ScriptedModel
from tests.world.inn import inn
from world.commands.table import world_commands
from world.entities import Role
from world.game import Game
from world.parsing import parse_line

TABLE = world_commands()
EXITS = ("north", "n", "mill", "up the rungs")
ROWS = [(row["reply"], row["line"]) for row in rows_in(Path(__file__).with_name("replies.yaml"))]


def line_of(reply: str) -> str:
    return first_command(reply, "Eliza", TABLE, EXITS).line


def test_a_reply_comes_to_its_first_command():
    assert [(reply, line_of(reply)) for reply, _ in ROWS] == ROWS


def test_there_is_a_line_or_a_problem_and_never_both():
    replies = [first_command(reply, "Eliza", TABLE, EXITS) for reply, _ in ROWS]
    assert [one for one in replies if bool(one.line) == bool(one.problem)] == []


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (" ", "Your reply was empty. Type one command, such as: say hello"),
        (
            "<think>Who is this?",
            "Your reply held no command, only thoughts or marks. Type one command, such as: say hello",
        ),
        (
            "I will greet him warmly now, as one should.",
            "Your reply held no command: it began with 'I will greet him warmly …'. "
            "Type one command, such as: say hello",
        ),
        (
            "sayy hi",
            "Your reply held no command: it began with 'sayy hi'. Did you mean say? "
            "Type one command, such as: say hello",
        ),
        ("give lamp Moss", "Your reply held 'give lamp Moss', which does not fit. Usage: give <carried> to <person>"),
        ("quit", "'quit' is not a command for you. Type one command, such as: say hello"),
    ],
)
def test_a_reply_without_a_command_says_what_was_wrong_with_it(reply, problem):
    assert first_command(reply, "Eliza", TABLE, EXITS) == Reply("", problem)


def test_a_monologue_is_cut_at_the_end_of_a_sentence():
    sentence = "The river is high today. "
    line = line_of("say " + sentence * 400)
    assert line.endswith("today.")
    assert LONGEST_ARGUMENTS - len(sentence) < len(line) <= len("say ") + LONGEST_ARGUMENTS


def test_a_reason_that_goes_on_and_on_is_cut_too():
    assert len(line_of("look | " + "why " * 900)) <= len("look | ") + LONGEST_REASON


def test_a_command_behind_very_long_thoughts_is_found():
    assert line_of(f"<think>{'Hm. ' * 10_000}</think>\nlook") == "look"


def test_a_command_behind_four_thousand_characters_of_talk_is_not_looked_for():
    assert line_of("I wonder. " * 500 + "\nlook") == ""


@pytest.mark.parametrize("piece", ["<think>", '{"a":', " ", "~Eliza> ", "**`", "Command: ", "[[", "say (", "|", "1. "])
def test_a_reply_of_one_thing_over_and_over_is_read_quickly(piece):
    began = time.process_time()
    first_command(piece * 20_000, "Eliza", TABLE, EXITS)
    assert time.process_time() - began < 0.5


def test_a_name_with_marks_in_it_is_taken_literally():
    assert first_command("~E.(a*> look", "E.(a*", TABLE).line == "look"


@given(st.text(max_size=300))
def test_no_text_is_an_error_and_a_line_is_one_line(reply):
    line = line_of(reply)
    assert "\n" not in line
    assert "\x1b" not in line


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=80))
def test_a_line_reads_as_the_same_command_again(text):
    line = line_of(f"say {text} | {text}")
    assert line_of(line) == line
    assert parse_line(line).verb in ("", "say")


MORE = "\nI chose this because it is friendly, and because nothing else comes to mind just now.\n" * 8
THOUGHT = "<think>Who is this?\nI could say no.\n\nsay no\n" + "Hm. " * 30 + "</think>\n\n"


def read(text: str) -> Reply:
    return first_command(text, "Eliza", TABLE, EXITS)


def heard(text: str, thinks: bool = False, most_tokens: int = 48) -> str:
    """Return as much of a text as a model would write before it is ended; it writes a character at a time."""
    listener = Listener(read, thinks, most_tokens, lambda text: len(text.split()))
    return next((text[:end] for end in range(1, len(text) + 1) if listener(text[:end])), text)


def test_ending_early_never_changes_the_command():
    assert [(reply, read(heard(reply)).line) for reply, _ in ROWS] == ROWS


def test_whatever_follows_a_command_is_not_waited_for():
    found = {reply: heard(reply + MORE) for reply, line in ROWS if line and "think" not in reply}
    assert [reply for reply, text in found.items() if len(text) >= len(reply) + len(MORE) / 2] == []
    assert [reply for reply, text in found.items() if read(text).line != read(reply + MORE).line] == []


@pytest.mark.parametrize(
    ("text", "enough"),
    [
        ("say hi", False),
        ("say hi\n", False),  # a reason may follow
        ("say hi\nREASON: he", False),
        ("say hi\nREASON: he is new here, and nobody has", False),
        ("say hi\nREASON: he is new here\n", True),
        ("say hi\nMoss says,", False),
        ("say hi\nMoss says, \"It is a fine day for", True),
        ("say hi | he is new\n", True),
        ("I will greet him.\n", False),
        ("I will greet him.\nsay hi\nThis is a friendly thing to do", True),
        ("<think>I could\nsay no\nor something else entirely, but which", False),
        ("{\n  \"command\": \"say\",\n", False),
    ],
)  # fmt: skip
def test_a_command_counts_when_its_line_and_its_reason_have_ended(text, enough):
    assert is_enough(text, read) == enough


def test_a_model_that_thinks_is_waited_for_until_it_has_thought():
    assert heard(THOUGHT + "say hi\n" + MORE, thinks=True).startswith(THOUGHT + "say hi\n")


def test_a_model_that_thinks_may_talk_no_longer_than_others_when_it_has_thought():
    text = heard(THOUGHT + "I wonder. " * 200, thinks=True, most_tokens=48)
    assert len(text) < len(THOUGHT) + 48 * 10


def test_a_chatty_model_writes_a_fraction_of_its_tokens():
    reply = "Sure! Here is what I do:\nsay Good morning, Moss.\n" + MORE
    listener = Listener(read, False, 48, lambda text: len(text.split()))

    async def ask(listen: bool) -> int:
        model = ScriptedModel(reply)
        answer = await model.complete(Request("~Eliza>", max_tokens=400), listener if listen else None)
        return answer.completion_tokens

    assert asyncio.run(ask(True)) < 0.2 * asyncio.run(ask(False))


ABOVE = sorted(one.verb for one in full_table() if one.role > Role.PLAYER)
ARGUMENTS = (
    "",
    "Ana",
    "here",
    "Ana to admin",
    "up to The Attic",
    "lamp",
    "here -> gone",
    "here x = y",
    "5",
    "Rook admin",
)
REPLIES = (
    "{line}",
    "~Rook> {line}",
    "say Yes.\n{line}",
    "Command: {line} | Ana says so",
    "```\n{line}\n```",
    '"{line}"',
)


def test_there_are_commands_above_agents():
    assert {"@shutdown", "@grant", "@dig", "@destroy", "@announce"} <= {*ABOVE}


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER])
def test_no_reply_becomes_a_command_above_the_role_of_its_agent(role):
    rook = inn().characters["Rook"]
    rook.role = role
    table = full_table()
    for verb in ABOVE:
        for arguments in ARGUMENTS:
            for reply in REPLIES:
                line = first_command(reply.format(line=f"{verb} {arguments}"), "Rook", table, (), open_to(rook)).line
                assert not line.startswith("@"), line


def test_nor_would_the_world_do_it_if_it_did():
    world = inn()
    game = Game(world, full_table())
    before = (len(world.rooms), len(world.things), len(world.characters), world.characters["Ana"].role)
    for verb in ABOVE:
        for arguments in ARGUMENTS:
            assert not game.perform("Rook", f"{verb} {arguments}").accepted
    assert (len(world.rooms), len(world.things), len(world.characters), world.characters["Ana"].role) == before
