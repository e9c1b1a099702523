"""The observatory of a world: its views, its feed, its viewers, and the commands that print the same.

The view `health` shows the health of models, and the main cause of slow answers in one line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from twisted.internet.defer import Deferred

from agents.agent import Agent
from agents.models.endpoint import EndpointStatus, RequestStatsSnapshot
from agents.models.queue import ModelQueue
from server.agent_scheduler import AgentScheduler
from server.chronicle.command import ChronicleCommands
from server.chronicle.reading import Reader
from server.chronicle.scope import PastAccess, past_access
from server.clock import InThread, ReactorClock
from server.health import ReactorLag
from server.observatory.chronicle import ChronicleView
from server.observatory.feed import Feed, feed_text, fits
from server.observatory.minds import MindViews
from server.observatory.town import Town, town_text
from server.observatory.viewers import Viewer, Viewers, ViewerSocket
from server.observatory.views import Asked, Scope, Shown, View, Views, now_only, scope_of
from server.questions import Questions
from world.command import command, commands_of
from world.entities import Character, Role
from world.events import Event, Output
from world.game import Game
from world.message_catalog import Wording
from world.world import World


class Observatory:
    """The view of a world from outside, on a page and by commands. It hears of everything, and nothing waits for it.

    `queues` returns the queues before models by name, the thinker's first; `no_model_reason` says why there are none.
    """

    def __init__(
        self,
        game: Game,
        agents: Mapping[str, Agent],
        queues: Callable[[], Mapping[str, ModelQueue]],
        no_model_reason: Callable[[], str],
        clock: ReactorClock,
        questions: Questions,
        now_ms: Callable[[], int],
    ) -> None:
        self.questions = questions
        self.feed = Feed(game, agents, now_ms)
        self.views = Views(lambda: game.world.wording)
        self._game = game
        self._agents = agents
        self._queues = queues
        self._no_model_reason = no_model_reason
        self._town = Town(game, agents, self.feed.speaking, now_ms)
        self._past: ChronicleView | None = None
        self._lag = ReactorLag(clock)
        self.viewers = Viewers(self.views, self.feed, clock, questions)
        self.views.add(
            View(
                "town",
                self._whole_town,
                town_text,
                self._town_window,
                is_live=True,
                is_private=False,
                stamp=lambda asked: asked.get("at") or self._town.stamp(),
                pieces=self._town.pieces,
            ),
            View("feed", None, feed_text, is_live=True, past=self._feed_for),
            *MindViews(game, agents, questions.in_thread).views,
            View("health", self._health, health_text, is_live=True, is_private=False),
        )
        game.subscribe_lines("observatory", self.feed.take_line, first=True)
        game.subscribe("positions", self.feed.take_moves, first=True)
        game.subscribe("observatory", self._take_events)
        game.commands.add(commands_of(ObservatoryCommands(self.views, game, questions)))

    def add_chronicle(self, chronicle: ChronicleView) -> None:
        """Add the views of past events, and of everybody's place at a time."""
        self._past = chronicle
        self.views.add(chronicle.view)

    def start(self) -> None:
        """Begin to measure how late the server is."""
        self.feed.note_everybody()
        self._lag.start()

    def stop(self) -> None:
        """Measure and send no more."""
        self._lag.stop()
        self.viewers.stop()

    def open(self, outlet: ViewerSocket, who: Callable[[], Character | None]) -> Viewer:
        """Return a viewer at a socket; `who` returns whom its visitor plays, None for nobody."""
        return Viewer(self.viewers, self.views, outlet, who)

    def tell_of_agent(self, name: str, what: str) -> None:
        """Take in that an agent thinks, or no longer."""
        self._town.thought()
        self.viewers.mark_changed()

    def _take_events(self, events: tuple[Event, ...]) -> None:
        self._town.take_events(events)
        self.feed.take_events(events)
        self.viewers.mark_changed()

    def _town_window(self, asked: Asked, scope: Scope) -> Shown:
        """Return the town as a window shows it: as it is now. Raises: CommandError where a time is asked for."""
        now_only(asked, "town", self._game.world.wording)
        return self._town.window(scope.room_id)

    def _whole_town(self, asked: Asked) -> Shown | Deferred[Shown]:
        at, has_words = asked.get("at", ""), asked.get("form") == "text"
        return self._past.town_at(self._town, at) if at and self._past else self._town.whole(has_words)

    def _feed_for(self, asked: Asked, access: PastAccess) -> dict[str, Any]:
        entries = [shown for one, scope in self.feed.past(access) if (shown := one.shown(scope))]
        return {"entries": [one for one in entries if fits(one, asked.get("fits", ""))]}

    def _health(self, asked: Asked) -> dict[str, Any]:
        say = self._game.world.wording
        return health_shown(self._queues(), self._agents, self._no_model_reason(), self._lag.worst(), say)


