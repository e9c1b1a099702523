"""A server that speaks Ollama's HTTP API, with true text from the embedded model behind it.

Run it as a process: `python -m tests.integration.ollama_server --port 0` prints the port it listens on
(on 127.0.0.1) and serves until it is killed. It has one true model, `gemma3:270m`, and one for each way in
which a server can fail: ask for the model `dies-midway` and the connection breaks after a few words.
`GET /seen` tells what was asked so far and how many answers are being generated.
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
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from agents.models.llama_runtime import LlamaRuntime
from agents.models.weights import assemble, default_cache_dir

MODEL = "gemma3:270m"
FAULTS = ("slow", "dies-midway", "errors-midway", "garbage", "empty", "refuses")
VERSION = "0.12.0"
CONTEXT_TOKENS = 8192
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
TEMPLATE = "{{ if .System }}{{ .System }}\n{{ end }}{{ .Prompt }}"
DETAILS = {
    "parent_model": "",
    "format": "gguf",
    "family": "gemma3",
    "families": ["gemma3"],
    "parameter_size": "268.10M",
    "quantization_level": "Q4_K_M",
}


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


class Conversation(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    server: OllamaServer

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        pages: dict[str, Callable[[], Any]] = {
            "/": lambda: "Ollama is running",
            "/api/version": lambda: {"version": VERSION},
            "/api/tags": lambda: {"models": [summary(name) for name in (MODEL, *FAULTS)]},
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

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent; `GET /seen` tells what was asked."""

    def _body(self) -> dict[str, Any]:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            body = json.loads(raw) if raw else {}
        except ValueError as error:
            raise Refused(400, str(error)) from error
        if not isinstance(body, dict) or not body:
            raise Refused(400, "missing request body")
        name = body.get("model", "")
        if name.removesuffix(":latest") not in (MODEL, *FAULTS):
            raise Refused(404, f"model '{name}' not found")
        return body

    def _show(self, body: dict[str, Any]) -> None:
        info = {"general.architecture": "gemma3", "gemma3.context_length": 32768}
        page = {
            "license": "Gemma Terms of Use: https://ai.google.dev/gemma/terms",
            "template": TEMPLATE,
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
        prompt = "\n".join(message.get("content", "") for message in body.get("messages") or [])
        self._answer(body, prompt, lambda text: {"message": {"role": "assistant", "content": text}})

    def _answer(self, body: dict[str, Any], prompt: str, shape: Callable[[str], dict[str, Any]]) -> None:
        if not 0 <= (body.get("top_logprobs") or 0) <= 20:
            raise Refused(400, "top_logprobs must be between 0 and 20")
        chunk = {"model": body["model"], "created_at": now()}
        if not prompt:
            reason = "unload" if body.get("keep_alive") == 0 else "load"
            self._send(200, {**chunk, **shape(""), "done": True, "done_reason": reason})
            return
        options = {**DEFAULTS, **(body.get("options") or {})}
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
        """Return the prompt's tokens; one that does not fit loses its middle, or is refused if so asked."""
        tokens = self.server.runtime.tokenize(prompt, opening=True)
        room = min(options["num_ctx"], CONTEXT_TOKENS) - 1
        if len(tokens) <= room:
            return tokens
        if body.get("truncate") is False:
            raise Refused(400, "the input length exceeds the context length")
        kept = options["num_keep"]
        return tokens[:kept] + tokens[kept - room :]

    def _stream(
        self,
        tokens: list[int],
        options: dict[str, Any],
        chunk: Callable[[str], dict[str, Any]],
        shape: Callable[[str], dict[str, Any]],
    ) -> None:
        self._open_stream()
        costs = self._run(tokens, options, lambda piece: self._write_line(chunk(piece)))
        self._write_line({**chunk(""), **shape(""), **costs})
        self._write_chunk(b"")

    def _run(self, tokens: list[int], options: dict[str, Any], tell: Callable[[str], Any]) -> dict[str, Any]:
        """Generate, telling each piece, until the end or until the client has gone; return the costs."""
        room = min(options["num_ctx"], CONTEXT_TOKENS) - len(tokens)
        wanted = options["num_predict"]
        fields = {key: options[key] for key in SAMPLING if key in options}
        fields |= {"prompt": tokens, "stop": options.get("stop", []), "cache_prompt": True}
        fields["max_tokens"] = min(wanted, room) if wanted >= 0 else room

        def on_piece(piece: str) -> bool:
            if self._client_has_gone():
                return True
            if piece:
                tell(piece)
            return False

        began = time.monotonic_ns()
        with self.server.turn:
            self.server.generating += 1
            try:
                generated = self.server.runtime.generate(fields, on_piece)
            finally:
                self.server.generating -= 1
        if generated.finish == "cancelled":
            raise ConnectionResetError
        spent = time.monotonic_ns() - began
        return {
            "done": True,
            "done_reason": generated.finish,
            "total_duration": spent,
            "load_duration": 1,
            "prompt_eval_count": generated.prompt_tokens,
            "prompt_eval_duration": spent // 2,
            "eval_count": generated.completion_tokens,
            "eval_duration": spent // 2,
        }

    def _fail(self, fault: str, chunk: dict[str, Any]) -> None:
        if fault == "refuses":
            raise Refused(500, "llama runner process has terminated: signal: killed")
        self._open_stream()
        if fault == "slow":
            self._hang()
        if fault in ("dies-midway", "errors-midway", "garbage"):
            self._write_line(chunk)
        if fault == "errors-midway":
            self._write_line({"error": "an error was encountered while running the model"})
        if fault == "garbage":
            self._write_chunk(b"\x00\xff{{{ not a chunk of ours\n")
        if fault == "dies-midway":
            self.connection.shutdown(socket.SHUT_RDWR)
            raise ConnectionResetError
        self._write_chunk(b"")

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
        text = page if isinstance(page, str) else json.dumps(page)
        kind = "text/plain" if isinstance(page, str) else "application/json"
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text.encode())

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
        "details": DETAILS,
    }


def running_summary() -> dict[str, Any]:
    """Return what `ollama ps` shows of the loaded model."""
    loaded = {key: value for key, value in summary(MODEL).items() if key != "modified_at"}
    return {**loaded, "expires_at": now(), "size_vram": 0, "context_length": CONTEXT_TOKENS}


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
