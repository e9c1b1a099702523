"""The health of models, and the main cause of slow answers in one line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from agents.agent import Agent
from agents.models.endpoint import EndpointStatus, RequestStatsSnapshot
from agents.models.queue import ModelQueue
from world.message_catalog import Wording

LATE_SECONDS = 0.25
"""Minimum delay of the reactor, in seconds, at which the server itself is the reason for slowness."""

SLOW_SECONDS = 10.0
"""Minimum seconds of an answer that counts as slow."""

PARTS = ("queue", "load", "prompt", "answer")
"""The parts of an answer's time, as far as known; see `agents.models.model.Timing`."""


def health_shown(
    queues: Mapping[str, ModelQueue], agents: Mapping[str, Agent], problem: str, late_seconds: float, say: Wording
) -> dict[str, Any]:
    """Return the models, the endpoints, and each agent's last answer; `why` says in a sentence why it is slow.

    `queues` are those of the profiles, the thinker's first, `problem` why there is no model, `late_seconds` how late
    the server was at worst within the last minute.
    """
    models = [_model(name, one.status()) for name, one in queues.items()]
    endpoints = {one.name: one for queue in queues.values() for one in queue.endpoints()}
    shown: dict[str, Any] = {
        "models": models,
        "endpoints": [_endpoint(one) for one in endpoints.values()],
        "agents": [_agent(one) for one in agents.values()],
        "spent": round(sum(one.spent for one in queues.values()), 4),
        "late": round(late_seconds, 3),
        "problem": problem,
    }
    return shown | {"why": why_slow(shown, say)}


def why_slow(shown: Mapping[str, Any], say: Wording) -> str:
    """Return in one sentence why it is slow, or that it is not: what weighs most."""
    if not shown["models"]:
        return say("observatory.no_model", why=shown["problem"])
    model = shown["models"][0]
    if model["failing"] is not None:
        return say("observatory.fails", model=model["model"], error=model["error"])
    if shown["late"] >= LATE_SECONDS:
        return say("observatory.late", seconds=shown["late"])
    if not model["answered"]:
        return say("observatory.no_answers", running=model["running"], waiting=model["waiting"])
    parts = {name: model["timing"].get(name) for name in PARTS if model["timing"].get(name) is not None}
    total = f"{sum(parts.values()) if parts else model['seconds']:.1f}"
    most = max(parts, key=lambda name: parts[name]) if parts else ""
    if not most:
        return say("observatory.slow_unknown", seconds=total, waiting=model["waiting"])
    tokens, cached = f"{model['tokens_per_second']:.0f}", _share(model["cached_share"], say)
    given = {"seconds": total, "part": f"{parts[most]:.1f}", "waiting": model["waiting"], "running": model["running"]}
    return say(f"observatory.slow_{most}", **given, tokens=tokens, cached=cached)


def _model(name: str, status: RequestStatsSnapshot) -> dict[str, Any]:
    return {
        "name": name,
        "model": status.model,
        "running": status.running,
        "waiting": status.waiting,
        "answered": status.answered,
        "failed": status.failed,
        "cancelled": status.cancelled,
        "failing": None if status.failing_seconds is None else round(status.failing_seconds),
        "error": status.last_error,
        "seconds": round(status.mean_seconds, 2),
        "tokens_per_second": round(status.tokens_per_second, 1),
        "cached_share": round(status.cached_share, 3) if status.is_cache_told else None,
        "timing": {key: None if one is None else round(one, 3) for key, one in asdict(status.timing).items()},
    }


def _endpoint(status: EndpointStatus) -> dict[str, Any]:
    return {
        "name": status.name,
        "state": status.state,
        "running": status.running,
        "limit": status.limit,
        "per_minute": status.per_minute,
        "seconds": round(status.record.mean_seconds, 2),
        "answered": status.record.answered,
        "failed": status.record.failed,
        "problem": f"{status.problem} {status.remedy}".strip(),
    }


def _agent(agent: Agent) -> dict[str, Any]:
    latest = agent.queue.latest(agent.name) if agent.queue else None
    stage = agent.queue.stage(agent.name) if agent.queue and not agent.why_still else None
    turn = agent.last_turn
    shown: dict[str, Any] = {"name": agent.name, "outcome": turn.outcome, "why": agent.why_still or turn.why}
    shown |= {"stage": stage or "", "memories": agent.memory.journal.last}
    if latest is not None:
        seconds = latest.seconds + (latest.timing.queue or 0.0)
        shown |= {"seconds": round(seconds, 2), "prompt_tokens": latest.prompt_tokens}
        shown |= {"cached_tokens": latest.cached_tokens, "completion_tokens": latest.completion_tokens}
    return shown


def _share(share: float | None, say: Wording) -> str:
    return say("models.share_unknown") if share is None else f"{share:.0%}"


def health_text(shown: Mapping[str, Any], say: Wording) -> str:
    """Return how the models are for people, why it is slow first."""
    lines = [shown["why"]]
    for one in shown["models"]:
        lines.append(
            say(
                "observatory.model",
                name=one["name"],
                model=one["model"],
                running=one["running"],
                waiting=one["waiting"],
                answered=one["answered"],
                failed=one["failed"],
                seconds=one["seconds"],
                tokens=one["tokens_per_second"],
                cached=_share(one["cached_share"], say),
            )
        )
    for one in shown["endpoints"]:
        lines.append(
            say(
                "observatory.endpoint",
                name=one["name"],
                state=say("observatory.well" if one["state"] in ("closed", "untried") else "observatory.failing"),
                running=one["running"],
                limit=one["limit"],
                rate=one["per_minute"],
            )
        )
        lines += [f"  {one['problem']}"] if one["problem"] else []
    for one in shown["agents"]:
        outcome = one["stage"] or one["outcome"]
        lines.append(say("observatory.agent", who=one["name"], outcome=outcome, why=one["why"]).rstrip())
    return "\n".join(lines)
