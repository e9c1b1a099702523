"""Lines come in, events go out, and one guest's trouble is nobody else's."""

from __future__ import annotations

import logging

import pytest

from tests.english import ENGLISH
from tests.world.inn import Player, inn
from world.command import CommandTable, command
from world.entities import Character, Role, Room
from world.errors import WorldError
from world.events import Event, Refused, Said, SystemMessage
from world.game import CommandResult, Game
from world.world import World


@command("stumble")
def stumble(world: World, actor: Character) -> list[Event]:
    """Fail as a faulty command does."""
    raise RuntimeError("there was a hole in the floor")


def failing(event: Event, sentence: str) -> None:
    raise OSError("the line is dead")


def test_a_line_gives_its_command_and_what_happened(game):
    assert game.perform("Ana", "speak hello | she is kind") == CommandResult(
        "say", (Said("Ana", "The Common Room", "hello"),)
    )


def test_an_empty_line_is_nothing_at_all(game):
    ana = Player(game, "Ana")
    assert game.perform("Ana", "  ") == CommandResult("", ())
    assert ana.events == []


def test_a_refusal_is_an_event_for_the_actor_alone(game):
    ana, ben = Player(game, "Ana"), Player(game, "Ben")
    performed = game.perform("Ana", "get moon")
    reason = "There is no 'moon' lying here."
    assert (performed.accepted, performed.refusal, performed.events) == (False, reason, (Refused("Ana", reason),))
    assert ana.events == [Refused("Ana", reason)]
    assert ben.events == []


def test_a_command_that_fails_is_told_to_the_actor_and_logged_without_the_reason(caplog):
    game = Game(inn(), CommandTable([stumble]))
    ana, ben = Player(game, "Ana"), Player(game, "Ben")
    performed = game.perform("Ana", "stumble | quartz")
    assert not performed.accepted
    assert ana.screen() == ["Something went wrong with that command. It has been logged, and nothing else is affected."]
    assert ben.screen() == []
    assert "there was a hole in the floor" in caplog.text
    assert "quartz" not in caplog.text


def test_who_sleeps_perceives_nothing(game):
    ben = Player(game, "Ben")
    game.sleep("Ben")
    ben.screen()
    game.perform("Ana", "say hello")
    game.tell("Ben", "It is late.")
    assert ben.screen() == []


def test_sleeping_and_waking_twice_happen_once(game):
    ana, dan = Player(game, "Ana"), Player(game, "Dan")
    dan.wake()
    game.sleep("Dan")
    game.sleep("Dan")
    assert ana.screen() == ["Dan wakes up here.", "Dan falls asleep and is gone."]


def test_a_message_from_the_world_reaches_one(game):
    ana, ben = Player(game, "Ana"), Player(game, "Ben")
    game.tell("Ana", "It is late.")
    assert (ana.events, ana.screen(), ben.screen()) == ([SystemMessage("Ana", "It is late.")], ["It is late."], [])


def test_a_later_observer_takes_the_place_of_the_first(game):
    first, second = Player(game, "Ana"), Player(game, "Ana")
    game.perform("Ben", "say hello")
    assert (first.screen(), second.screen()) == ([], ['Ben says, "hello"'])


def test_no_log_holds_a_private_reason(game, caplog):
    caplog.set_level(logging.DEBUG)
    game.wake("Ben", failing)
    for line in ("say hi | quartz", "dance | quartz", "whisper ben hi |quartz", "get moon| quartz"):
        game.perform("Ana", line)
    assert "quartz" not in caplog.text


@pytest.mark.parametrize(
    ("rooms", "start", "complaint"),
    [([], "", "needs at least one room"), ([Room("Hall")], "Attic", "start room 'Attic' does not exist; rooms: Hall")],
)
def test_a_world_without_its_start_is_refused(rooms, start, complaint):
    with pytest.raises(WorldError, match=complaint):
        World(rooms, start_room_id=start)


@pytest.mark.parametrize(
    ("character", "complaint"),
    [
        (Character("Ana", "The Yard"), "already somebody called 'Ana'"),
        (Character("Eve", "The Moon"), "Eve cannot be in 'The Moon'"),
    ],
)
def test_a_newcomer_needs_a_name_and_a_room_of_its_own(character, complaint):
    world = inn()
    before = list(world.characters)
    with pytest.raises(WorldError, match=complaint):
        world.add_character(character)
    assert list(world.characters) == before


def test_a_guest_is_told_whom_a_command_is_for():
    @command("close", role=Role.BUILDER)
    def close(world: World, actor: Character) -> list[Event]:
        """Close the inn."""
        return []

    game = Game(inn(), CommandTable([close]))
    assert game.perform("Ana", "close").refusal == "close is for a builder and above; you are a player."
    game.world.characters["Ana"].role = Role.ADMIN
    assert game.perform("Ana", "close").accepted


def test_one_sentence_is_made_for_all_to_whom_an_event_is_alike(game):
    onlookers = [Player(game, name) for name in ("Ben", "Cat")]
    for onlooker in onlookers:
        game.world.characters[onlooker.name].room_id = "The Common Room"
    game.perform("Ana", "say hello")
    heard = [game.world.characters[onlooker.name].transient.speech_history[-1] for onlooker in onlookers]
    assert heard[0] == 'Ana says, "hello"'
    assert heard[0] is heard[1]


def test_a_line_of_nobody_here_is_refused(game):
    assert game.perform("Nobody", "look").refusal == ENGLISH("commands.went_wrong")


def test_what_an_alias_makes_of_a_line_is_measured_in_bytes(game):
    ana = Player(game, "Ana")
    ana.types("alias q = say %*%*")
    ana.screen()
    game.max_line_bytes = 100
    ana.types(f"q {'é' * 25}")
    assert ana.screen() == ["With what stands behind it, q becomes a line of 104 bytes; a line has at most 100."]
