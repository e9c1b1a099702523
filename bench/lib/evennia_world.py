"""Builds the town in an Evennia game, with accounts for everyone: run by Evennia's Python in the game's folder.

`python evennia_world.py '{"rooms": {"The Square": {"out": "The Crossing"}}, "description": "...", "people": 500}'`
"""

from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.getcwd())
os.environ["DJANGO_SETTINGS_MODULE"] = "server.conf.settings"

import django  # type: ignore[import-untyped,import-not-found,unused-ignore]

django.setup()

import evennia  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: E402

evennia._init()

EXIT = "evennia.objects.objects.DefaultExit"
ROOM = "typeclasses.rooms.Room"


def main() -> None:
    """Build the world of the argument. The first room is where everyone is."""
    wanted = json.loads(sys.argv[1])
    rooms = {name: _room(name, wanted["description"]) for name in wanted["rooms"]}
    for name, ways in wanted["rooms"].items():
        for way, goal in ways.items():
            evennia.create_object(EXIT, key=way, location=rooms[name], destination=rooms[goal])
    start = next(iter(rooms.values()))
    for number in range(wanted["people"]):
        account = evennia.create_account(f"player{number}", None, f"secret{number}word")
        _, errors = account.create_character(key=f"Player{number}", location=start, home=start)
        if errors:
            raise SystemExit(f"Player{number} cannot be made: {errors}")


def _room(name: str, description: str) -> object:
    made = evennia.create_object(ROOM, key=name)
    made.db.desc = description
    return made


if __name__ == "__main__":
    main()
