"""`@chronicle`, page by page, and the sub-command `chronicle`: what they tell, and what they say when they cannot."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from config.settings import WorldSettings
from server.chronicle.command import PAGE_LINES, ChronicleCommands, add_chronicle_command, run_chronicle
from server.chronicle.reading import reader_of
from server.questions import Questions
from tests.server.chronicle.lived_day import DAY, REASON, SECRET, lived_vault
from tests.server.front_door import Thread, at_once
from tests.world.inn import Player, inn_game
from vault.chronicle.event_log import EventLog, LoggedEvent, day_ms
from vault.errors import NoteError
from vault.vault import Vault
from world.command import commands_of
from world.entities import Character, Role


class AskingInn:
    """The inn beside the log of another place, in which Robin was and Ana was not."""

    def __init__(self, root: Path, ana: Role = Role.PLAYER, in_thread=at_once) -> None:
        self.game = inn_game()
        self.game.world.characters["Ana"].role = ana
        self.game.world.add_character(Character("Robin", "The Common Room", awake=True))
        reader = reader_of(Vault(root), WorldSettings(), lambda: self.game.world.wording)
        questions = Questions(in_thread, lambda: self.game.world.wording)
        commands = ChronicleCommands(reader, self.game, questions)
        self.game.commands.add(commands_of(commands))
        self.players = {name: Player(self.game, name) for name in ("Ana", "Robin")}

    def told(self, who: str, line: str) -> str:
        """Return what somebody's screen shows of a line that they type."""
        self.players[who].screen()
        self.players[who].types(line)
        return "\n".join(self.players[who].screen())


@pytest.fixture(scope="module")
def lived(tmp_path_factory) -> Path:
    return lived_vault(tmp_path_factory.mktemp("lived") / "w")


def test_a_player_is_told_what_was_within_reach_and_nothing_private_of_others(lived):
    told = AskingInn(lived).told("Robin", f"@chronicle {DAY}")
    assert "What Robin could perceive." in told
    assert "A promise between Moss and Eliza is kept." not in told, "that was in another room"
    assert 'Robin says to Moss, "You fool!"' in told
    assert f'whispered: "{SECRET}"' in told, "it was whispered to Robin"
    assert REASON not in told
    assert "a good soul" not in told


def test_a_player_is_told_nothing_of_those_they_have_hushed_but_what_was_for_them(lived):
    inn = AskingInn(lived)
    inn.game.world.characters["Robin"].preferences["hush"] = "Eliza, agents"
    told = inn.told("Robin", f"@chronicle {DAY}")
    assert "Good morning, Moss." not in told
    assert "You liar!" in told, "it was said to Robin"
    assert f'whispered: "{SECRET}"' in told, "it was whispered to Robin"
    assert "Robin nods slowly." in told


@pytest.mark.parametrize("role", [Role.PLAYER, Role.BUILDER])
def test_one_who_was_never_there_is_told_nothing_of_it(lived, role):
    inn = AskingInn(lived, role)
    assert inn.told("Ana", f"@chronicle {DAY}").endswith(f"Nothing that you may read is in the chronicle of {DAY}.")


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.ADMIN])
def test_observers_and_admins_are_told_all(lived, role):
    inn = AskingInn(lived, role)
    told = inn.told("Ana", f"@chronicle {DAY}")
    for text in (SECRET, REASON, "Robin passes on to Moss what was whispered.", f"chronicle/{DAY}.jsonl:5"):
        assert text in told
    assert "reason: " not in inn.told("Ana", f"@chronicle {DAY}T09")


def test_without_a_day_the_newest_is_told_and_which_there_are(lived):
    inn = AskingInn(lived, Role.ADMIN)
    first, second = inn.told("Ana", "@chronicle"), inn.told("Ana", "@chronicle 2")
    assert first.startswith(f"{DAY}. With private reasons and whispers.\nTop moments\n")
    assert "\nDays in the chronicle\n2026-11-21: 6 events\n2026-11-22: 15 events\n" in second


