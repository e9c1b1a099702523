"""What of a running world its figures and its health are read from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agents.models.queue import ModelQueue
from agents.population import Population
from server.agent_scheduler import AgentScheduler
from server.connection.services import Traffic
from server.net.listeners import Ports
from server.persistence.autosave import GroupCommit, WorldStore
from server.session.registry import SessionRegistry
from vault.vault import Vault
from world.game import Game


@dataclass
class MonitoredServer:
    """The parts of a world, for whoever only looks. `is_open` says whether it has been started and does not close."""

    vault: Vault
    game: Game
    registry: SessionRegistry
    agents: Population
    minds: AgentScheduler
    sync: GroupCommit
    on_disk: WorldStore
    traffic: Traffic
    is_open: Callable[[], bool]
    ports: Callable[[], Ports | None]

    @property
    def queues(self) -> dict[str, ModelQueue]:
        """The queues before the models, by what they are called: the thinker's, and those of other profiles."""
        thinker = {"thinker": self.minds.queue} if self.minds.queue else {}
        return thinker | self.minds.other_queues()
