"""A server that dies in the very act: it is killed right before or right after it performs one line.

    python -m tests.integration.killed_in_a_line <after|before> <line> <file> serve ...

Each line that is performed is written to the file. A server that finds the deadly line there is not killed again.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from unittest.mock import patch

from server.__main__ import main
from world.game import CommandResult, Game


def serve(when: str, deadly: str, file: Path, arguments: list[str]) -> None:
    """Serve a world, and die once when the deadly line is performed."""
    lives_on = file.exists()
    perform = Game.perform

    def perform_and_die(game: Game, character_id: str, text: str) -> CommandResult:
        is_deadly = text == deadly and not lives_on
        if is_deadly and when == "before":
            _note(file, "killed")
            os.kill(os.getpid(), signal.SIGKILL)
        performed = perform(game, character_id, text)
        _note(file, text)
        if is_deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return performed

    sys.argv[1:] = arguments
    with patch.object(Game, "perform", perform_and_die):
        main()


def _note(file: Path, text: str) -> None:
    with file.open("a", encoding="utf-8") as noted:
        noted.write(f"{text}\n")


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], Path(sys.argv[3]), sys.argv[4:])
