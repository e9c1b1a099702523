"""The starter world with its agents awake, in a folder of its own: for one situation, or for a day."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agents.memory.strategy import loaded_strategies
from agents.population import Population
from bench.lib.three_agents import add_agent_commands
from bench.minds.situation import Step
from vault.config_notes import Settings
from vault.vault import STARTER, Vault
from world.game import Game

TIMEOUT_SECONDS = 600
"""A slow machine is no fault of the model's, so nobody gives up on an answer."""

_ERRANDS = re.compile(r"^## Errands[ \t]*$.*?(?=^#{1,2} |\Z)", re.MULTILINE | re.DOTALL)


COMPONENTS = (
    "yesterday",
    "facts",
    "older",
    "recent",
    "board",
    "known",
    "recollected",
    "bonds",
    "insights",
    "errand",
    "notice",
)
"""The parts of a mind that can be switched off."""


class UnknownComponent(Exception):
    """A component that is to be switched off and that no agent has; the message names those there are."""


def prepare_vault(root: Path, errands: Mapping[str, Sequence[Step]], without: Sequence[str] = ()) -> Vault:
    """Copy the starter world to `root`; each agent has the errands given for it there, or none.

    `without` are the components of agents that are switched off. Raises: UnknownComponent.
    """
    shutil.copytree(STARTER, root)
    vault = Vault(root)
    for note in sorted(root.glob("agents/*/agent.md")):
        body = _ERRANDS.sub("", note.read_text("utf-8")).rstrip()
        steps = "\n".join(step.note_line for step in errands.get(note.parent.name, ()))
        note.write_text(f"{body}\n\n## Errands\n{steps}\n" if steps else f"{body}\n", "utf-8")
    check_components(without)
    edit(vault, ("config", "agents.md"), r"^\*\*without\*\*: .*$", f'**without**: "{", ".join(without)}"')
    edit(vault, ("config", "models.md"), r"^\*\*timeout_seconds\*\*: .*$", f"**timeout_seconds**: {TIMEOUT_SECONDS}")
    return vault


def edit(vault: Vault, parts: Sequence[str], pattern: str, line: str) -> None:
    """Replace the lines of a note that fit a pattern."""
    path = vault.path(*parts)
    path.write_text(re.sub(pattern, line, path.read_text("utf-8"), flags=re.MULTILINE), "utf-8")


def check_components(names: Sequence[str]) -> None:
    """Raise UnknownComponent if one of these is no component that agents have."""
    for name in names:
        if name not in COMPONENTS:
            known = ", ".join(COMPONENTS) or "none"
            raise UnknownComponent(f"There is no component {name!r} to do without. There are: {known}.")


def populate(vault: Vault, game: Game, rng: random.Random, now_ms: Callable[[], int]) -> tuple[Population, Settings]:
    """Return the agents of a game, asleep, with all the commands that they have in the server; and the settings."""
    settings = loaded_strategies().load_settings(vault)
    agents = Population(vault, settings, game, rng, now_ms)
    add_agent_commands(game, agents, vault, random.Random(rng.getrandbits(64)), now_ms)
    return agents, settings
