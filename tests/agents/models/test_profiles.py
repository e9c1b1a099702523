"""Profiles at work: a queue each over one pool, and edits that are safe while requests are under way."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from agents.models.model import ModelError, Request
from agents.models.model_selection import ModelSpec
from agents.models.profiles import Profiles
from agents.models.scheduler import Priority
from config.profiles import ModelProfile, ProfileSettings
from config.settings import ModelSettings
from tests.agents.models.places import Place, settle

HOSTS = "http://a:1, http://b:2"


class Made:
    """Makes places instead of models, and keeps them by address and model."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, str], Place] = {}
        self.specs: list[ModelSpec] = []
        self.dead: set[str] = set()

    def __call__(self, spec: ModelSpec) -> Place:
        place = Place(spec.place)
        if spec.address in self.dead:
            place.dead = ModelError("It does not answer.", remedy="Start it.")
        self.places[spec.address or spec.api, spec.model] = place
        self.specs.append(spec)
        return place


def profile(name: str, **settings: Any) -> tuple[str, ModelProfile]:
    return name, ModelProfile(name, ProfileSettings(**settings), frozenset(settings))


def begun(made: Made) -> Profiles:
    return Profiles(random.Random(1), make=made)


THINKER = profile("thinker", endpoints=HOSTS, model="gemma")


async def test_every_endpoint_of_the_thinker_is_tried_and_what_does_not_answer_is_told_and_left_for_later():
    made = Made()
    made.dead = {"http://b:2"}
    profiles = begun(made)
    said = await profiles.set_up(ModelSettings(), dict([THINKER]))
    assert profiles.thinker
    endpoints = [(one.name, one.state, one.problem) for one in profiles.thinker.endpoints()]
    assert said == (
        "The agents think with gemma at http://a:1.",
        "For now, gemma at http://b:2 is not used: It does not answer. Start it.",
    )
    assert endpoints == [
        ("gemma at http://a:1", "closed", ""),
        ("gemma at http://b:2", "open", "It does not answer."),
    ]


async def test_a_profile_without_endpoints_has_the_thinkers_with_its_own_model_and_options():
    made = Made()
    profiles = begun(made)
    mine = profile("dreamer", temperature=1.3, stop=r"\n\n | END", model="big")
    same = profile("other", max_tokens=7)
    await profiles.set_up(ModelSettings(), dict([THINKER, mine, same]))
    dreamer, other, thinker = (profiles.queues[name] for name in ("dreamer", "other", "thinker"))
    request = await dreamer.built(dreamer.routes[0].model, lambda: Request("p", stop=("\n",), temperature=0.2))
    names = [route.endpoint.name for route in dreamer.routes]
    is_shared = other.routes[0].model is thinker.routes[0].model
    assert request == Request("p", stop=("\n", "\n\n", "END"), temperature=1.3)
    assert names == ["big at http://a:1", "big at http://b:2"]
    assert is_shared


async def test_a_fallback_stands_in_after_the_profile_s_own_endpoints():
    profiles = begun(Made())
    thinker = profile("thinker", endpoints="http://a:1", model="gemma", fallback="spare")
    await profiles.set_up(ModelSettings(), dict([thinker, profile("spare", endpoints="embedded", fallback="thinker")]))
    assert [(route.endpoint.name, route.tier) for route in profiles.queues["thinker"].routes] == [
        ("gemma at http://a:1", 0),
        ("the embedded model", 1),
    ]


async def test_an_edit_changes_what_is_asked_next_and_not_what_is_being_answered():
    made = Made()
    profiles = begun(made)
    await profiles.set_up(ModelSettings(), dict([profile("thinker", endpoints="http://a:1", model="old")]))
    queue = profiles.thinker
    assert queue
    running = asyncio.create_task(queue.ask("Ana", Priority.THOUGHT, lambda: Request("first")))
    await settle()
    await profiles.set_up(ModelSettings(), dict([profile("thinker", endpoints="http://a:1", model="new")]))
    later = asyncio.create_task(queue.ask("Ben", Priority.THOUGHT, lambda: Request("second")))
    await settle()
    old, new = made.places["http://a:1", "old"], made.places["http://a:1", "new"]
    asked, closed = (old.asked, new.asked), old.closed
    old.answer()
    new.answer()
    await asyncio.gather(running, later)
    await settle()
    assert (asked, closed, old.closed, profiles.thinker is queue) == ((["first"], ["second"]), 0, 1, True)


