"""The model queue: whose turn it is, and what is told of jobs; that each ends once is proved in `test_pool`."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

import pytest

from agents.models.endpoint import RequestStatsSnapshot
from agents.models.model import Completion, ModelError, Request, Timing
from agents.models.queue import ModelQueue, complete_text
from agents.models.scheduler import AlreadyWaiting, Priority, QueueFull, QueueStopped
from tests.agents.models.places import Place, Places, settle
from tests.scripted_model import ScriptedModel

ANSWER, THOUGHT, SUMMARY, OTHER = Priority


async def test_a_job_is_answered_with_the_model_s_completion():
    queue = ModelQueue(ScriptedModel("say hello"), now=lambda: 0.0)
    assert await queue.ask("eliza", THOUGHT, lambda: Request("p")) == Completion(
        "say hello", "scripted", 1, 0, 2, 0.0, "stop", timing=Timing(queue=0.0)
    )


async def test_the_request_is_built_only_when_its_turn_has_come():
    town, built = Places("a"), []

    def build() -> Request:
        built.append(1)
        return Request("p")

    tasks = await town.asked("moss")
    tasks.append(asyncio.create_task(town.queue.ask("eliza", THOUGHT, build)))
    await settle()
    assert built == []
    await town.end(*tasks)
    assert built == [1]


async def test_answers_go_before_thoughts_and_thoughts_before_summaries():
    town = Places("a")
    tasks = await town.asked("first", priority=ANSWER)
    for owner, priority in (("other", OTHER), ("summary", SUMMARY), ("thought", THOUGHT), ("answer", ANSWER)):
        tasks += await town.asked(owner, priority=priority)
    await town.end(*tasks)
    assert town.places[0].asked == ["first", "answer", "thought", "summary", "other"]


async def test_an_owner_served_lately_lets_the_others_go_first():
    town = Places("a")
    await town.end(*await town.asked("greedy", "greedy", "greedy", "modest", priority=SUMMARY))
    assert town.places[0].asked == ["greedy", "modest", "greedy", "greedy"]


async def test_a_job_of_low_priority_rises_while_it_waits():
    town = Places("a", ageing_seconds=30)
    tasks = await town.asked("first") + await town.asked("patient", priority=OTHER)
    town.clock = 119.0  # three steps up: as good as an answer asked now
    tasks += await town.asked("new", priority=ANSWER)
    town.clock = 120.0  # a fourth: better
    await town.end(*tasks)
    assert town.places[0].asked == ["first", "patient", "new"]


async def test_as_many_jobs_run_at_once_as_allowed():
    place = Place("a")
    queue = ModelQueue(place, concurrency=2)
    tasks = [asyncio.create_task(queue.ask(owner, THOUGHT, lambda: Request("p"))) for owner in "abc"]
    await settle()
    assert (len(place.under_way), queue.status().waiting) == (2, 1)
    await queue.stop()
    await asyncio.gather(*tasks)


async def test_an_owner_has_one_thought_at_a_time_waiting_or_running():
    town = Places("a")
    tasks = await town.asked("moss", "eliza")
    for owner in ("moss", "eliza"):
        with pytest.raises(AlreadyWaiting, match=f"{owner} already has a thought under way"):
            await town.ask(owner)
    await town.end(*tasks, *await town.asked("moss", priority=SUMMARY))
    await town.end(town.ask("moss"))


async def test_a_full_queue_refuses_and_keeps_what_it_has():
    town = Places("a", max_waiting=1)
    tasks = await town.asked("ana", "ben")
    with pytest.raises(QueueFull, match="1 jobs already wait for thinker"):
        await town.ask("cat", ANSWER)
    await town.end(*tasks)
    assert town.ended == (2, 0, 0)


async def test_whose_task_is_cancelled_leaves_the_queue_or_the_model_and_lets_the_next_go():
    town = Places("a")
    running, waiting, last = await town.asked("moss", "eliza", "ana")
    waiting.cancel()
    await settle()
    assert town.pool.counts(town.queue) == (1, 1)
    running.cancel()
    await town.end(last)
    assert (town.places[0].asked, town.places[0].cancelled, town.ended) == (["moss", "ana"], 1, (1, 0, 2))


async def test_a_waiter_cancelled_in_the_moment_of_its_turn_does_not_keep_the_model():
    town = Places("a")

    async def ask_and_cancel_the_next() -> None:
        await town.ask("moss")
        second.cancel()  # its turn has just been given, and it has not noticed yet

    first = asyncio.create_task(ask_and_cancel_the_next())
    await settle()
    second, third = await town.asked("eliza", "ana")
    await town.end(first, third)
    assert (town.places[0].asked, second.cancelled(), town.ended) == (["moss", "ana"], True, (2, 0, 1))


async def test_a_failing_model_fails_the_job_and_not_the_queue_and_is_worth_one_warning(caplog):
    queue = ModelQueue(ScriptedModel(*[ModelError("no model 'x'")] * 3, "yes"), now=lambda: 0.0)
    for _ in range(3):
        with pytest.raises(ModelError, match="no model 'x'"):
            await queue.ask("moss", THOUGHT, lambda: Request("p"))
    assert (queue.status().state, queue.status().last_error) == ("failing since 0 s", "no model 'x'")
    await queue.ask("moss", THOUGHT, lambda: Request("p"))
    assert (queue.status().state, queue.status().failed) == ("well", 3)
    warnings = [one.getMessage() for one in caplog.records if one.levelname == "WARNING"]
    assert warnings == ["scripted fails: no model 'x'"]


async def test_a_request_that_cannot_be_built_fails_its_job_but_does_not_blame_the_model():
    def build() -> Request:
        raise KeyError("scene")

    queue = ModelQueue(ScriptedModel("yes"))
    with pytest.raises(KeyError):
        await queue.ask("moss", THOUGHT, build)
    assert (queue.status().failed, queue.status().state) == (1, "well")


async def test_a_model_that_forgets_its_timeout_is_cut_off():
    town = Places("a", grace_seconds=0.0)
    with pytest.raises(ModelError, match=r"a did not answer within 0\.01 s"):
        await town.queue.ask("moss", THOUGHT, lambda: Request("p", timeout_seconds=0.01))
    assert (town.ended, town.places[0].cancelled) == ((0, 1, 0), 1)


async def test_stopping_withdraws_everything_and_every_owner_hears_it():
    town = Places("a")
    tasks = await town.asked("ana", "ben", "cat")
    await town.queue.stop()
    assert [completion.finish for completion in await asyncio.gather(*tasks)] == ["cancelled"] * 3
    assert (town.ended, town.places[0].under_way) == ((0, 0, 3), [])
    with pytest.raises(QueueStopped):
        await town.ask("dan")


async def test_the_status_tells_speed_and_cached_share():
    class Measured(ScriptedModel):
        async def complete(self, request, on_text=None):
            return Completion("yes", "measured", 100, 75, 10, 2.0, "stop", timing=Timing(prompt=1.5, answer=0.5))

    queue = ModelQueue(Measured(name="measured"), now=lambda: 0.0)
    for _ in range(2):
        await queue.ask("moss", THOUGHT, lambda: Request("p"))
    assert queue.status() == RequestStatsSnapshot(
        model="measured",
        waiting=0,
        running=0,
        answered=2,
        failed=0,
        cancelled=0,
        last_error="",
        failing_seconds=None,
        mean_seconds=2.0,
        tokens_per_second=20.0,
        cached_share=0.75,
        is_cache_told=True,
        timing=Timing(queue=0.0, prompt=1.5, answer=0.5),
    )


async def test_an_answer_that_took_long_is_told_in_the_log_with_where_the_time_went(caplog):
    class Slow(ScriptedModel):
        async def complete(self, request, on_text=None):
            seconds = 30.0 if request.prompt == "slow" else 1.0
            return Completion("yes", "m", 1330, None, 20, seconds, "stop", timing=Timing(load=12.0, prompt=17.0))

    with caplog.at_level("INFO"):
        queue = ModelQueue(Slow(), now=lambda: 0.0)
        for request in (Request("slow"), Request("quick")):
            await queue.ask("Eliza", THOUGHT, partial(replace, request))
        latest = queue.latest("Eliza")
    assert latest and latest.seconds == 1.0
    assert queue.latest("Moss") is None
    assert [record.message for record in caplog.records] == [
        "An answer to Eliza took 30.0 s (queue 0.0, load 12.0, prompt 17.0); 1330 tokens were read and 20 written."
    ]


STOP = ("\n\n", "SUMMARY:")
THOUGHTS = "<think>\nWhat was it?\n\nThe river.\n</think>\n\n"


def texts(model: ScriptedModel, times: int, request: Request) -> list[Completion]:
    async def asked() -> list[Completion]:
        queue = ModelQueue(model)
        return [await complete_text(queue, "Eliza", Priority.SUMMARY, lambda: request) for _ in range(times)]

    return asyncio.run(asked())


def test_a_text_is_what_stands_behind_the_thoughts_up_to_where_it_ends():
    model = ScriptedModel("<think>Hm.</think>", f"{THOUGHTS}I saw the river.\n\nI could add more.")
    assert [one.text for one in texts(model, 2, Request("Tell.", 100, STOP))] == ["", "I saw the river."]


def test_once_a_model_has_shown_thoughts_it_has_room_for_them_and_may_leave_a_line_empty_in_them():
    model = ScriptedModel("<think>Hm.", "I saw the river.", context_tokens=4000)
    texts(model, 2, Request("Tell.", 100, STOP))
    first, second = model.requests
    assert (first.max_tokens, first.stop) == (100, STOP)
    assert (second.max_tokens, second.stop) == (1100, ("SUMMARY:",))


def test_thoughts_are_given_no_more_room_than_the_prompt_leaves():
    prompt = "word " * 300
    model = ScriptedModel("<think>Hm.", "I saw the river.", context_tokens=500)
    texts(model, 2, Request(prompt, 100, STOP))
    assert model.requests[1].max_tokens == max(100, 500 - model.count_tokens(prompt))
