"""Ending so that the next world begins in the same process, and going on where everybody was."""

from __future__ import annotations

import json
import os
import random
import signal
import sys

import pytest
from twisted.internet.task import Clock

from agents.population import Population
from config.settings import ServerSettings
from server.lifecycle.restart import VARIABLE, Inherited, SessionRestore, inherited, reexec
from tests.agents.test_population import TEMPLATES
from tests.server.fake_connection import Guest
from tests.server.front_door import NOW_MS, lobby_of
from tests.vault.vault_of import vault_of
from tests.world.inn import inn_game
from vault.config_notes import load_settings


class Execution:
    """What executes a program, as far as anybody can tell: it remembers what it was asked, and how it was asked."""

    def __init__(self, failure: OSError | None = None) -> None:
        self.asked: tuple[str, list[str], dict[str, str]] = ("", [], {})
        self.inheritable: list[bool] = []
        self.blocked: set[signal.Signals] = set()
        self._failure = failure

    def __call__(self, path: str, arguments: list[str], environ: dict[str, str]) -> None:
        self.asked = (path, arguments, environ)
        self.blocked = set(map(signal.Signals, signal.pthread_sigmask(signal.SIG_BLOCK, set())))
        sockets = json.loads(environ[VARIABLE])["sockets"]
        self.inheritable = [os.get_inheritable(one) for several in sockets.values() for one in several]
        if self._failure:
            raise self._failure


@pytest.fixture
def descriptor():
    reading, writing = os.pipe()
    yield reading
    os.close(reading)
    os.close(writing)


def test_the_same_program_is_executed_with_its_sockets_while_a_hang_up_waits(descriptor):
    before, execute = signal.getsignal(signal.SIGHUP), Execution()
    reexec({"telnet": [descriptor]}, {"telnet": ("127.0.0.1", 0)}, {"HOME": "/"}, execute)
    path, arguments, environ = execute.asked
    assert (path, arguments) == (sys.executable, [sys.executable, *sys.orig_argv[1:]])
    assert (execute.inheritable, execute.blocked) == ([True], {signal.SIGHUP})
    assert signal.getsignal(signal.SIGHUP) is before
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == set()
    found = inherited(environ, os.getpid())
    assert found == Inherited({"telnet": [descriptor]}, {"telnet": ("127.0.0.1", 0)})
    assert (os.get_inheritable(descriptor), environ) == (False, {"HOME": "/"})


def test_a_program_that_cannot_be_executed_is_told():
    failure = reexec({}, {}, {}, Execution(OSError(2, "No such file or directory")))
    assert failure == (
        f"the world is closed and cannot restart: {sys.executable} cannot be executed: No such file or directory."
    )


def test_what_another_process_was_given_is_not_taken():
    environ = {VARIABLE: json.dumps({"pid": os.getpid() + 1, "sockets": {"telnet": [3]}, "asked": {}})}
    assert (inherited(environ, os.getpid()), environ) == (Inherited(), {})


@pytest.mark.parametrize("text", ["{", "[]", "7", '{"pid": 7}', '{"pid": 7, "sockets": {"telnet": 3}, "asked": {}}'])
def test_what_cannot_be_understood_is_not_taken_either(text, caplog):
    assert inherited({VARIABLE: text}, 7) == Inherited()
    assert "so the ports are opened again" in caplog.text


NOTES = TEMPLATES | {"agents/Rook/agent.md": "---\nroom: '[[The Common Room]]'\n---\nYou are Rook.\n"}


