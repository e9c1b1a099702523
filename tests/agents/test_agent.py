"""An agent perceives, remembers and takes its turns, whatever its model does."""

from __future__ import annotations

import asyncio
import itertools
import random
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.agent import Agent, Services
from agents.component import Turn
from agents.memory.memory import AgentMemory
from agents.models.model import ModelError, Request
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from agents.prompts.prompt import parse_template
from config.settings import AgentSettings, MemorySettings
from tests.agents.memory.lives import Life as Remembering
from tests.agents.memory.lives import talkative, windows
from tests.agents.templates import templates_of
from tests.scripted_model import Reply, ScriptedModel
from tests.vault.failing_disk import FailingDisk
from tests.vault.vault_of import vault_of
from tests.world.inn import Player, inn_game
from vault.entities.agent_notes import load_agent
from vault.memory.memory_line import Memory
from vault.vault import STARTER, Vault

AT = 1_764_016_501_000
ROOM = "The Common Room"
NOTE = f"---\nroom: '[[{ROOM}]]'\n---\nYou are Rook. You hum.\n"

T = TypeVar("T")


class Life:
    """Rook, an agent in the common room among Ana and Ben, with a model that answers from a script."""

    def __init__(
        self,
        root: Path,
        *script: Reply | Callable[[Request], Reply],
        constrains: bool = False,
        own: AgentSettings | None = None,
        yesterday: str = "~Rook> look\n",
        profile: str = "",
    ) -> None:
        self.disk = FailingDisk()
        vault = vault_of(
            root, {"agents/Rook/agent.md": NOTE + profile, "agents/Rook/yesterday.md": yesterday}, self.disk
        )
        ticks = itertools.count(AT, 1000)
        self.later_ms = 0
        self.memory = AgentMemory(vault, "Rook", MemorySettings(), lambda: next(ticks) + self.later_ms)
        self.memory.load()
        self.game = inn_game()
        rook = self.game.world.characters["Rook"]
        rook.room_id, rook.awake = ROOM, False
        template = parse_template(Vault(STARTER).read("templates", "agent_prompt.md").body, "agent_prompt")
        self.agent = Agent(
            load_agent(vault, "Rook"),
            own or AgentSettings(),
            self.memory,
            templates_of(template),
            random.Random(1),
            Services(self.game, lambda: AT),
        )
        self.model = ScriptedModel(*script, constrains=constrains)
        self.ana = Player(self.game, "Ana")

    def wakes(self) -> ModelQueue:
        """Give the agent its model; to be called in a running loop."""
        self.agent.queue = ModelQueue(self.model)
        self.game.wake("Rook", self.agent.perceive)
        return self.agent.queue

    def turns(self, count: int = 1) -> list[Turn]:
        """Let the agent take so many turns, and return them."""

        async def live() -> list[Turn]:
            self.wakes()
            return [await self.agent.tick() for _ in range(count)]

        return asyncio.run(live())

    def remembered(self, kind: str = "") -> list[str]:
        """Return the texts of all memories, or of one kind."""
        return [m.text for m in self.memories() if kind in ("", m.kind)]

    def memories(self) -> list[Memory]:
        return self.memory.journal.read(1, self.memory.journal.last)


async def settled(times: int = 5) -> None:
    """Let everything that can go on go on."""
    for _ in range(times):
        await asyncio.sleep(0)


def test_a_command_is_done_and_remembered_as_it_was_typed(tmp_path):
    life = Life(tmp_path, "say hello | to be kind")
    assert life.turns() == [Turn("acted", "say hello | to be kind")]
    assert life.ana.screen()[-1] == 'Rook says, "hello"'
    assert life.remembered() == ["say hello | to be kind"]
    assert life.agent.last_turn.outcome == "acted"


def test_what_came_of_a_command_is_remembered_behind_it(tmp_path):
    life = Life(tmp_path, "go north | it is warm there")
    life.turns()
    assert [(m.kind, m.text, m.room) for m in life.memories()] == [
        ("acted", "go north | it is warm there", ROOM),
        ("result", "You go north to The Kitchen.", "The Kitchen"),
    ]


def test_a_refusal_comes_back_as_a_result(tmp_path):
    life = Life(tmp_path, "get moon | it is pretty")
    (turn,) = life.turns()
    assert (turn.outcome, turn.line) == ("refused", "get moon | it is pretty")
    assert life.remembered("result") == [turn.why]
    assert "moon" in turn.why


