"""The protocol that every language model answers to, and what goes in and comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

LESS_OFTEN = "Set concurrency to 1 for it in config/models.md, or let agents think less often (think_seconds)."
"""What to do about a server that refuses what comes too often."""

Finish = Literal["stop", "length", "cancelled"]
OnText = Callable[[str], bool]


class ModelError(Exception):
    """A model that cannot answer, told so that a person can act on it.

    `problem` names the model, the host if there is one, and what happened; `remedy` is what to do about it
    ("Run: ollama pull llama3.2"), or empty; the message is both.
    `retryable` is false when the same request would fail again. `about_request` is true when that is for the request's
    sake, as when it is too long, and says nothing about the model. `is_gone` is true when nobody is there any more.
    """

    def __init__(
        self,
        message: str,
        *,
        remedy: str = "",
        retryable: bool = True,
        about_request: bool = False,
        is_gone: bool = False,
    ) -> None:
        super().__init__(f"{message} {remedy}" if remedy else message)
        self.problem = message
        self.remedy = remedy
        self.retryable = retryable
        self.about_request = about_request
        self.is_gone = is_gone


@dataclass(frozen=True)
class Request:
    """One prompt and how to continue it.

    `max_tokens` bounds the answer, in tokens; `stop` ends it before any of these strings appears.
    `repeat_penalty` of 1.0 is none, and so is `top_p` of 1.0; None leaves it to the server. `grammar` is GBNF, honoured
    only by a model that `constrains`. `schema` is a JSON schema, honoured only by a model that `takes_schema`.
    `timeout_seconds` covers everything from asking to the last token.
    """

    prompt: str
    max_tokens: int = 60
    stop: tuple[str, ...] = ()
    temperature: float = 0.8
    seed: int | None = None
    grammar: str | None = None
    repeat_penalty: float = 1.0
    timeout_seconds: float = 60.0
    top_p: float | None = None
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Completion:
    """What a model answered, and what it cost.

    `prompt_tokens` is the whole prompt, `cached_tokens` the part of it that was not evaluated again (0 if
    the model does not tell). `seconds` is wall time inside the model. `finish` is "stop" for a natural end,
    "length" when `max_tokens` cut it, "cancelled" when nobody wanted the answer any more. `is_counted` is false when
    its server had not said what the answer cost, mostly because it was ended before: the tokens are estimates then,
    and none counts as cached.
    """

    text: str
    model: str
    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    seconds: float
    finish: Finish
    is_counted: bool = True


class Voice(Protocol):
    """What is to be known of a model before it is asked; see `LanguageModel`."""

    @property
    def name(self) -> str: ...

    @property
    def constrains(self) -> bool: ...

    @property
    def context_tokens(self) -> int: ...

    def count_tokens(self, text: str) -> int: ...


class LanguageModel(Protocol):
    """Anything that continues a text.

    `name` is for people ("embedded:gemma-3-270m"), `context_tokens` bounds prompt and answer together, and
    `constrains` says whether `Request.grammar` is honoured.
    """

    name: str
    constrains: bool
    context_tokens: int

    async def start(self) -> None:
        """Load the model, or check that its host has it. Raises: ModelError."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt.

        `on_text` gets the whole text so far after each piece, on the event loop; returning True ends the
        answer there ("stop"). Cancelling the task stops the generation at the backend.

        Raises: ModelError, for a timeout too.
        """

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has: exactly if the model can tell, else a cautious estimate."""

    async def close(self) -> None:
        """Stop what is running and let go of memory and connections."""


@runtime_checkable
class TakesSchema(Protocol):
    """A model of a server that may be given `Request.schema`; whether it is depends on its profile."""

    takes_schema: bool


@runtime_checkable
class CountsSlowly(Protocol):
    """A model to which `count_tokens` of a new text takes long enough to hold up whoever else is on the event loop."""

    def uncounted(self, text: str) -> list[str]:
        """Return the lines of a text that have not been counted yet."""

    async def count_ahead(self, text: str) -> None:
        """Count a text without holding anybody up, so that `count_tokens` is quick with it afterwards."""


class Uncounted(Exception):
    """A text is to be counted ahead, and what needed its size begun again then."""

    def __init__(self, text: str) -> None:
        super().__init__("too much of a text has not been counted yet")
        self.text = text
