"""A private reason is for its author alone: after a played story it stands nowhere else."""

from __future__ import annotations

import logging

from config.settings import MemorySettings
from tests.agents.house import House
from world.entities import Role

SECRET = "quartzite"
STORY = (
    "say Good morning, Rook.",
    "emote waves at Ben.",
    "whisper Ben I have something for you.",
    "tell Ben Come here.",
    "get brass lamp",
    "give brass lamp to Ben",
    "share plan -> We meet at noon.",
    "shout Is anybody there?",
    "think I like it here.",
    "north",
    "south",
    "look at Ben",
    "fly to the moon",
    "@dig up to The Attic",
)


def test_after_a_played_story_it_stands_only_with_its_author(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    house = House(tmp_path, "Rook", "Ben", settings=MemorySettings(immediate_window=16, recent_window=16))
    ana, cat = house.player("Ana"), house.player("Cat", Role.ADMIN)
    for _ in range(4):
        for line in STORY:
            ana.types(f"{line} | {SECRET} of Ana")
            house.does("Rook", f"{line} | {SECRET} of Rook")
    for name in ("Rook", "Ben"):
        house.compact(name)
    assert SECRET not in house.prompt("Rook")  # a model that reads its reasons repeats them, and may recite them
    assert SECRET not in house.prompt("Ben")
    others = [*ana.screen(), *cat.screen(), *map(repr, [*ana.events, *cat.events]), caplog.text]
    assert not [text for text in others if SECRET in text]
    house.end()
    files = {path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()}
    assert files
    own = {("agents", "Rook"), (".index", "Rook.journal"), (".index",)}
    assert {path.relative_to(tmp_path).parts[:2] for path in files} <= own
    assert not [path for path in files if f"{SECRET} of Ana".encode() in path.read_bytes()]