def test_profile_without_room_names_its_note(tmp_path):
    life = Life(tmp_path, "look", profile="You know a great deal, Rook. " * 2000)  # six words, and as many tokens
    (turn,) = life.turns()
    assert turn.outcome == "failed"
    assert re.search(r"agents/Rook/agent\.md has about 12,0\d\d tokens, and num_ctx is 8,192: no prompt", turn.why)
    assert "Shorten that note, or raise num_ctx in config/models.md" in turn.why
    assert life.model.requests == []


@pytest.mark.parametrize("reply", ["", "   ", "I think I should probably wait for a while.", "<think>hm", "```\n```"])
def test_whoever_gives_no_command_learns_why_and_does_nothing(tmp_path, reply):
    life = Life(tmp_path, reply)
    (turn,) = life.turns()
    assert (turn.outcome, turn.line) == ("speechless", "")
    assert life.remembered() == [turn.why]
    assert "Type one command, such as: say hello" in turn.why
    assert life.ana.screen() == ["Rook wakes up here."]


def test_a_model_that_fails_is_logged_once_and_its_return_too(tmp_path, caplog):
    caplog.set_level("INFO")
    error = ModelError("scripted is gone.", remedy="Start it again.")
    life = Life(tmp_path, error, error, error, "say hello", error)
    turns = life.turns(5)
    assert [turn.outcome for turn in turns] == ["failed", "failed", "failed", "acted", "failed"]
    assert turns[0].why == "scripted is gone. Start it again."
    assert [r.getMessage() for r in caplog.records if r.name == "agents.turn.taking"] == [
        "Rook cannot think, and waits for its next beat: scripted is gone. Start it again.",
        "Rook can think again",
        "Rook cannot think, and waits for its next beat: scripted is gone. Start it again.",
    ]
    assert life.remembered() == ["say hello"]


def test_a_failure_that_nobody_foresaw_ends_the_turn_and_no_more(tmp_path, caplog):
    life = Life(tmp_path, RuntimeError("a hole in the floor"), "say hello")
    assert [turn.outcome for turn in life.turns(2)] == ["failed", "acted"]
    assert life.agent.last_turn.outcome == "acted"
    (record,) = [r for r in caplog.records if r.name == "agents.agent"]
    assert (record.getMessage(), bool(record.exc_info)) == ("the turn of Rook failed", True)


def test_whoever_is_not_in_the_world_does_not_think(tmp_path):
    life = Life(tmp_path, "say hello")

    async def live() -> Turn:
        life.wakes()
        life.game.sleep("Rook")
        return await life.agent.tick()

    assert asyncio.run(live()) == Turn("asleep")
    assert life.model.requests == []


def running(life: Life, act: Callable[[ModelQueue], Awaitable[T]]) -> T:
    """Wake the agent and do something with its queue."""

    async def live() -> T:
        return await act(life.wakes())

    return asyncio.run(live())


def test_the_prompt_is_made_when_the_turn_has_come_and_not_before(tmp_path):
    life = Life(tmp_path, "somebody else's", "say hello")

    async def act(queue: ModelQueue) -> None:
        life.model.hold()
        other = asyncio.create_task(queue.ask("Odile", Priority.THOUGHT, lambda: Request("other")))
        await settled()
        tick = asyncio.create_task(life.agent.tick())
        await settled()
        life.ana.types("say The ferry is here!")
        life.model.release()
        await asyncio.gather(other, tick)

    running(life, act)
    assert 'Ana says, "The ferry is here!"' in life.model.prompts[1]


def test_a_turn_cut_short_does_nothing_and_is_accounted_for(tmp_path):
    life = Life(tmp_path, "say hello")

    async def act(queue: ModelQueue) -> Any:
        life.model.hold()
        tick = asyncio.create_task(life.agent.tick())
        await settled()
        await queue.stop()
        return await tick, queue.status()

    turn, status = running(life, act)
    assert turn == Turn("asleep")
    assert (status.cancelled, status.running, status.waiting) == (1, 0, 0)
    assert life.remembered() == []


