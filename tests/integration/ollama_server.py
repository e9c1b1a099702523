"""A server that speaks Ollama's HTTP API, with true text from the embedded model behind it.

Run it as a process: `python -m tests.integration.ollama_server --port 0` prints the port it listens on
(on 127.0.0.1) and serves until it is killed. It has one true model, `gemma3:270m`; the same with a template that
has roles, `gemma3:270m-it`; and one for each way in which a server can fail: ask for the model `dies-midway` and the
connection breaks after a few words. `GET /seen` tells what was asked so far, and how many answers are being generated.

What Ollama 0.32 does without being asked is done here, too. It lowers `num_ctx` to what the model was trained for and
loads the model again for every other `num_ctx`. It cuts a prompt that does not fit to about half of the context. It
ends an answer of many equal pieces without a last chunk. In a chat it writes the keys of a schema in the order of the
alphabet. It counts the whole prompt, whatever of it was in the cache.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agents.models.llama_runtime import LlamaRuntime
from agents.models.weights import assemble, default_cache_dir
from tests.integration.scripted_ollama import JsonConversation

MODEL, INSTRUCTED = "gemma3:270m", "gemma3:270m-it"
FAULTS = ("slow", "dies-midway")
VERSION = "0.32.15"
CONTEXT_TOKENS = 8192
MAX_EQUAL_PIECES = 30
DEFAULTS = {
    "num_ctx": 4096,
    "num_predict": -1,
    "num_keep": 4,
    "temperature": 0.8,
    "top_k": 40,
    "top_p": 0.9,
    "repeat_penalty": 1.0,
    "repeat_last_n": 64,
}
SAMPLING = ("temperature", "top_k", "top_p", "min_p", "repeat_penalty", "repeat_last_n", "seed")
SLOW_SECONDS = 60.0
LOAD_NANOSECONDS = 600_000_000  # told, not taken
TEMPLATES = {
    MODEL: "{{ .Prompt }}",
    INSTRUCTED: "{{ range .Messages }}{{ .Role }}: {{ .Content }}\n{{ end }}assistant:",
}
DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "gemma3",
    "families": ["gemma3"],
    "parameter_size": "268.10M",
    "quantization_level": "Q4_K_M",
}
LISTED = DETAILS | {"context_length": CONTEXT_TOKENS, "embedding_length": 640}


class Refused(Exception):
    """A request that is answered with an error and a status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class OllamaServer(ThreadingHTTPServer):
    """The one model, the one turn to use it, and what was seen."""

    daemon_threads = True

    def __init__(self, port: int, runtime: LlamaRuntime) -> None:
        super().__init__(("127.0.0.1", port), Conversation)
        self.runtime = runtime
        self.turn = threading.Lock()
        self.seen: list[dict[str, Any]] = []
        self.generating = 0
        self.loaded: tuple[str, int] | None = None

    def load(self, model: str, num_ctx: int) -> int:
        """Have a model loaded with a context of so many tokens; return how long that took, in nanoseconds."""
        if self.loaded == (model, num_ctx):
            return 1
        self.loaded = model, num_ctx
        return LOAD_NANOSECONDS


