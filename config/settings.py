"""Typed settings: defaults, units and ranges.

Each dataclass is one note of the vault's `config` folder; a field's metadata says how its value is checked and
explained. Nothing here reads a file: `config.validation` checks the values and names their lines.
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


_DIGITS = {"h": 5, "m": 7, "s": 9, "ms": 12, "us": 15, "µs": 15, "μs": 15, "ns": 18}
"""How many digits a number of each unit may have: together they stay below the longest duration, 292 years."""

_PARTS = "|".join(rf"(?:[0-9]{{1,{most}}}(?:\.[0-9]*)?|\.[0-9]+){unit}" for unit, most in _DIGITS.items())
DURATION_PATTERN = rf"[-+]?(?:(?:{_PARTS}){{1,8}}|[0-9]{{1,9}}(?:\.[0-9]*)?|\.[0-9]+)"
"""A duration as Go and so Ollama reads it, or a number of seconds."""
KEEP_ALIVE = "how long Ollama keeps the model loaded: 30m, 1h30m or 300ms, or seconds; 0 not at all, -1 for ever"

MEGABYTE = 1_048_576

ROLES = ("guest", "player", "observer", "builder", "admin")
"""The roles of people and agents. An observer sees into minds and changes nothing in them."""


@dataclass(frozen=True)
class ServerSettings:
    """config/server.md"""

    host: str = setting("127.0.0.1", "the address to listen on; 127.0.0.1 admits only this machine")
    port: int = setting(4000, "the telnet port", low=0, high=65535)
    tls_port: int = setting(0, "the port for telnet over TLS; 0 for none, -1 for any free one", low=-1, high=65535)
    tls_host: str = setting("", "the address to listen on for TLS; empty for the same as host")
    tls_certificate: str = setting("", "the file of the certificate and its chain, in PEM; empty to create one")
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
    admin_name: str = setting("Warden", "the name of the first admin, created when there is none", pattern=r"\S+")
    new_accounts: bool = setting(True, "whether visitors may create accounts")
    new_role: str = setting("player", "the role of a new account", choices=("guest", "player", "builder"))
    new_accounts_per_hour: int = setting(20, "new accounts per address and hour; 0 for no limit", low=0, high=100000)
    guests: bool = setting(True, "whether visitors may log in as `guest`, without a password")
    shortest_password: int = setting(6, "the minimum length of a password, in characters", low=1, high=100)
    password_tries: int = setting(3, "wrong passwords until a connection is closed", low=1, high=100)
    idle_minutes: int = setting(
        120, "minutes without a line until a player is disconnected; 0 for never", low=0, high=10080
    )
    max_line_bytes: int = setting(4096, "the maximum length of a line from a player, in bytes", low=128, high=65536)
    max_output_bytes: int = setting(
        262144,
        "bytes of output that may wait for a slow client; beyond that it is disconnected",
        low=16384,
        high=16777216,
    )
    max_negotiation_bytes: int = setting(
        262144,
        "bytes of telnet commands that a client may send between two lines; beyond that it is disconnected",
        low=4096,
        high=16777216,
    )
    lines_per_second: int = setting(
        100,
        "lines per second accepted from one connection after a burst; 0 for no limit",
        low=0,
        high=10000,
    )
    lines_at_once: int = setting(500, "lines accepted from one connection in a burst", low=1, high=100000)
    speech_per_second: float = setting(
        1.0, "lines of speech per second of one character after a burst; 0 for no limit", low=0, high=1000
    )
    speech_at_once: int = setting(8, "lines of speech of one character in a burst", low=1, high=1000)
    max_connections: int = setting(500, "the maximum number of connections", low=1, high=20000)
    connections_per_address: int = setting(
        20, "the maximum number of connections from one address; 0 for no limit", low=0, high=20000
    )
    connects_per_minute: int = setting(60, "new connections per address and minute; 0 for no limit", low=0, high=100000)
    return_seconds: int = setting(60, "how long a link-dead player stays in the world, in seconds", low=0, high=3600)
    login_seconds: int = setting(180, "the time limit for logging in, in seconds", low=10, high=3600)
    hostname: str = setting("", "the host name of this machine, for lists of worlds; empty for none")
    compression: bool = setting(True, "whether to compress output for clients that ask for it (MCCP2)")
    keep_alive_seconds: int = setting(
        60,
        "seconds of silence until a keep-alive is sent; 0 for never",
        low=0,
        high=86400,
    )
    backups_kept: int = setting(20, "how many of the newest backups are kept; 0 keeps all", low=0, high=10000)
    shutdown_seconds: int = setting(10, "the time limit of each stage of a shutdown, in seconds", low=1, high=120)
    log_format: str = setting("text", "the format of the log: plain text or JSON", choices=("text", "json"))
    log_file: str = setting("", "the log file, relative to the folder of the vault; empty for none")
    log_megabytes: int = setting(10, "the size at which the log file is rotated, in megabytes", low=1, high=1000)
    log_files_kept: int = setting(5, "how many rotated log files are kept", low=1, high=1000)
    audit_megabytes: int = setting(10, "the size at which the audit log is rotated, in megabytes", low=1, high=1000)
    audit_files_kept: int = setting(100, "how many audit log files are kept; 0 keeps all", low=0, high=10000)
    log_level: str = setting("info", "the lowest level that is logged", choices=("debug", "info", "warning", "error"))
    metrics_port: int = setting(
        0, "the HTTP port for metrics and health; 0 for none, -1 for any free one", low=-1, high=65535
    )
    metrics_host: str = setting("127.0.0.1", "the address for metrics and health, which need no password")


COLORS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
WEIGHTS = ("bold", "dim", "italic", "underline")

_WORD = rf"(?:{'|'.join(WEIGHTS)}|(?:bright-)?(?:{'|'.join(COLORS)})|rgb-[0-9a-f]{{6}})"
STYLE_PATTERN = rf"none|{_WORD}(?: {_WORD})*"


@dataclass(frozen=True)
class ColorSettings:
    """config/colors.md"""

    room: str = setting("bold", "the name of a room", pattern=STYLE_PATTERN)
    exits: str = setting("cyan", "the line of exits", pattern=STYLE_PATTERN)
    speech: str = setting("green", "speech, and shouts", pattern=STYLE_PATTERN)
    private: str = setting("magenta", "whispers and tells", pattern=STYLE_PATTERN)
    notice: str = setting("bold", "announcements to everyone", pattern=STYLE_PATTERN)
    ambience: str = setting("italic", "ambience, and what triggers show", pattern=STYLE_PATTERN)
    refusal: str = setting("yellow", "refusals of commands", pattern=STYLE_PATTERN)
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
        1440, "the length of a day in the world, in minutes; 1440 is real time", low=4, high=1440
    )
    ambient_minutes: float = setting(
        6.0,
        "average minutes between two lines of ambience in a room; 0 for none",
        low=0,
        high=1440,
    )
    crowd: int = setting(
        50,
        "in rooms with more people than this, arrivals and departures are not announced; 0 always announces them",
        low=0,
        high=100000,
    )
    trash_days: int = setting(
        90,
        "days until a note in the trash is deleted, and what leads to a room without a note with it; 0 for never",
        low=0,
        high=36500,
    )
    chronicle: bool = setting(True, "whether what happens is logged in the folder chronicle")
    chronicle_absence_hours: float = setting(
        24.0, "after how many hours of absence the return of a person is a top moment", low=0.1, high=87600
    )
    export_people: str = setting("", "the people who agree that `fallwater export` takes their words, by commas")
    contact: str = setting("", "a contact address, for lists of worlds")
    website: str = setting("", "the address of a web page about the world")
    language: str = setting("", "the English name of the language that is spoken here")
    location: str = setting("", "the English name of the country in which the world is run")
    founded: int = setting(0, "the year in which the world began; 0 for none", low=0, high=9999)
    genre: str = setting("", "Fantasy, Historical, Modern, Mystery, None or the like")
    gameplay: str = setting("", "Adventure, Roleplaying, Simulation, Social or the like")
    status: str = setting("", "how far the world is: Alpha, Closed Beta, Open Beta or Live")


@dataclass(frozen=True)
class AgentSettings:
    """config/agents.md; an agent's own agent.md can have each of these too, and wins."""

    think_seconds: float = setting(20.0, "seconds between two thoughts of an agent", low=0.5, high=86400)
    think_jitter: float = setting(0.3, "how much think_seconds varies, as a fraction", low=0, high=0.9)
    react_seconds: float = setting(1.0, "seconds until an agent reacts when it is addressed", low=0, high=600)
    reply_tokens: int = setting(48, "the maximum length of a command from the model, in tokens", low=8, high=2000)
    temperature: float = setting(0.9, "the sampling temperature of replies", low=0, high=2)
    model_profile: str = setting(
        "thinker", "the section of config/models.md that says what an agent thinks with", pattern=r"[a-z][a-z0-9_-]*"
    )
    steering: str = setting(
        "auto",
        "whether the engine decides what kind of act comes next",
        choices=("auto", "on", "off"),
    )
    break_loops: bool = setting(True, "whether loops are detected and broken")
    think_when: str = setting(
        "always",
        "when an agent thinks: always, near a person (or after something happened), or only when addressed",
        choices=("always", "near", "addressed"),
    )
    thought_tokens: int = setting(
        512, "the maximum length of the reasoning before a command, in tokens", low=0, high=32000
    )
    welcomes: bool = setting(False, "whether an agent goes to meet newcomers")
    keeps: str = setting("", "the things that an agent hands to nobody who asks for them, by commas")
    reflection: bool = setting(
        True,
        "whether an agent keeps words of people, and reflects after talks, nights and summaries, if its model can",
    )
    without: str = setting(
        "", "components of the mind that are switched off, by name, for comparisons", pattern=NAMES_PATTERN
    )
    training_export: bool = setting(False, "whether admins may export training data of an agent")
    paused: bool = setting(False, "whether an agent only listens and remembers, without thinking")
    template: str = setting("auto", "the prompt template, a note in templates/; auto chooses by the size of the model")

    @property
    def left_out(self) -> frozenset[str]:
        """The names in `without`."""
        return frozenset(name for one in self.without.split(",") if (name := one.strip()))


