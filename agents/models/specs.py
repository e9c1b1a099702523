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
    from agents.models.openai_manner import Constraint

EMBEDDED, GGUF = "embedded", "gguf"
IN_PROCESS = (EMBEDDED, GGUF)
THINK: dict[str, Think] = {"on": True, "off": False, "low": "low", "medium": "medium", "high": "high"}


@dataclass(frozen=True)
class ModelSpec:
    """Two that are equal make the same model. `api` is embedded, gguf, ollama or openai; see `ProfileSettings`.

    The `model` of `gguf` is the path of a file; ~ is the user's home.

    What speaks to Ollama and to others over HTTP is imported when it is needed: it is a third of what a start takes.
    """

    api: str
    address: str = ""
    model: str = ""
    mode: str = "auto"
    num_ctx: int = 8192
    keep_alive: str | float = "30m"
    think: str = "auto"
    constraint: str = "auto"
    api_key_from: str = ""

    @property
    def place(self) -> str:
        """What people call the endpoint: where it is, and what answers there."""
        if self.api == EMBEDDED:
            return "the embedded model"
        return f"{self.file.name} in this process" if self.api == GGUF else f"{self.model} at {shown(self.address)}"

    @property
    def file(self) -> Path:
        """Where the weights of a GGUF are."""
        return Path(self.model).expanduser()

    def made(self, cache_dir: Path | None, check_seconds: float = 10.0) -> LanguageModel:
        """Return the model, not started; the embedded one's weights are in `cache_dir`. Raises: ModelError."""
        think = THINK.get(self.think)
        if self.api == EMBEDDED:
            return EmbeddedModel(cache_dir, context_tokens=self.num_ctx)
        if self.api == GGUF:
            return EmbeddedModel(
                weights=self.file,
                mode=self.mode,
                constraint=self.constraint,
                think=None if think is None else bool(think),
                context_tokens=self.num_ctx,
            )
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
