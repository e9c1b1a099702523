"""Lines come in, events go out to observers, and one guest's or observer's trouble is nobody else's."""

from __future__ import annotations

import logging

import pytest

from tests.english import ENGLISH
from tests.world.inn import Player, inn
from world.command import CommandTable, command
from world.commands.table import world_commands
from world.entities import Character, Room
from world.errors import WorldError
from world.events import Arrived, EntityChanged, Event, Left, Refused, Said
from world.game import CommandResult, Game
from world.observers import PAUSE_SECONDS
from world.world import World

TOLD = "The observer {!r} failed; a further {} of it is not logged."


@command("stumble")
def stumble(world: World, actor: Character) -> list[Event]:
    """Fail as a faulty command does."""
    raise RuntimeError("there was a hole in the floor")


def failing(*told: object) -> None:
    raise OSError("No space left on device")


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
    assert ana.screen() == ["The alias q becomes a line of 104 bytes; a line has at most 100."]


class Time:
    """A monotonic clock that goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def game(time: Time) -> Game:
    return Game(inn(), world_commands(), seconds=time)


def test_events_of_a_line_come_together_and_first_means_before_anybody_perceives_them(game):
    order: list[object] = []
    game.subscribe("metrics", lambda events: order.append(("after", events)))
    game.subscribe("notes", lambda events: order.append(("before", events)), first=True)
    game.wake("Ben", lambda event, sentence: order.append(sentence))
    done = game.perform("Ana", "out")
    assert order == [("before", done.events), "Ana leaves out to The Yard.", ("after", done.events)]


def test_kinds_choose_events_and_an_observer_without_any_of_them_is_not_called(game):
    seen: list[tuple[Event, ...]] = []
    game.subscribe("moves", seen.append, (Left, Arrived))
    game.perform("Ana", "say hello")
    assert seen == []
    moved = game.perform("Ana", "out")
    assert seen == [tuple(event for event in moved.events if isinstance(event, Left | Arrived))]


def test_an_edit_that_nobody_perceives_is_told_to_who_asks_for_everything(game):
    everything: list[tuple[Event, ...]] = []
    some: list[tuple[Event, ...]] = []
    game.subscribe("everything", everything.append)
    game.subscribe("some", some.append, (EntityChanged,))
    game.publish(())
    assert (everything, some) == ([()], [])


def test_an_observer_of_lines_learns_who_typed_what_and_what_became_of_it(game, time):
    lines: list[object] = []
    game.subscribe_lines("audit", lambda *told: lines.append(("before", *told)), first=True)
    game.subscribe_lines("metrics", lambda who, text, done: lines.append(("after", who, text, done.seconds)))

    def take_time(event: Event, sentence: str) -> None:
        time.now += 0.25

    game.wake("Ben", take_time)
    done = game.perform("Ana", "say hello")
    assert lines == [("before", "Ana", "say hello", done), ("after", "Ana", "say hello", 0.25)]


@pytest.mark.parametrize("first", [True, False])
def test_each_kind_of_an_observer_s_failures_is_logged_by_its_name_once_and_harms_nobody(game, caplog, first):
    seen: list[tuple[Event, ...]] = []
    failures = [OSError("full"), ValueError("odd"), OSError("full again")]

    def fail(events: tuple[Event, ...]) -> None:
        raise failures.pop(0)

    game.subscribe("broken", fail, first=first)
    game.subscribe("notes", seen.append, first=first)
    game.subscribe_lines("broken", failing, first=first)
    ben = Player(game, "Ben")
    for _ in range(3):
        assert game.perform("Ana", "say hello").accepted
    assert ben.screen() == ['Ana says, "hello"'] * 3
    assert len(seen) == 3
    assert [record.getMessage() for record in caplog.records] == [
        TOLD.format("broken", "OSError"),
        TOLD.format("broken", "ValueError"),
    ]
    assert caplog.records[0].exc_info


def test_a_screen_that_fails_is_logged_by_name_and_the_next_of_that_name_again(game, caplog):
    ben = Player(game, "Ben")
    for _ in range(2):
        game.wake("Ana", failing)
        game.perform("Ana", "say hello")
        game.perform("Ana", "say hello")
    assert ben.screen() == ['Ana says, "hello"'] * 4
    assert [record.getMessage() for record in caplog.records] == [TOLD.format("Ana", "OSError")] * 2


def test_a_slow_observer_is_logged_by_name_once_and_left_out_for_a_while(game, time, caplog):
    called: list[float] = []
    seen: list[tuple[Event, ...]] = []

    def dawdle(events: tuple[Event, ...]) -> None:
        called.append(time.now)
        time.now += 1.5

    game.subscribe("slow", dawdle)
    game.subscribe("metrics", seen.append)
    for _ in range(100):
        game.perform("Ana", "say hello")
    assert (len(called), len(seen)) == (1, 100)
    assert time.now == 101.5  # nobody was delayed more than once
    time.now += PAUSE_SECONDS
    game.perform("Ana", "say hello")
    assert called == [100.0, 101.5 + PAUSE_SECONDS]
    assert [record.getMessage() for record in caplog.records] == [
        "The observer 'slow' took 1.5 s, in which nothing else was done. It is left out for 60 s each time."
    ]


def test_saving_is_never_left_out_however_slow(game, time, caplog):
    saved: list[tuple[Event, ...]] = []

    def save(events: tuple[Event, ...]) -> None:
        saved.append(events)
        time.now += 2.0

    game.subscribe("notes", save, first=True)
    for _ in range(3):
        game.perform("Ana", "say hello")
    assert len(saved) == 3
    assert [record.getMessage() for record in caplog.records] == [
        "The observer 'notes' took 2.0 s, in which nothing else was done."
    ]


def test_a_slow_screen_is_logged_by_name(game, time, caplog):
    def dawdle(event: Event, sentence: str) -> None:
        time.now += 1.0

    game.wake("Ben", dawdle)
    for _ in range(2):
        game.perform("Ana", "say hello")
    assert [record.getMessage() for record in caplog.records] == [
        "The observer 'Ben' took 1.0 s, in which nothing else was done."
    ]


@pytest.mark.parametrize("kind", ["events", "lines", "perceptions"])
def test_no_observer_can_perform(game, caplog, kind):
    def meddle(*told: object) -> None:
        game.perform("Ben", "say I agree.")

    ana = Player(game, "Ana")
    if kind == "events":
        game.subscribe("meddler", meddle)
    elif kind == "lines":
        game.subscribe_lines("meddler", meddle)
    else:
        game.wake("Ben", meddle)
    assert game.perform("Ana", "say hello").accepted
    assert ana.events == [Said("Ana", "The Common Room", "hello")]
    name = "Ben" if kind == "perceptions" else "meddler"
    assert f"The observer {name!r} called perform; observers only look." in caplog.text
    assert game.perform("Ana", "out").accepted


def test_an_observer_may_tell_somebody_something(game):
    ana = Player(game, "Ana")
    game.subscribe("notes", lambda events: game.tell("Ana", "Saved.") if isinstance(events[0], Said) else None)
    game.perform("Ben", "say hello")
    assert ana.screen() == ['Ben says, "hello"', "Saved."]


def test_two_observers_of_one_thing_cannot_share_a_name(game):
    game.subscribe("metrics", failing)
    game.subscribe_lines("metrics", failing)
    with pytest.raises(WorldError, match="an observer 'metrics' already"):
        game.subscribe("metrics", failing)
