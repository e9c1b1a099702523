"""Every command there is explains itself, can be typed as its usage says, and has been: done, and refused."""

from __future__ import annotations

import re
from functools import cache

from tests.english import ENGLISH
from tests.full_table import full_table
from tests.typed import performed, verbs_elsewhere
from tests.world.inn import inn_game
from world.command import Command, words_of
from world.commands.table import world_commands
from world.entities import Role
from world.events import Output
from world.parsing import parse_line

COMMANDS = list(full_table())
OF_THE_WORLD = {one.verb for one in world_commands()}


@cache
def typed(done: bool) -> set[str]:
    """Return the verbs of the world that are done in a transcript, or that are refused there."""
    found = (full_table().get(parse_line(line).verb) for line, accepted in performed() if accepted is done)
    return {one.verb for one in found if one}


def test_every_command_says_in_a_sentence_what_it_does():
    for one in COMMANDS:
        assert re.fullmatch(r"[A-Z].*[.!?…]", one.summary), (
            f"{one.verb}: its help begins with no sentence: {one.summary!r}"
        )
        assert len(one.summary) <= 110, f"{one.verb}: the first line of its help is longer than 110 characters"
        assert one.help.endswith((".", "…")) or "\n" in one.help, f"{one.verb}: its help ends in no sentence"


def test_every_command_is_of_a_category_that_help_explains():
    for one in COMMANDS:
        key = f"helping.category_{one.category}"
        assert key in ENGLISH.sentences, f"{one.verb}: nothing in text/helping.md says what {one.category!r} is: {key}"


def test_every_command_is_for_somebody_and_unseen_by_all_or_not():
    for one in COMMANDS:
        assert one.role in Role, f"{one.verb}: it has no role"
        visible_to = one.visible_to == "nobody" or f"helping.noticed_by_{one.visible_to}" in ENGLISH.sentences
        assert visible_to, f"{one.verb}: help cannot say who notices: {one.visible_to!r}"
        assert not one.verb.startswith("@") or one.role >= Role.PLAYER or one.category == "self", (
            f"{one.verb}: a command with @ is for guests"
        )


def test_every_usage_can_be_typed_and_names_what_the_function_is_given():
    for one in COMMANDS:
        for usage in (one.usage, *one.also):
            words = words_of(usage)
            full = " ".join("7" if word.kind == "number" else word.kind or word.text for word in words)
            found = one.read(full)
            assert found is not None, f"{one.verb}: the usage {usage!r} does not admit {full!r}"
            assert set(found) <= set(one.act.__annotations__), (
                f"{one.verb}: its function does not take all of {set(found)}"
            )
        if all(word.optional for word in one.words):
            assert one.read("") is not None, f"{one.verb}: it cannot be typed alone, though {one.usage!r} says so"


def test_help_explains_every_command_by_each_of_its_names():
    for one in COMMANDS:
        game = inn_game()
        game.world.characters["Ana"].role = Role.ADMIN
        explain = full_table().get("help")
        assert explain
        for name in one.names:
            (event,) = explain.act(game.world, game.world.characters["Ana"], topic=name)
            assert isinstance(event, Output)
            assert event.text.startswith("\n".join([one.usage, *one.also, one.summary])), f"help {name}: {event.text}"


def test_every_command_is_done_in_a_transcript():
    for one in COMMANDS:
        if one.verb in OF_THE_WORLD:
            assert one.verb in typed(done=True), f"{one.verb}: no transcript in tests/transcripts does it"
            continue
        assert verbs_elsewhere() & {*one.names}, f"{one.verb}: typed in no test of tests/agents and tests/server"


def test_every_command_is_refused_in_a_transcript_if_it_can_be():
    for one in COMMANDS:
        if one.verb in OF_THE_WORLD and can_be_refused(one):
            assert one.verb in typed(done=False), f"{one.verb}: no transcript in tests/transcripts has it refused"


def can_be_refused(one: Command) -> bool:
    """Return whether a command of the world refuses one of a few lines that make little sense."""
    for rest in ("", " no such thing", " no -> such", " no = such"):
        game = inn_game()
        game.world.characters["Ana"].role = Role.ADMIN
        if not game.perform("Ana", one.verb + rest).accepted:
            return True
    return False
