"""Playing a transcript in any game, with the notation of `tests.world.test_transcripts`."""

from __future__ import annotations

from tests.world.inn import Player
from tests.world.test_transcripts import steps_in
from world.game import Game
from world.model import Role


def play(game: Game, players: dict[str, Player], transcript: str) -> None:
    """Do what a transcript says, and compare every screen after each step with what it says too."""
    for player in players.values():
        player.screen()
    for step in steps_in(transcript):
        match step.does:
            case "types":
                players[step.who].types(step.typed)
            case "wakes":
                players[step.who] = Player(game, step.who)
            case "sleeps":
                game.sleep(step.who)
            case state:
                game.world.characters[step.who].role = Role[state.removeprefix("is ").upper()]
        shown = {name: lines for name, one in players.items() if (lines := one.screen())}
        assert shown == step.shown, f"line {step.line}: {step.who} {step.does} {step.typed}"
