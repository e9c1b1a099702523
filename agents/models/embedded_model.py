"""The model that comes with Fallwater: Gemma 3 270M in this process, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from agents.models.line_counts import LineCounts
from agents.models.llama_runtime import Generated, LlamaRuntime, OnPiece
from agents.models.model import Completion, Finish, ModelError, OnText, Request
from agents.models.token_estimate import TokenEstimate
from agents.models.weights import assemble, default_cache_dir

NAME = "embedded:gemma-3-270m"
LICENCE_NOTICE = (
    "The embedded language model is Gemma 3 270M by Google. Gemma is provided under, and subject to, the "
    "Gemma Terms of Use: https://ai.google.dev/gemma/terms. They also say which uses are not allowed. By "
    "running Fallwater with this model you accept them; use --model ollama:NAME or --model none if you do not."
)
# From this temperature on a request wants variety, and DRY keeps it from echoing whole phrases of the prompt.
# Below it, a request copies on purpose (picking the lines of a summary).
DRY_FROM_TEMPERATURE = 0.5
# It looks this many tokens back; the library's own default is too short to see the last sentence that was said.
DRY = {"dry_multiplier": 0.8, "dry_base": 1.75, "dry_allowed_length": 2, "dry_penalty_last_n": 4096}


class Runtime(Protocol):
    """A loaded model whose calls block; see `LlamaRuntime`, the one that ships."""

    def generate(self, fields: dict[str, Any], on_piece: OnPiece) -> Generated: ...

    def count_tokens(self, text: str) -> int: ...

    def close(self) -> None: ...


class EmbeddedModel:
    """A base model that continues text, honours grammars and counts tokens exactly.

    Nothing is loaded before `start`. One request runs at a time; others wait in the model's thread, within
    their timeouts.
    """

    constrains = True

    def __init__(
        self,
        cache_dir: Path | None = None,
        *,
        context_tokens: int = 8192,
        threads: int | None = None,
        cache_prompt: bool = True,
        load: Callable[[], Runtime] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose where the weights go (the user's cache if None) and how much text fits, in tokens.

        `threads` is the number of cores to use (None: all but one). With `cache_prompt` off, the same seed and
        threads give the same text. `load` replaces the loading of the weights.
        """
        self.name = NAME
        self.context_tokens = context_tokens
        self._cache_dir = cache_dir
        self._threads = threads
        self._cache_prompt = cache_prompt
        self._load = load or self._load_weights
        self._now = now
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="embedded-model")
        # Not the model's thread, which is busy for as long as an answer takes.
        self._counter = ThreadPoolExecutor(1, thread_name_prefix="embedded-counting")
        self._counts: LineCounts | None = None
        self._runtime: Runtime | None = None
        self._answers: set[_Answer] = set()
        self._estimate = TokenEstimate()

    async def start(self) -> None:
        """Assemble the weights if needed and load them (under a second later on). Raises: ModelError."""
        if self._runtime is None:
            self._runtime = await asyncio.get_running_loop().run_in_executor(self._worker, self._load)
            self._counts = LineCounts(self._runtime.count_tokens)

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Continue the prompt; see `LanguageModel.complete`. Raises: ModelError."""
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
        return self._completion(answer, generated, self._now() - began)

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
        """Stop what is running, wait for its thread and free the memory."""
        for answer in self._answers:
            answer.stop()
        for threads in (self._worker, self._counter):
            await asyncio.to_thread(threads.shutdown, wait=True, cancel_futures=True)
        if self._runtime is not None:
            self._runtime.close()
            self._runtime = self._counts = None

    def _load_weights(self) -> Runtime:
        weights = assemble(self._cache_dir or default_cache_dir())
        return LlamaRuntime(weights, context_tokens=self.context_tokens, threads=self._threads)

    def _started(self) -> Runtime:
        if self._runtime is None:
            raise ModelError(f"{self.name} is not loaded: start() has not been called, or close() has.")
        return self._runtime

    def _fields(self, request: Request) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "prompt": request.prompt,
            "max_tokens": request.max_tokens,
            "stop": list(request.stop),
            "temperature": request.temperature,
            "repeat_penalty": request.repeat_penalty,
            "cache_prompt": self._cache_prompt,
        }
        if request.top_p is not None:
            fields["top_p"] = request.top_p
        if request.seed is not None:
            fields["seed"] = request.seed
        if request.grammar is not None:
            fields["grammar"] = request.grammar
        if request.temperature >= DRY_FROM_TEMPERATURE:
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
