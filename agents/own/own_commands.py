"""All commands about oneself: notes, dreams, what one recalls and means to do, and who one is."""

from __future__ import annotations

import random
from collections.abc import Callable

from agents.commands.fact_commands import Publish
from agents.models.queue import ModelQueue
from agents.own.dreaming import Dreamer
from agents.own.mind_commands import mind_commands
from agents.own.note_commands import note_commands
from agents.own.self_commands import self_commands
from agents.population import Population
from vault.personal_notes import OwnNotes, OwnProfiles
from vault.vault import Vault
from world.command import Command


def own_commands(
    agents: Population,
    vault: Vault,
    publish: Publish,
    queue: Callable[[], ModelQueue | None],
    rng: random.Random,
    now_ms: Callable[[], int],
    timeout_seconds: float,
) -> tuple[Command, ...]:
    """Return the commands; `publish` is how an answer comes that takes a while, `queue` stands before the model."""
    return (
        *note_commands(OwnNotes(vault, now_ms)),
        *mind_commands(agents, Dreamer(vault, queue, rng, timeout_seconds), publish),
        *self_commands(agents, OwnProfiles(vault, now_ms), agents.take_in),
    )