def test_somebody_is_asked_for_by_name_and_the_newest_come_first(lived):
    inn = AskingInn(lived, Role.ADMIN)
    lines = inn.told("Ana", "@chronicle moss").split("\n")
    assert lines[-1].endswith("Moss wakes up here.")
    assert lines[1].startswith(f"{DAY} 20:07:20 The Landing: Moss says to Eliza")


def test_who_or_what_is_not_known_is_explained(lived):
    assert "'Nobody' is no day, no hour and nobody known here." in AskingInn(lived).told("Robin", "@chronicle Nobody")


def test_a_world_without_a_log_says_so(tmp_path):
    assert "There is no chronicle yet" in AskingInn(tmp_path).told("Robin", "@chronicle")


def test_pages_go_on_to_the_last_and_round(tmp_path):
    start = day_ms(DAY)
    EventLog(Vault(tmp_path)).append(
        LoggedEvent(start + n, "emoted", "Ana", room="The Yard", line=f"Ana counts {n}.") for n in range(PAGE_LINES + 5)
    )
    inn = AskingInn(tmp_path, Role.ADMIN)
    first, last = (inn.told("Ana", f"@chronicle {DAY} {page}") for page in (1, 9))
    assert first.endswith(f"Page 1 of 2; for the next: @chronicle {DAY} 2")
    assert last.endswith(f"Ana counts {PAGE_LINES + 4}.\nPage 2 of 2; for the next: @chronicle {DAY} 1")


def test_an_asker_who_is_gone_needs_no_answer(lived):
    thread = Thread()
    inn = AskingInn(lived, in_thread=thread)
    assert inn.told("Robin", "@chronicle") == "The chronicle is being read."
    inn.game.sleep("Robin")
    del inn.game.world.characters["Robin"]
    thread.goes_on()


def run(*arguments: object) -> list[str]:
    """Return what the command prints."""
    parser, said = argparse.ArgumentParser(), list[str]()
    add_chronicle_command(parser.add_subparsers(dest="command"))
    assert run_chronicle(parser.parse_args(["chronicle", *map(str, arguments)]), said.append) == 0
    return said


def test_the_newest_day_is_printed_as_text(lived):
    (text,) = run(lived, "--text")
    assert text.startswith(f"# Fallwater, {DAY}\n\n14 events. Times are UTC. Without private reasons and whispers.")
    assert SECRET not in text


def test_one_hour_is_written_into_a_file_with_private_words_if_asked_for(lived, tmp_path):
    out = tmp_path / "hour.html"
    said = run(lived, "--day", f"{DAY}T09", "--private", "--out", out)
    assert said == [f"3 events and 1 top moments are in {out}. It has private reasons and whispers."]
    assert SECRET in out.read_text()


def test_a_damaged_line_is_named_and_the_rest_is_told(tmp_path):
    vault = lived_vault(tmp_path / "w")
    path = vault / "chronicle" / f"{DAY}.jsonl"
    path.write_bytes(path.read_bytes().replace(b'{"at": "2026-11-22T12:03', b"gone", 1)[:-20])
    out = tmp_path / "day.html"
    assert run(vault, "--out", out)[1:] == [
        f"chronicle/{DAY}.jsonl:7: no event; left out",
        f"chronicle/{DAY}.jsonl:15: half-written; left out",
    ]
    assert "Robin is back" in out.read_text()


@pytest.mark.parametrize(
    ("day", "said"),
    [
        ("yesterday", "--day is yesterday; expected a day or an hour, as 2026-11-22 or 2026-11-22T20."),
        ("2020-01-01", f"The chronicle has nothing of 2020-01-01. The newest days are 2026-11-21, {DAY}."),
    ],
)
def test_a_day_that_is_none_or_has_nothing_is_refused(lived, day, said):
    with pytest.raises(NoteError) as refusal:
        run(lived, "--day", day)
    assert str(refusal.value) == said


def test_a_vault_without_a_chronicle_and_a_file_that_cannot_be_written_are_refused(lived, tmp_path):
    (tmp_path / "rooms").mkdir()
    with pytest.raises(NoteError, match="There is no chronicle in this vault yet"):
        run(tmp_path)
    with pytest.raises(NoteError, match="cannot be written"):
        run(lived, "--out", tmp_path)
