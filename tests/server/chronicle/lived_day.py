"""A vault with a day that was lived in it: people and agents met, promised, whispered, quarrelled and returned."""

from __future__ import annotations

import shutil
from pathlib import Path

from config.settings import WorldSettings
from server.chronicle.recorder import ChronicleRecorder
from vault.chronicle.event_log import EventLog, day_ms
from vault.entities.load import load_world
from vault.memory.memory_line import Memory, format_line
from vault.vault import STARTER, Vault
from world.commands.table import world_commands
from world.entities import Character
from world.game import Game

DAY = "2026-11-22"
HOUR_MS = 3_600_000
SECRET = "the brass key is under the third stone of the quay"
REASON = "she seems lonely"
SCRIPT = "<script>alert(1)</script>"

LINES = (
    (8, "Eliza", "say Good morning, Moss."),
    (8, "Moss", f"say to Eliza Morning. I will bring you the ledger today. | {REASON}"),
    (9, "Robin", "say to Eliza Hello, I am Robin."),
    (9, "Eliza", f"whisper Robin {SECRET}"),
    (9, "Robin", "emote nods slowly."),
    (12, "Robin", f"say {SCRIPT} & <b>bold</b>"),
    (12, "Robin", f"whisper Moss Eliza says {SECRET}!"),
    (12, "Moss", "say to Robin You liar!"),
    (12, "Robin", "say to Moss You fool!"),
    (12, "Moss", "say to Robin Coward!"),
    (20, "Robin", "north"),
    (20, "Moss", "say to Eliza As I promised, here is the ledger."),
    (20, "Eliza", "think Moss is a good soul."),
)


def lived_vault(root: Path) -> Path:
    """Return a vault in which the lines above were done, 40 seconds apart, on a day after a night before."""
    shutil.copytree(STARTER, root)
    vault = Vault(root)
    world = load_world(vault, WorldSettings())
    world.add_character(Character("Robin", world.start_room_id))
    for name in ("Eliza", "Moss", "Robin"):
        world.characters[name].room_id = world.start_room_id
    clock = [day_ms("2026-11-21")]
    game = Game(world, world_commands(), lambda times: False)
    recorder = ChronicleRecorder(game, EventLog(vault), lambda: True, lambda: clock[0], lambda said: None)
    for name in ("Robin", "Eliza", "Moss"):
        game.wake(name, lambda event, text: None)
    game.sleep("Robin")
    clock[0] = day_ms(DAY) + 7 * HOUR_MS
    game.wake("Robin", lambda event, text: None)
    for number, (hour, who, line) in enumerate(LINES):
        clock[0] = day_ms(DAY) + hour * HOUR_MS + number * 40_000
        performed = game.perform(who, line)
        assert performed.accepted, performed.refusal
    recorder.save()
    _remember(vault, day_ms(DAY) + 9 * HOUR_MS + 3 * 40_000)
    return root


def _remember(vault: Vault, at_ms: int) -> None:
    """Let Eliza have written down that she whispered."""
    folder = vault.path("agents", "Eliza", "journal")
    folder.mkdir(parents=True, exist_ok=True)
    line = format_line(Memory(1, at_ms + 5, "acted", "The Landing", f"whisper Robin {SECRET}"))
    (folder / f"{DAY}.md").write_text(f"---\nagent: '[[Eliza]]'\nday: {DAY}\nfirst: 1\n---\n{line}\n")