async def test_what_does_not_change_is_not_made_again():
    made = Made()
    profiles = begun(made)
    for temperature in (0.5, 0.7):
        mine = profile("dreamer", temperature=temperature)
        await profiles.set_up(ModelSettings(), dict([THINKER, mine]))
    assert [place.closed for place in made.places.values()] == [0, 0]
    assert len(made.specs) == 2


async def test_a_profile_that_is_gone_has_no_queue_any_more():
    profiles = begun(Made())
    await profiles.set_up(ModelSettings(), dict([THINKER, profile("small", model="tiny")]))
    await profiles.set_up(ModelSettings(), dict([THINKER]))
    assert list(profiles.queues) == ["thinker"]


async def test_without_a_model_there_is_no_queue_and_nothing_that_was_is_lost_when_a_new_one_cannot_be_made():
    profiles = begun(Made())
    said = await profiles.set_up(ModelSettings(model="none"), {})
    none = profiles.thinker
    await profiles.set_up(ModelSettings(), dict([THINKER]))
    with pytest.raises(ModelError):
        await profiles.set_up(ModelSettings(model="ollama:x", ollama_host="http://"), {})
    names = [route.endpoint.name for route in profiles.queues["thinker"].routes]
    assert (said, none) == (("No language model: the world is open, and its agents sleep.",), None)
    assert names == ["gemma at http://a:1", "gemma at http://b:2"]


async def test_prices_are_added_up():
    made = Made()
    profiles = begun(made)
    thinker = profile("thinker", endpoints="http://a:1", model="m", price_in=100_000.0, price_out=500_000.0)
    await profiles.set_up(ModelSettings(), dict([thinker]))
    queue = profiles.queues["thinker"]
    asking = asyncio.create_task(queue.ask("Ana", Priority.THOUGHT, lambda: Request("p")))
    await settle()
    made.places["http://a:1", "m"].answer()  # 10 tokens in, 2 out
    await asking
    assert queue.spent == pytest.approx(2.0)


async def test_an_endpoint_gets_as_many_requests_at_a_time_as_its_profile_says_also_one_and_after_an_edit():
    profiles, found = begun(Made()), []
    for concurrency in (1, 3, 0):
        one = profile("thinker", endpoints="http://a:1", api="openai", model="gemma", concurrency=concurrency)
        await profiles.set_up(ModelSettings(), dict([one]))
        assert profiles.thinker
        found += [(one.limit, one.is_measured) for one in profiles.thinker.endpoints()]
    assert found == [(1, False), (3, False), (1, True)]


async def test_profiles_that_do_not_agree_on_an_endpoint_spare_it():
    profiles = begun(Made())
    thinker = profile("thinker", endpoints="http://a:1", model="gemma")
    others = [profile(f"p{n}", endpoints="http://a:1", model="gemma", concurrency=n) for n in (2, 5)]
    await profiles.set_up(ModelSettings(), dict([thinker, *others]))
    assert profiles.thinker
    assert [one.limit for one in profiles.thinker.endpoints()] == [2]


async def test_what_waits_for_a_profile_that_is_gone_is_answered_by_the_thinker_and_never_by_a_model_that_was_let_go():
    made = Made()
    thinker = profile("thinker", endpoints="http://a:1", model="gemma", concurrency=1)
    small = profile("small", endpoints="http://b:2", model="tiny", concurrency=1)
    profiles = begun(made)
    await profiles.set_up(ModelSettings(), dict([thinker, small]))
    queue, said = profiles.queues["small"], []
    running, waiting = (
        asyncio.create_task(queue.ask(owner, Priority.THOUGHT, lambda: Request("p"))) for owner in ("Ana", "Ben")
    )
    await settle()
    tiny, gemma = made.places["http://b:2", "tiny"], made.places["http://a:1", "gemma"]
    for others in ([], [profile("thinker", endpoints="http://a:1", model="newer", concurrency=1)]):
        await profiles.set_up(ModelSettings(), dict([thinker, *others]))
        await settle()
        said.append((len(tiny.under_way), len(gemma.under_way)))
    gemma.answer()
    tiny.answer()
    answers = await asyncio.gather(running, waiting)
    models = [one.model for one in answers]
    assert said == [(1, 1), (1, 1)]
    assert models == ["tiny at http://b:2", "gemma at http://a:1"]


