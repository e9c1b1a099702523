"""Which job goes to which endpoint: to the one that knows its prompt, else to the one with the least to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from agents.models.endpoint import Endpoint, Route
from agents.models.jobs import Job, Priority, WaitingLine

AFFINITY_ROUNDS = 2.0
"""A job goes elsewhere when that is so many rounds of its own endpoint faster; a prompt read anew costs as much."""

AFFINITY_SHARE = 0.4
"""While all have enough to do, it goes elsewhere only when it waits less by this share: loads are never quite even."""

Homes: TypeAlias = Mapping[tuple[str, str], Endpoint]
"""Which endpoint has seen whose prompts last, by `Job.key`."""


def next_start(waiting: WaitingLine, homes: Homes, now: float) -> tuple[Job, Route] | None:
    """Return the first job, in the order of the line, for which there is a place, and that place."""
    lines = {job.line for job in waiting.jobs}
    if not any(route.endpoint.takes(now) for line in lines for route in line.routes):
        return None
    at_home = Counter(homes[job.key] for job in waiting.jobs if job.key in homes)
    places = {line: _Places(line.routes, at_home, now) for line in lines}
    for job in waiting.in_order(now):
        found = places[job.line] if not job.tried else _Places(_untried(job), at_home, now)
        route = found.route_for(homes.get(job.key), job.priority > Priority.ANSWER)
        if route:
            return job, route
    return None


def hopeless(jobs: Iterable[Job], now: float) -> list[Job]:
    """Return the jobs that no endpoint can take, now or as soon as what runs there has ended."""
    all_jobs = list(jobs)
    endpoints = {route.endpoint for line in {job.line for job in all_jobs} for route in line.routes}
    if all(endpoint.is_well(now) for endpoint in endpoints) and not any(job.tried for job in all_jobs):
        return []
    return [job for job in all_jobs if is_hopeless(job, now)]


def is_hopeless(job: Job, now: float) -> bool:
    """Return whether no endpoint can take a job, now or as soon as what runs there has ended."""
    return not any(
        route.endpoint.is_well(now) or route.endpoint.is_probed or route.endpoint.may_be_probed(now)
        for route in _untried(job)
    )


class _Places:
    """Where the jobs of a line may go at one moment: to the first tier of routes that is not all sick."""

    def __init__(self, routes: Iterable[Route], at_home: Counter[Endpoint], now: float) -> None:
        usable = [route for route in routes if route.endpoint.is_well(now) or route.endpoint.may_be_probed(now)]
        tier = min((route.tier for route in usable), default=0)
        routes = [route for route in usable if route.tier == tier]
        self._known = {
            route.endpoint: route
            for route in routes
            if route.endpoint.is_well(now) and not route.endpoint.is_stuck(now)
        }
        self._at_home = at_home
        self._free = [route for route in routes if route.endpoint.takes(now)]
        self._sick = next((route for route in self._free if not route.endpoint.is_well(now)), None)
        self._best = min(self._free, key=lambda route: self._wait(route.endpoint), default=None)

    def route_for(self, home: Endpoint | None, may_probe: bool) -> Route | None:
        """Return where a job goes that an endpoint may know; None if it has to wait.

        One that may probe tries an endpoint that was sick: nothing else tells when it is well again.
        """
        if may_probe and self._sick:
            return self._sick
        own = self._known.get(home) if home else None
        if self._best is None or own in self._free:
            return own if self._best else None
        if own is None or home is None:
            return self._best
        here, there = self._wait(home), self._wait(self._best.endpoint)
        least = AFFINITY_ROUNDS * (home.seconds or 1.0)
        if self._at_home[self._best.endpoint]:  # it has enough to do: nothing is lost by staying but an even share
            least = max(least, AFFINITY_SHARE * here)
        return self._best if here - there > least else None

    def _wait(self, endpoint: Endpoint) -> float:
        return endpoint.rounds(self._at_home[endpoint]) * (endpoint.seconds or 1.0)


def _untried(job: Job) -> list[Route]:
    return [route for route in job.line.routes if route.endpoint not in job.tried]
