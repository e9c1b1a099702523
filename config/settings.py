"""Typed settings: what can be set, in which unit and range, and what it is when nobody sets it.

Each dataclass is one note of the vault's `config` folder; a field's metadata says how its value is checked and
explained. Nothing here reads a file: `settings_from` is given the values with the lines that they stand in.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from config.color_settings import ColorSettings
from config.declaring import setting as setting
from config.given import Given as Given
from config.old_names import OLD_NAMES, today
from config.server_settings import ROLES as ROLES
from config.server_settings import ServerSettings as ServerSettings

CLOSE = 0.9
"""A key that is so near to a known one is that one misspelt, even where others may be known elsewhere."""

IGNORED_KEYS = frozenset({"tags", "aliases", "cssclasses", "cssclass", "created", "modified", "title"})


class SettingsError(Exception):
    """A setting is unknown or its value will not do; the message names file, line and what is expected."""


MODEL_FORM = r"auto|embedded|none|ollama:\S+|gguf:[^,]*[^,\s]"
MODEL_CHOICES = "auto, embedded, none, ollama:NAME or gguf:FILE"
NAMES_FORM = r"|[^\s,]+(?:\s*,\s*[^\s,]+)*"
STRATEGY_FORM = r"[a-z][a-z0-9_-]*"


@dataclass(frozen=True)
class WorldSettings:
    """config/world.md"""

    name: str = setting("Fallwater", "what the world is called")
    start_room: str = setting("The Landing", "the room in which newcomers arrive")
    day_minutes: int = setting(
        1440, "how long a day of the world takes, in minutes; 1440 keeps real time", low=4, high=1440
    )
    ambient_minutes: float = setting(
        6.0,
        "minutes from one thing to notice in a room to the next, on average; 0 for never",
        low=0,
        high=1440,
    )
    crowd: int = setting(
        50,
        "how many people in a room are no crowd yet: in one, nobody is told who comes and goes; 0 for never a crowd",
        low=0,
        high=100000,
    )
    contact: str = setting("", "an address for questions, told to lists of worlds")
    website: str = setting("", "the address of a web page about the world")
    language: str = setting("", "the English name of the language that is spoken here")
    location: str = setting("", "the English name of the country in which the world is run")
    founded: int = setting(0, "the year in which the world began; 0 if it is not told", low=0, high=9999)
    genre: str = setting("", "Fantasy, Historical, Modern, Mystery, None or the like")
    gameplay: str = setting("", "Adventure, Roleplaying, Simulation, Social or the like")
    status: str = setting("", "how far the world is: Alpha, Closed Beta, Open Beta or Live")


@dataclass(frozen=True)
class AgentSettings:
    """config/agents.md; each of these can also stand in an agent's own agent.md, and wins there."""

    think_seconds: float = setting(20.0, "seconds from one thought to the next", low=0.5, high=86400)
    think_jitter: float = setting(0.3, "how much that varies, as a share of it", low=0, high=0.9)
    react_seconds: float = setting(1.0, "seconds until an agent thinks that was spoken to", low=0, high=600)
    reply_tokens: int = setting(48, "the longest command an agent can give, in tokens", low=8, high=2000)
    temperature: float = setting(0.9, "how varied the replies are", low=0, high=2)
    model_profile: str = setting(
        "thinker", "the section of config/models.md that says what an agent thinks with", form=r"[a-z][a-z0-9_-]*"
    )
    steering: str = setting(
        "auto",
        "whether the engine decides what kind of act comes next",
        choices=("auto", "on", "off"),
    )
    break_loops: bool = setting(True, "whether an agent that goes in circles is told so, and led out of them")
    think_when: str = setting(
        "always",
        "when an agent thinks: always, near a person (or when something happened lately), or only when addressed",
        choices=("always", "near", "addressed"),
    )
    thought_tokens: int = setting(
        512, "how long a reasoning model may think before its command, in tokens", low=0, high=32000
    )
    welcomes: bool = setting(False, "whether an agent goes to meet people who have just come into the world")
    reflection: bool = setting(
        True, "whether an agent looks back in quiet hours, once a night or after a summary, if its model can"
    )
    without: str = setting(
        "", "parts of the mind that are left out, by name, to compare what each is worth", form=NAMES_FORM
    )
    training_export: bool = setting(False, "whether admins may export what an agent was asked and what it did")
    paused: bool = setting(False, "whether an agent only hears and remembers, and does not think")
    template: str = setting(
        "auto", "the note in templates/ that a prompt is made from; auto takes one that suits the model's size"
    )

    @property
    def left_out(self) -> frozenset[str]:
        """The names in `without`."""
        return frozenset(name for one in self.without.split(",") if (name := one.strip()))


