"""What may be seen of the past is one rule: on the page, by commands, live and from the chronicle."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from config.settings import WorldSettings
from server.chronicle.command import ChronicleCommands
from server.chronicle.reading import reader_of
from server.chronicle.recorder import ChronicleRecorder
from server.observatory.chronicle import ChronicleView
from tests.server.front_door import at_once
from tests.server.observatory.town_of import Watched
from tests.world.inn import Player
from vault.chronicle.event_log import EventLog
from vault.vault import Vault
from world.command import commands_of
from world.entities import Character, Role

FIRST, LATER = "quartz", "agate"
"""Words said to Ben before Cat and a guest came in, and words said to them while Ben was away."""
DAY = "1970-01-01"
LIVE = ("feed", "town", "health")
WANTED: tuple[dict[str, str], ...] = (
    {}, {"period": DAY}, {"period": f"{DAY}T00"}, {"at": f"{DAY}T00:00:30"}, {"agent": "Rook", "seq": "1"},
    {"agent": "Rook", "tier": "recent", "sentence": "0"}, {"form": "text"}, {"fits": ""})  # fmt: skip
COMMANDS = ("@feed", "@feed Ana", "@chronicle", f"@chronicle {DAY}", f"@chronicle {DAY}T00", "@chronicle Ana",
            f"@town {DAY}T00:00:30", "@town", f"@mind Rook {DAY}T00:00:30", "@why Rook", "@memories Rook")  # fmt: skip


class Past(Watched):
    """A room in which Ana spoke to Ben alone, and later, when Ben had gone, to Cat and a guest."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        vault = Vault(root)
        self.game.perform("Rook", "go out")
        recorder = ChronicleRecorder(self.game, EventLog(vault), lambda: True, self._ms, lambda said: None)
        reader = reader_of(vault, WorldSettings(), lambda: self.game.world.wording)
        self.observatory.add_chronicle(ChronicleView(reader, self.game.world, at_once))
        self.game.commands.add(commands_of(ChronicleCommands(reader, self.game, self.questions)))
        self.does("Ana", f"say to Ben {FIRST}, and nobody else is to know.")
        self.does("Ben", "go out")
        self.does("Cat", "go house door")
        self.game.world.add_character(Character("Guest1", self.ana_room, role=Role.GUEST))
        Player(self.game, "Guest1")
        self.does("Ana", f"say {LATER} is for everybody here.")
        self.does("Ben", "go house door")
        recorder.save()

    @property
    def ana_room(self) -> str:
        return self.game.world.characters["Ana"].room_id

    def _ms(self) -> int:
        return round(self.clock.seconds() * 1000)

    def does(self, name: str, line: str) -> None:
        self.clock.advance(1)
        performed = self.game.perform(name, line)
        assert performed.accepted, performed.refusal

    def everything_seen(self, name: str, role: Role) -> dict[str, str]:
        """Return all that somebody is shown, by surface: each view, asked once and looked at live, and each command."""
        seen: dict[str, str] = {}
        for view in self.observatory.views.names:
            asked = [{"view": view, **wanted} for wanted in WANTED]
            answers = [self.asked(name, role, **message) for message in asked]
            viewer, outlet = self.looks(name, role)
            if view in LIVE:
                viewer.message_received({"view": view})
            seen[view] = json.dumps([*answers, *outlet.taken()])
        player = Player(self.game, name)
        for line in COMMANDS:
            player.types(line)
            seen[line] = "\n".join(player.screen())
        return seen


@pytest.mark.parametrize(("name", "role", "perceived", "hidden"), [
    ("Cat", Role.PLAYER, LATER, FIRST), ("Guest1", Role.GUEST, LATER, FIRST), ("Cat", Role.BUILDER, LATER, FIRST),
    ("Ben", Role.PLAYER, FIRST, LATER), ("Guest1", Role.OBSERVER, FIRST, "")])  # fmt: skip
def test_past_is_what_one_perceived_on_every_surface(tmp_path, name: str, role: Role, perceived: str, hidden: str):
    seen = Past(tmp_path).everything_seen(name, role)
    assert [surface for surface, text in seen.items() if hidden and hidden in text] == []
    surfaces = ["feed", "chronicle", *(line for line in COMMANDS[:6] if role > Role.GUEST)]
    assert [surface for surface, text in seen.items() if perceived in text] == surfaces


def test_live_feed_begins_with_what_one_perceived(tmp_path):
    life = Past(tmp_path)
    life.does("Ben", "go out")
    outlet = life.watches("Ana", view="feed")
    life.game.perform("Ana", "say beryl")
    life.does("Ben", "go house door")
    viewer, late = life.looks("Ben")
    viewer.message_received({"view": "feed"})
    life.game.perform("Ana", "say opal")
    life.goes_on(1)
    assert "beryl" in json.dumps(outlet.taken())
    told = json.dumps(late.taken())
    assert "opal" in told
    assert "beryl" not in told, "it was said, and not yet sent, before Ben came in"