@dataclass(frozen=True)
class ModelSettings:
    """config/models.md"""

    model: str = setting("auto", MODEL_CHOICES, pattern=MODEL_PATTERN)
    ollama_host: str = setting("http://127.0.0.1:11434", "where Ollama listens")
    ollama_model: str = setting("gemma3:4b", "the model that auto looks for in Ollama first")
    ollama_mode: str = setting(
        "auto",
        "raw for base models, chat for instructed ones; auto asks Ollama which it is",
        choices=("auto", "raw", "generate", "chat"),
    )
    num_ctx: int = setting(8192, "the context window, in tokens", low=1024, high=1048576)
    timeout_seconds: float = setting(120.0, "the time limit of one reply, in seconds", low=1, high=3600)
    keep_alive: str = setting("30m", KEEP_ALIVE, pattern=DURATION_PATTERN)
    summary_model: str = setting(
        "",
        "other Ollama models for summaries, NAME or NAME, NAME2; each is tried when the one before fails",
        pattern=NAMES_PATTERN,
    )
    summary_style: str = setting(
        "auto",
        "how summaries are written: as prose, or by picking whole lines; auto picks below a billion parameters",
        choices=("auto", "prose", "pick"),
    )
    summary_temperature: float = setting(0.3, "the sampling temperature of summaries", low=0, high=2)


