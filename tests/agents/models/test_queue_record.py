"""What a queue tells of its answers."""

from __future__ import annotations

from agents.models.model import Completion
from agents.models.queue_record import QueueRecord


def test_the_share_from_the_cache_is_of_those_prompts_whose_server_told_it():
    record = QueueRecord("m")
    record.answer(Completion("look", "m", 100, 80, 2, 1.0, "stop"))
    for _ in range(3):
        record.answer(Completion("look", "m", 100, 0, 2, 1.0, "stop", is_counted=False))
    assert record.status(0, 0, 0.0).cached_share == 0.8