def observatory_of(
    game: Game,
    agents: Mapping[str, Agent],
    scheduler: AgentScheduler,
    clock: ReactorClock,
    now_ms: Callable[[], int],
    chronicle: Reader,
    in_thread: InThread,
) -> Observatory:
    """Return the observatory of a world; `chronicle` reads what happened before."""
    questions = Questions(in_thread, lambda: game.world.wording)
    observatory = Observatory(
        game, agents, scheduler.queues_by_name, lambda: scheduler.no_model_reason, clock, questions, now_ms
    )
    observatory.add_chronicle(ChronicleView(chronicle, game.world, in_thread))
    scheduler.subscribe("observatory", observatory.tell_of_agent)
    game.commands.add(commands_of(ChronicleCommands(chronicle, game, questions)))
    return observatory


class ObservatoryCommands:
    """The commands whose views take no time; those of minds are in `agents.commands`."""

    def __init__(self, views: Views, game: Game, questions: Questions) -> None:
        self._views = views
        self._game = game
        self._questions = questions

    @command("@town [<text>]", category="people", role=Role.PLAYER, for_agents=False)
    def town(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show who is where, and who thinks. Players see their own room.

        @town                     now
        @town 2026-11-21T20:35    at that time (UTC), for observers and admins
        """
        if not text.strip():
            return self._told(actor, "town", {"form": "text"})
        who, asked, scope = actor.character_id, {"at": text.strip()}, scope_of(actor)
        made = self._questions.ask(who, lambda: self._views.make("town", asked, scope))
        told = made.addCallbacks(lambda shown: self._views.text("town", shown), lambda why: why.getErrorMessage())
        told.addCallback(lambda words: self._answer(who, words))
        return [] if told.called else [Output(who, world.wording("chronicle.working"))]

    def _answer(self, who: str, told: str) -> None:
        if who in self._game.world.characters:
            self._game.tell(who, told)

    @command("@feed [<text>]", category="people", role=Role.PLAYER, for_agents=False)
    def feed(self, world: World, actor: Character, text: str = "") -> list[Event]:
        """Show the newest events that you perceived. Observers and admins see all, with reasons.

        @feed          everything
        @feed Eliza    by person, place, kind or words
        """
        return self._told(actor, "feed", {"fits": text})

    @command("@health", category="models", role=Role.OBSERVER, for_agents=False)
    def health(self, world: World, actor: Character) -> list[Event]:
        """Explain in one line why it is slow; show models, queues and agents."""
        return self._told(actor, "health")

    def _told(self, actor: Character, name: str, asked: Asked | None = None) -> list[Event]:
        shown = self._views.make_now(name, asked or {}, scope_of(actor), past_access(actor))
        return [Output(actor.character_id, self._views.text(name, shown))]


LATE_SECONDS = 0.25
"""Minimum delay of the reactor, in seconds, at which the server itself is the reason for slowness."""

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
        told = {**one, "tokens": one["tokens_per_second"], "cached": _share(one["cached_share"], say)}
        lines.append(say("observatory.model", **told))
    for one in shown["endpoints"]:
        state = say("observatory.well" if one["state"] in ("closed", "untried") else "observatory.failing")
        lines.append(say("observatory.endpoint", **{**one, "state": state, "rate": one["per_minute"]}))
        lines += [f"  {one['problem']}"] if one["problem"] else []
    for one in shown["agents"]:
        outcome = one["stage"] or one["outcome"]
        lines.append(say("observatory.agent", who=one["name"], outcome=outcome, why=one["why"]).rstrip())
    return "\n".join(lines)
