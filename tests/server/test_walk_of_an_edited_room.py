"""How many functions the edit of a room passes through, from its settled path to the merge base and to those told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from twisted.internet.task import Clock

from server.hot_reload import SETTLE_SECONDS, ReloadTimer
from tests.server.test_hot_reload import Town
from tests.walks import Function, Walk
from vault.entities.reload import ReloadResult
from vault.note import Section
from vault.watch import Changes
from world.entities import Character, Role, Room

WORD = "stork"
ANSWER = "rooms/The Landing.md: reloaded."
NOTE = "rooms/The Landing.md"
CODE = ("agents/", "config/", "server/", "vault/", "world/")
SYNTAX = {"vault/markdown.py", "vault/front_matter.py"}
ENDS = frozenset({("world/game.py", "Game.publish")})
MAX_FUNCTIONS = 28
MAX_FILES = 10
MAX_FUNCTIONS_WITH_THE_PATH = 43


def _carries(value: object) -> bool:
    """Return whether a value holds the word that was written into the note, or the sentence that it was reloaded."""
    match value:
        case str(text):
            return WORD in text or ANSWER in text
        case bytes(raw):
            return WORD.encode() in raw
        case list() | tuple() | set():
            return any(_carries(one) for one in value)
        case dict(table):
            return any(_carries(one) for one in table.values())
        case Section(lines=inner) | Room(description=inner) | ReloadResult(messages=inner):
            return _carries(inner)
    return False


def _carries_path(value: object) -> bool:
    """Return whether a value holds the path of the note, which `ANSWER` does as well, or what is written in it."""
    match value:
        case str(text) if NOTE in text:
            return True
        case list() | tuple() | set():
            return any(_carries_path(one) for one in value)
        case Changes(changed=inner):
            return _carries_path(inner)
    return _carries(value)


def _walked(folder: Path, carries: Callable[[object], bool]) -> set[Function]:
    """Return the functions through which an edit passes while an admin stands in the room."""
    town, clock = Town(folder), Clock()
    timer = ReloadTimer(
        town.vault, town.app._hot_reload, town.app._tell_admins, clock, lambda call: call(), seconds=lambda: 0.0
    )
    screen: list[str] = []
    town.world.add_character(Character("Ana", "The Landing", role=Role.ADMIN))
    town.app.game.wake("Ana", lambda event, sentence: screen.append(sentence))
    screen.clear()
    town.change(NOTE, "A bell hangs", f"A {WORD} sleeps")
    timer._watch._record([str(town.root / NOTE)])
    walk = Walk(carries, ENDS)

    sys.setprofile(walk)
    try:
        clock.advance(SETTLE_SECONDS)
    finally:
        sys.setprofile(None)

    assert screen == [ANSWER]
    assert WORD in town.world.rooms["The Landing"].description
    assert town.app._world_store.known.get(("room", "The Landing")) == town.world.rooms["The Landing"]
    return {(path, name) for path, name in walk.functions_in(*CODE) if path not in SYNTAX}


def test_an_edited_room_passes_through_few_functions(tmp_path):
    """Each function counts once, if it takes or returns the word of the edit or the answer, or calls one that does.

    As on the walk of `say`, where the world is left out, some things are not counted: what tells Markdown and YAML
    apart (`SYNTAX`), and what `Game.publish` does with the answer, which goes the way of every other sentence. A
    `Note` has not only what was edited: what reads its other properties is beside the way. So is what looks only at
    the path, until the note is read and after it: the next test counts it.
    """
    functions = _walked(tmp_path, _carries)
    assert len(functions) <= MAX_FUNCTIONS, sorted(functions)
    assert len({path for path, _ in functions}) <= MAX_FILES, sorted(functions)


def test_an_edited_room_and_its_path_pass_through_few_functions(tmp_path):
    functions = _walked(tmp_path, _carries_path)
    assert len(functions) <= MAX_FUNCTIONS_WITH_THE_PATH, sorted(functions)