@dataclass(frozen=True)
class ModelSettings:
    """config/models.md"""

    model: str = setting("auto", MODEL_CHOICES, form=MODEL_FORM)
    ollama_host: str = setting("http://127.0.0.1:11434", "where Ollama listens")
    ollama_model: str = setting("gemma3:4b", "the model that auto looks for in Ollama")
    ollama_mode: str = setting(
        "auto",
        "raw for base models, chat for instructed ones; auto asks Ollama which it is",
        choices=("auto", "raw", "generate", "chat"),
    )
    num_ctx: int = setting(8192, "the context window, in tokens", low=1024, high=1048576)
    timeout_seconds: float = setting(120.0, "how long a model may take for one reply, in seconds", low=1, high=3600)
    keep_alive: str = setting("30m", "how long Ollama keeps the model loaded")
    summary_model: str = setting(
        "",
        "other Ollama models for summaries, NAME or NAME, NAME2; each is asked when the one before gives no good one",
        form=NAMES_FORM,
    )
    summary_style: str = setting(
        "auto",
        "prose, or pick whole lines; auto picks where the model has less than a billion parameters",
        choices=("auto", "prose", "pick"),
    )
    summary_temperature: float = setting(0.3, "how varied summaries are", low=0, high=2)


@dataclass(frozen=True)
class MemorySettings:
    """config/memory_compaction.md; each of these can also stand in an agent's own agent.md, and wins there.

    These are the settings that all memory strategies share. The others are fields of the strategies, which nothing here
    knows: `agents.memory.strategy_registry` makes the class that has them all, and that admits only what it knows.
    """

    immediate_window: int = setting(64, "the newest memories that are always told word for word", low=1, high=4096)
    recent_window: int = setting(64, "how many memories a short-term summary takes in", low=1, high=4096)
    enabled: bool = setting(True, "whether memories are summarised at all")
    strategy: str = setting("waterfall", "how memories are compacted", form=STRATEGY_FORM)
    min_saving_tokens: int = setting(
        500, "a compaction by tokens has to save at least so many a turn", low=0, high=1000000
    )
    expected_turns: int = setting(
        50, "for how many turns a compaction by tokens is expected to save", low=1, high=100000
    )
    cached_token_weight: float = setting(
        0.1,
        "what a token costs that the model has in its prefix cache, as a share of one that it has not",
        low=0,
        high=1,
    )
    profile: str = setting("summarizer", "the model profile for summaries", choices=("summarizer",))
    journal_fsync_ms: int = setting(
        50, "how long a memory may wait to be forced to disk, in milliseconds; 0 forces each at once", low=0, high=10000
    )
    summary_tokens: int = setting(300, "the longest summary, in tokens", low=40, high=4000)
    summary_floor_tokens: int = setting(
        100, "how long a short-term summary may be in any case, in tokens, however little happened", low=20, high=4000
    )
    summary_grouping: str = setting("place", "how memories are ordered to be summarised", choices=("place", "none"))
    summary_template: str = setting(
        "", "the kind of agent, as in templates/summarize_recent_KIND.md; empty for none", form=r"[\w-]*"
    )
    fallback: str = setting("none", "what stands in when no model gives a good summary", choices=("none", "extractive"))
    rebuild_every: int = setting(
        8, "cycles from one rebuilding of the long-term summary to the next; 0 for never", low=0, high=1000
    )
    micro_result_characters: int = setting(
        240,
        "results longer than this are told as a placeholder once the agent has acted again, in characters; 0 for never",
        low=0,
        high=1000000,
    )
    result_cap_characters: int = setting(
        4000, "the most of one result that is remembered and told word for word, in characters", low=500, high=1000000
    )
    archive: bool = setting(True, "whether every prompt, reply, command and result is kept whole in the archive")
    archive_alarm_mb: int = setting(
        1024, "how large an agent's archive may grow before its status says so, in MB; 0 for any", low=0, high=1048576
    )
    facts_tokens: int = setting(400, "how much of the prompt the facts may take, in tokens", low=0, high=4000)
    pin_tokens: int = setting(800, "how much of the prompt all pins together may take, in tokens", low=0, high=16000)
    recall: int = setting(
        3, "how many older memories that matter to the moment are told beside the tail; 0 for none", low=0, high=3
    )
    max_compactions: int = setting(2, "how many agents may be summarised at the same time", low=1, high=64)
    retry_seconds: float = setting(
        30.0, "seconds until a failed summary is tried again; it doubles each time", low=0.1, high=86400
    )


