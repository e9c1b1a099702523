"""The world as an environment of PettingZoo (AEC): the same world, commands and sentences that players have.

    from fallwater.env import env

    world = env(players=("Ana", "Ben"), turns=50)
    world.reset(seed=7)
    for player in world.agent_iter():
        observation, reward, terminated, truncated, info = world.last()
        world.step(None if terminated or truncated else info["commands"][0])
    world.close()

An observation is `{"text": …}`: the lines that the player has perceived since its last turn began. `info` has
`commands`, lines that would be accepted now, `refusal`, why its last line was not done, `turn`, `seed`, and with
`actions="index"` an `action_mask`. Players take turns in their order; after each round the others act, and 10 seconds
of the world's time pass. After `turns` turns each player is truncated, and one who types `quit` is terminated.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from gymnasium.spaces import Dict, Discrete, Space, Text
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from fallwater.episode import MAX_TEXT_CHARACTERS, Act, Cast, Episode, WorldSource
from fallwater.opponents import ModelChoice, Policy
from vault.vault import STARTER
from world.events import QuitRequested
from world.parsing import MAX_LINE_BYTES

PLAYERS = ("Ana", "Ben")
MAX_COMMANDS = 256
"""Maximum number of commands to choose from, with `actions="index"`; further ones are left out."""

PRINTABLE = "".join(chr(code) for code in range(32, 127))
SEED_BITS = 32

Observation = dict[str, str]
Reward = Callable[[Act], Mapping[str, float]]
"""Returns the reward of a turn, by player; nobody else gets anything."""


def no_reward(act: Act) -> Mapping[str, float]:
    """Reward nothing."""
    return {}


class AnyText(Text):
    """Texts of every script. Only ASCII is sampled: a space of all characters would take hundreds of megabytes."""

    def __init__(self, max_length: int, min_length: int = 0) -> None:
        super().__init__(max_length, min_length=min_length, charset=PRINTABLE)

    def contains(self, x: Any) -> bool:
        """Return whether this is a text of a length that is allowed."""
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length


class FallwaterEnv(AECEnv[str, Observation, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """See the module. `episode` is the world since the last reset.

    `others` act between the rounds, each with a policy of its own; see `fallwater.opponents`. A player or another who
    is an agent of the vault moves that agent's body. With a `model`, all its other agents live in the world and think:
    `configured` asks the vault's config/models.md; `embedded`, `ollama:NAME` and `gguf:FILE` are as for `--model`.
    """

    metadata = {"name": "fallwater_v1", "render_modes": ["ansi"], "is_parallelizable": False}
    render_mode = "ansi"

    def __init__(
        self,
        vault: str | Path | None = None,
        players: Sequence[str] = PLAYERS,
        others: Mapping[str, Policy] | None = None,
        model: ModelChoice | None = None,
        turns: int = 100,
        actions: Literal["text", "index"] = "text",
        reward: Reward = no_reward,
    ) -> None:
        """Read a vault, the starter town if none is given; it is never changed. `turns` are those of each player.

        Raises: NoteError if the vault is not valid, ValueError for arguments that make no sense.
        """
        super().__init__()
        _check(players, others or {}, turns, actions)
        self.possible_agents = list(players)
        self.agents: list[str] = []
        self.episode: Episode | None = None
        self._source = WorldSource(Path(vault) if vault is not None else STARTER)
        self._cast = Cast(tuple(players), dict(others or {}), model)
        self._max_turns = turns
        self._is_indexed = actions == "index"
        self._reward = reward
        self._seeds = random.Random()
        self._seed = 0
        self.observation_spaces = {name: Dict({"text": AnyText(MAX_TEXT_CHARACTERS)}) for name in players}
        self.action_spaces = {name: self._new_action_space() for name in players}

    def observation_space(self, agent: str) -> Space[Any]:
        """Return the space of a player's observations, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space[Any]:
        """Return the space of a player's actions, always the same object."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin again. The same seed gives the same episode; without one, the next is drawn; `info` has it.

        There are no options. Raises: TypeError if the seed is no whole number; as `Episode`.
        """
        if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
            raise TypeError(f"seed is {seed!r}; expected a whole number, or None.")
        self.close()
        if seed is not None:
            self._seeds = random.Random(int(seed))
        self._seed = self._seeds.getrandbits(SEED_BITS) if seed is None else int(seed)
        self.episode = Episode(self._source, self._cast, self._seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._refusals = dict.fromkeys(self.agents, "")
        self._turns = dict.fromkeys(self.agents, 0)
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self.infos: dict[str, dict[str, Any]] = {name: {} for name in self.agents}
        self.infos[self.agents[0]] = self._info(self.agents[0])

    def observe(self, agent: str) -> Observation:
        """Return the text that a player has perceived since its last turn began."""
        return {"text": self._episode.text(agent)}

    def step(self, action: Any) -> None:
        """Let the selected player act. What cannot be done is refused in words, and takes the turn all the same.

        Raises: TypeError if the action is of another kind than the action space; whatever the reward raises.
        """
        name, episode = self.agent_selection, self._episode
        if self.terminations[name] or self.truncations[name]:
            self._was_dead_step(action)
            return
        act = episode.act(name, self._line(action))
        self._turns[name] += 1
        self._refusals[name] = act.result.refusal
        self._cumulative_rewards[name] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0) | self._rewarded(act)
        self._accumulate_rewards()
        if any(isinstance(event, QuitRequested) for event in act.result.events):
            episode.leave(name)
            self.terminations[name] = True
        self._select_next(name)

    def render(self) -> str:
        """Return the text that the selected player perceives."""
        return self._episode.text(self.agent_selection)

    def close(self) -> None:
        """Let the world go, with its models and files."""
        if self.episode is not None:
            self.episode.close()
            self.episode = None

    @property
    def _episode(self) -> Episode:
        if self.episode is None:
            raise RuntimeError("The environment is closed or was never reset; call reset() first.")
        return self.episode

    def _select_next(self, name: str) -> None:
        """Give the turn to the next player; after the last of a round the others act."""
        alive = [one for one in self.agents if not self.terminations[one]]
        order = self.possible_agents
        later = [one for one in alive if order.index(one) > order.index(name)]
        if not later:
            self._episode.end_round()
            self.truncations |= {one: self._turns[one] >= self._max_turns for one in alive}
        self.agent_selection = next(iter(later or alive), name)
        chosen = self._deads_step_first()
        self.infos[chosen] = self._info(chosen)

    def _info(self, name: str) -> dict[str, Any]:
        is_over = self.terminations[name] or self.truncations[name]
        commands = () if is_over else self._episode.commands(name)[:MAX_COMMANDS]
        info = {"commands": commands, "refusal": self._refusals[name], "turn": self._turns[name], "seed": self._seed}
        return {**info, "action_mask": _mask(len(commands))} if self._is_indexed else info

    def _line(self, action: Any) -> str:
        """Return the line that an action is; one that is refused if there is no such action now."""
        if not self._is_indexed:
            if isinstance(action, str):
                return action
            raise TypeError(f'The action is {action!r}; expected a line of text. See actions="index".')
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise TypeError(f"The action is {action!r}; expected the number of a command in info['commands'].")
        commands: Sequence[str] = self.infos[self.agent_selection]["commands"]
        return commands[int(action)] if 0 <= action < len(commands) else ""

    def _rewarded(self, act: Act) -> dict[str, float]:
        given = dict(self._reward(act))
        if unknown := given.keys() - set(self.possible_agents):
            raise ValueError(f"reward names {', '.join(sorted(unknown))}; the players are {self.possible_agents}.")
        return {name: float(value) for name, value in given.items() if name in self.agents}

    def _new_action_space(self) -> Space[Any]:
        return Discrete(MAX_COMMANDS) if self._is_indexed else AnyText(MAX_LINE_BYTES, min_length=1)


def env(**options: Any) -> AECEnv[str, Observation, Any]:
    """Return a `FallwaterEnv` with these arguments, which raises if its methods are called in a senseless order."""
    return OrderEnforcingWrapper(FallwaterEnv(**options))


def _mask(count: int) -> NDArray[np.int8]:
    mask = np.zeros(MAX_COMMANDS, dtype=np.int8)
    mask[:count] = 1
    return mask


def _check(players: Sequence[str], others: Mapping[str, Policy], turns: int, actions: str) -> None:
    """Raise ValueError for arguments that make no sense."""
    if isinstance(players, str) or not players or len({*players, *others}) < len(players) + len(others):
        named = ", ".join([*players, *others]) if not isinstance(players, str) else repr(players)
        raise ValueError(f"players and others are {named}; expected one name or more, each once.")
    if turns < 1:
        raise ValueError(f"turns is {turns}; expected 1 or more.")
    if actions not in ("text", "index"):
        raise ValueError(f"actions is {actions!r}; expected text or index.")