async def test_who_waits_for_an_endpoint_that_hangs_goes_on_at_once_when_the_profile_gets_another():
    made = Made()
    profiles = begun(made)
    await profiles.set_up(ModelSettings(), dict([profile("thinker", endpoints="http://a:1", model="gemma")]))
    queue = profiles.queues["thinker"]
    asking = [asyncio.create_task(queue.ask(who, Priority.THOUGHT, lambda: Request("p"))) for who in ("Ana", "Ben")]
    await settle()
    await profiles.set_up(ModelSettings(), dict([profile("thinker", endpoints="http://b:2", model="gemma")]))
    await settle()
    found = [len(place.under_way) for place in made.places.values()]
    for place in made.places.values():
        place.answer()
    await asyncio.gather(*asking)
    assert found == [1, 1]


async def test_an_endpoint_that_is_named_twice_is_one():
    made = Made()
    profiles = begun(made)
    said = await profiles.set_up(
        ModelSettings(), dict([profile("thinker", endpoints="http://a:1, http://a:1/, http://a:1", model="gemma")])
    )
    assert (said, [one.name for one in profiles.queues["thinker"].endpoints()]) == (
        ("The agents think with gemma at http://a:1.",),
        ["gemma at http://a:1"],
    )


# One model for several profiles


def spec_in(profiles: Profiles, name: str) -> Any:
    return [(route.endpoint.name, route.model) for route in profiles.queues[name].routes]


async def test_profiles_of_one_model_in_ollama_share_its_context_so_that_it_is_not_loaded_again_and_again():
    made = Made()
    profiles = begun(made)
    thinker = profile("thinker", endpoints="http://a:1", model="gemma", num_ctx=4096)
    dreamer = profile("dreamer", num_ctx=8192, temperature=1.3)
    other = profile("other", model="big", num_ctx=8192)
    said = await profiles.set_up(ModelSettings(), dict([dreamer, thinker, other]))
    is_shared = spec_in(profiles, "dreamer") == spec_in(profiles, "thinker")
    assert is_shared
    assert {(spec.model, spec.num_ctx) for spec in made.specs} == {("gemma", 4096), ("big", 8192)}
    assert said[0] == "num_ctx of dreamer is 4096 for gemma at http://a:1, as for others who use it."


async def test_other_servers_are_left_their_own_context():
    made = Made()
    both = {"endpoints": "http://a:1", "api": "openai", "model": "gemma"}
    await begun(made).set_up(
        ModelSettings(), dict([profile("thinker", **both, num_ctx=4096), profile("dreamer", **both, num_ctx=8192)])
    )
    assert {spec.num_ctx for spec in made.specs} == {4096, 8192}


async def test_weights_in_this_process_are_loaded_once_whatever_the_profiles_want():
    made = Made()
    profiles = begun(made)
    places = {"thinker": "gguf:~/qwen.gguf, embedded", "dreamer": "gguf:~/qwen.gguf", "spare": "embedded"}
    wanted = [profile(name, endpoints=where, num_ctx=size) for size, (name, where) in enumerate(places.items(), 2048)]
    await profiles.set_up(ModelSettings(), dict(wanted))
    assert [(spec.api, spec.model, spec.num_ctx) for spec in made.specs] == [
        ("gguf", "~/qwen.gguf", 2048),
        ("embedded", "", 2048),
    ]


@pytest.mark.parametrize(
    ("endpoint", "given", "limit"),
    [
        ({"endpoints": "http://a:1"}, 0, (1, False)),
        ({"endpoints": "http://a:1"}, 4, (4, False)),
        ({"endpoints": "embedded"}, 0, (1, False)),
        ({"endpoints": "http://a:1", "api": "openai"}, 0, (1, True)),
    ],
)
async def test_ollama_gets_one_request_at_a_time_unless_more_are_set_and_other_servers_as_many_as_pay(
    endpoint, given, limit
):
    profiles = begun(Made())
    await profiles.set_up(ModelSettings(), dict([profile("thinker", **endpoint, model="m", concurrency=given)]))
    status = profiles.queues["thinker"].endpoints()[0]
    assert (status.limit, status.is_measured) == limit
