"""The protocol of language models: requests, completions, capabilities, and errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, runtime_checkable

Finish = Literal["stop", "length", "cancelled"]
OnText = Callable[[str], bool]
Think = bool | Literal["low", "medium", "high"]
MIN_SPEAKING_BILLION = 0.6
"""Smaller models find no sense in words: agents say lines that their author wrote; in billions of parameters."""

SMALL_BILLION = 2.8
"""An instructed model of fewer parameters, in billions, is given a short prompt where its profile names no length."""

MIN_PROSE_BILLION = 1.0
"""Smaller models make up events when they summarise, so they only pick lines; in billions of parameters."""

MessageRole = Literal["system", "user", "assistant"]


class ModelError(Exception):
    """A failure of a model, in words that a person can act on.

    `problem` names the model, the host if there is one, and what happened; `remedy` is what to do about it
    ("Run: ollama pull llama3.2"), or empty; the message is both.
    `retryable` is false when the same request would fail again. `about_request` is true when the
    request is at fault, such as one that is too long, and not the model. `is_gone` is true when nothing answers there.
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


class ModelMissing(ModelError):
    """The host answers, but lacks the model."""


@dataclass(frozen=True)
class Message:
    """One message of a chat: what a system, a user or the model itself (`assistant`) said."""

    role: MessageRole
    content: str


@dataclass(frozen=True)
class Request:
    """A request to a model: a prompt to continue, or messages to answer, with its options.

    A model whose `Capabilities.chat` is false gets messages as one text; one whose `raw` is false gets a prompt as the
    message of a user. `max_tokens` bounds the answer, in tokens; `stop` ends it before any of these strings appears. A
    `repeat_penalty` or `top_p` of 1.0 has no effect; None leaves it to the server. `grammar` is GBNF and `schema` a
    JSON schema; a model that cannot be held to it leaves it out, see `Capabilities`. `timeout_seconds` covers
    everything from asking to the last token.
    """

    prompt: str = ""
    max_tokens: int = 60
    stop: tuple[str, ...] = ()
    temperature: float = 0.8
    seed: int | None = None
    grammar: str | None = None
    repeat_penalty: float = 1.0
    timeout_seconds: float = 60.0
    top_p: float | None = None
    schema: Mapping[str, Any] | None = None
    messages: tuple[Message, ...] = ()

    @property
    def text(self) -> str:
        """All that the model is given to read, as one text: the prompt, or what the messages say."""
        return self.prompt or "\n\n".join(message.content for message in self.messages)

    @property
    def chat(self) -> tuple[Message, ...]:
        """The request as messages: its own messages, or its prompt as the message of a user."""
        return self.messages or (Message("user", self.prompt),)


@dataclass(frozen=True)
class Timing:
    """The parts of an answer's time, in seconds; None where unknown.

    `queue` is the wait for a turn in our own queue, `load` the loading of the model, `prompt` the reading of the
    prompt, `answer` the writing. The rest of `Completion.seconds` was spent in the server's own queue.
    """

    queue: float | None = None
    load: float | None = None
    prompt: float | None = None
    answer: float | None = None


@dataclass(frozen=True)
class Completion:
    """The answer of a model, and its cost.

    `prompt_tokens` is the whole prompt, `cached_tokens` the part of it that was not evaluated again (None if the server
    does not tell). `seconds` is wall time inside the model. `finish` is "stop" for a natural end, "length" when
    `max_tokens` or the server cut it, "cancelled" when nobody wanted the answer any more. `is_counted` is false when
    the server has not told the cost, mostly because the answer was cut off: the tokens are estimates then.
    """

    text: str
    model: str
    prompt_tokens: int
    cached_tokens: int | None
    completion_tokens: int
    seconds: float
    finish: Finish
    is_counted: bool = True
    timing: Timing = field(default_factory=Timing)


