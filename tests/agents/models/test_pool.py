"""The pool: which endpoint gets a job, what becomes of it when endpoints fail, and that each job ends exactly once."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from agents.models.endpoint import MAX_OPEN_SECONDS
from agents.models.model import Capabilities, Completion, ModelError, Request
from agents.models.pool import TURNS_BETWEEN, LoopYield
from agents.models.queue import ModelQueue
from agents.models.scheduler import AlreadyWaiting, NoEndpoint, Priority, QueueFull, QueueStopped, WaitedTooLong
from tests.agents.models.places import Place, Places, settle

DOWN = ModelError("It broke off.", remedy="Look there.")


async def test_jobs_go_to_the_endpoint_with_the_least_to_do():
    town = Places("a", "b", limit=2)
    tasks = await town.asked("Ana", "Ben", "Cat")
    await town.end(*tasks)
    assert [place.asked for place in town.places] == [["Ana", "Cat"], ["Ben"]]


async def test_an_owner_comes_back_to_the_endpoint_that_knows_its_prompt_although_another_is_free():
    town = Places("a", "b")
    first, second = town.places
    (ana,) = await town.asked("Ana")
    (ben,) = await town.asked("Ben")
    second.answer()
    await ben
    (ben,) = await town.asked("Ben")
    first.answer()
    await ana
    (ana,) = await town.asked("Ana")
    await town.end(ana, ben)
    assert (first.asked, second.asked) == (["Ana", "Ana"], ["Ben", "Ben"])


async def test_it_waits_one_round_for_its_own_endpoint_and_goes_elsewhere_when_more_wait_there():
    town = Places("a", "b")
    first, second = town.places
    for owner in ("Ana", "Ben", "Cat"):  # all three are at home at a, while b was away
        second.dead = DOWN
        (task,) = await town.asked(owner)
        if not first.under_way:
            await settle()
        first.answer()
        await task
    second.dead = None
    town.clock = 1000.0
    tasks = await town.asked("Ana", "Ben")
    assert (first.asked[-1], second.under_way) == ("Ana", [])
    tasks += await town.asked("Cat")
    assert second.asked[-1] == "Ben"
    await town.end(*tasks)


async def test_a_job_whose_endpoint_dies_is_built_again_for_another_and_its_owner_hears_nothing_of_it():
    town = Places("a", "b", tiers=1)
    town.places[1].capabilities = Capabilities(grammar=True)
    built = []

    def make() -> Request:
        built.append((town.queue.model.name, town.queue.model.capabilities.grammar))
        return Request("p")

    task = asyncio.create_task(town.queue.ask("Ana", Priority.THOUGHT, make))
    await settle()
    town.places[0].die()
    (answer,) = await town.end(task)
    status = town.queue.status()
    assert built == [("a", False), ("b", True)]
    assert (answer.model, status.answered, status.failed) == ("b", 1, 0)
    assert [one.record.failed for one in town.queue.endpoints()] == [1, 0]


async def test_endpoints_of_the_second_tier_stand_in_only_while_all_of_the_first_are_sick():
    town = Places("own", "spare", tiers=1)
    tasks = await town.asked("Ana", "Ben")  # Ben waits although the other is free
    assert town.places[1].asked == []
    town.places[0].die()
    await town.end(*tasks)
    assert sorted(town.places[1].asked) == ["Ana", "Ben"]


async def test_a_request_that_is_too_long_fails_once_and_blames_no_endpoint():
    town = Places("a", "b")
    (task,) = await town.asked("Ana")
    town.places[0].fail(ModelError("It is too long.", retryable=False, about_request=True))
    with pytest.raises(ModelError, match="It is too long"):
        await task
    assert [one.state for one in town.queue.endpoints()] == ["closed", "closed"]
    assert town.places[1].asked == []


async def test_when_all_are_sick_a_job_fails_at_once_with_what_is_wrong_and_what_to_do():
    town = Places("a")
    town.places[0].die()
    for _ in range(2):  # two failures open the breaker
        with pytest.raises(ModelError, match="a does not answer. Start it."):
            await town.ask("Ana")
    with pytest.raises(NoEndpoint, match=r"a does not answer\. It is tried again in 1 s\. Start it\."):
        await town.ask("Ana")
    assert len(town.places[0].asked) == 2


async def test_a_sick_endpoint_is_tried_with_one_request_that_first_asks_whether_it_has_the_model():
    town = Places("a", limit=4)
    place = town.places[0]
    place.die()
    for _ in range(2):
        with pytest.raises(ModelError):
            await town.ask("Ana")
    place.dead = None
    town.clock = 2.0
    tasks = await town.asked("Ana", "Ben", "Cat")
    assert (place.started, len(place.under_way), town.queue.endpoints()[0].state) == (1, 1, "half-open")
    place.answer()
    await settle()
    assert (len(place.under_way), town.queue.endpoints()[0].state) == (2, "closed")
    await town.end(*tasks)


@pytest.mark.parametrize(
    "failure", [ModelError("no such model", retryable=False), ModelError("The connection broke.", is_gone=True)]
)
async def test_an_endpoint_that_would_fail_again_or_is_gone_is_left_alone_at_once(failure):
    town = Places("a", "b", limit=3)
    (task,) = await town.asked("Ana")
    town.places[0].fail(failure)
    await town.end(task)
    assert [one.state for one in town.queue.endpoints()] == ["open", "closed"]


async def test_an_endpoint_that_was_sick_is_tried_although_everybody_has_another_by_now():
    town = Places("a", "b")
    town.places[0].dead = ModelError("gone", is_gone=True)
    await town.end(town.ask("Ana"))
    town.places[0].dead = None
    town.clock = 2.0
    await town.end(town.ask("Ana"))  # she is at home at b now
    assert [one.state for one in town.queue.endpoints()] == ["closed", "closed"]


async def test_an_endpoint_that_hangs_loses_those_who_wait_for_it():
    town = Places("a", "b")
    _, second = town.places
    await town.end(*await town.asked("Ana", "Ben"))
    tasks = await town.asked("Ana")  # at home at a, which hangs from now on
    tasks += await town.asked("Ana", priority=Priority.SUMMARY)
    assert second.under_way == []
    town.clock = 100.0
    tasks += await town.asked("Ben")
    assert second.asked == ["Ben", "Ana"]
    await town.end(*tasks)


async def test_an_endpoint_that_nobody_has_asked_yet_is_started_and_then_a_first_request_is_built_for_it():
    town = Places("a", untried=True)
    (place,), started = town.places, []

    def make() -> Request:
        started.append(place.started)  # only then a model says for sure what it can do
        return Request("p")

    tasks = [asyncio.create_task(town.queue.ask(owner, Priority.THOUGHT, make)) for owner in ("Ana", "Ben")]
    await settle()
    assert (place.started, len(place.asked), town.queue.endpoints()[0].state) == (1, 1, "untried")
    await town.end(*tasks)
    assert (started, place.started) == ([1, 1], 1)


async def test_a_job_waits_no_longer_than_anything_may():
    town = Places("a", longest_wait_seconds=0.01)
    first = await town.asked("Ana")
    with pytest.raises(WaitedTooLong, match=r"A request of Ben waited 0\.01 s for thinker\."):
        await town.ask("Ben")
    await town.end(*first)
    assert town.queue.status().failed == 1


async def test_queues_of_one_pool_share_its_endpoints_and_its_order_and_each_counts_its_own():
    town = Places("a")
    summaries = ModelQueue(town.routes, pool=town.pool, name="summarizer")
    tasks = await town.asked("Ana")
    tasks.append(asyncio.create_task(summaries.ask("memory of Ana", Priority.SUMMARY, lambda: Request("sum"))))
    await settle()
    tasks += await town.asked("Ben")
    await town.end(*tasks)
    assert (town.places[0].asked, town.places[0].most) == (["Ana", "Ben", "sum"], 1)
    assert (town.queue.status().answered, summaries.status().answered) == (2, 1)


@pytest.mark.parametrize(
    ("priority", "seconds", "gives_way"),
    [
        *[(Priority.THOUGHT, 0.0, True), (Priority.THOUGHT, 29.0, True), (Priority.THOUGHT, 30.0, False)],
        *[(Priority.ANSWER, 59.0, True), (Priority.ANSWER, 60.0, False)],
        (Priority.SUMMARY, 0.0, False),
    ],
)
async def test_a_summary_that_runs_gives_way_to_a_thought_until_it_has_waited_long_enough(priority, seconds, gives_way):
    town = Places("a")
    (summary,) = await town.asked("memory of Ana", priority=Priority.SUMMARY)
    town.clock += seconds
    await town.end(summary, town.ask("Ben", priority))
    assert town.places[0].asked == (["memory of Ana", "Ben"] + ["memory of Ana"] * gives_way)
    assert (town.queue.status().answered, town.queue.status().cancelled) == (2, 0)


@pytest.mark.parametrize(
    ("priority", "seconds", "gives_way"),
    [(Priority.ANSWER, 0.0, True), (Priority.ANSWER, 30.0, False), (Priority.THOUGHT, 0.0, False)],
)
async def test_a_thought_gives_way_to_an_answer_to_a_person_until_it_has_waited_long_enough(
    priority, seconds, gives_way
):
    town = Places("a")
    (thought,) = await town.asked("Ana")
    town.clock += seconds
    await town.end(thought, town.ask("Ben", priority))
    assert town.places[0].asked == (["Ana", "Ben"] + ["Ana"] * gives_way)


class Keeping(Place):
    """A place that keeps what it has read."""

    def unread(self, request: Request) -> int:
        return len(request.text)


LONG = "The river goes on. " * 50


async def test_reading_ahead_gives_way_to_a_thought_and_is_done_once_nothing_else_waits():
    town = Places("a", kind=Keeping)
    reading = asyncio.create_task(town.queue.read_ahead("Ana", lambda: Request(LONG)))
    await settle()
    await town.end(reading, town.ask("Ben"))
    assert town.places[0].asked == [LONG, "Ben", LONG]
    status = town.queue.status()
    assert (status.answered, status.read_ahead) == (1, 1)


async def test_nothing_is_read_ahead_while_somebody_waits_to_think():
    town = Places("a", kind=Keeping)
    tasks = await town.asked("Ben")
    reading = asyncio.create_task(town.queue.read_ahead("Ana", lambda: Request(LONG)))
    await settle()
    town.clock = 1000.0  # it has become the most urgent of all
    tasks += await town.asked("Cat")
    town.places[0].answer()
    await settle()
    assert (reading.done(), town.places[0].asked) == (True, ["Ben", "Cat"])
    await town.end(*tasks)


@pytest.mark.parametrize(
    ("keeps", "text", "reads_ahead"), [(False, LONG, True), (True, "short", True), (True, LONG, False)]
)
async def test_nothing_is_read_ahead_that_saves_no_time(keeps, text, reads_ahead):
    town = Places("a", kind=Keeping if keeps else Place)
    queue = ModelQueue(town.routes, pool=town.pool, reads_ahead=reads_ahead)
    await queue.read_ahead("Ana", lambda: Request(text))
    assert town.places[0].asked == []


async def test_a_failure_to_read_ahead_is_left_to_the_next_question():
    town = Places("a", kind=Keeping)
    reading = asyncio.create_task(town.queue.read_ahead("Ana", lambda: Request(LONG)))
    await settle()
    town.places[0].die()
    await reading


async def test_a_summary_goes_on_where_a_thought_has_a_place_of_its_own():
    town = Places("a", "b")
    (summary,) = await town.asked("memory of Ana", priority=Priority.SUMMARY)
    await town.end(summary, town.ask("Ben"))
    assert [place.asked for place in town.places] == [["memory of Ana"], ["Ben"]]


async def test_one_thought_ends_one_summary_and_no_thought():
    town = Places("a", limit=2)
    tasks = await town.asked("memory of Ana", "memory of Ben", priority=Priority.SUMMARY)
    tasks += await town.asked("Cat", "Dan", "Eve")
    assert (len(town.places[0].under_way), town.places[0].cancelled) == (2, 2)
    await town.end(*tasks)
    assert town.places[0].asked[2:5] == ["Cat", "Dan", "Eve"]


async def test_a_summary_whose_request_is_still_being_built_gives_way_as_well():
    town = Places("a")
    async with town.pool.building:
        tasks = await town.asked("memory of Ana", priority=Priority.SUMMARY)
        tasks += await town.asked("Ben")
    await town.end(*tasks)
    assert town.places[0].asked == ["Ben", "memory of Ana"]


async def test_somebody_who_is_spoken_to_while_it_waits_to_think_is_not_kept_by_a_summary():
    town = Places("a")
    tasks = await town.asked("memory of Ana", priority=Priority.SUMMARY)
    town.clock = 40.0
    tasks += await town.asked("Ben")
    assert town.places[0].cancelled == 0
    town.queue.hurry("Ben", Priority.ANSWER)
    await town.end(*tasks)
    assert town.places[0].asked == ["memory of Ana", "Ben", "memory of Ana"]


async def test_who_is_spoken_to_while_it_thinks_is_asked_anew_and_at_most_twice():
    town = Places("a")
    (thought,) = await town.asked("Ben")
    for _ in range(3):
        town.queue.hurry("Ben", Priority.ANSWER)
        await settle()
    await town.end(thought)
    assert town.places[0].asked == ["Ben"] * 3


async def test_a_job_that_is_withdrawn_before_its_first_step_leaves_nothing_that_was_never_awaited(recwarn):
    town = Places("near")

    def make() -> Request:
        asyncio.get_running_loop().call_soon(town.pool.withdraw, "Ana")
        return Request("Ana")

    completion = await town.queue.ask("Ana", Priority.THOUGHT, make)
    assert (completion.finish, town.places[0].asked) == ("cancelled", [])
    gc.collect()
    assert [str(one.message) for one in recwarn] == []


async def test_who_thinks_and_who_waits_is_told_of_all_owners_at_once():
    town = Places("near")
    tasks = await town.asked("Ana", "Ben")
    assert town.queue.stages() == {"Ana": "running", "Ben": "waiting"}
    assert [town.queue.stage(name) for name in ("Ana", "Ben", "Cat")] == ["running", "waiting", None]
    await town.end(*tasks)
    assert town.queue.stages() == {}


HOUR, EVERY_SECONDS = 3600, 5


async def test_an_endpoint_that_is_down_for_an_hour_costs_next_to_nothing_and_is_found_again_soon_after_it_is_back():
    town, ended = Places("near"), list[BaseException | None]()
    (near,) = town.places

    async def think(seconds: int) -> None:
        for _ in range(0, seconds, EVERY_SECONDS):
            tasks = await town.asked("Eliza", "Moss", "Odile")
            with suppress(ModelError):
                await town.end(*tasks)
            ended.extend(task.exception() for task in tasks)
            town.clock += EVERY_SECONDS

    near.dead = ModelError("Ollama does not answer.", remedy="Start it with: ollama serve", is_gone=True)
    await think(HOUR)
    lost, tried = ended[:], near.started + len(near.asked)
    assert HOUR / (MAX_OPEN_SECONDS + EVERY_SECONDS) - 1 < tried < 2.2 * HOUR / MAX_OPEN_SECONDS
    assert all("Ollama does not answer." in str(one) and str(one).endswith("ollama serve") for one in lost)
    assert sum("It is tried again in" in str(one) for one in lost) >= len(lost) - 2 * tried
    ended.clear()
    near.dead = None
    await think(2 * int(MAX_OPEN_SECONDS))
    first = ended.index(None)
    assert first <= 3 * (MAX_OPEN_SECONDS / EVERY_SECONDS + 1)
    assert set(ended[first:]) == {None}
    assert town.pool.counts(town.queue) == (0, 0)


OWNERS = st.sampled_from(["Ana", "Ben", "Cat", "Dan", "Eve"])
PLACES = st.integers(0, 2)


class EveryJobEndsOnce(RuleBasedStateMachine):
    """Three endpoints, the last of which stands in, that answer, fail, die and come back in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.tasks: list[asyncio.Task[Completion]] = []

    @initialize(limit=st.integers(1, 3), max_waiting=st.integers(1, 6))
    def open(self, limit: int, max_waiting: int) -> None:
        async def town() -> Places:
            return Places("a", "b", "c", limit=limit, tiers=2, max_waiting=max_waiting, grace_seconds=0.0)

        self.limit, self.town = limit, self.loop.run_until_complete(town())

    def settled(self) -> None:
        self.loop.run_until_complete(settle())

    @rule(owner=OWNERS, priority=st.sampled_from(Priority), wanted=st.booleans())
    def ask(self, owner: str, priority: Priority, wanted: bool) -> None:
        request = Request(owner) if wanted else None
        asking = self.town.queue.ask(owner, priority, lambda: request)
        self.tasks.append(self.loop.create_task(asking))
        self.settled()

    @rule(index=PLACES, failing=st.booleans(), for_good=st.booleans())
    def end_one(self, index: int, failing: bool, for_good: bool) -> None:
        place = self.town.places[index]
        if place.under_way and failing:
            place.fail(ModelError("It broke off.", retryable=not for_good))
        elif place.under_way:
            place.answer()
        self.settled()

    @rule(index=PLACES)
    def die(self, index: int) -> None:
        self.town.places[index].die()
        self.settled()

    @rule(index=PLACES)
    def come_back(self, index: int) -> None:
        self.town.places[index].dead = None

    @rule(seconds=st.sampled_from([0.3, 3.0, 61.0]))
    def wait(self, seconds: float) -> None:
        self.town.clock += seconds

    @precondition(lambda self: any(not task.done() for task in self.tasks))
    @rule(number=st.integers(0, 50), also_answer=st.booleans())
    def cancel(self, number: int, also_answer: bool) -> None:
        open_tasks = [task for task in self.tasks if not task.done()]
        for place in self.town.places:
            if also_answer and place.under_way:
                place.answer()  # in the same moment
        open_tasks[number % len(open_tasks)].cancel()
        self.settled()

    @rule()
    def stop(self) -> None:
        if len(self.tasks) > 12:
            self.loop.run_until_complete(self.town.queue.stop())
            self.settled()

    @invariant()
    def no_endpoint_has_more_than_it_may_or_forgets_what_it_has(self) -> None:
        for place, route in zip(self.town.places, self.town.routes, strict=True):
            assert route.endpoint.running == len(place.under_way) <= self.limit

    @invariant()
    def every_open_question_waits_or_runs(self) -> None:
        waiting, running = self.town.pool.counts(self.town.queue)
        assert waiting + running == sum(not task.done() for task in self.tasks)

    def teardown(self) -> None:
        for _ in range(200):
            for place in self.town.places:
                place.dead = None
                if place.under_way:
                    place.answer()
            self.settled()
        # One that waits for an endpoint that is left alone has failed at once, so nothing waits now.
        assert all(task.done() for task in self.tasks)
        ends = [self._end(task) for task in self.tasks]
        status = self.town.queue.status()
        counted = (status.answered, status.failed, status.cancelled)
        assert counted == (ends.count("answered"), ends.count("failed"), ends.count("cancelled"))
        assert (status.waiting, status.running) == (0, 0)
        assert all(len(place.under_way) == 0 for place in self.town.places)
        self.loop.close()

    def _end(self, task: asyncio.Task[Completion]) -> str:
        if task.cancelled():
            return "cancelled"
        error = task.exception()
        if isinstance(error, AlreadyWaiting | QueueFull | QueueStopped):
            return "refused"
        if error:
            assert isinstance(error, ModelError)
            return "failed"
        return "cancelled" if task.result().finish == "cancelled" else "answered"


