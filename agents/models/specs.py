"""How a model is made: which one, where it is, and how it is spoken to."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from agents.models.addresses import shown
from agents.models.embedded_model import EmbeddedModel
from agents.models.model import LanguageModel

if TYPE_CHECKING:
    from agents.models.ollama_model import Mode, Think
    from agents.models.openai_model import Constraint

EMBEDDED = "embedded"
THINK: dict[str, Think] = {"on": True, "off": False, "low": "low", "medium": "medium", "high": "high"}


@dataclass(frozen=True)
class ModelSpec:
    """Two that are equal make the same model. `api` is embedded, ollama or openai; see `ProfileSettings`.

    What speaks to Ollama and to others over HTTP is imported when it is needed: it is a third of what a start takes.
    """

    api: str
    address: str = ""
    model: str = ""
    mode: str = "raw"
    num_ctx: int = 8192
    keep_alive: str | float = "30m"
    think: str = "auto"
    constraint: str = "none"
    api_key_from: str = ""

    @property
    def place(self) -> str:
        """What people call the endpoint: where it is, and what answers there."""
        return "the embedded model" if self.api == EMBEDDED else f"{self.model} at {shown(self.address)}"

    def made(self, cache_dir: Path | None, check_seconds: float = 10.0) -> LanguageModel:
        """Return the model, not started; the embedded one's weights are in `cache_dir`. Raises: ModelError."""
        think = THINK.get(self.think)
        if self.api == EMBEDDED:
            return EmbeddedModel(cache_dir, context_tokens=self.num_ctx)
        if self.api == "ollama":
            from agents.models.ollama_model import OllamaModel

            return OllamaModel(
                self.address,
                self.model,
                mode=cast("Mode", self.mode),
                num_ctx=self.num_ctx,
                keep_alive=self.keep_alive,
                think=think,
                constraint=self.constraint,
                check_seconds=check_seconds,
            )
        from agents.models.openai_model import OpenAIModel

        return OpenAIModel(
            self.address,
            self.model,
            mode=self.mode,
            num_ctx=self.num_ctx,
            constraint=cast("Constraint", self.constraint),
            api_key=os.environ.get(self.api_key_from, "") if self.api_key_from else "",
            think=None if think is None else bool(think),
            check_seconds=check_seconds,
        )
