"""Which job goes to which endpoint: to the one that knows its prompt, else to the one with the least to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from agents.models.endpoint import Endpoint, Route
from agents.models.jobs import Job

AFFINITY_ROUNDS = 2.0
"""A job goes elsewhere when that is so many rounds of its own endpoint faster; a prompt read anew costs as much."""

Homes: TypeAlias = Mapping[tuple[str, str], Endpoint]
"""Which endpoint has seen whose prompts last, by `Job.key`."""


def next_start(jobs: Iterable[Job], homes: Homes, now: float) -> tuple[Job, Route] | None:
    """Return the first job, of those given in their order, for which there is a place, and that place."""
    waiting = list(jobs)
    at_home = Counter(homes[job.key] for job in waiting if job.key in homes)
    for job in waiting:
        route = _route(job, homes.get(job.key), at_home, now)
        if route:
            return job, route
    return None


def is_hopeless(job: Job, now: float) -> bool:
    """Return whether no endpoint can take a job, now or as soon as what runs there has ended."""
    return not any(
        route.endpoint.is_well(now) or route.endpoint.is_probed or route.endpoint.may_be_probed(now)
        for route in job.line.routes
        if route.endpoint not in job.tried
    )


def _route(job: Job, home: Endpoint | None, at_home: Counter[Endpoint], now: float) -> Route | None:
    routes = _in_question(job, now)
    free = [route for route in routes if route.endpoint.takes(now)]
    if not free:
        return None
    own = next((route for route in routes if route.endpoint is home and route.endpoint.is_well(now)), None)
    if own in free:
        return own
    best = min(free, key=lambda route: _wait(route.endpoint, at_home))
    if own and home and job.is_patient and _wait(home, at_home) - _wait(best.endpoint, at_home) <= _patience(home):
        return None
    return best


def _in_question(job: Job, now: float) -> list[Route]:
    """Return the routes of the first tier that is not all sick, without those that have failed at this job."""
    left = [route for route in job.line.routes if route.endpoint not in job.tried]
    for tier in sorted({route.tier for route in left}):
        usable = [
            route
            for route in left
            if route.tier == tier and (route.endpoint.is_well(now) or route.endpoint.may_be_probed(now))
        ]
        if usable:
            return usable
    return []


def _wait(endpoint: Endpoint, at_home: Counter[Endpoint]) -> float:
    return endpoint.rounds(at_home[endpoint]) * (endpoint.seconds or 1.0)


def _patience(home: Endpoint) -> float:
    return AFFINITY_ROUNDS * (home.seconds or 1.0)