def test_every_job_ends_in_exactly_one_way_whatever_becomes_of_the_endpoints():
    run_state_machine_as_test(EveryJobEndsOnce, settings=settings(stateful_step_count=40))


class Diary:
    """Writes down what is done, and each turn of the loop as a dot."""

    def __init__(self) -> None:
        self.spaced = LoopYield()
        self.text = ""

    async def write(self, what: str) -> None:
        async with self.spaced:
            self.text += what

    async def turns(self, count: int) -> None:
        for _ in range(count):
            self.text += "."
            await asyncio.sleep(0)


async def test_pieces_asked_for_together_are_done_in_order_with_turns_of_the_loop_between():
    diary = Diary()
    await asyncio.gather(diary.write("a"), diary.write("b"), diary.write("c"), diary.turns(20))
    text = diary.text
    a, b, c = (text.index(letter) for letter in "abc")
    assert b - a > TURNS_BETWEEN
    assert c - b > TURNS_BETWEEN


async def test_the_first_piece_is_done_in_the_same_turn():
    diary = Diary()
    await asyncio.gather(diary.turns(1), diary.write("a"), diary.turns(1))
    assert diary.text == ".a."


async def test_a_piece_that_fails_or_is_given_up_holds_up_nobody():
    diary = Diary()
    with pytest.raises(ValueError):
        async with diary.spaced:
            raise ValueError
    given_up = asyncio.create_task(diary.write("b"))
    await asyncio.sleep(0)
    given_up.cancel()
    async with asyncio.timeout(5):
        await diary.write("c")
    assert diary.text == "c"


def test_a_loop_that_ended_too_soon_holds_up_no_later_one():
    spaced = Diary()
    asyncio.run(spaced.write("a"))
    asyncio.run(asyncio.wait_for(spaced.write("b"), 5))
    assert spaced.text == "ab"


async def test_requests_for_several_free_endpoints_are_not_built_in_one_turn():
    town, diary = Places("a", "b"), Diary()

    def make() -> Request:
        diary.text += "p"
        return Request("p")

    tasks = [asyncio.create_task(town.queue.ask(owner, Priority.THOUGHT, make)) for owner in ("Ana", "Ben")]
    await diary.turns(20)
    await town.end(*tasks)
    text = diary.text
    assert text.rindex("p") - text.index("p") > TURNS_BETWEEN