KINDS: dict[str, type[Any]] = {
    "server": ServerSettings,
    "world": WorldSettings,
    "agents": AgentSettings,
    "models": ModelSettings,
    "memory_compaction": MemorySettings,
    "colors": ColorSettings,
}

S = TypeVar("S")


def settings_from(kind: type[S], values: Mapping[str, Given], source: str) -> S:
    """Return the settings of one kind with the values given and defaults for the rest.

    `source` is the file's name for messages. Raises: SettingsError naming file, line, value and what is expected.
    """
    return override(kind(), values, source)


def override(settings: S, values: Mapping[str, Given], source: str) -> S:
    """Return the settings with some values replaced. Raises: SettingsError as `settings_from`."""
    fields = {field.name: field for field in dataclasses.fields(settings)}  # type: ignore[arg-type]
    changes = {}
    for key, given in today(values, fields, source).items():
        if key in fields:
            changes[key] = _checked(fields[key], given, f"{source}:{given.line}")
        elif key not in IGNORED_KEYS and not (is_open(type(settings)) and not misspelt(key, tuple(fields), CLOSE)):
            raise SettingsError(f"{source}:{given.line}: {_unknown(key, list(fields))}")
    return dataclasses.replace(settings, **changes)  # type: ignore[type-var]


def current_name(key: str) -> str:
    """Return what a setting is called today; a key that was never renamed is returned as it is."""
    return OLD_NAMES.get(key, key)


def setting_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the names of a kind's settings in the order in which they are declared."""
    return tuple(field.name for field in dataclasses.fields(kind))


def is_open(kind: type[Any]) -> bool:
    """Return whether a note of this kind may hold settings that are known elsewhere."""
    return kind is MemorySettings


def misspelt(key: str, names: tuple[str, ...], cutoff: float = 0.8) -> str:
    """Return the setting that a key is probably meant to be, or an empty string; `cutoff` is how near it is, to 1."""
    close = difflib.get_close_matches(key, names, n=1, cutoff=cutoff)
    return close[0] if close else ""


def _unknown(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    return f"unknown setting {key!r}{hint} Known settings are {', '.join(known)}."


def _checked(field: dataclasses.Field[Any], given: Given, place: str) -> object:
    value, low, high = _converted(field, given.value), field.metadata["low"], field.metadata["high"]
    choices, form = field.metadata["choices"], field.metadata["form"]
    outside = isinstance(value, int | float) and not ((low is None or value >= low) and (high is None or value <= high))
    outside = outside or bool(choices and value not in choices) or bool(form and not re.fullmatch(form, str(value)))
    if type(value) is not type(field.default) or outside:
        raise SettingsError(f"{place}: {field.name} is {given.value!r}; expected {_expected(field)}.")
    return value


def _converted(field: dataclasses.Field[Any], value: object) -> object:
    match field.default, value:
        case str(), None:
            return ""
        case str(), bool() if "on" in field.metadata["choices"]:
            return "on" if value else "off"  # YAML reads on and off without quotes as true and false
        case (str(), bool()) | (float(), bool()):
            return value
        case str(), int() | float():
            return str(value)
        case float(), int() if abs(value) < 2**53:
            return float(value)
        case _:
            return value


def _expected(field: dataclasses.Field[Any]) -> str:
    kind = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}[type(field.default)]
    low, high, choices = field.metadata["low"], field.metadata["high"], field.metadata["choices"]
    if choices:
        kind = f"one of {', '.join(choices)}"
    elif low is not None:
        kind += f" from {low} to {high}"
    return f"{kind} ({field.metadata['about']})"
