"""Typed settings: what can be set, in which unit and range, and what it is when nobody sets it.

Each dataclass is one note of the vault's `config` folder; a field's metadata says how its value is checked and
explained. Nothing here reads a file: `config.validation` checks the values with the lines that they stand in.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any


def setting(
    default: Any,
    about: str,
    *,
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    pattern: str = "",
) -> Any:
    """Declare a setting: its default, what it is about, and its range (inclusive), choices or form (a regex)."""
    metadata = {"about": about, "low": low, "high": high, "choices": choices, "pattern": pattern}
    return dataclasses.field(default=default, metadata=metadata)


MEGABYTE = 1_048_576

ROLES = ("guest", "player", "builder", "admin")


@dataclass(frozen=True)
class ServerSettings:
    """config/server.md"""

    host: str = setting("127.0.0.1", "the address to listen on; 127.0.0.1 admits only this machine")
    port: int = setting(4000, "the telnet port", low=0, high=65535)
    tls_port: int = setting(0, "the port for telnet over TLS; 0 for none, -1 for any free one", low=-1, high=65535)
    tls_host: str = setting("", "the address to listen on for TLS; empty for the same as host")
    tls_certificate: str = setting("", "the file of the certificate and its chain, in PEM; empty to have one made")
    tls_key: str = setting("", "the file of the certificate's private key, in PEM, without a password")
    web_port: int = setting(
        4080, "the port of the page for browsers; 0 for none, -1 for any free one", low=-1, high=65535
    )
    web_host: str = setting("", "the address to listen on for browsers; empty for the same as host")
    web_tls: bool = setting(False, "whether the page is served over TLS, with the certificate of tls_port")
    web_origins: str = setting(
        "", "addresses under which browsers reach the page, as https://play.example.org, if a proxy stands before it"
    )
    trusted_proxies: str = setting(
        "", "the addresses of proxies that are believed when they say whose request they pass on"
    )
    admin_name: str = setting("Warden", "who is made the first admin, when there is none", pattern=r"\S+")
    new_accounts: bool = setting(True, "whether a name that is new here can be taken by whoever gives it")
    new_role: str = setting("player", "what somebody new may do", choices=ROLES[:3])
    new_accounts_per_hour: int = setting(
        20, "how many new names can be taken from one address in an hour; 0 for any number", low=0, high=100000
    )
    guests: bool = setting(True, "whether `guest` as a name lets somebody in without a password")
    shortest_password: int = setting(6, "the fewest characters a password may have", low=1, high=100)
    password_tries: int = setting(3, "how many wrong passwords end a connection", low=1, high=100)
    idle_minutes: int = setting(
        120, "after how many minutes without a line a player is let go; 0 for never", low=0, high=10080
    )
    max_line_bytes: int = setting(4096, "the longest line that a player can send, in bytes", low=128, high=65536)
    max_output_bytes: int = setting(
        262144,
        "how much may wait for a client that does not read, in bytes, before it is dropped",
        low=16384,
        high=16777216,
    )
    max_negotiation_bytes: int = setting(
        262144,
        "how much a client may send of telnet commands between two lines, in bytes, before it is dropped",
        low=4096,
        high=16777216,
    )
    lines_per_second: int = setting(
        100,
        "how many lines of one connection are taken a second, when more come than at once; 0 for any number",
        low=0,
        high=10000,
    )
    lines_at_once: int = setting(500, "how many lines of one connection are taken at once", low=1, high=100000)
    max_connections: int = setting(500, "how many may be connected at once", low=1, high=20000)
    connections_per_address: int = setting(
        20, "how many may be connected from one address at once; 0 for any number", low=0, high=20000
    )
    connects_per_minute: int = setting(
        60, "how many connections one address may make a minute; 0 for any number", low=0, high=100000
    )
    return_seconds: int = setting(
        60, "how long somebody whose connection is lost stays where they are, in seconds", low=0, high=3600
    )
    login_seconds: int = setting(180, "how long somebody may take to come in, in seconds", low=10, high=3600)
    hostname: str = setting("", "the name under which this machine is found, for lists of worlds; empty for none")
    compression: bool = setting(True, "whether clients that ask for it are sent compressed text")
    keep_alive_seconds: int = setting(
        60,
        "after how many seconds of silence a connection is kept open by a sign of life; 0 for never",
        low=0,
        high=86400,
    )
    backups_kept: int = setting(20, "how many archives of @backup are kept, the newest; 0 keeps all", low=0, high=10000)
    shutdown_seconds: int = setting(10, "how long each stage of a shutdown may take, in seconds", low=1, high=120)
    log_format: str = setting("text", "how the log is written: to read, or JSON", choices=("text", "json"))
    log_file: str = setting("", "the file of the log, beside the vault unless it begins with /; empty for none")
    log_megabytes: int = setting(
        10, "how large the file of the log becomes before another is begun, in megabytes", low=1, high=1000
    )
    log_files_kept: int = setting(5, "how many full files of the log are kept, the newest", low=1, high=1000)
    audit_megabytes: int = setting(
        10, "how large a file of the audit log becomes before another is begun, in megabytes", low=1, high=1000
    )
    audit_files_kept: int = setting(
        100, "how many files of the audit log are kept, the newest; 0 keeps all", low=0, high=10000
    )
    log_level: str = setting("info", "what is worth a line in the log", choices=("debug", "info", "warning", "error"))
    metrics_port: int = setting(
        0, "the HTTP port for figures and health; 0 for none, -1 for any free one", low=-1, high=65535
    )
    metrics_host: str = setting(
        "127.0.0.1", "the address for figures and health; they are asked for without a password"
    )


COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
WEIGHTS = ("bold", "dim", "italic", "underline")

_WORD = rf"(?:{'|'.join(WEIGHTS)}|(?:bright-)?(?:{'|'.join(COLORS)})|rgb-[0-9a-f]{{6}})"
STYLE_PATTERN = rf"none|{_WORD}(?: {_WORD})*"


@dataclass(frozen=True)
class ColorSettings:
    """config/colors.md"""

    room: str = setting("bold", "the name of a room, above what it looks like", pattern=STYLE_PATTERN)
    exits: str = setting("cyan", "the line of exits", pattern=STYLE_PATTERN)
    speech: str = setting("green", "what is said and shouted", pattern=STYLE_PATTERN)
    private: str = setting("magenta", "what is whispered, or told from afar", pattern=STYLE_PATTERN)
    notice: str = setting("bold", "what is announced to everyone", pattern=STYLE_PATTERN)
    ambience: str = setting("italic", "what happens by itself", pattern=STYLE_PATTERN)
    refusal: str = setting("yellow", "why something cannot be done", pattern=STYLE_PATTERN)
    highlight: str = setting(
        "bold", "==words== in help and in text/welcome.md, first-steps.md and farewell.md", pattern=STYLE_PATTERN
    )


MODEL_PATTERN = r"auto|embedded|none|ollama:\S+|gguf:[^,]*[^,\s]"
MODEL_CHOICES = "auto, embedded, none, ollama:NAME or gguf:FILE"
NAMES_PATTERN = r"|[^\s,]+(?:\s*,\s*[^\s,]+)*"
STRATEGY_PATTERN = r"[a-z][a-z0-9_-]*"


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
        "thinker", "the section of config/models.md that says what an agent thinks with", pattern=r"[a-z][a-z0-9_-]*"
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
        "", "parts of the mind that are left out, by name, to compare what each is worth", pattern=NAMES_PATTERN
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

    model: str = setting("auto", MODEL_CHOICES, pattern=MODEL_PATTERN)
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
        pattern=NAMES_PATTERN,
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
    knows: `agents.memory.strategy` makes the class that has them all, and that admits only what it knows.
    """

    immediate_window: int = setting(64, "the newest memories that are always told word for word", low=1, high=4096)
    recent_window: int = setting(64, "how many memories a short-term summary takes in", low=1, high=4096)
    enabled: bool = setting(True, "whether memories are summarised at all")
    strategy: str = setting("waterfall", "how memories are compacted", pattern=STRATEGY_PATTERN)
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
        "", "the kind of agent, as in templates/summarize_recent_KIND.md; empty for none", pattern=r"[\w-]*"
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


SETTINGS_BY_NOTE: dict[str, type[Any]] = {
    "server": ServerSettings,
    "world": WorldSettings,
    "agents": AgentSettings,
    "models": ModelSettings,
    "memory_compaction": MemorySettings,
    "colors": ColorSettings,
}
