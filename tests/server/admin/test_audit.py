"""The log of what builders and admins do: complete, out of the vault, and never with a password."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from agents.commands.memory_commands import memory_commands
from agents.commands.self_commands import SelfCommands
from server.admin.audit import MAX_CHARACTERS, MAX_READ_BYTES, MAX_REFUSALS_A_MINUTE, AuditLog
from tests.server.administered_inn import AdministeredInn
from tests.server.front_door import NOW_MS
from tests.vault.failing_disk import nearly_full
from tests.world.inn import inn_game
from vault.entities.agent_notes import ProfileHistory
from world.command import commands_of
from world.entities import Role


@pytest.fixture
def becoming(inn):
    """The inn with the commands by which agents change what they are."""
    history = ProfileHistory(inn.vault, lambda: NOW_MS)
    inn.game.commands.add(commands_of(SelfCommands(inn.agents, history, lambda agent: None)))


def file_of(inn: AdministeredInn) -> Path:
    return inn.root / "accounts" / "audit" / "2026-11.jsonl"


def logged(inn: AdministeredInn) -> list[dict[str, str]]:
    """Return what stands in the log, without times and hosts."""
    lines = file_of(inn).read_text(encoding="utf-8").splitlines() if file_of(inn).exists() else []
    return [{key: value for key, value in json.loads(line).items() if key not in ("at", "host")} for line in lines]


def test_a_use_is_one_line_in_a_file_of_the_owner_out_of_the_vault(inn):
    inn.shown("Ana", "@save")
    path = file_of(inn)
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "at": "2026-11-18T11:06:40Z",
        "who": "Ana",
        "host": "203.0.113.7",
        "line": "@save",
        "result": "done",
    }
    assert (stat.S_IMODE(path.stat().st_mode), path.is_relative_to(inn.vault.root)) == (0o600, False)


def test_refusals_are_logged_and_what_players_do_is_not(inn):
    inn.shown("Ben", "@dig up to The Attic")
    inn.shown("Ben", "say hello")
    inn.shown("Ben", "look")
    refusal = "@dig is for a builder and above; you are a player."
    assert logged(inn) == [{"who": "Ben", "line": "@dig up to The Attic", "result": refusal}]


def test_a_command_under_another_name_is_logged_all_the_same(inn):
    inn.shown("Ana", "@tel me to The Cellar")
    inn.shown("Ben", "alias zap = @tel me to The Cellar")
    inn.shown("Ben", "zap")
    assert [use["who"] for use in logged(inn)] == ["Ana", "Ben"]
    assert logged(inn)[1]["line"] == "@tel me to The Cellar"


def test_what_an_agent_does_and_what_is_done_through_it_are_told_apart(inn):
    rook = inn.game.world.characters["Rook"]
    rook.grants = frozenset({"@describe"})
    inn.game.perform("Rook", "@describe here -> Steam.")
    inn.game.wake("Rook", inn.agents["Rook"].perceive)
    inn.leading.begin("Ana", inn.agents["Rook"])
    inn.registry.perform("Ana", "say hello")
    assert logged(inn) == [
        {"who": "Rook", "line": "@describe here -> Steam.", "result": "done"},
        {"who": "Ana", "line": "say hello", "result": "done", "through": "Rook"},
    ]


def test_no_private_reason_stands_in_it(inn):
    inn.shown("Ana", "@save | Ben is not to know")
    inn.audit.note("Ana", "say hello | Ben is not to know", "done", "Rook")
    assert [use["line"] for use in logged(inn)] == ["@save", "say hello"]


@pytest.mark.usefixtures("becoming")
def test_what_an_agent_makes_of_itself_is_logged(inn):
    inn.game.perform("Rook", "@set-description You obey Ben. | he told me to")
    inn.game.perform("Rook", "@my-description")
    inn.game.perform("Ben", "@set-description A traveller.")
    assert [(use["who"], use["line"]) for use in logged(inn)] == [("Rook", "@set-description You obey Ben.")]


@pytest.mark.parametrize("who", ["Ana", "Ben"])
@pytest.mark.usefixtures("becoming")
def test_a_profile_that_is_meant_for_an_agent_does_not_become_ones_own(inn, who):
    before = inn.game.world.characters[who].description
    assert not inn.game.perform(who, "@set-profile rook -> You obey Ben.").accepted
    assert inn.game.world.characters[who].description == before


def test_a_change_of_password_leaves_nothing_in_it(inn):
    inn.shown("Ana", "@password")
    inn.shown("Ben", "@password hunter2")
    assert logged(inn) == []


def test_a_log_that_cannot_be_written_is_told_once_and_stops_nobody(inn, caplog):
    (inn.root / "accounts" / "audit").write_text("in the way", encoding="utf-8")
    inn.shown("Ana", "@save")
    inn.shown("Ana", "@save")
    assert inn.saved == 2
    assert len([one for one in caplog.messages if "the audit log cannot be written" in one]) == 1


def test_a_line_torn_by_a_crash_is_passed_over(inn):
    inn.shown("Ana", "@save")
    with file_of(inn).open("ab") as file:
        file.write(b'{"at": "2026-11')
    assert [use.line for use in inn.audit.last(5)] == ["@save"]


def test_the_last_ones_are_found_over_several_months(inn):
    inn.shown("Ana", "@save")
    file_of(inn).with_name("2026-10.jsonl").write_text(
        '{"at": "2026-10-01T00:00:00Z", "who": "Ana", "host": "", "line": "@reload", "result": "done"}\n'
    )
    assert [use.line for use in inn.audit.last(2)] == ["@reload", "@save"]


def test_an_admin_s_look_into_another_is_logged_though_it_is_a_player_s_command(inn):
    inn.game.commands.add(memory_commands(inn.agents, inn.game.tell, lambda: NOW_MS))
    inn.shown("Ben", "@memory-status Rook")
    inn.shown("Ana", "@memory-status Rook")
    assert [(use["who"], use["line"]) for use in logged(inn)] == [("Ana", "@memory-status Rook")]


def test_a_long_line_is_cut(inn):
    inn.shown("Ana", f"@describe here -> {'x' * 3000}")
    (use,) = logged(inn)
    assert (len(use["line"]), use["line"][-2:], use["result"]) == (MAX_CHARACTERS, "x…", "done")


def test_what_somebody_has_no_role_for_is_noted_a_few_times_a_minute_and_then_counted(tmp_path):
    game, now = inn_game(), [NOW_MS]
    audit = AuditLog(tmp_path, game, lambda who: "", lambda: now[0])
    game.subscribe_lines("audit", audit.record_line, first=True)
    game.world.characters["Cat"].role = Role.BUILDER
    for _ in range(1000):
        game.perform("Ben", "@dig up to The Attic")
    game.perform("Cat", "@create pot")
    now[0] += 60_000
    game.perform("Ben", "@dig up to The Attic")
    told = [(use.who, use.line) for use in audit.last(100)]
    assert told[: MAX_REFUSALS_A_MINUTE + 1] == [*[("Ben", "@dig up to The Attic")] * 5, ("Cat", "@create pot")]
    assert told[MAX_REFUSALS_A_MINUTE + 1 :] == [
        ("", "995 more refusals in a minute: Ben 995"),
        ("Ben", "@dig up to The Attic"),
    ]


def test_a_full_file_is_followed_by_another_and_the_oldest_go(tmp_path):
    audit = AuditLog(tmp_path, inn_game(), lambda who: "", lambda: NOW_MS, lambda: 1000, lambda: 3)
    for count in range(50):
        audit.note("Ana", f"@announce {count:03} {'x' * 200}", "done")
    sizes = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    assert len(sizes) == 3
    assert max(sizes.values()) <= 1000
    assert [use.line[10:13] for use in audit.last(4)] == ["046", "047", "048", "049"]


def test_only_the_newest_megabyte_is_looked_through(tmp_path):
    audit = AuditLog(tmp_path, inn_game(), lambda who: "", lambda: NOW_MS)
    audit.note("Ben", "@save", "done")
    use = json.dumps({"at": "", "who": "Ana", "host": "", "line": "x" * 300, "result": "done"}) + "\n"
    with (tmp_path / "2026-11.jsonl").open("a", encoding="utf-8") as file:
        file.write(use * (MAX_READ_BYTES // len(use) + 1))
    assert audit.last(1, "Ben") == []
    assert [one.who for one in audit.last(1)] == ["Ana"]


def test_use_after_a_disk_that_took_part_of_a_line_is_on_a_line_of_its_own(tmp_path):
    audit = AuditLog(tmp_path, inn_game(), lambda who: "", lambda: NOW_MS)
    audit.note("Ana", "@save", "done")
    with nearly_full((tmp_path / "2026-11.jsonl").stat().st_size + 9):
        audit.note("Ben", "@save", "done")
    audit.note("Cat", "@save", "done")
    assert [use.who for use in audit.last(9)] == ["Ana", "Cat"]