@dataclass(frozen=True)
class Capabilities:
    """The capabilities of a model, as far as its settings, its server or its file tell.

    `chat` is true if `Request.messages` reach it as messages, `raw` if `Request.prompt` reaches it as it is. `grammar`
    and `json_schema` are true if an answer is held to `Request.grammar` and `Request.schema`; if a request has both,
    the grammar counts. `parameters_billion` is its size; None if unknown. `explanation` says in one sentence what was
    found and chosen. `refusal` says why its server refused a grammar or a schema; empty if it has refused none.
    """

    chat: bool = False
    raw: bool = True
    grammar: bool = False
    json_schema: bool = False
    parameters_billion: float | None = None
    explanation: str = ""
    refusal: str = ""

    def constraints_of(self, request: Request) -> Request:
        """Return a request without the grammar or the schema that an answer would not be held to."""
        grammar = request.grammar if self.grammar else None
        return replace(request, grammar=grammar, schema=request.schema if self.json_schema else None)

    @property
    def speaks(self) -> bool:
        """True if it is large enough to find words of its own for an agent, or nobody knows its size."""
        return self.parameters_billion is None or self.parameters_billion >= MIN_SPEAKING_BILLION

    @property
    def reads_little(self) -> bool:
        """True if it is a small instructed model, which acts better with a short prompt."""
        return self.chat and self.parameters_billion is not None and self.parameters_billion < SMALL_BILLION

    @property
    def writes_prose(self) -> bool:
        """True if it is large enough to write a true summary; with unknown size, if it takes no grammar."""
        if self.parameters_billion is None:
            return not self.grammar
        return self.parameters_billion >= MIN_PROSE_BILLION


@dataclass(frozen=True)
class ModelOptions:
    """The options of a model, the same for all requests.

    `mode` says how a prompt is sent: "raw" as it is, "generate" through the model's template (Ollama only), "chat" as
    messages, "auto" as its server or its file suggests. `num_ctx` is how much prompt and answer may have, in tokens.
    `think` is for reasoning models: None leaves it to the kind of model, Ollama knows "low", "medium" and "high" as
    well. `constraint` says what answers are held with; "none" is with nothing. `keep_alive` is how long Ollama keeps
    the model loaded ("30m", or seconds; below 0 for ever), `api_key` what a server with OpenAI's API is shown.
    """

    mode: str = "auto"
    num_ctx: int = 8192
    keep_alive: str | float = "30m"
    think: Think | None = None
    constraint: str = "auto"
    api_key: str = field(default="", repr=False)


DEFAULT_OPTIONS = ModelOptions()


class ModelTraits(Protocol):
    """The traits of a model that are known before a request; see `LanguageModel`."""

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def context_tokens(self) -> int: ...

    def count_tokens(self, text: str) -> int: ...


class LanguageModel(ModelTraits, Protocol):
    """Anything that continues a text.

    `name` is for people ("embedded:gemma-3-270m"), `context_tokens` bounds prompt and answer together. It and the
    `capabilities` are sure once `start` has returned; a start after that may find others, if the model is another one.
    """

    async def start(self) -> None:
        """Load the model, or check that its host has it and ask what it can do. Raises: ModelError."""

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt, or answer the messages.

        `on_text` gets the whole text so far after each piece, on the event loop; returning True ends the
        answer there ("stop"). Cancelling the task stops the generation at the backend.

        Raises: ModelError, for a timeout too.
        """

    def count_tokens(self, text: str) -> int:
        """Return how many tokens the text has: exactly if the model can tell, else a cautious estimate."""

    async def close(self) -> None:
        """Stop running requests and release memory and connections."""


@runtime_checkable
class SlowTokenizer(Protocol):
    """A model whose `count_tokens` is too slow for the event loop when a text is new."""

    def uncounted(self, text: str) -> list[str]:
        """Return the lines of a text that have not been counted yet."""

    async def count_ahead(self, text: str) -> None:
        """Count a text off the event loop, so that `count_tokens` of it is quick afterwards."""


@runtime_checkable
class ReadAheadModel(Protocol):
    """A model that keeps what it has read, free of charge: it may be given a prompt to read before it is asked."""

    def unread(self, request: Request) -> int:
        """Return how many characters of a request it would have to read."""


@dataclass(frozen=True)
class Provenance:
    """The runtime of a model with its version, and the SHA-256 of its weights; empty where unknown."""

    engine: str = ""
    weights_sha256: str = ""


@runtime_checkable
class TraceableModel(Protocol):
    """A model that can say what it is, for the record of an experiment."""

    async def provenance(self) -> Provenance:
        """Return the provenance of the model, which has been started. Never raises ModelError."""


class NotCountedYet(Exception):
    """Raised by `count_tokens`: count the text ahead, then build the request again."""

    def __init__(self, text: str) -> None:
        super().__init__("too much of a text has not been counted yet")
        self.text = text
