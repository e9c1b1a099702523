"""A server that speaks OpenAI's API with a few slots, each of which has the prefix of its last prompt in its cache."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

PROMPT_SECONDS_A_CHARACTER = 2e-5
ANSWER_SECONDS = 0.05
COMMANDS = ("look", "emote nods", "emote listens to the water")
CACHED_PROMPTS = 64

ServerT = TypeVar("ServerT", bound=ThreadingHTTPServer)


class SlotServer(ThreadingHTTPServer):
    """`most` is how many requests it had at a time at most. Its cache holds the newest prompts, as vLLM's does."""

    daemon_threads = True

    def __init__(self, slots: int) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.slots = threading.Semaphore(slots)
        self.lock = threading.Lock()
        self.most = self.running = self.characters = self.cached = 0
        self.prompts: list[str] = []
        self.answered = 0

    @property
    def host(self) -> str:
        """Its address, as a profile has it."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    @property
    def cached_share(self) -> float:
        """How much of all prompts was in the cache."""
        return self.cached / max(1, self.characters)

    def answer(self, prompt: str) -> dict[str, Any]:
        """Take a slot, read what is not cached of a prompt, and answer."""
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
        with self.slots:
            with self.lock:
                cached = max((_common(prompt, old) for old in self.prompts), default=0)
                self.prompts = [*self.prompts[-CACHED_PROMPTS:], prompt]
                self.characters, self.cached = self.characters + len(prompt), self.cached + cached
                self.answered += 1
                line = COMMANDS[self.answered % len(COMMANDS)]
            time.sleep(ANSWER_SECONDS + (len(prompt) - cached) * PROMPT_SECONDS_A_CHARACTER)
        with self.lock:
            self.running -= 1
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": 3}
        usage_details = {"prompt_tokens_details": {"cached_tokens": cached // 4}}
        message = {"role": "assistant", "content": line}
        choice = {"index": 0, "message": message, "delta": message, "finish_reason": "stop"}
        return {"id": "x", "model": "scripted", "choices": [choice], "usage": usage | usage_details}


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


class _Conversation(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SlotServer

    def do_GET(self) -> None:
        self._send(json.dumps({"data": [{"id": "scripted", "max_model_len": 8192}]}), "application/json")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = json.dumps(body.get("messages") or body.get("prompt"))
        told = self.server.answer(prompt)
        if body.get("stream"):
            self._send(f"data: {json.dumps(told)}\n\ndata: [DONE]\n\n", "text/event-stream")
        else:
            self._send(json.dumps(told), "application/json")

    def _send(self, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):  # who asked has gone
            super().handle()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Stay silent."""


@contextmanager
def serve(server: ServerT) -> Iterator[ServerT]:
    """Serve in a thread until the end."""
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def slot_server(slots: int) -> AbstractContextManager[SlotServer]:
    """Serve on a free port of this machine until the end."""
    return serve(SlotServer(slots))