def test_a_cancelled_turn_stays_cancelled_and_leaves_the_model_free(tmp_path):
    life = Life(tmp_path, "say hello")

    async def act(queue: ModelQueue) -> Turn:
        life.model.hold()
        tick = asyncio.create_task(life.agent.tick())
        await settled()
        tick.cancel()
        with pytest.raises(asyncio.CancelledError):
            await tick
        life.model.release()
        return await life.agent.tick()

    assert running(life, act).outcome == "acted"


def test_whoever_is_spoken_to_goes_before_those_who_only_think(tmp_path):
    life = Life(tmp_path, "first", "say yes", "third")

    async def act(queue: ModelQueue) -> None:
        life.model.hold()
        first = asyncio.create_task(queue.ask("Odile", Priority.ANSWER, lambda: Request("first")))
        await settled()
        third = asyncio.create_task(queue.ask("Moss", Priority.THOUGHT, lambda: Request("third")))
        await settled()
        life.ana.types("say Rook, are you there?")
        tick = asyncio.create_task(life.agent.tick())
        await settled()
        life.model.release()
        await asyncio.gather(first, third, tick)

    running(life, act)
    assert [prompt.split()[0] for prompt in life.model.prompts] == ["first", "You", "third"]


def test_somebody_who_is_spoken_to_says_so_at_once(tmp_path):
    life, calls = Life(tmp_path), list[str]()
    life.agent.on_addressed = lambda: calls.append("addressed")

    async def act(queue: ModelQueue) -> None:
        for line in ("say to Ben It rains.", ":waves", "say Rook?", "whisper Rook psst"):
            life.ana.types(line)

    running(life, act)
    assert calls == ["addressed", "addressed"]


def test_what_others_do_is_remembered_with_people_and_importance(tmp_path):
    life = Life(tmp_path)

    async def act(queue: ModelQueue) -> None:
        life.ana.types("say Rook? | my reason")
        life.ana.types("north")

    running(life, act)
    assert [(m.kind, m.text, m.people, m.importance) for m in life.memories()] == [
        ("observed", 'Ana says, "Rook?"', ("Ana",), 6),  # they have not met before
        ("observed", "Ana leaves north to The Kitchen.", ("Ana",), 2),
    ]


def test_its_own_words_are_remembered_once(tmp_path):
    life = Life(tmp_path, "say hello", ":hums", "think They are kind.", "whisper Ana psst")
    life.turns(4)
    assert life.remembered() == ["say hello", "emote hums", "think They are kind.", "whisper Ana psst"]


def test_an_example_day_stands_in_for_memories_until_there_is_a_summary(tmp_path):
    life = Life(tmp_path, "look")
    life.turns()
    assert life.model.prompts[0].startswith("You are Rook. You hum.\n\n~Rook> look\n\n")
    assert life.model.prompts[0].endswith("\n~Rook>")


def test_a_request_carries_the_agent_s_own_settings(tmp_path):
    life = Life(tmp_path, "look", own=AgentSettings(temperature=0.2, reply_tokens=77))
    life.turns()
    (request,) = life.model.requests
    assert (request.temperature, request.max_tokens, request.grammar) == (0.2, 77, None)
    assert request.stop == ("\n~Rook>",)


@pytest.mark.parametrize(
    ("constrains", "steering", "held"), [(True, "auto", True), (True, "off", False), (False, "on", False)]
)
def test_a_model_that_takes_a_grammar_is_given_one_unless_it_shall_not(tmp_path, constrains, steering, held):
    life = Life(tmp_path, "look", constrains=constrains, own=AgentSettings(steering=steering))
    life.turns()
    (request,) = life.model.requests
    assert (request.grammar is not None) == held


def test_while_nothing_can_be_remembered_it_pauses_and_goes_on_by_itself(tmp_path):
    life = Life(tmp_path, "say hello", "say again")

    async def act(queue: ModelQueue) -> list[Turn]:
        with life.disk.full():
            life.ana.types("say Rook?")
            paused = await life.agent.tick()
        return [paused, await life.agent.tick()]

    paused, after = running(life, act)
    assert (paused.outcome, after.outcome) == ("paused", "acted")
    assert "No space left on device" in paused.why
    assert life.remembered() == ['Ana says, "Rook?"', "say hello"]


