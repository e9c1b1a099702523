"""Profiles at work: a queue each over one pool, and edits that are safe while requests are under way."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from agents.models.endpoint import EndpointStatus
from agents.models.model import Completion, ModelError, Request
from agents.models.model_selection import ModelSpec
from agents.models.profiles import Profiles
from agents.models.queue import ModelQueue
from agents.models.scheduler import Priority
from config.profiles import ModelProfile, ProfileSettings
from config.settings import ModelSettings
from tests.agents.models.places import Place, settle

AT_A = {"endpoints": "http://a:1", "model": "gemma"}
AT_BOTH = {"endpoints": "http://a:1, http://b:2", "model": "gemma"}


class Town:
    """Profiles with places instead of models, by address and model; `specs` are those of all that were made."""

    def __init__(self, *dead: str) -> None:
        self.places: dict[tuple[str, str], Place] = {}
        self.specs: list[ModelSpec] = []
        self.profiles = Profiles(random.Random(1), make=self._place)
        self._dead = dead

    async def set_up(self, **profiles: dict[str, Any]) -> tuple[str, ...]:
        """Apply these profiles, each with its settings; return what is said."""
        given = {name: ModelProfile(name, ProfileSettings(**one), frozenset(one)) for name, one in profiles.items()}
        return await self.profiles.set_up(ModelSettings(), given)

    def queue(self, name: str = "thinker") -> ModelQueue:
        return self.profiles.queues[name]

    def endpoints(self, name: str = "thinker") -> tuple[EndpointStatus, ...]:
        return self.queue(name).endpoints()

    async def asked(self, name: str, *owners: str) -> list[asyncio.Task[Completion]]:
        """Ask by a profile on behalf of each owner, whose name is the prompt."""
        asking = [
            self.queue(name).ask(owner, Priority.THOUGHT, lambda owner=owner: Request(owner))  # type: ignore[misc]
            for owner in owners
        ]
        tasks = [asyncio.create_task(one) for one in asking]
        await settle()
        return tasks

    def _place(self, spec: ModelSpec) -> Place:
        place = self.places[spec.address or spec.api, spec.model] = Place(spec.place)
        if spec.address in self._dead:
            place.dead = ModelError("It does not answer.", remedy="Start it.")
        self.specs.append(spec)
        return place


async def test_every_endpoint_of_the_thinker_is_tried_and_what_does_not_answer_is_told_and_left_for_later():
    town = Town("http://b:2")
    assert await town.set_up(thinker=AT_BOTH) == (
        "The agents think with gemma at http://a:1.",
        "For now, gemma at http://b:2 is not used: It does not answer. Start it.",
    )
    assert [(one.name, one.state, one.problem) for one in town.endpoints()] == [
        ("gemma at http://a:1", "closed", ""),
        ("gemma at http://b:2", "open", "It does not answer."),
    ]


async def test_an_endpoint_that_is_named_twice_is_one():
    town = Town()
    told = await town.set_up(thinker=AT_A | {"endpoints": "http://a:1, http://a:1/, http://a:1"})
    assert told == ("The agents think with gemma at http://a:1.",)
    assert [one.name for one in town.endpoints()] == ["gemma at http://a:1"]


async def test_a_profile_without_endpoints_has_the_thinkers_with_its_own_model_and_options():
    town = Town()
    mine = {"temperature": 1.3, "stop": r"\n\n | END", "model": "big"}
    await town.set_up(thinker=AT_BOTH, dreamer=mine, other={"max_tokens": 7})
    dreamer = town.queue("dreamer")
    request = await dreamer.built(dreamer.routes[0].model, lambda: Request("p", stop=("\n",), temperature=0.2))
    assert request == Request("p", stop=("\n", "\n\n", "END"), temperature=1.3)
    assert [route.endpoint.name for route in dreamer.routes] == ["big at http://a:1", "big at http://b:2"]
    assert town.queue("other").routes[0].model is town.queue().routes[0].model


async def test_a_fallback_stands_in_after_the_profile_s_own_endpoints():
    town = Town()
    await town.set_up(thinker=AT_A | {"fallback": "spare"}, spare={"endpoints": "embedded", "fallback": "thinker"})
    assert [(route.endpoint.name, route.tier) for route in town.queue().routes] == [
        ("gemma at http://a:1", 0),
        ("the embedded model", 1),
    ]


async def test_without_a_model_there_is_no_queue_and_nothing_that_was_is_lost_when_a_new_one_cannot_be_made():
    town = Town()
    said = await town.profiles.set_up(ModelSettings(model="none"), {})
    assert said == ("No language model: the world is open, and its agents sleep.",)
    assert town.profiles.thinker is None
    await town.set_up(thinker=AT_BOTH)
    with pytest.raises(ModelError):
        await town.profiles.set_up(ModelSettings(model="ollama:x", ollama_host="http://"), {})
    assert [one.name for one in town.endpoints()] == ["gemma at http://a:1", "gemma at http://b:2"]


async def test_an_edit_changes_what_is_asked_next_and_not_what_is_being_answered():
    town = Town()
    await town.set_up(thinker=AT_A | {"model": "old"})
    queue, tasks = town.queue(), await town.asked("thinker", "Ana")
    await town.set_up(thinker=AT_A | {"model": "new"})
    tasks += await town.asked("thinker", "Ben")
    old, new = town.places["http://a:1", "old"], town.places["http://a:1", "new"]
    assert (old.asked, new.asked, old.closed, town.queue() is queue) == (["Ana"], ["Ben"], 0, True)
    old.answer()
    new.answer()
    await asyncio.gather(*tasks)
    await settle()
    assert old.closed == 1


async def test_what_does_not_change_is_not_made_again():
    town = Town()
    for temperature in (0.5, 0.7):
        await town.set_up(thinker=AT_BOTH, dreamer={"temperature": temperature})
    assert [place.closed for place in town.places.values()] == [0, 0]
    assert len(town.specs) == 2


async def test_what_waits_for_a_profile_that_is_gone_is_answered_by_the_thinker_and_never_by_a_model_that_was_let_go():
    town, thinker = Town(), AT_A | {"concurrency": 1}
    await town.set_up(thinker=thinker, small={"endpoints": "http://b:2", "model": "tiny", "concurrency": 1})
    tasks = await town.asked("small", "Ana", "Ben")
    tiny, gemma = town.places["http://b:2", "tiny"], town.places["http://a:1", "gemma"]
    for now in (thinker, thinker | {"model": "newer"}):
        await town.set_up(thinker=now)
        await settle()
        assert list(town.profiles.queues) == ["thinker"]
        assert (len(tiny.under_way), len(gemma.under_way)) == (1, 1)
    gemma.answer()
    tiny.answer()
    assert [one.model for one in await asyncio.gather(*tasks)] == ["tiny at http://b:2", "gemma at http://a:1"]


async def test_who_waits_for_an_endpoint_that_hangs_goes_on_at_once_when_the_profile_gets_another():
    town = Town()
    await town.set_up(thinker=AT_A)
    tasks = await town.asked("thinker", "Ana", "Ben")
    await town.set_up(thinker=AT_A | {"endpoints": "http://b:2"})
    await settle()
    assert [len(place.under_way) for place in town.places.values()] == [1, 1]
    for place in town.places.values():
        place.answer()
    await asyncio.gather(*tasks)


async def test_prices_are_added_up():
    town = Town()
    await town.set_up(thinker=AT_A | {"price_in": 100_000.0, "price_out": 500_000.0})
    (task,) = await town.asked("thinker", "Ana")
    town.places["http://a:1", "gemma"].answer()  # 10 tokens in, 2 out
    await task
    assert town.queue().spent == pytest.approx(2.0)


# How many requests at a time


@pytest.mark.parametrize(
    ("endpoint", "given", "limit"),
    [
        ({}, (0, 4), [(1, False), (4, False)]),
        ({"endpoints": "embedded"}, (0,), [(1, False)]),
        ({"api": "openai"}, (1, 3, 0), [(1, False), (3, False), (1, True)]),
    ],
)
async def test_ollama_gets_one_request_at_a_time_unless_more_are_set_and_other_servers_as_many_as_pay(
    endpoint, given, limit
):
    town, found = Town(), []
    for concurrency in given:
        await town.set_up(thinker=AT_A | endpoint | {"concurrency": concurrency})
        found += [(one.limit, one.is_measured) for one in town.endpoints()]
    assert found == limit


async def test_profiles_that_do_not_agree_on_an_endpoint_spare_it():
    town = Town()
    await town.set_up(thinker=AT_A, two=AT_A | {"concurrency": 2}, five=AT_A | {"concurrency": 5})
    assert [one.limit for one in town.endpoints()] == [2]


# One model for several profiles


async def test_profiles_of_one_model_in_ollama_share_its_context_so_that_it_is_not_loaded_again_and_again():
    town = Town()
    said = await town.set_up(
        dreamer={"num_ctx": 8192, "temperature": 1.3},
        thinker=AT_A | {"num_ctx": 4096},
        other={"model": "big", "num_ctx": 8192},
    )
    assert said[0] == "num_ctx of dreamer is 4096 for gemma at http://a:1, as for others who use it."
    assert {(spec.model, spec.num_ctx) for spec in town.specs} == {("gemma", 4096), ("big", 8192)}
    assert town.queue("dreamer").routes[0].model is town.queue().routes[0].model


async def test_other_servers_are_left_their_own_context():
    town, both = Town(), AT_A | {"api": "openai"}
    await town.set_up(thinker=both | {"num_ctx": 4096}, dreamer=both | {"num_ctx": 8192})
    assert {spec.num_ctx for spec in town.specs} == {4096, 8192}


async def test_weights_in_this_process_are_loaded_once_whatever_the_profiles_want():
    town = Town()
    await town.set_up(
        thinker={"endpoints": "gguf:~/qwen.gguf, embedded", "num_ctx": 2048},
        dreamer={"endpoints": "gguf:~/qwen.gguf", "num_ctx": 2049},
        spare={"endpoints": "embedded", "num_ctx": 2050},
    )
    assert [(spec.api, spec.model, spec.num_ctx) for spec in town.specs] == [
        ("gguf", "~/qwen.gguf", 2048),
        ("embedded", "", 2048),
    ]