class Run:
    """One life of a process that serves the inn; another one of the same folder is the next."""

    def __init__(self, root, now_ms: int = NOW_MS) -> None:
        self.vault = vault_of(root / "vault", NOTES)
        self.game = inn_game()
        self.world = self.game.world
        self.clock = Clock()
        self.registry = lobby_of(root, self.game, clock=self.clock)
        self.agents = Population(self.vault, load_settings(self.vault), self.game, random.Random(1), lambda: now_ms)
        self.world.characters["Rook"].room_id = "The Common Room"
        settings = ServerSettings(return_seconds=60)
        self.resuming = SessionRestore(
            self.vault, self.game, self.agents, self.registry, lambda: settings, lambda: now_ms
        )
        self.resuming.resume()

    def wakes_rook(self) -> None:
        self.game.wake("Rook", self.agents["Rook"].perceive)

    def ends(self, restart: bool = True) -> None:
        self.resuming.keep(restart)

    def remembered(self) -> list[str]:
        journal = self.agents["Rook"].memory.journal
        return [one.text for one in journal.read(1, journal.last)]

    def awake(self) -> list[str]:
        return sorted(one.name for one in self.world.awake())


def talking(root) -> Run:
    """Return a run in which Ana has spoken to Rook, follows Ben, and was told something by him."""
    run = Run(root)
    run.wakes_rook()
    ana, ben = Guest(run.registry), Guest(run.registry)
    ana.enters("Ana")
    ben.enters("Ben")
    ana.types("follow ben", "say Rook, are you there?")
    ben.types("tell ana This way.")
    return run


def test_after_a_restart_all_stand_where_they_were_and_nobody_has_noticed_anything(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 2000)
    before = again.remembered()
    assert again.awake() == ["Ana", "Ben", "Rook"]
    ana, ben = Guest(again.registry), Guest(again.registry)
    ana.enters("Ana")
    ben.enters("Ben")
    assert again.remembered() == before
    assert ben.screen() + ana.screen() == ""
    assert 'Ben tells you, "This way."' in ana.types("history")
    assert ana.types("reply Coming.") == 'You tell Ben, "Coming."\n> '
    ben.types("north")
    assert again.world.characters["Ana"].room_id == "The Kitchen"


def test_an_agent_hears_what_is_said_before_it_can_think_again_and_still_owes_its_answer(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 2000)
    ana = Guest(again.registry)
    ana.enters("Ana")
    ana.types("say As I said.")
    rook = again.agents["Rook"]
    assert rook.awareness.addressed.by_person
    assert again.remembered()[-1] == 'Ana says, "As I said."'
    again.wakes_rook()
    assert ana.screen() == ""


def test_whoever_does_not_come_back_after_a_restart_falls_asleep_a_minute_later(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 2000)
    Guest(again.registry).enters("Ana")
    again.clock.advance(60)
    assert again.awake() == ["Ana", "Rook"]


def test_after_a_plain_stop_all_are_asleep_but_know_whom_they_answered(tmp_path):
    talking(tmp_path).ends(restart=False)
    again = Run(tmp_path, NOW_MS + 2000)
    assert again.awake() == []
    assert again.world.characters["Ana"].transient.reply_to_id == "Ben"


def test_a_night_later_nothing_is_left_of_it(tmp_path):
    talking(tmp_path).ends()
    again = Run(tmp_path, NOW_MS + 60_001)
    assert (again.awake(), again.world.characters["Ana"].transient.reply_to_id) == ([], "")


def test_a_second_start_after_one_that_crashed_does_not_take_it_for_new(tmp_path):
    talking(tmp_path).ends()
    Run(tmp_path, NOW_MS + 2000)
    assert Run(tmp_path, NOW_MS + 4000).awake() == []


def test_of_guests_nothing_is_kept(tmp_path):
    run = Run(tmp_path)
    Guest(run.registry).types("guest")
    run.ends()
    assert Run(tmp_path).awake() == []


def test_at_a_restart_guests_and_callers_at_the_door_are_promised_nothing_that_is_not_kept(tmp_path):
    run = Run(tmp_path)
    ana, guest, nameless = Guest(run.registry), Guest(run.registry), Guest(run.registry)
    ana.enters("Ana")
    guest.types("guest")
    for one in (ana, guest, nameless):
        one.screen()
    run.registry.send_home(run.resuming.last_word)
    assert [one.connection.screen().strip() for one in (ana, guest, nameless)] == [
        "Connect again now: you go on where you are.",
        "Connect again now. Guests begin anew; with a name of your own you would go on.",
        "Connect again now.",
    ]
