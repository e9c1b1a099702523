"""What a queue tells of its answers."""

from __future__ import annotations

from dataclasses import replace

from agents.models.model import Completion
from agents.models.queue_record import QueueRecord


def test_the_share_from_the_cache_is_of_those_prompts_whose_server_told_it():
    record = QueueRecord("m")
    record.answer(Completion("look", "m", 100, 80, 2, 1.0, "stop"))
    for _ in range(3):
        record.answer(Completion("look", "m", 100, None, 2, 1.0, "stop"))
    assert record.status(0, 0, 0.0).cached_share == 0.8


def test_a_share_that_no_server_has_told_is_told_to_nobody():
    record, counted = QueueRecord("m"), Completion("look", "m", 100, 80, 2, 1.0, "stop")
    told = [record.status(0, 0, 0.0).is_cache_told]
    for one in (replace(counted, cached_tokens=None), counted):
        record.answer(one)
        told.append(record.status(0, 0, 0.0).is_cache_told)
    assert told == [False, False, True]
