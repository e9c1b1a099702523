"""llama.cpp in this process, through xllamacpp: blocking calls, tokenizer and grammar-constrained decoding."""

from __future__ import annotations

import http.client
import json
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.models.model import ModelError
from agents.models.thoughts import StreamBuffer
from agents.models.weights import load_package

log = logging.getLogger(__name__)

# Small batches cost nothing on a processor, and between two of them a prompt's evaluation can be stopped.
BATCH_TOKENS = 128
# The prompts of agents without the slot are kept here. The library's own default is 8 GB.
CACHE_RAM_MIB = 768
TOKENIZE_SECONDS = 2.0

OnPiece = Callable[[str], bool]


@dataclass(frozen=True)
class Generated:
    """The result of one call: token counts, and how it ended: "stop", "length" or by a callback ("cancelled").

    The seconds are those of reading the prompt and of writing; None if the call ended before they were known.
    """

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    finish: str
    prompt_seconds: float | None = None
    answer_seconds: float | None = None


class LlamaRuntime:
    """A loaded model. Every method blocks; `generate` may be called by one thread at a time.

    The library opens an HTTP socket on loopback that cannot be turned off. A random key keeps everybody else
    out, and the exact token counts come through it.
    """

    def __init__(
        self, weights: Path, *, context_tokens: int, threads: int | None = None, has_template: bool = False
    ) -> None:
        """Load the weights. `has_template` is whether the file has a chat template of its own. Raises: ModelError.

        A template that cannot be used is left out; `has_template` tells whether there is one in the end.
        """
        self._label = weights.name
        self._key = secrets.token_hex(16)
        self.has_template = has_template
        library = load_package("xllamacpp")
        parameters = self._parameters(library, weights, context_tokens, threads)
        try:
            self._server = self._loaded(library, parameters)
        except (RuntimeError, ValueError, OSError) as error:
            message = f"The model could not be loaded from {weights}: {error}."
            needed = weights.stat().st_size * 5 // 4 // 1_000_000 + 300 if weights.exists() else 600
            remedy = f"Delete that file to have it made again, or free memory (about {needed:,} MB are needed)."
            raise ModelError(message, remedy=remedy, retryable=False) from error
        self._address = self._server.listening_address.removeprefix("http://")
        self._has_answered = False

    def generate(self, fields: dict[str, Any], on_piece: OnPiece) -> Generated:
        """Continue `fields["prompt"]` or answer `fields["messages"]`, telling each piece of text.

        `on_piece` returning True ends it there. A piece of a thought comes as a piece of text between marks.

        `on_piece` is also called with "" now and then while the prompt is evaluated.

        Raises: ModelError.
        """
        events = _Events(on_piece)
        self._has_answered = True
        try:
            answer = self._server.handle_chat_completions if "messages" in fields else self._server.handle_completions
            answer({**fields, "stream": True, "return_progress": True}, events)
        except (RuntimeError, ValueError, TypeError) as error:
            raise ModelError(f"The model {self._label} in this process failed: {error}.") from error
        if events.error is not None:
            raise self._refused(events.error)
        return events.generated()

    def count_tokens(self, text: str) -> int:
        """Return the exact number of tokens of the text, without the opening token of a prompt.

        A line of a hundred characters takes about two milliseconds, a whole prompt half a second.

        Raises: ModelError.
        """
        return len(self.tokenize(text))

    def tokenize(self, text: str, *, opening: bool = False) -> list[int]:
        """Return the ids of the text's tokens, after the prompt's opening token if `opening`.

        Raises: ModelError.
        """
        body = json.dumps({"content": text, "add_special": opening})
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        connection = http.client.HTTPConnection(self._address, timeout=TOKENIZE_SECONDS)
        try:
            connection.request("POST", "/tokenize", body, headers)
            tokens: list[int] = json.loads(connection.getresponse().read())["tokens"]
        except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
            raise ModelError(f"The model {self._label} could not count tokens: {error!r}.") from error
        finally:
            connection.close()
        return tokens

    def close(self) -> None:
        """Free the model. The runtime is of no use afterwards.

        The library's own loop begins in a thread. If it is asked to end before it has begun, it never ends, and neither
        does the call. So it answers something first.
        """
        if not self._has_answered:
            with suppress(ModelError):
                self.generate({"prompt": "a", "n_predict": 1}, lambda piece: True)
        self._server = None

    def _loaded(self, library: Any, parameters: Any) -> Any:
        try:
            return library.Server(parameters)
        except RuntimeError:
            if not self.has_template:
                raise
            # The library says nothing of why; of a file that is whole, the template is what most often fails.
            parameters.enable_chat_template = False
            server = library.Server(parameters)
            self.has_template = False
            log.warning("The chat template of %s cannot be used; the model gets plain text.", self._label)
            return server

    def _parameters(self, library: Any, weights: Path, context_tokens: int, threads: int | None) -> Any:
        parameters = library.CommonParams()
        parameters.model.path = str(weights)
        parameters.n_parallel = 1
        parameters.n_ctx = context_tokens
        parameters.n_batch = parameters.n_ubatch = BATCH_TOKENS
        parameters.swa_full = True  # without it Gemma's sliding window throws the cached prefix away
        parameters.cache_ram_mib = CACHE_RAM_MIB
        parameters.cpuparams.n_threads = threads or spare_cores()
        parameters.api_keys = [self._key]
        parameters.verbosity = -1
        # The dry run that measures a graphics card's memory, the warm-up, and the pages: a second saved.
        parameters.fit_params = parameters.warmup = False
        parameters.ui = parameters.endpoint_slots = False
        return parameters

    def _refused(self, error: dict[str, Any]) -> ModelError:
        if error.get("type") == "exceed_context_size_error":
            size, limit = error.get("n_prompt_tokens"), error.get("n_ctx")
            message = f"The prompt has {size} tokens; the model {self._label} has room for {limit}."
            remedy = "Shorten the remembered window or raise the context."
            return ModelError(message, remedy=remedy, retryable=False, about_request=True)
        is_for_good = 400 <= int(error.get("code", 500)) < 500
        message = f"The model {self._label} refused: {error.get('message', error)}."
        return ModelError(message, retryable=not is_for_good, about_request=is_for_good)