class Conversation(JsonConversation):
    """One connection of a client. `GET /seen` tells what was asked."""

    server: OllamaServer

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        pages: dict[str, Callable[[], Any]] = {
            "/": lambda: "Ollama is running",
            "/api/version": lambda: {"version": VERSION},
            "/api/tags": lambda: {"models": [summary(name) for name in (MODEL, INSTRUCTED, *FAULTS)]},
            "/api/ps": lambda: {"models": [running_summary()]},
            "/seen": lambda: {"requests": self.server.seen, "generating": self.server.generating},
        }
        page = pages.get(self.path)
        self._send(200 if page else 404, page() if page else "404 page not found")

    def do_POST(self) -> None:
        answers = {"/api/show": self._show, "/api/generate": self._generate, "/api/chat": self._chat}
        try:
            body = self._body()
            self.server.seen.append({"path": self.path, "body": body})
            answer = answers.get(self.path)
            if answer is None:
                self._send(404, "404 page not found")
            else:
                answer(body)
        except Refused as refused:
            self._send(refused.status, {"error": str(refused)})
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _body(self) -> dict[str, Any]:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            body = json.loads(raw) if raw else {}
        except ValueError as error:
            raise Refused(400, str(error)) from error
        if not isinstance(body, dict) or not body:
            raise Refused(400, "missing request body")
        name = body.get("model", "")
        if name.removesuffix(":latest") not in (MODEL, INSTRUCTED, *FAULTS):
            raise Refused(404, f"model '{name}' not found")
        return body

    def _show(self, body: dict[str, Any]) -> None:
        info = {
            "general.architecture": "gemma3",
            "general.parameter_count": 268098176,
            "gemma3.context_length": CONTEXT_TOKENS,
        }
        page = {
            "license": "Gemma Terms of Use: https://ai.google.dev/gemma/terms",
            "template": TEMPLATES.get(body["model"], TEMPLATES[MODEL]),
            "parameters": 'stop "<end_of_turn>"',
            "details": DETAILS,
            "model_info": info,
            "capabilities": ["completion"],
            "modified_at": now(),
        }
        self._send(200, page)

    def _generate(self, body: dict[str, Any]) -> None:
        if body.get("raw") and any(body.get(key) for key in ("template", "system", "context")):
            raise Refused(400, "raw mode does not support template, system, or context")
        prompt = body.get("prompt", "")
        if body.get("system"):
            prompt = f"{body['system']}\n{prompt}"
        self._answer(body, prompt, lambda text: {"response": text})

    def _chat(self, body: dict[str, Any]) -> None:
        messages = body.get("messages") or []
        if body["model"] == INSTRUCTED:
            told = [f"{message.get('role')}: {message.get('content', '')}\n" for message in messages]
            prompt = "".join([*told, "assistant:"])
        else:
            prompt = "\n".join(message.get("content", "") for message in messages)
        self._answer(body, prompt, lambda text: {"message": {"role": "assistant", "content": text}})

    def _answer(self, body: dict[str, Any], prompt: str, shape: Callable[[str], dict[str, Any]]) -> None:
        if not 0 <= (body.get("top_logprobs") or 0) <= 20:
            raise Refused(400, "top_logprobs must be between 0 and 20")
        chunk = {"model": body["model"], "created_at": now()}
        if not prompt:
            reason = "unload" if body.get("keep_alive") == 0 else "load"
            self._send(200, {**chunk, **shape(""), "done": True, "done_reason": reason})
            return
        schema = in_order_of_the_alphabet(body.get("format")) if "messages" in body else body.get("format")
        options = {**DEFAULTS, **(body.get("options") or {}), "format": schema}
        options["num_ctx"] = min(options["num_ctx"], CONTEXT_TOKENS)
        options["load_duration"] = self.server.load(body["model"], options["num_ctx"])
        tokens = self._fitting(body, prompt, options)
        if body["model"] in FAULTS:
            self._fail(body["model"], {**chunk, **shape(" look"), "done": False})
            return
        if body.get("stream", True):
            self._stream(
                tokens, options, lambda text: {**chunk, "created_at": now(), **shape(text), "done": False}, shape
            )
            return
        pieces: list[str] = []
        costs = self._run(tokens, options, pieces.append)
        self._send(200, {**chunk, **shape("".join(pieces)), **costs})

    def _fitting(self, body: dict[str, Any], prompt: str, options: dict[str, Any]) -> list[int]:
        """Return the prompt's tokens; one that does not fit is cut to half of the context, or refused if so asked."""
        tokens = self.server.runtime.tokenize(prompt, opening=True)
        num_ctx, kept = options["num_ctx"], options["num_keep"]
        if len(tokens) < num_ctx:
            return tokens
        if body.get("truncate") is False:
            raise Refused(400, "the input length exceeds the context length")
        return tokens[:kept] + tokens[len(tokens) - (num_ctx - kept) // 2 :]

    def _stream(
        self,
        tokens: list[int],
        options: dict[str, Any],
        chunk: Callable[[str], dict[str, Any]],
        shape: Callable[[str], dict[str, Any]],
    ) -> None:
        self._open_stream()
        costs = self._run(tokens, options, lambda piece: self._write_line(chunk(piece)))
        if costs:
            self._write_line({**chunk(""), **shape(""), **costs})
        self._write_chunk(b"")

    def _run(self, tokens: list[int], options: dict[str, Any], tell: Callable[[str], Any]) -> dict[str, Any]:
        """Generate, telling each piece, until the end or until the client has gone; return the costs.

        There are none if the model has said the same so often that it was stopped.
        """
        room = options["num_ctx"] - len(tokens)
        wanted = options["num_predict"]
        fields = {key: options[key] for key in SAMPLING if key in options}
        fields |= {"prompt": tokens, "stop": options.get("stop", []), "cache_prompt": True}
        fields["max_tokens"] = min(wanted, room) if wanted >= 0 else room
        if options["format"]:
            fields["json_schema"] = options["format"]
        last, equal = "", 0

        def on_piece(piece: str) -> bool:
            nonlocal last, equal
            if self._client_has_gone():
                return True
            if piece:
                equal = equal + 1 if piece.strip() == last else 0
                last = piece.strip()
                tell(piece)
            return equal > MAX_EQUAL_PIECES

        began = time.monotonic_ns()
        with self.server.turn:
            self.server.generating += 1
            try:
                generated = self.server.runtime.generate(fields, on_piece)
            finally:
                self.server.generating -= 1
        if equal > MAX_EQUAL_PIECES:
            return {}
        if generated.finish == "cancelled":
            raise ConnectionResetError
        spent = time.monotonic_ns() - began
        return {
            "done": True,
            "done_reason": generated.finish,
            "total_duration": spent,
            "load_duration": options["load_duration"],
            "prompt_eval_count": generated.prompt_tokens,
            "prompt_eval_duration": spent // 2,
            "eval_count": generated.completion_tokens,
            "eval_duration": spent // 2,
        }

    def _fail(self, fault: str, chunk: dict[str, Any]) -> None:
        self._open_stream()
        if fault == "slow":
            self._hang()
            self._write_chunk(b"")
            return
        self._write_line(chunk)
        self.connection.shutdown(socket.SHUT_RDWR)
        raise ConnectionResetError

    def _hang(self) -> None:
        self.server.generating += 1
        until = time.monotonic() + SLOW_SECONDS
        while time.monotonic() < until and not self._client_has_gone():
            time.sleep(0.02)
        self.server.generating -= 1

    def _client_has_gone(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def _send(self, status: int, page: Any) -> None:
        if isinstance(page, str):
            self.send(page.encode(), status, "text/plain; charset=utf-8")
        else:
            self.send(page, status, "application/json; charset=utf-8")

    def _open_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _write_line(self, line: dict[str, Any]) -> None:
        self._write_chunk(json.dumps(line).encode() + b"\n")

    def _write_chunk(self, content: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(content), content))


def summary(name: str) -> dict[str, Any]:
    """Return what `ollama list` shows of a model."""
    return {
        "name": name if ":" in name else f"{name}:latest",
        "model": name if ":" in name else f"{name}:latest",
        "modified_at": now(),
        "size": 253113024,
        "digest": "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        "details": LISTED,
        "capabilities": ["completion"],
    }


def running_summary() -> dict[str, Any]:
    """Return what `ollama ps` shows of the loaded model."""
    loaded = {key: value for key, value in summary(MODEL).items() if key not in ("modified_at", "capabilities")}
    return {**loaded, "details": DETAILS, "expires_at": now(), "size_vram": 0, "context_length": CONTEXT_TOKENS}


def in_order_of_the_alphabet(schema: Any) -> Any:
    """Return a schema as Ollama passes it on: with its keys in the order of the alphabet, at every level."""
    if isinstance(schema, dict):
        return {key: in_order_of_the_alphabet(schema[key]) for key in sorted(schema)}
    return [in_order_of_the_alphabet(one) for one in schema] if isinstance(schema, list) else schema


def now() -> str:
    """Return the time as Ollama writes it."""
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


def main() -> None:
    """Load the model, print the port and serve until killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=0, help="0 takes any free port")
    parser.add_argument("--cache", type=Path, default=default_cache_dir(), help="folder of the weights")
    arguments = parser.parse_args()
    runtime = LlamaRuntime(assemble(arguments.cache), context_tokens=CONTEXT_TOKENS)
    server = OllamaServer(arguments.port, runtime)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
