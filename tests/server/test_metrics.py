"""The figures: read from the world, counted as they happen, and free of what anybody has typed."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families
from twisted.internet.testing import MemoryReactorClock

from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from server.app import Fallwater
from server.health import ReactorLag
from server.metrics import ActivityMetrics, WorldMetrics, new_registry
from tests.scripted_model import ScriptedModel
from tests.server.monitored_world import world_of
from world.command import command
from world.entities import Character
from world.events import Event
from world.world import World


class Watcher:
    """Watches a world in which Ana is awake, and asks for its figures."""

    def __init__(self, world: Fallwater, reactor: MemoryReactorClock) -> None:
        self.world = world
        self.registry = new_registry()
        activity = ActivityMetrics(self.registry)
        self.lag = ReactorLag(reactor, activity.lag_seconds.observe)
        self.registry.register(WorldMetrics(world.monitored, self.lag))
        activity.begin(world.monitored)
        world.world.add_character(Character("Ana", world.world.start_room_id, ""))
        world.game.wake("Ana", lambda event, text: None)

    def types(self, line: str) -> None:
        """Do a line as Ana, as a session does."""
        self.world.registry.perform("Ana", line)

    def text(self) -> str:
        """Return all figures as they are told."""
        return generate_latest(self.registry).decode()

    def figure(self, name: str, **labels: str) -> float:
        """Return one figure."""
        for family in text_string_to_metric_families(self.text()):
            for sample in family.samples:
                if sample.name == f"fallwater_{name}" and sample.labels == labels:
                    return float(sample.value)
        raise AssertionError(f"no {name} {labels} in\n{self.text()}")


@pytest.fixture
def reactor() -> MemoryReactorClock:
    return MemoryReactorClock()


@pytest.fixture
def watcher(tmp_path, reactor):
    world = world_of(tmp_path, reactor)
    yield Watcher(world, reactor)
    world.agents.close()


def test_lines_are_counted_by_command_by_whom_and_by_result(watcher):
    watcher.types("look")
    watcher.types("l")
    watcher.types("get moon")
    watcher.world.game.perform("Eliza", "say Good morning.")
    assert watcher.figure("commands_total", command="look", by="people", result="done") == 2
    assert watcher.figure("commands_total", command="get", by="people", result="refused") == 1
    assert watcher.figure("commands_total", command="say", by="agents", result="done") == 1
    assert watcher.figure("command_seconds_count") == 3  # of people's lines alone


def test_what_is_no_command_is_counted_under_a_name_of_ours(watcher):
    watcher.types('frobnicate"\n{evil="1"} 7')
    assert watcher.figure("commands_total", command="unknown", by="people", result="refused") == 1
    assert "frobnicate" not in watcher.text()
    assert "evil" not in watcher.text()


def test_a_command_that_breaks_is_told_from_one_that_is_refused(watcher):
    @command("tremble")
    def tremble(world: World, actor: Character) -> list[Event]:
        """Break."""
        raise RuntimeError("it broke")

    watcher.world.game.commands.add((tremble,))
    watcher.types("tremble")
    assert watcher.figure("commands_total", command="tremble", by="people", result="failed") == 1


def test_events_are_counted_by_kind(watcher):
    watcher.types("say Good morning.")
    assert watcher.figure("events_total", kind="Said") == 1


def test_memories_agents_and_people_are_counted_as_they_are_now(watcher):
    agents = watcher.world.agents
    before = watcher.figure("memories")
    agents["Eliza"].memory.record("observed", "It rains.")
    assert watcher.figure("memories") == before + 1
    assert watcher.figure("agents", state="asleep") == len(agents)
    assert (watcher.figure("players"), watcher.figure("open")) == (0, 0)


def test_compactions_are_counted_by_how_they_ended(watcher):
    record = watcher.world.agents["Eliza"].compactor.stats
    record.cycles, record.failures = 3, 2
    assert watcher.figure("compactions_total", result="done") == 3
    assert watcher.figure("compactions_total", result="failed") == 2


def test_requests_to_models_are_counted_by_endpoint_and_result_with_what_they_cost(watcher):
    async def story() -> None:
        scheduler = watcher.world.monitored.scheduler
        scheduler.queue = ModelQueue(ScriptedModel("say hello", "go on and on", ModelError("It is gone.")))
        for _ in range(2):
            await scheduler.queue.ask("Eliza", Priority.THOUGHT, lambda: Request("Who is there?"))
        with pytest.raises(ModelError):
            await scheduler.queue.ask("Eliza", Priority.THOUGHT, lambda: Request("And now?"))

    asyncio.run(story())
    assert watcher.figure("model_requests_total", endpoint="scripted", result="answered") == 2
    assert watcher.figure("model_requests_total", endpoint="scripted", result="failed") == 1
    assert watcher.figure("model_tokens_total", endpoint="scripted", kind="prompt") == 3 + 3
    assert watcher.figure("model_tokens_total", endpoint="scripted", kind="completion") == 2 + 4
    assert watcher.figure("model_queue_waiting", queue="thinker") == 0


def test_traffic_is_told_by_door_with_the_reason_for_which_clients_were_dropped(watcher):
    web = watcher.world.registry.traffic["web"]
    web.connections, web.sent_bytes, web.sent_lines, web.resumes = 3, 4711, 12, 5
    web.dropped["does not read"] = 2
    names = ("connections", "output_bytes_total", "output_lines_total", "resumes_total", "sessions")
    assert [watcher.figure(name, door="web") for name in names] == [3, 4711, 12, 5, 0]
    assert [watcher.figure(name, door="telnet") for name in names] == [0, 0, 0, 0, 0]
    assert watcher.figure("dropped_clients_total", door="web", reason="does_not_read") == 2
    assert watcher.figure("dropped_clients_total", door="telnet", reason="does_not_read") == 0


def test_connections_that_were_not_let_in_are_told_by_door_and_reason_from_0_on(watcher):
    watcher.world.registry.limiter.refuse("203.0.113.5", "banned", "telnet")
    reasons = ("full", "too_many_from_there", "too_often", "banned", "wrong_address", "bad_ticket")
    told = [watcher.figure("turned_away_total", door="telnet", reason=reason) for reason in reasons]
    assert told == [0, 0, 0, 1, 0, 0]
    assert watcher.figure("turned_away_total", door="web", reason="banned") == 0


def test_how_late_the_reactor_is_counts_while_it_is_late(watcher, reactor):
    watcher.lag.start()
    reactor.advance(0.5)
    assert watcher.figure("reactor_lag_worst_seconds") == 0
    reactor.advance(3.5)  # what was due after half a second is done now
    assert watcher.figure("reactor_lag_worst_seconds") == 3
    assert watcher.figure("reactor_lag_seconds_bucket", le="0.0005") == 1
    assert watcher.figure("reactor_lag_seconds_count") == 2
    reactor.pump([0.5] * 130)
    assert watcher.figure("reactor_lag_worst_seconds") == 0  # it is longer ago than a minute


def test_the_process_itself_is_told_of(watcher):
    assert "process_resident_memory_bytes " in watcher.text()
    assert "process_open_fds " in watcher.text()


def test_no_series_tells_when_a_counter_began(watcher):
    watcher.types("look")
    assert "_created" not in watcher.text()