def test_edited_notes_count_from_the_next_thought(tmp_path):
    life = Life(tmp_path, "look", "look")
    template = parse_template("New: {profile}\n\n{tail}\n\n{scene}\n~{name}>", "t.md")

    async def act(queue: ModelQueue) -> None:
        await life.agent.tick()
        life.agent.adopt(life.agent.note, AgentSettings(temperature=0.1), templates_of(template))
        await life.agent.tick()

    running(life, act)
    assert life.model.prompts[1].startswith("New: You are Rook.")
    assert life.model.requests[1].temperature == 0.1


replies = st.one_of(
    st.text(max_size=80),
    st.sampled_from(
        [
            "look",
            "north",
            "go south | away",
            "get lamp",
            "say " + "a" * 5000,
            "~Rook> quit",
            "drop 2.lamp",
            "{}",
            "| |",
            "\x00",
            "'",
        ]
    ),
    st.sampled_from([ModelError("gone"), RuntimeError("odd"), TimeoutError(), ValueError("bad"), KeyError("x")]),
)


@given(st.lists(replies, min_size=16, max_size=16), st.booleans())
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_the_model_answers_the_agent_still_takes_its_turns(tmp_path_factory, script, constrains):
    answers = iter(script)
    life = Life(
        tmp_path_factory.mktemp("life"), lambda request: next(answers, "say I am still here."), constrains=constrains
    )
    turns = life.turns(17)
    assert {turn.outcome for turn in turns} <= {"acted", "refused", "speechless", "silent", "failed", "resting"}
    assert len(life.model.requests) <= 34
    assert [m.seq for m in life.memories()] == list(range(1, life.memory.journal.last + 1))
    assert life.memory.problem == ""


def test_a_life_is_the_same_again_from_the_same_seed(tmp_path):
    seeds = []
    for name in ("one", "two"):
        life = Life(tmp_path / name, "look", "look", "look", constrains=True)
        life.turns(3)
        seeds.append([(request.seed, request.grammar) for request in life.model.requests])
    assert seeds[0] == seeds[1]
    assert len({seed for seed, _ in seeds[0]}) == len(seeds[0]) > 1


class CachedQueue:
    """A queue before a model that had nine tenths of its prompts in its cache."""

    def status(self) -> SimpleNamespace:
        return SimpleNamespace(cached_share=0.9)


def test_a_compaction_is_weighed_with_what_the_model_has_in_its_cache(tmp_path):
    life = Life(tmp_path)
    assert life.agent.compactor._cached_share() == 0.0
    life.agent.queue = cast(ModelQueue, CachedQueue())
    assert life.agent.compactor._cached_share() == 0.9


def test_a_thought_that_waits_goes_first_when_somebody_speaks_to_the_agent(tmp_path):
    life = Life(tmp_path, "look", "say I am well.", "look")

    async def act(queue: ModelQueue) -> list[str]:
        ended: list[str] = []

        async def others(name: str) -> None:
            await queue.ask(name, Priority.THOUGHT, lambda: Request(f"~{name}>", max_tokens=8))
            ended.append(name)

        async def own() -> None:
            ended.append((await life.agent.tick()).outcome)

        life.model.hold()
        tasks = [asyncio.create_task(one) for one in (others("Cat"), others("Dan"), own())]
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        life.ana.types("say Rook, how are you?")
        life.model.release()
        await asyncio.gather(*tasks)
        return ended

    assert running(life, act)[0] == "acted"


def test_it_tells_that_it_thinks_as_its_model_is_asked(tmp_path):
    life, told = Life(tmp_path, "say hello"), list[str]()
    life.agent.on_thinking = lambda: told.append("thinking")
    life.ana.game.subscribe_lines("test", lambda name, line, performed: told.append(line))
    life.turns()
    assert told == ["thinking", "say hello"]


def test_without_a_model_it_sleeps_and_tells_of_no_thought(tmp_path):
    life, told = Life(tmp_path, "say hello"), list[str]()
    life.agent.on_thinking = lambda: told.append("thinking")
    assert asyncio.run(life.agent.tick()).outcome == "asleep"
    assert told == []


def test_it_tells_of_each_cycle_that_was_published(tmp_path):
    eliza, told = Remembering(tmp_path, windows(4, 4), talkative()), list[int]()
    eliza.compactor.on_compacted = lambda: told.append(eliza.compactor.stats.cycles)
    eliza.live(20)
    asyncio.run(eliza.compact())
    assert told and told == list(range(1, eliza.compactor.stats.cycles + 1))
