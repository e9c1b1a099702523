"""The command `@llm-status`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace

from agents.agent import Agent
from agents.component import Turn
from agents.models.endpoint import EndpointStatus, RequestStatsSnapshot
from agents.models.model import Capabilities, Timing
from agents.models.queue import ModelQueue
from world.command import Command, command
from world.entities import Character, Role
from world.events import Event, Output
from world.message_catalog import Wording
from world.world import World


def model_commands(
    agents: Mapping[str, Agent],
    queue: Callable[[], ModelQueue | None],
    others: Callable[[], Mapping[str, ModelQueue]] = dict,
    problem: Callable[[], str] = str,
    chosen: Callable[[], Iterable[str]] = tuple,
) -> tuple[Command, ...]:
    """Return the commands about the model of `queue`, if there is one.

    `others` are the queues of other profiles and of models for summaries; `problem` says why there is no model, and
    `chosen` what was chosen, and why.
    """

    @command("@llm-status", category="models", role=Role.OBSERVER, for_agents=False)
    def llm_status(world: World, actor: Character) -> list[Event]:
        """Show the models, the state of each endpoint, and the outcome of each agent's last turn."""
        text = model_text(queue(), agents, world.wording, others(), problem(), chosen())
        return [Output(actor.character_id, text)]

    return (llm_status,)


def model_text(
    queue: ModelQueue | None,
    agents: Mapping[str, Agent],
    say: Wording,
    others: Mapping[str, ModelQueue] | None = None,
    problem: str = "",
    chosen: Iterable[str] = (),
) -> str:
    """Return how the models are and what became of each agent's last turn, a line each."""
    others = others or {}
    if queue is None:
        return say("models.none_because", why=problem) if problem else say("models.none")
    status = queue.status()
    lines = [say("models.model", model=status.model, state=_queue_state(queue, say)), *chosen, *_figures(status, say)]
    lines += [_profile_text(name, one, say) for name, one in others.items()]
    endpoints = {one.name: one for each in (queue, *others.values()) for one in each.endpoints()}
    abilities = {
        route.endpoint.name: route.model.capabilities for each in (queue, *others.values()) for route in each.routes
    }
    lines += [_endpoint_text(one, abilities[name], say) for name, one in endpoints.items()]
    spent = sum(one.spent for one in (queue, *others.values()))
    if spent:
        lines.append(say("models.spent", spent=f"{spent:.4f}"))
    if status.failing_seconds is not None and not any(one.problem for one in endpoints.values()):
        lines.append(say("models.last_error", error=status.last_error))
    problems = [one.problem for one in endpoints.values() if one.problem]
    return "\n".join([*lines, *(_turn_text(agent, problems, say) for agent in agents.values())])


def _figures(status: RequestStatsSnapshot, say: Wording) -> list[str]:
    """Return what a queue does now, has done, and how long its last answers took, if there were any."""
    since = {name: getattr(status, name) for name in ("answered", "failed", "cancelled", "read_ahead")}
    lines = [
        say("models.now", running=status.running, waiting=status.waiting),
        say("models.since_the_start", **since),
    ]
    if not status.answered:
        return lines
    of_late = say(
        "models.of_late",
        seconds=f"{status.mean_seconds:.2f}",
        where=_where(status.timing, say),
        tokens=f"{status.tokens_per_second:.0f}",
        cached=_cached(status, say),
    )
    return [*lines, of_late]


def _profile_text(name: str, queue: ModelQueue, say: Wording) -> str:
    status = queue.status()
    return say(
        "models.profile",
        name=name,
        model=queue.model.name,
        running=status.running,
        waiting=status.waiting,
        answered=status.answered,
        failed=status.failed,
        seconds=f"{status.mean_seconds:.2f}",
    )


def _endpoint_text(status: EndpointStatus, ability: Capabilities, say: Wording) -> str:
    record = status.record
    lines = [
        say(
            "models.endpoint",
            name=status.name,
            state=_state_text(status, say),
            running=status.running,
            limit=status.limit,
            how=say("models.measured" if status.is_measured else "models.given"),
        ),
        *([say("models.ability", what=ability.explanation)] if ability.explanation else []),
        *([say("models.refused", why=ability.refusal)] if ability.refusal else []),
        say(
            "models.endpoint_record",
            answered=record.answered,
            failed=record.failed,
            rate=status.per_minute,
            seconds=f"{record.mean_seconds:.2f}",
            tokens=f"{record.tokens_per_second:.0f}",
            cached=_cached(record, say),
        ),
    ]
    if status.problem:
        key = "models.failed_before" if record.failing_seconds is None else "models.last_error"
        error = f"{status.problem} {status.remedy}".strip()
        lines.append(say(key, error=error, seconds=f"{status.failed_seconds:,.0f}"))
    return "\n".join(lines)


def _queue_state(queue: ModelQueue, say: Wording) -> str:
    """Return how a queue is: one that has not failed yet is not well while all its endpoints are sick."""
    status = queue.status()
    all_sick = all(one.state in ("open", "half-open") for one in queue.endpoints())
    return say("models.sick") if all_sick and status.failing_seconds is None else status.state


def _cached(status: RequestStatsSnapshot, say: Wording) -> str:
    return f"{status.cached_share:.0%}" if status.is_cache_told else say("models.share_unknown")


def _where(timing: Timing, say: Wording) -> str:
    """Return where the time of an answer goes, part by part, as far as that is known."""
    parts = {f"models.in_{name}": seconds for name, seconds in asdict(timing).items() if seconds is not None}
    told = [say(key, seconds=f"{seconds:.2f}") for key, seconds in parts.items()]
    return ", ".join(told) or say("models.where_unknown")


def _state_text(status: EndpointStatus, say: Wording) -> str:
    match status.state:
        case "closed":
            return say("models.well")
        case "open":
            return say("models.left_alone", seconds=f"{status.retry_seconds:.0f}")
        case "half-open":
            return say("models.tried_next")
        case "untried":
            return say("models.untried")


def _turn_text(agent: Agent, problems: Iterable[str], say: Wording) -> str:
    """Return how an agent's last turn was; why it failed is left out if an endpoint has said so already."""
    turn = Turn("paused", why=agent.why_still) if agent.why_still else agent.last_turn
    outcome: str = turn.outcome
    if any(problem in turn.why for problem in problems):
        turn = replace(turn, why=say("models.as_above"))
    if stage := agent.queue.stage(agent.name) if agent.queue and not agent.why_still else None:
        outcome = say("models.thinking" if stage == "running" else "models.waiting", outcome=turn.outcome)
    told = say("models.turn_because" if turn.why else "models.turn", who=agent.name, outcome=outcome, why=turn.why)
    latest = agent.queue.latest(agent.name) if agent.queue else None
    if latest is None:
        return told
    took = say(
        "models.took" if latest.is_counted else "models.took_about",
        seconds=f"{latest.seconds + (latest.timing.queue or 0.0):.2f}",
        where=_where(latest.timing, say),
        prompt=f"{latest.prompt_tokens:,}",
        written=f"{latest.completion_tokens:,}",
    )
    return f"{told} {took}"
