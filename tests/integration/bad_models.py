"""A server that answers as Ollama or as OpenAI do, well or badly in many ways, as `mode` says at the moment."""

from __future__ import annotations

import json
import math
from contextlib import AbstractContextManager
from http.server import ThreadingHTTPServer
from typing import Any

from tests.integration.line_player import HOST
from tests.integration.scripted_ollama import MODEL, JsonConversation, serve

PAGE = b"<html><body>It works!</body></html>"
PIECE_BYTES = 64_000
FLOOD_BYTES = 100_000_000


class BadServer(ThreadingHTTPServer):
    """`api` is ollama or openai. `answered` counts good answers; `sent` are the bytes of the longest answer so far."""

    daemon_threads = True

    def __init__(self, api: str) -> None:
        super().__init__((HOST, 0), _Conversation)
        self.api = api
        self.mode = "good"
        self.answered = 0
        self.sent = 0

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.server_address[1]}" + ("/v1" if self.api == "openai" else "")

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of those who hang up on an answer."""


class _Conversation(JsonConversation):
    server: BadServer

    def do_GET(self) -> None:
        if self.server.mode == "page":
            self.send(PAGE, kind="text/html")
            return
        names = [] if self.server.mode == "no model" else [{"name": MODEL, "model": MODEL, "id": MODEL}]
        self.send({"models": names, "data": names})

    def do_POST(self) -> None:
        body = self.body()
        if self.path.endswith("/chat/completions"):  # its model continues plain text
            self.send(self._error("Not Found"), status=404)
            return
        match self.server.mode:
            case "good":
                self.server.answered += bool(body.get("stream"))  # and not a trial
                self.send(self._told(" look\n", done=True))
            case "page":
                self.send(PAGE, kind="text/html")
            case "no model":
                self.send(self._error(f"model '{MODEL}' not found"), status=404)
            case "unknown option":
                self.send(self._error("invalid option provided: repeat_penalty"), status=400)
            case "broken":
                self.send(self._error("the runner has ended: out of memory"), status=500)
            case "half a stream":
                self._begin()
                self.wfile.write(self._told(" lo") + self._told("ok around and")[:20])
                self.close_connection = True
            case "no end":
                self._flood(self._told("a" * PIECE_BYTES))
            case "one line":
                self._flood(b"a" * PIECE_BYTES)
            case "no likelihood":
                self.server.answered += 1
                self.send(self._told(" look\n", done=True, likely=math.nan))
            case "no counts":
                self.send(self._told(" look\n", done=True, costs=math.nan))

    def _told(self, text: str, done: bool = False, costs: float = 5, likely: float = -0.5) -> bytes:
        """Return a piece of an answer; the last one says what it cost in tokens, and how likely its words were."""
        words = [{"token": "look", "logprob": likely}]
        if self.server.api == "ollama":
            piece = {"model": MODEL, "created_at": "2026-11-22T08:00:00Z", "response": text, "done": done}
            last = {"done_reason": "stop", "prompt_eval_count": costs, "eval_count": costs, "logprobs": words}
            return json.dumps(piece | (last if done else {})).encode() + b"\n"
        choice = {"text": text, "finish_reason": "stop" if done else None, "logprobs": {"content": words}}
        usage = {"usage": {"prompt_tokens": costs, "completion_tokens": costs}} if done else {}
        return b"data: " + json.dumps({"choices": [choice]} | usage).encode() + b"\n\n"

    def _error(self, said: str) -> dict[str, object]:
        return {"error": said if self.server.api == "ollama" else {"message": said}}

    def _begin(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson" if self.server.api == "ollama" else "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()

    def _flood(self, piece: bytes) -> None:
        self._begin()
        sent = 0
        try:
            while sent < FLOOD_BYTES:
                self.wfile.write(piece)
                sent += len(piece)
        finally:
            self.server.sent = max(self.server.sent, sent)
            self.close_connection = True


def bad_server(api: str) -> AbstractContextManager[BadServer]:
    """Serve on a free port of this machine until the end."""
    return serve(BadServer(api))