@dataclass(frozen=True)
class MemorySettings:
    """config/memory_compaction.md; an agent's own agent.md can have each of these too, and wins.

    These are the settings that all memory strategies share. The others are fields of the strategies, which nothing here
    knows: `agents.memory.strategy` makes the class that has them all, and that admits only what it knows.
    """

    immediate_window: int = setting(
        64, "how many of the newest memories stay verbatim in the prompt, where tail_share has room", low=1, high=4096
    )
    recent_window: int = setting(64, "how many memories a short-term summary covers", low=1, high=4096)
    tail_share: float = setting(
        0.6, "the share of the prompt that the verbatim tail may take before it is summarised", low=0.05, high=0.9
    )
    enabled: bool = setting(True, "whether memories are summarised")
    strategy: str = setting("waterfall", "the memory strategy", pattern=STRATEGY_PATTERN)
    min_saving_tokens: int = setting(
        500, "layered: the minimum saving of a compaction, in tokens per turn", low=0, high=1000000
    )
    expected_turns: int = setting(50, "layered: for how many turns a compaction is expected to pay", low=1, high=100000)
    cached_token_weight: float = setting(
        0.1,
        "layered: the cost of a token in the prefix cache, as a fraction of one that is not",
        low=0,
        high=1,
    )
    profile: str = setting("summarizer", "the model profile for summaries", choices=("summarizer",))
    journal_fsync_ms: int = setting(
        50,
        "the maximum delay until a memory is forced to disk, in milliseconds; 0 for none",
        low=0,
        high=10000,
    )
    summary_tokens: int = setting(300, "the maximum length of a summary, in tokens", low=40, high=4000)
    summary_floor_tokens: int = setting(
        100,
        "the length that a short-term summary may always have, in tokens",
        low=20,
        high=4000,
    )
    summary_grouping: str = setting("place", "how memories are grouped for summaries", choices=("place", "none"))
    summary_template: str = setting(
        "", "the kind of agent, as in templates/summarize_recent_KIND.md; empty for none", pattern=r"[\w-]*"
    )
    fallback: str = setting("none", "what replaces a summary when no model gives one", choices=("none", "extractive"))
    rebuild_every: int = setting(
        8, "cycles between two rebuilds of the long-term summary; 0 for never", low=0, high=1000
    )
    micro_result_characters: int = setting(
        240,
        "results longer than this become a placeholder once the agent has acted again, in characters; 0 for never",
        low=0,
        high=1000000,
    )
    result_cap_characters: int = setting(
        4000, "the maximum length of one result in memory and prompt, in characters", low=500, high=1000000
    )
    archive: bool = setting(True, "whether every prompt, reply, command and result is archived in full")
    archive_alarm_mb: int = setting(
        1024, "the size of an agent's archive at which its status warns, in MB; 0 for never", low=0, high=1048576
    )
    facts_tokens: int = setting(400, "the space for facts in the prompt, in tokens", low=0, high=4000)
    pin_tokens: int = setting(800, "the space for all pins in the prompt, in tokens", low=0, high=16000)
    recall: int = setting(3, "how many older memories retrieval adds to the prompt; 0 for none", low=0, high=3)
    max_compactions: int = setting(2, "how many compactions may run at the same time", low=1, high=64)
    retry_seconds: float = setting(
        30.0, "seconds until a failed summary is tried again; doubles each time", low=0.1, high=86400
    )


SETTINGS_BY_NOTE: dict[str, type[Any]] = {
    "server": ServerSettings,
    "world": WorldSettings,
    "agents": AgentSettings,
    "models": ModelSettings,
    "memory_compaction": MemorySettings,
    "colors": ColorSettings,
}
