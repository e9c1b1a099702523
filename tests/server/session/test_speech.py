"""The brake on speech: of one character others hear a burst and then a line a second, whatever door it came by."""

from __future__ import annotations

import pytest

from config.settings import ServerSettings
from server.session.registry import SessionRegistry
from server.session.speech import MAX_WAITING
from tests.server.fake_connection import Guest, entered
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game
from world.entities import Role

BURST = 8
FORMS = ("say It rains.", "'It rains.", '"It rains.', "speak It rains.", "emote sees that It rains.",
         ":sees that It rains.", "whisper ben It rains.", "tell ben It rains.", "page ben It rains.",
         "shout It rains.", "reply It rains.", "share weather -> It rains.", "rain", "!")  # fmt: skip


@pytest.fixture
def registry(tmp_path) -> SessionRegistry:
    registry = lobby_of(tmp_path, inn_game(), ServerSettings())
    registry.game.world.characters["Ana"].preferences["alias rain"] = "say It rains."
    registry.game.subscribe_lines("speech", registry.speech.note_line, first=True)
    return registry


@pytest.fixture
def ana(registry) -> Guest:
    return entered(registry, "Ana")


@pytest.fixture
def ben(registry, ana) -> Guest:
    guest = entered(registry, "Ben")
    ana.screen()
    return guest


def heard(registry: SessionRegistry, line: str, times: int) -> list[str]:
    """Return what is performed of a line that Ana types some times at once."""
    performed: list[str] = []
    registry.game.subscribe_lines("test", lambda who, text, result: performed.append(text), first=True)
    for _ in range(times):
        registry.speech.perform("Ana", line, lambda why: None)
    return performed


@pytest.mark.parametrize("line", FORMS)
def test_every_form_of_speech_has_one_brake(registry, ana, ben, line):
    ben.types("tell ana Is it raining?")
    registry.game.perform("Ana", "say It rains.")
    registry.clock.advance(1.0)
    performed = heard(registry, line, 100)
    assert len(performed) == BURST
    registry.clock.pump([0.5] * 10)
    assert len(performed) == BURST + 5
    registry.clock.pump([0.5] * 100)
    assert len(performed) == BURST + MAX_WAITING


@pytest.mark.parametrize("line", ["look", "who", "inventory", "help say", "go north", "get lantern"])
def test_other_commands_have_no_brake(registry, ana, line):
    assert len(heard(registry, line, 100)) == 100


def test_lines_beyond_those_that_wait_are_refused_and_told_how_to_go_on(ana, ben):
    told = ana.types(*(f"say {number}" for number in range(BURST + MAX_WAITING + 1)))
    assert told.count("You say") == BURST
    assert " ".join(told.partition("Not said")[2].split()) == (
        ": 'say 28'. 20 lines of yours wait already, and one is said at a time. Type it again in 20 seconds. >"
    )


def test_own_lines_keep_their_order_where_others_perceive_it(registry, ana, ben):
    ana.types(*(f"say {number}" for number in range(BURST)))
    assert "A long table" in ana.types("say goodbye", "go out", "look"), "looking waits for nothing"
    assert registry.game.world.characters["Ana"].room_id == "The Common Room"
    ben.screen()
    registry.clock.pump([0.5] * 4)
    heard = ben.screen()
    assert heard.index("goodbye") < heard.index("Ana leaves")


def test_speech_of_one_delays_no_other(registry, ana, ben):
    ana.types(*(f"say {number}" for number in range(20)))
    assert 'You say, "hello"' in ben.types("say hello")


def test_coming_back_fills_no_bucket(registry, ana, ben):
    ana.types(*(f"say {number}" for number in range(20)))
    ana.hangs_up()
    back = Guest(registry)
    back.enters("Ana")
    assert back.types("say again").count("You say") == 0


def test_agent_thinks_no_sooner_than_it_may_speak(registry):
    registry.game.world.characters["Rook"].role = Role.PLAYER
    waits = list[bool]()
    for _ in range(BURST + 1):
        waits.append(bool(registry.speech.wait_seconds("Rook")))
        registry.game.perform("Rook", "say It rains.")
    assert waits == [False] * BURST + [True]
    registry.clock.advance(2)
    assert registry.speech.wait_seconds("Rook") == 0


def test_no_limit_is_no_limit(registry, ana, ben):
    registry.speech = type(registry.speech)(
        registry.game, registry.perform, lambda: ServerSettings(speech_per_second=0), registry.clock
    )
    assert len(heard(registry, "say hello", 500)) == 500
