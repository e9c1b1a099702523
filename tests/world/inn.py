"""A small inn to play in: five rooms, a loft that nothing leads to, four who are awake and two who sleep."""

from __future__ import annotations

from tests.english import ENGLISH
from world.commands.table import world_commands
from world.entities import Character, Detail, Exit, Room, Thing
from world.events import Event
from world.game import Game
from world.triggers import parse_trigger
from world.world import World

CREAK = parse_trigger("use", "", "show The lid of the oat chest creaks.")


def inn() -> World:
    """Return the inn: Ana and Ben in the common room, Cat in the yard, the agent Rook in the kitchen, two asleep."""
    return World(
        [
            Room(
                "The Common Room",
                "A long table, a low ceiling and a fire that never quite goes out.",
                _exits(
                    Exit("north", "The Kitchen", ("n",)),
                    Exit("out", "The Yard", ("o",)),
                    Exit("down", "The Cellar", ("d",)),
                ),
                {"hearth": Detail("hearth", "Bricks black with a hundred winters.", ("fire", "fireplace"))},
            ),
            Room("The Kitchen", "Copper pans, steam, and no window.", _exits(Exit("south", "The Common Room", ("s",)))),
            Room(
                "The Yard",
                "Wet cobbles between two doors.",
                _exits(
                    Exit("house door", "The Common Room", ("in",)), Exit("stable door", "The Stable", ("east", "e"))
                ),
            ),
            Room("The Stable", "Straw, and nobody to eat it.", _exits(Exit("west", "The Yard", ("w",)))),
            Room("The Cellar", "", _exits(Exit("up", "The Common Room", ("u",)))),
            Room("The Stable Loft", "Dust.", _exits(Exit("down", "The Stable"))),
        ],
        [
            Thing("brass lamp", "The Common Room", "A lamp of dented brass.", ("lamp",)),
            Thing("oil lamp", "The Common Room", "It is empty.", ("lamp",)),
            Thing("copper coin", "Ana"),
            Thing("apples", "The Kitchen", "Small and sour."),
            Thing("oat chest", "The Stable", "Too heavy to move.", is_container=True, fixed=True, triggers=(CREAK,)),
            Thing("saddle bag", "The Stable", "Two pockets, one of them sewn up.", ("bag",), is_container=True),
            Thing("stable bill", "saddle bag", "A folded page.", ("bill",), writing="Oats, six pence. Unpaid."),
            Thing("slate", "The Stable", "A school slate.", properties={"writable": "true"}),
        ],
        [
            Character("Ana", "The Common Room", "Ana has flour on her sleeves.", awake=True),
            Character("Ben", "The Common Room", awake=True),
            Character("Cat", "The Yard", awake=True),
            Character("Rook", "The Kitchen", "Rook hums to himself.", is_agent=True, awake=True),
            Character("Dan", "The Common Room"),
            Character("Old Tom", "The Cellar"),
        ],
        wording=ENGLISH,
    )


def _exits(*exits: Exit) -> dict[str, Exit]:
    return {exit.name: exit for exit in exits}


def inn_game() -> Game:
    """Return a game in the inn with every command of the world."""
    return Game(inn(), world_commands())


class Player:
    """Somebody at a screen: what it shows is collected until it is looked at."""

    def __init__(self, game: Game, name: str) -> None:
        self.game = game
        self.name = name
        self.events: list[Event] = []
        self._lines: list[str] = []
        self.wake()

    def wake(self) -> None:
        """Come into the world."""
        self.game.wake(self.name, self._observe)

    def types(self, line: str) -> None:
        """Send a line to the game."""
        self.game.perform(self.name, line)

    def screen(self) -> list[str]:
        """Return the lines shown since the last time."""
        lines, self._lines = self._lines, []
        return lines

    def _observe(self, event: Event, sentence: str) -> None:
        self.events.append(event)
        self._lines += sentence.split("\n") if sentence else []
