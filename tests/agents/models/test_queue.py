"""The model queue: whose turn it is, how jobs end, and that each ends exactly once."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from functools import partial

import pytest

from agents.commands.mind_commands import Dreamer
from agents.models.endpoint import RequestStatsSnapshot
from agents.models.model import Completion, ModelError, Request, Timing
from agents.models.pool import ModelPool
from agents.models.queue import ModelQueue, complete_text
from agents.models.scheduler import AlreadyWaiting, Priority, QueueFull, QueueStopped
from tests.agents.test_agent import settled
from tests.scripted_model import ScriptedModel
from tests.vault.vault_of import vault_of

ANSWER, THOUGHT, SUMMARY, OTHER = Priority


class Asker:
    """Asks a queue before a model that hangs until released, and keeps the order of prompts."""

    def __init__(self, *script, **arguments):
        self.clock = 0.0
        self.model = ScriptedModel(*(script or (lambda request: "yes",)))
        self.concurrency = arguments.pop("concurrency", 1)
        pool = ModelPool(now=lambda: self.clock, **arguments)
        self.queue = ModelQueue(self.model, concurrency=self.concurrency, pool=pool)
        self.model.hold()

    async def ask(self, owner, priority=THOUGHT, prompt=None):
        request = Request(prompt or f"{owner} {priority.name}")
        task = asyncio.create_task(self.queue.ask(owner, priority, lambda: request))
        await settle()
        return task

    async def order(self, *tasks):
        self.model.release()
        await asyncio.gather(*tasks)
        return self.model.prompts

    def ended(self):
        status = self.queue.status()
        return status.answered, status.failed, status.cancelled


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


async def test_a_job_is_answered_with_the_model_s_completion():
    queue = ModelQueue(ScriptedModel("say hello"), now=lambda: 0.0)
    assert await queue.ask("eliza", THOUGHT, lambda: Request("p")) == Completion(
        "say hello", "scripted", 1, 0, 2, 0.0, "stop", timing=Timing(queue=0.0)
    )


async def test_the_request_is_built_only_when_its_turn_has_come():
    asker = Asker()
    first = await asker.ask("moss")
    built = []

    def build():
        built.append(1)
        return Request("p")

    second = asyncio.create_task(asker.queue.ask("eliza", THOUGHT, build))
    await settle()
    before = list(built)
    await asker.order(first, second)
    assert (before, built) == ([], [1])


async def test_answers_go_before_thoughts_and_thoughts_before_summaries():
    asker = Asker()
    tasks = [await asker.ask("first")]
    tasks += [await asker.ask(owner, p) for owner, p in [("a", OTHER), ("b", SUMMARY), ("c", THOUGHT), ("d", ANSWER)]]
    assert await asker.order(*tasks) == ["first THOUGHT", "d ANSWER", "c THOUGHT", "b SUMMARY", "a OTHER"]


async def test_an_owner_served_lately_lets_the_others_go_first():
    asker = Asker()
    tasks = [await asker.ask("greedy", SUMMARY, "greedy 0")]
    tasks += [await asker.ask("greedy", SUMMARY, f"greedy {n}") for n in (1, 2)]
    tasks += [await asker.ask("modest", SUMMARY)]
    assert await asker.order(*tasks) == ["greedy 0", "modest SUMMARY", "greedy 1", "greedy 2"]


async def test_a_job_of_low_priority_rises_while_it_waits():
    asker = Asker(ageing_seconds=30)
    tasks = [await asker.ask("first"), await asker.ask("patient", OTHER)]
    asker.clock = 119.0  # three steps up: as good as an answer asked now
    tasks += [await asker.ask("new", ANSWER)]
    asker.clock = 120.0  # a fourth: better
    assert await asker.order(*tasks) == ["first THOUGHT", "patient OTHER", "new ANSWER"]


async def test_as_many_jobs_run_at_once_as_allowed():
    asker = Asker(concurrency=2)
    tasks = [await asker.ask(owner) for owner in "abc"]
    running = asker.model.running, asker.queue.status().waiting
    await asker.order(*tasks)
    assert running == (2, 1)


async def test_an_owner_has_one_thought_at_a_time_waiting_or_running():
    asker = Asker()
    running, waiting = await asker.ask("moss"), await asker.ask("eliza")
    for owner in ("moss", "eliza"):
        with pytest.raises(AlreadyWaiting, match=f"{owner} already has a thought under way"):
            await asker.queue.ask(owner, THOUGHT, lambda: Request("p"))
    summary = await asker.ask("moss", SUMMARY)
    await asker.order(running, waiting, summary)
    assert (await asker.queue.ask("moss", THOUGHT, lambda: Request("p"))).text == "yes"


async def test_a_full_queue_refuses_and_keeps_what_it_has():
    asker = Asker(max_waiting=1)
    tasks = [await asker.ask("a"), await asker.ask("b")]
    with pytest.raises(QueueFull, match="1 jobs already wait for scripted"):
        await asker.queue.ask("c", ANSWER, lambda: Request("p"))
    await asker.order(*tasks)
    assert asker.ended() == (2, 0, 0)


async def test_a_request_that_is_no_longer_wanted_is_cancelled_and_the_next_runs():
    queue = ModelQueue(ScriptedModel("yes"))
    withdrawn = await queue.ask("eliza", THOUGHT, lambda: None)
    answered = await queue.ask("eliza", THOUGHT, lambda: Request("p"))
    status = queue.status()
    assert (withdrawn.finish, answered.text, status.cancelled, status.answered) == ("cancelled", "yes", 1, 1)


async def test_a_waiter_whose_task_is_cancelled_leaves_the_queue():
    asker = Asker()
    first, second = await asker.ask("moss"), await asker.ask("eliza")
    second.cancel()
    await settle()
    prompts = await asker.order(first)
    assert (prompts, second.cancelled(), asker.ended(), asker.queue.status().waiting) == (
        ["moss THOUGHT"],
        True,
        (1, 0, 1),
        0,
    )


async def test_cancelling_a_running_job_stops_the_model_and_lets_the_next_go():
    asker = Asker()
    first, second = await asker.ask("moss"), await asker.ask("eliza")
    first.cancel()
    await settle()
    cancelled = asker.model.cancelled
    await asker.order(second)
    assert (cancelled, asker.ended()) == (1, (1, 0, 1))


async def test_a_waiter_cancelled_in_the_moment_of_its_turn_does_not_keep_the_model():
    asker = Asker()

    async def ask_and_cancel_the_next():
        await asker.queue.ask("moss", THOUGHT, lambda: Request("moss"))
        second.cancel()  # its turn has just been given, and it has not noticed yet

    first = asyncio.create_task(ask_and_cancel_the_next())
    await settle()
    second, third = await asker.ask("eliza"), await asker.ask("ana")
    await asker.order(first, third)
    assert (asker.model.prompts, second.cancelled(), asker.ended()) == (["moss", "ana THOUGHT"], True, (2, 0, 1))


async def test_a_failing_model_fails_the_job_and_not_the_queue():
    queue = ModelQueue(ScriptedModel(ModelError("no model 'x'"), "yes"), now=lambda: 0.0)
    with pytest.raises(ModelError, match="no model 'x'"):
        await queue.ask("moss", THOUGHT, lambda: Request("p"))
    failing = queue.status()
    await queue.ask("moss", THOUGHT, lambda: Request("p"))
    assert (failing.state, failing.last_error, queue.status().state, queue.status().failed) == (
        "failing since 0 s",
        "no model 'x'",
        "well",
        1,
    )


async def test_only_the_first_failure_in_a_row_is_worth_a_warning(caplog):
    queue = ModelQueue(ScriptedModel(*[ModelError("down")] * 3))
    for _ in range(3):
        with pytest.raises(ModelError):
            await queue.ask("moss", THOUGHT, lambda: Request("p"))
    assert [record.getMessage() for record in caplog.records] == ["scripted fails: down"]


async def test_a_request_that_cannot_be_built_fails_its_job_but_does_not_blame_the_model():
    def build():
        raise KeyError("scene")

    queue = ModelQueue(ScriptedModel("yes"))
    with pytest.raises(KeyError):
        await queue.ask("moss", THOUGHT, build)
    assert (queue.status().failed, queue.status().state) == (1, "well")


async def test_a_model_that_forgets_its_timeout_is_cut_off():
    asker = Asker(grace_seconds=0.0)
    request = Request("p", timeout_seconds=0.01)
    with pytest.raises(ModelError, match=r"scripted did not answer within 0\.01 s"):
        await asker.queue.ask("moss", THOUGHT, lambda: request)
    assert (asker.ended(), asker.model.cancelled) == ((0, 1, 0), 1)


async def test_stopping_withdraws_everything_and_every_owner_hears_it():
    asker = Asker()
    tasks = [await asker.ask(owner) for owner in "abc"]
    await asker.queue.stop()
    finishes = [completion.finish for completion in await asyncio.gather(*tasks)]
    with pytest.raises(QueueStopped):
        await asker.queue.ask("d", THOUGHT, lambda: Request("p"))
    assert (finishes, asker.ended(), asker.model.running) == (["cancelled"] * 3, (0, 0, 3), 0)


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
        nobodys = queue.latest("Moss")
    assert (latest.seconds, nobodys) == (1.0, None)
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


async def test_who_dreams_with_a_reasoning_model_is_told_the_dream_and_no_thoughts(tmp_path):
    model = ScriptedModel("<think>A dream, then.</think>I flew over the weir.")
    queue, told = ModelQueue(model), list[str]()
    Dreamer(vault_of(tmp_path, {}), lambda: queue, random.Random(1), 60.0).dream("Rook", "Ana says hi.", told.append)
    await settled(50)
    assert told == ["I flew over the weir."]
