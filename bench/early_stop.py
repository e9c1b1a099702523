"""What it saves to end an answer with its first command: `python -m bench.early_stop`, with replies that were written.

Each reply is of a kind that chatty models give. It is told a word at a time, as a server streams it: to the end, and
until the command is there. Tokens are estimated, four characters each.
"""

from __future__ import annotations

import asyncio

from agents.models.model import Completion, OnText, Request
from agents.replies.early_stop import Listener
from agents.replies.reply import first_command
from bench.reporting import table
from bench.scripted_models import estimated_tokens
from world.commands.table import world_commands

NAME = "Eliza"
PROSE = "I chose this because Moss looks as if he had been waiting for somebody to speak to him all morning. " * 3
REPLIES = {
    "a command and nothing else": "say Good morning, Moss. | he looks sad",
    "a command, then why": f"say Good morning, Moss.\n\n{PROSE}",
    "talk, a command, more talk": f"Sure! Here is what I do next:\n\nsay Good morning, Moss.\n\n{PROSE}",
    "command and reason, then talk": f"COMMAND: say Good morning, Moss.\nREASON: he looks sad\n\n{PROSE}",
    "a list of five": "\n".join(f"{n}. say Good morning number {n}, Moss, and how are the ferns?" for n in range(1, 6)),
    "the transcript goes on": " say Good morning.\n" + 'Moss says, "Good morning, Eliza."\nMoss nods slowly.\n' * 5,
    "thoughts, a command, talk": f"<think>\n{PROSE}\n</think>\n\nsay Good morning, Moss.\n\n{PROSE}",
    "talk without a command": PROSE,
}


class Streaming:
    """A model that writes one reply, a word at a time."""

    def __init__(self, reply: str) -> None:
        self._words = reply.split(" ")

    async def complete(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Return what was written until `on_text` had enough."""
        text = ""
        for word in self._words:
            text = f"{text} {word}" if text else word
            if on_text and on_text(text):
                break
        return Completion(text, "streaming", 0, 0, estimated_tokens(text), 0.0, "stop")


async def main() -> None:
    """Print tokens of each reply, whole and ended early, and of all together."""
    commands = world_commands()
    rows, sums = [], [0, 0]
    for kind, reply in REPLIES.items():
        listener = Listener(lambda text: first_command(text, NAME, commands), "<think>" in reply, 48, estimated_tokens)
        whole, ended = [
            (await Streaming(reply).complete(Request("~Eliza>"), on_text)).completion_tokens
            for on_text in (None, listener)
        ]
        sums = [sums[0] + whole, sums[1] + ended]
        rows.append([kind, str(whole), str(ended), f"{1 - ended / whole:.0%}"])
    rows.append(["all", str(sums[0]), str(sums[1]), f"{1 - sums[1] / sums[0]:.0%}"])
    print(table(["reply", "tokens", "written", "saved"], rows))


if __name__ == "__main__":
    asyncio.run(main())
