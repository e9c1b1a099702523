"""The inn with Rook as a whole agent, watched from outside, without a socket."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from twisted.internet.defer import execute
from twisted.internet.task import Clock

from agents.agent import Agent
from agents.commands.memory_commands import fact_commands, memory_commands
from agents.models.queue import ModelQueue
from server.observatory.observatory import Observatory
from server.observatory.viewers import Viewer
from server.questions import Questions
from tests.agents.test_agent import Life
from world.entities import Role


class Outlet:
    """A viewer's socket: what was sent, and whether it is read."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.is_congested = False

    def send_text(self, content: bytes) -> None:
        self.sent.append(content)

    def taken(self) -> list[dict[str, Any]]:
        """Return the messages that have come since the last call."""
        found = [item for content in self.sent for item in json.loads(content)]
        self.sent.clear()
        return found


class Watched(Life):
    """Rook among Ana and Ben; `observatory` sees it, by a clock of its own."""

    def __init__(self, root: Any, *script: Any, **more: Any) -> None:
        super().__init__(root, *script, **more)
        self.clock = Clock()
        self.agents: dict[str, Agent] = {"Rook": self.agent}
        self.game.commands.add(memory_commands(self.agents, self.game.tell, lambda: 0))
        self.game.commands.add(fact_commands(self.agents, self.game.publish))
        self.questions = Questions(execute, lambda: self.game.world.wording)
        self.noted: list[tuple[str, str]] = []
        self.observatory = Observatory(
            self.game, self.agents, self._queues, lambda: "None was found.", self.clock, self.questions, self._now_ms
        )
        self.observatory.viewers.subscribe_looks(lambda *look: self.noted.append(look))
        self.observatory.feed.note_everybody()
        self.ben = self.game.world.characters["Ben"]

    def _now_ms(self) -> int:
        return round(self.clock.seconds() * 1000)

    def _queues(self) -> Mapping[str, ModelQueue]:
        return {"thinker": self.agent.queue} if self.agent.queue else {}

    def looks(self, name: str, role: Role = Role.PLAYER) -> tuple[Viewer, Outlet]:
        """Return somebody who looks, with what is sent there."""
        self.game.world.characters[name].role = role
        outlet = Outlet()
        return self.observatory.open(outlet, lambda: self.game.world.characters.get(name)), outlet

    def watches(self, name: str, role: Role = Role.PLAYER, **asked: str) -> Outlet:
        """Return what is sent to somebody who looks at a view, from the first change on."""
        viewer, outlet = self.looks(name, role)
        viewer.message_received(asked)
        outlet.taken()
        return outlet

    def asked(self, name: str, role: Role, **message: Any) -> dict[str, Any]:
        """Return the answer to one question."""

        async def ask() -> dict[str, Any]:
            viewer, outlet = self.looks(name, role)
            viewer.message_received({"id": 1, **message})
            for _ in range(200):
                if outlet.sent:
                    break
                await asyncio.sleep(0)
            (answer,) = outlet.taken()
            return answer

        return asyncio.run(ask())

    def wakes_without_model(self) -> None:
        """Let Rook be there and perceive, though nobody thinks for it."""
        self.game.wake("Rook", self.agent.perceive)

    def count_made(self) -> list[str]:
        """Return a list that takes in the name of each view that is made from now on."""
        made: list[str] = []
        views = self.observatory.views
        make, pieces = views.make, views.pieces

        def counted(name: str, asked: Any, scope: Any, past: Any = None) -> Any:
            made.append(name)
            return make(name, asked, scope, past)

        def counted_pieces(name: str, asked: Any, scope: Any) -> Any:
            found = pieces(name, asked, scope)
            made.extend([name] * bool(found))
            return found

        views.make, views.pieces = counted, counted_pieces  # type: ignore[method-assign]
        return made

    def goes_on(self, seconds: float = 0.3) -> None:
        """Let time pass."""
        self.clock.pump([0.05] * round(seconds / 0.05))


LINES = ("say {}", "whisper {who} {}", "tell {who} {}", "think {}", "emote hums {}", "look", "go north", "go out",
         "go south", "go house door", "get {}", "shout {}", "share plan -> {}", "note Secret -> {}")  # fmt: skip


def secrets_seen(root: Path, seed: int, turns: int) -> tuple[int, int, int]:
    """Return how often a private reason and words spoken in private stand in what windows are sent, and the bytes."""
    life, rng = Watched(root), random.Random(seed)
    life.wakes_without_model()
    openings = [life.looks(name) for name in ("Ana", "Ben", "Cat")]
    names = ["Ana", "Ben", "Cat", "Rook"]
    for turn in range(turns):
        if turn % 40 == 0:
            for viewer, _ in openings:
                view = rng.choice(["feed", "town", "mind"])
                viewer.message_received({"view": view, "agent": "Rook"})
        line = rng.choice(LINES)
        is_private = line.startswith(("whisper", "tell", "think", "note", "get"))
        word = f"quartz{turn}x" if is_private else f"open{turn}x"
        said = line.format(word, who=rng.choice(names)) + (f" | agate{turn}x" if rng.random() < 0.7 else "")
        actor = rng.choice(names)
        if actor == "Rook":
            life.agent.perform(said)
        else:
            life.game.perform(actor, said)
        if rng.random() < 0.3:
            life.goes_on(0.25)
    life.goes_on(2.0)
    content = b"".join(content for _, outlet in openings for content in outlet.sent)
    return content.count(b"agate"), content.count(b"quartz"), len(content)
