"""Model profiles, the sections of config/models.md: models for thoughts, summaries and dreams."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from config.settings import DURATION_PATTERN, KEEP_ALIVE, ModelSettings, setting
from config.validation import SourcedValue, settings_from

THINKER, SUMMARIZER = "thinker", "summarizer"
_PLACE = r"(?:embedded|gguf:[^,]*[^,\s]|https?://[^\s,]+)"
ENDPOINTS_PATTERN = rf"|{_PLACE}(?:\s*,\s*{_PLACE})*"
NAME_PATTERN = r"[a-z][a-z0-9_-]*"

ENDPOINT_FIELDS = ("endpoints", "api", "api_key_from", "constraint", "concurrency")
MODEL_FIELDS = ("model", "mode", "num_ctx", "prompt_tokens", "keep_alive", "think", "speaks")

SMALL_PROMPT_TOKENS = 1500
"""The longest prompt for a small instructed model, in tokens, where its profile names none."""


@dataclass(frozen=True)
class ProfileSettings:
    """A section of config/models.md. What it does not say is as the thinker has it, or as the caller wants it."""

    endpoints: str = setting(
        "",
        "where the model runs: embedded, gguf:FILE, or addresses such as http://127.0.0.1:11434, separated by commas",
        pattern=ENDPOINTS_PATTERN,
    )
    api: str = setting("ollama", "the API of the endpoints", choices=("ollama", "openai"))
    model: str = setting("", "the name of the model at the endpoints", pattern=r"\S*")
    mode: str = setting(
        "auto",
        "raw for base models, chat for instructed ones; auto asks the server which it is",
        choices=("auto", "raw", "generate", "chat"),
    )
    num_ctx: int = setting(8192, "the context window, in tokens", low=1024, high=1048576)
    prompt_tokens: int = setting(
        0,
        "the longest prompt of an agent, in tokens; 0 is 1500 for an instructed model of less than 2.8 billion"
        " parameters, else all of num_ctx but the answer",
        low=0,
        high=1048576,
    )
    temperature: float = setting(0.8, "the sampling temperature", low=0, high=2)
    top_p: float = setting(1.0, "nucleus sampling: the probability mass to choose from", low=0, high=1)
    repeat_penalty: float = setting(1.0, "the penalty on repetition; 1 for none", low=0.1, high=10)
    seed: int = setting(0, "the random seed; the same seed gives the same answers", low=0, high=2**31 - 1)
    stop: str = setting("", r"stop texts, separated by |; \n is a new line")
    max_tokens: int = setting(48, "the maximum length of an answer, in tokens", low=1, high=100000)
    timeout_seconds: float = setting(120.0, "the time limit of one answer, in seconds", low=1, high=3600)
    keep_alive: str = setting("30m", KEEP_ALIVE, pattern=DURATION_PATTERN)
    think: str = setting(
        "auto",
        "whether a reasoning model thinks; auto is off where the model allows it",
        choices=("auto", "on", "off", "low", "medium", "high"),
    )
    constraint: str = setting(
        "auto",
        "how answers are constrained; auto uses what the server supports",
        choices=("auto", "none", "grammar", "guided_grammar", "structured_outputs", "json_schema"),
    )
    speaks: str = setting(
        "auto",
        "whether the model finds words for agents; else they say lines that their author wrote; auto is by its size",
        choices=("auto", "yes", "no"),
    )
    api_key_from: str = setting("", "the environment variable with the API key", pattern=r"[A-Za-z_]\w*|")
    concurrency: int = setting(
        0, "parallel requests per endpoint; 0 is one for Ollama, else as many as pay off", low=0, high=256
    )
    price_in: float = setting(0.0, "the price of a million prompt tokens", low=0, high=1e6)
    price_out: float = setting(0.0, "the price of a million answer tokens", low=0, high=1e6)
    fallback: str = setting("", "the profile to use while all endpoints are down", pattern=rf"{NAME_PATTERN}|")


@dataclass(frozen=True)
class ModelProfile:
    """A profile. `given` names the settings that were written; the others have their defaults."""

    name: str
    settings: ProfileSettings = field(default_factory=ProfileSettings)
    given: frozenset[str] = frozenset()
    source: str = ""

    def without(self, *names: str) -> ModelProfile:
        """Return this profile without its own values for the named settings."""
        nothing = {name: getattr(ProfileSettings(), name) for name in names}
        return dataclasses.replace(
            self, settings=dataclasses.replace(self.settings, **nothing), given=self.given - nothing.keys()
        )

    def inherit_from(self, thinker: ModelProfile) -> ModelProfile:
        """Return a copy whose unset model fields are the thinker's; its endpoint fields too, unless it has its own."""
        left = [*MODEL_FIELDS, *(() if "endpoints" in self.given else ENDPOINT_FIELDS)]
        taken = {name: getattr(thinker.settings, name) for name in left if name in thinker.given - self.given}
        return dataclasses.replace(
            self, settings=dataclasses.replace(self.settings, **taken), given=self.given | taken.keys()
        )


def profile_from(name: str, values: Mapping[str, SourcedValue], source: str) -> ModelProfile:
    """Return a profile with the values given. Raises: SettingsError naming file, line and what is expected."""
    settings = settings_from(ProfileSettings, values, source)
    known = {one.name for one in dataclasses.fields(ProfileSettings)}
    return ModelProfile(name, settings, frozenset(values) & known, source)


def legacy_thinker(models: ModelSettings) -> ModelProfile:
    """Return the thinker profile of the settings before the first section of config/models.md, without endpoints."""
    said = ProfileSettings(mode=models.ollama_mode, num_ctx=models.num_ctx, keep_alive=models.keep_alive)
    return ModelProfile(THINKER, said, frozenset({"mode", "num_ctx", "keep_alive"}))