class _Events:
    """The callback for the library's reports while it works; a result of True asks it to stop."""

    def __init__(self, on_piece: OnPiece) -> None:
        self.error: dict[str, Any] | None = None
        self._on_piece = on_piece
        self._said = StreamBuffer()
        self._heard = 0
        self._pieces = 0
        self._progress: dict[str, int] = {}
        self._timings: dict[str, Any] = {}
        self._usage: dict[str, Any] | None = None
        self._finish = "cancelled"

    def __call__(self, event: dict[str, Any]) -> bool:
        if "error" in event:
            self.error = event["error"]
            return True
        self._progress = event.get("prompt_progress", self._progress)
        self._timings = event.get("timings", self._timings)
        self._usage = event.get("usage", self._usage)
        choice = (event.get("choices") or [{}])[0]
        piece = self._piece(choice)
        self._pieces += bool(piece)
        self._finish = choice.get("finish_reason") or self._finish
        return self._on_piece(piece)

    def generated(self) -> Generated:
        told, progress = self._timings, self._progress
        seconds = [told[name] / 1000 if name in told else None for name in ("prompt_ms", "predicted_ms")]
        if self._usage is not None:
            cached = self._usage.get("prompt_tokens_details", {}).get("cached_tokens", 0)
            counts = self._usage["prompt_tokens"], cached, self._usage["completion_tokens"]
        elif "prompt_n" in told:
            counts = told["cache_n"] + told["prompt_n"], told["cache_n"], told["predicted_n"]
        else:
            counts = progress.get("total", 0), progress.get("cache", 0), self._pieces
        return Generated(*counts, self._finish, *seconds)

    def _piece(self, choice: dict[str, Any]) -> str:
        """Return the new part of the text; in a chat, with its thoughts before it, between marks."""
        if "delta" not in choice:
            return str(choice.get("text") or "")
        self._said.think(choice["delta"].get("reasoning_content") or "")
        self._said.say(choice["delta"].get("content") or "")
        text = self._said.text
        self._heard, piece = len(text), text[self._heard :]
        return piece


def spare_cores() -> int:
    """Return how many cores the model should use: all that this process may use but one, at least one.

    The library's threads wait for each other by spinning. If they have to share their cores with the world,
    or with anything else that is busy, each wait lasts a slice of the scheduler's, and a prompt takes ten
    times as long. One thread fewer costs little, and the world answers sooner.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)
