"""The embedded model, in a thread of this process: Gemma 3 270M or a GGUF file, with grammar-constrained decoding."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from agents.models.adapter import ConstraintFallback, TokenEstimate
from agents.models.llama_runtime import Generated, LlamaRuntime, OnPiece
from agents.models.model import (
    DEFAULT_OPTIONS,
    Capabilities,
    Completion,
    Finish,
    ModelError,
    ModelOptions,
    OnText,
    Provenance,
    Request,
    Timing,
)
from agents.models.prompt_cache import PromptCache
from agents.models.weights import GgufHeader, assemble, default_cache_dir, file_sha256, package_sha256, read_gguf

log = logging.getLogger(__name__)

MAX_LINES = 16_384
# A token never spans a line break, so a text has as many tokens as its lines have.
_LINES = re.compile(r"[^\n]*\n+|[^\n]+")

NAME = "embedded:gemma-3-270m"
LICENCE_NOTICE = (
    "The embedded language model is Gemma 3 270M by Google. Gemma is provided under, and subject to, the "
    "Gemma Terms of Use: https://ai.google.dev/gemma/terms. They also say which uses are not allowed. By "
    "running Fallwater with this model you accept them; use --model ollama:NAME or --model none if you do not."
)
# From this temperature on a request wants variety, and DRY keeps so small a model from echoing whole phrases of the
# prompt. Below it, a request copies on purpose (picking the lines of a summary).
DRY_FROM_TEMPERATURE = 0.5
# It looks this many tokens back; the library's own default is too short to see the last sentence that was said.
DRY = {"dry_multiplier": 0.8, "dry_base": 1.75, "dry_allowed_length": 2, "dry_penalty_last_n": 4096}

# Without it a small model may fill an answer with blanks between the marks of JSON.
COMPACT = {"x-guidance": {"whitespace_flexible": False}}


class LineTokenCache:
    """Counts by `count`, which is slow, and remembers of the lines counted last how many tokens each has.

    It may be used by several threads at once: at worst a line is counted twice.
    """

    def __init__(self, count: Callable[[str], int], most: int = MAX_LINES) -> None:
        self._count = count
        self._most = most
        self._known: dict[str, int] = {}

    def count(self, text: str) -> int:
        """Return the number of tokens of a text. Raises: the exceptions of `count`."""
        return sum(self._of_line(line) for line in _LINES.findall(text))

    def unknown(self, text: str) -> list[str]:
        """Return the lines of a text that would have to be counted first."""
        return [line for line in _LINES.findall(text) if line not in self._known]

    def _of_line(self, line: str) -> int:
        found = self._known.get(line)
        if found is None:
            found = self._count(line)
            if len(self._known) >= self._most:
                self._known = dict(list(self._known.items())[self._most // 2 :])
            self._known[line] = found
        return found


class Runtime(Protocol):
    """A loaded model whose calls block; see `LlamaRuntime`, the one that ships."""

    has_template: bool

    def generate(self, fields: dict[str, Any], on_piece: OnPiece) -> Generated: ...

    def count_tokens(self, text: str) -> int: ...

    def close(self) -> None: ...


RUNTIME = "xllamacpp"
GEMMA = GgufHeader("gemma3", "Gemma 3 270M", 32768, "", 268_098_176)


class EmbeddedModel:
    """A model that honours grammars and JSON schemas and counts tokens exactly.

    One whose file has a chat template is sent messages, in `mode` "auto"; others continue plain text. Nothing is loaded
    before `start`. One request runs at a time; others wait in the model's thread, within their timeouts.
    """

    def __init__(
        self,
        cache_dir: Path | None = None,
        options: ModelOptions = DEFAULT_OPTIONS,
        *,
        weights: Path | None = None,
        threads: int | None = None,
        cache_prompt: bool = True,
        load: Callable[[], Runtime] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose the GGUF file, and how it is used; a context that it was not trained for is made shorter.

        Without `weights` it is the model that comes along, whose file goes into `cache_dir` (None: the user's cache).
        `mode` "raw" keeps a chat template from the model; with a `think` of None it does not think. `threads` is the
        number of cores to use (None: all but one). With `cache_prompt` off, the same seed and threads give the same
        text. `load` replaces the loading of the weights.
        """
        self.name = f"gguf:{weights.name}" if weights else NAME
        self._num_ctx = options.num_ctx
        self._weights = weights
        self._mode = options.mode
        self._constraint = options.constraint
        self._think = None if options.think is None else bool(options.think)
        self._header = GgufHeader() if weights else GEMMA
        self._is_chat = False
        self._fallback = ConstraintFallback(self.name)
        self._cache_prompt = cache_prompt
        self._load = load or partial(self._load_weights, cache_dir or default_cache_dir(), threads)
        self._now = now
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embedded-model")
        # Not the model's thread, which is busy for as long as an answer takes.
        self._counter = ThreadPoolExecutor(1, thread_name_prefix="embedded-counting")
        self._counts: LineTokenCache | None = None
        self._runtime: Runtime | None = None
        self._answers: set[_Answer] = set()
        self._estimate = TokenEstimate()
        self._prompts = PromptCache()

    @property
    def context_tokens(self) -> int:
        """The context of the model for prompt and answer together, in tokens."""
        return min(self._num_ctx, self._header.context_tokens or self._num_ctx)

    @property
    def capabilities(self) -> Capabilities:
        """The capabilities of the model; final once it has been started."""
        holds = self._constraint != "none" and not self._fallback.is_off
        billions = self._header.parameters / 1e9 or None
        parts = [
            "an instructed model" if self._header.chat_template else "a base model (its file has no chat template)",
            *([f"{billions:.2g} billion parameters"] if billions else []),
            f"mode {self._mode} takes {'chat' if self._is_chat else 'raw'}",
            f"constraint {'grammar or json_schema' if holds else 'none'}",
            f"context {self.context_tokens} tokens",
        ]
        return Capabilities(
            chat=self._is_chat,
            raw=not self._is_chat,
            grammar=holds,
            json_schema=holds,
            parameters_billion=billions,
            explanation=f"{'; '.join(parts)}.",
            refusal=self._fallback.problem,
        )

    async def start(self) -> None:
        """Assemble the weights if needed and load them (under a second later on). Raises: ModelError."""
        if self._runtime is None:
            self._runtime = await asyncio.get_running_loop().run_in_executor(self._worker, self._load)
            self._counts = LineTokenCache(self._runtime.count_tokens)
            self._is_chat = self._mode != "raw" and self._runtime.has_template
            log.info("%s: %s", self.name, self.capabilities.explanation)

    async def provenance(self) -> Provenance:
        """Return the version of the runtime, and the hash of the weights, which reads a large file once."""
        with suppress(PackageNotFoundError, ModelError):
            loop, weights = asyncio.get_running_loop(), self._weights
            found = (
                await loop.run_in_executor(None, file_sha256, weights.expanduser(), default_cache_dir())
                if weights
                else package_sha256()
            )
            return Provenance(f"{RUNTIME} {version(RUNTIME)}", found)
        return Provenance()

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt, or answer the messages; see `LanguageModel.complete`. Raises: ModelError.

        A schema or a grammar that the library refuses is left out, and that is said once.
        """
        held = self.capabilities.constraints_of(request)
        return await self._fallback.complete(
            held,
            lambda one: self._completed(one, on_text),
            lambda error: bool(re.search(r"grammar|schema", error.problem)),
        )

    async def _completed(self, request: Request, on_text: OnText | None) -> Completion:
        runtime = self._started()
        answer = _Answer(on_text)
        self._answers.add(answer)
        began = self._now()
        try:
            async with asyncio.timeout(request.timeout_seconds):
                generated = await asyncio.get_running_loop().run_in_executor(
                    self._worker, runtime.generate, self._fields(request), answer.hear
                )
        except TimeoutError as error:
            raise ModelError(f"{self.name} did not finish within {request.timeout_seconds:g} s.") from error
        finally:
            answer.stop()
            self._answers.discard(answer)
        completion = self._completion(answer, generated, self._now() - began)
        if completion.finish != "cancelled":
            self._prompts.note(request.text)
        return completion

    def unread(self, request: Request) -> int:
        """Return how many characters of a request are not in its prompt cache; none if it has no cache."""
        return self._prompts.unread(request.text) if self._cache_prompt else 0

    def count_tokens(self, text: str) -> int:
        """Return the exact number of tokens, or an estimate while the model is not loaded."""
        if self._counts is None:
            return self._estimate.count(text)
        try:
            return self._counts.count(text)
        except ModelError:
            return self._estimate.count(text)

    def uncounted(self, text: str) -> list[str]:
        """Return the lines of a text that `count_tokens` would be slow with, because they are new."""
        return self._counts.unknown(text) if self._counts else []

    async def count_ahead(self, text: str) -> None:
        """Count a text in a thread, so that `count_tokens` knows it then."""
        await asyncio.get_running_loop().run_in_executor(self._counter, self.count_tokens, text)

    async def close(self) -> None:
        """Stop running requests, wait for the thread and free the memory."""
        for answer in self._answers:
            answer.stop()
        for threads in (self._worker, self._counter):
            await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = self._counts = None

    def _load_weights(self, cache_dir: Path, threads: int | None) -> Runtime:
        if self._weights:
            self._header = read_gguf(self._weights)
        return LlamaRuntime(
            self._weights or assemble(cache_dir),
            context_tokens=self.context_tokens,
            threads=threads,
            has_template=bool(self._header.chat_template) and self._mode != "raw",
        )

    def _started(self) -> Runtime:
        if self._runtime is None:
            raise ModelError(f"{self.name} is not loaded: start() has not been called, or close() has.")
        return self._runtime

    def _fields(self, request: Request) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "max_tokens": request.max_tokens,
            "stop": list(request.stop),
            "temperature": request.temperature,
            "repeat_penalty": request.repeat_penalty,
            "cache_prompt": self._cache_prompt,
        }
        if self._is_chat:
            fields["messages"] = [{"role": one.role, "content": one.content} for one in request.chat]
            fields["chat_template_kwargs"] = {"enable_thinking": bool(self._think)}
        else:
            fields["prompt"] = request.text
        wanted: dict[str, Any] = {"top_p": request.top_p, "seed": request.seed}
        if request.grammar:
            wanted["grammar"] = request.grammar
        elif request.schema:
            wanted["json_schema"] = {**request.schema, **COMPACT}
        fields |= {name: value for name, value in wanted.items() if value is not None}
        if request.temperature >= DRY_FROM_TEMPERATURE and not self._weights:
            fields |= DRY
        return fields

    def _completion(self, answer: _Answer, generated: Generated, seconds: float) -> Completion:
        if answer.failure is not None:
            raise answer.failure
        finish: Finish = "length" if generated.finish == "length" else "stop"
        if generated.finish == "cancelled" and not answer.was_enough:
            finish = "cancelled"
        return Completion(
            text=answer.text,
            model=self.name,
            prompt_tokens=generated.prompt_tokens,
            cached_tokens=generated.cached_tokens,
            completion_tokens=generated.completion_tokens,
            seconds=seconds,
            finish=finish,
            timing=Timing(prompt=generated.prompt_seconds, answer=generated.answer_seconds),
        )


class _Answer:
    """One answer as it grows: heard in the model's thread, read and judged on the event loop."""

    def __init__(self, on_text: OnText | None) -> None:
        self.text = ""
        self.was_enough = False
        self.failure: Exception | None = None
        self._on_text = on_text
        self._loop = asyncio.get_running_loop()
        self._stopped = threading.Event()

    def stop(self) -> None:
        self._stopped.set()

    def hear(self, piece: str) -> bool:
        if self._stopped.is_set():
            return True
        if piece:
            self._loop.call_soon_threadsafe(self._read, piece)
        return False

    def _read(self, piece: str) -> None:
        if self._stopped.is_set():
            return
        self.text += piece
        try:
            self.was_enough = self._on_text is not None and self._on_text(self.text)
        except Exception as error:  # a listener's fault belongs to its caller, not to the loop's log
            self.failure = error
        if self.was_enough or self.failure:
            self.stop()
