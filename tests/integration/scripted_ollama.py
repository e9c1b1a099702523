"""A server that speaks as much of Ollama's API as a world needs, in a thread, with answers by rule and no model.

Whoever is asked for a command nods or looks; whoever is asked for a summary tells of the river.
`python -m tests.integration.scripted_ollama --port 0 --seconds 0.3` is one in a process of its own, which takes so long
for each answer and prints its port.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

from world.parsing import join_and

ServerT = TypeVar("ServerT", bound=ThreadingHTTPServer)

MODEL = "scripted"
SUMMARY_CUE = "SUMMARY:"
LONGEST_HOLD_SECONDS = 60.0
SHOWN = {
    "template": "{{ .Prompt }}",
    "capabilities": ["completion"],
    "details": {"parameter_size": "4B"},
    "model_info": {"general.architecture": "scripted", "scripted.context_length": 32768},
}
"""What `/api/show` tells: a base model that is large enough to write summaries."""

DEEDS = ("look", "emote nods", "look bell", "emote listens to the water")
VERBS = ("heard Warden talk of", "heard Warden speak of", "heard Warden tell of", "listened to Warden on", "heard of")
OWN_DEEDS = {
    "nodded": ("> emote nods", "nodded"),
    "looked at the bell": ("> look bell", "looked at the bell"),
    "listened to the water": ("> emote listens", "listened to the water"),
}
"""What an agent did, and how a prompt begins to tell it: as a command, or as a summary has told it before."""

PEOPLE = "Eliza|Moss|Odile|Bram|Warden"
SECTIONS = ("Confirmed Facts", "Decisions Made", "Open Issues", "Pending Actions", "Important References")


class ScriptedOllama(ThreadingHTTPServer):
    """`may_summarise` is set unless summaries are to wait; `prompts` are all that were asked for one, `held`
    those of them that wait.

    `answered` are how many requests of each kind were answered. After `gone_after` of them it hangs up on each.
    """

    daemon_threads = True

    def __init__(self, port: int = 0, seconds: float = 0.0) -> None:
        super().__init__(("127.0.0.1", port), _Conversation)
        self.seconds = seconds
        self.may_summarise = threading.Event()
        self.may_summarise.set()
        self.asked = threading.Semaphore(0)
        self.prompts: list[str] = []
        self.held: list[str] = []
        self.answered: Counter[str] = Counter()
        self.gone_after = -1
        self._times = itertools.count()

    @property
    def host(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def reply(self, prompt: str) -> str:
        """Return what is answered to a prompt: a deed, or a summary in other words than those that stand in it."""
        if not prompt.rstrip().endswith(SUMMARY_CUE):
            return f" {DEEDS[next(self._times) % len(DEEDS)]}\n"
        self.prompts.append(prompt)
        self.asked.release()
        if not self.may_summarise.is_set():
            self.held.append(prompt)
            self.may_summarise.wait(LONGEST_HOLD_SECONDS)
            self.held.remove(prompt)
        verb = next(verb for verb in VERBS if f"I {verb} the river" not in prompt)
        told = f"I {verb} the river. Warden said that it will rise."
        if "river" not in prompt:
            told = _own_deeds(prompt)
        if "## User Goal" not in prompt:
            return f" {told}\n"
        return "\n".join(["## User Goal", told, *(f"## {name}\nNone." for name in SECTIONS)])


def _own_deeds(prompt: str) -> str:
    """Return what the prompt says that the agent did and whom it met, in other words than stand in it if there are."""
    done = [deed for deed, marks in OWN_DEEDS.items() if any(mark in prompt for mark in marks)] or ["looked about"]
    own = re.search(r"~(\w+)>", prompt)
    people = sorted(set(re.findall(rf"^({PEOPLE}) [a-z]", prompt, re.MULTILINE)) - {own[1] if own else ""})
    met = join_and(people) or "nobody"
    deeds = [join_and(order) for order in itertools.permutations(done)]
    told = [f"I {deed}. I met {met}." for deed in deeds] + [f"I met {met}. I {deed}." for deed in deeds]
    return next((one for one in told if one not in prompt), told[0])


class JsonConversation(BaseHTTPRequestHandler):
    """A connection of a client to a model's server, which is answered whole and says nothing in the log."""

    protocol_version = "HTTP/1.1"

    def body(self) -> Any:
        """Return what was sent, which is JSON."""
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def send(self, content: object, status: int = 200, kind: str = "application/json") -> None:
        """Answer with JSON, or with bytes as they are."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent."""


class _Conversation(JsonConversation):
    server: ScriptedOllama

    def do_HEAD(self) -> None:
        self.send({})

    def do_GET(self) -> None:
        self.send({"models": [{"name": MODEL, "model": MODEL}], "version": "0.12.0"})

    def do_POST(self) -> None:
        body = self.body()
        if self.path.endswith("/show"):
            self.send(SHOWN)
            return
        is_chat = self.path.endswith("/chat")
        prompt = body["messages"][-1]["content"] if is_chat else body.get("prompt", "")
        answer = {"model": MODEL, "created_at": "2026-11-22T08:00:00Z", "done": True, "done_reason": "stop"}
        if self.server.gone_after == 0:
            self.close_connection = True
            return
        self.server.gone_after -= 1
        if prompt:
            time.sleep(self.server.seconds)
            # What is asked in a chat ends in no cue, and is always a summary here.
            text = self.server.reply(f"{prompt}\n{SUMMARY_CUE}" if is_chat else prompt)
            said = {"message": {"role": "assistant", "content": text}} if is_chat else {"response": text}
            answer |= said | {"prompt_eval_count": len(prompt) // 4, "eval_count": len(text) // 4}
            self.server.answered["chat" if is_chat else "generate"] += 1
        self.send(answer)

    def handle(self) -> None:
        with suppress(ConnectionError):  # whoever asked is gone, or does not want to know any more
            super().handle()


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


@contextmanager
def scripted_ollama() -> Iterator[ScriptedOllama]:
    """Serve on a free port of this machine until the end."""
    with serve(ScriptedOllama()) as server:
        try:
            yield server
        finally:
            server.may_summarise.set()


def main() -> None:
    """Print the port and serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0.0)
    wanted = parser.parse_args()
    server = ScriptedOllama(wanted.port, wanted.seconds)
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
