"""Running a world from inside: saving, closing, announcing and looking at the log, as screens show it."""

from __future__ import annotations

import pytest

from tests.playing import play
from tests.server.administered_inn import AdministeredInn
from vault.errors import NoteError

TIMEOUT = "# The models\n\n**timeout_seconds**: {}\nHow long.\n"


def models_note(inn: AdministeredInn) -> str:
    return (inn.vault.root / "config" / "models.md").read_text(encoding="utf-8")


def test_a_setting_is_shown_with_what_it_means_its_default_and_its_place(inn):
    assert inn.shown("Ana", "@show-config timeout_seconds") == [
        "timeout_seconds = 60.0; the time limit of one reply, in seconds (default 120.0; config/models.md:3)"
    ]
    assert inn.shown("Ana", "@show-config start_room") == [
        "start_room = The Landing; the room in which newcomers arrive (default The Landing; not set)"
    ]


def test_a_setting_that_is_another_in_its_note_by_now_says_so(inn):
    inn.shown("Ana", "@llm-config timeout_seconds 90")
    assert inn.shown("Ana", "@show-config timeout_seconds")[0].endswith(
        "(default 120.0; set at the start; config/models.md:3 counts from the next start)"
    )


def test_a_note_s_settings_are_shown_a_line_each(inn):
    names = [line.partition(" = ")[0] for line in inn.shown("Ana", "@show-config world")]
    assert names[:4] == ["name", "start_room", "day_minutes", "ambient_minutes"]
    assert len(inn.shown("Ana", "@show-config")) > 50


def test_what_is_neither_a_note_nor_a_setting_is_refused(inn):
    assert inn.shown("Ana", "@show-config moon") == [
        "'moon' is neither a note in config nor a setting. "
        "The notes are server, world, agents, models, memory_compaction and colors."
    ]


@pytest.mark.parametrize(
    ("line", "told", "note"),
    [
        ("timeout_seconds 90", "timeout_seconds is 90, and counts from the next start.", TIMEOUT.format(90)),
        (
            "summary_temperature 0.5",
            "summary_temperature is 0.5, and counts at once.",
            TIMEOUT.format(60) + "\n**summary_temperature**: 0.5\n",
        ),
    ],
)
def test_a_model_s_setting_is_changed_in_its_line_or_comes_behind_the_prose(inn, line, told, note):
    assert inn.shown("Ana", f"@llm-config {line}") == [told]
    assert models_note(inn) == note


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (
            "@llm-config timeout_seconds never",
            "timeout_seconds is 'never'; expected a number from 1 to 3600 (the time limit of one reply, in seconds).",
        ),
        ("@llm-config timeout_second 9", "There is no model setting 'timeout_second'. Did you mean timeout_seconds?"),
        (
            "@llm-config model magic",
            "model is 'magic'; expected text (auto, embedded, none, ollama:NAME or gguf:FILE).",
        ),
    ],
)
def test_a_value_that_will_not_do_changes_nothing(inn, line, refusal):
    before = models_note(inn)
    assert inn.shown("Ana", line) == [refusal]
    assert models_note(inn) == before


def test_without_a_value_it_is_shown(inn):
    assert inn.shown("Ana", "@llm-config timeout_seconds") == inn.shown("Ana", "@show-config timeout_seconds")
    assert inn.shown("Ana", "@llm-config") == inn.shown("Ana", "@show-config models")


def test_an_admin_saves_backs_up_and_reloads(inn):
    play(
        inn.game,
        inn.players,
        f"""
Ana> @save
Ana| Everything is on disk.
Ana> @backup
Ana| The backup is done: {inn.root}/backups/vault.tar.gz
Ana| The backup has started; you will read when it is done.
Ana> @reload
Ana| All edits are in force.
""",
    )
    assert inn.saved == 1


def test_what_is_wrong_with_edits_is_told_to_who_takes_them_in(inn):
    inn.problems = ["config/agents.md:3: think_seconds is 'never'. The settings stay as they were."]
    assert inn.shown("Ana", "@reload") == inn.problems


def test_a_backup_that_fails_says_why(tmp_path):
    def fail():
        raise NoteError("backups: the backup cannot be made: No space left on device.")

    inn = AdministeredInn(tmp_path, back_up=fail)
    assert inn.shown("Ana", "@backup")[0] == (
        "The backup failed: backups: the backup cannot be made: No space left on device."
    )


def test_everybody_hears_an_announcement_wherever_they_are(inn):
    play(
        inn.game,
        inn.players,
        """
Ana> @announce
Ana| Usage: @announce <text>
Ana> @announce Free apples!
Ana| Ana announces: Free apples!
Ben| Ana announces: Free apples!
Cat| Ana announces: Free apples!
""",
    )


def test_the_world_closes_in_its_time_and_says_so_on_the_way(inn):
    play(
        inn.game,
        inn.players,
        """
Ana> @shutdown soon
Ana| 'soon' is not a time; give minutes from 0 to 1440, or cancel.
Ana> @shutdown --again
Ana| '--again' is not a time; give minutes from 0 to 1440, or cancel.
Ana> @shutdown cancel
Ana| No shutdown is planned.
Ana> @shutdown 3
Ana| The world closes in 3 minutes. Everything is kept; come back soon.
Ben| The world closes in 3 minutes. Everything is kept; come back soon.
Cat| The world closes in 3 minutes. Everything is kept; come back soon.
""",
    )
    for seconds, told in ((60, "2 minutes"), (60, "a minute"), (30, "30 seconds"), (20, "10 seconds")):
        inn.clock.advance(seconds)
        assert inn.players["Cat"].screen() == [f"The world closes in {told}. Everything is kept; come back soon."]
    inn.clock.advance(9)
    assert inn.closed == 0
    inn.clock.advance(1)
    assert inn.closed == 1


def test_a_closing_world_can_be_kept_open(inn):
    inn.shown("Ana", "@shutdown 1")
    assert inn.shown("Ana", "@shutdown cancel") == ["Ana cancels the closing of the world."]
    inn.clock.advance(100)
    assert (inn.closed, inn.clock.getDelayedCalls()) == (0, [])


@pytest.mark.parametrize(
    ("line", "told", "restarts"),
    [
        ("@shutdown", "The world is closing.", False),
        ("@shutdown --restart", "The world is about to restart.", True),
    ],
)
def test_without_minutes_it_closes_as_soon_as_the_line_is_answered(inn, line, told, restarts):
    assert (inn.shown("Ana", line), inn.closed) == ([told], 0)
    inn.clock.advance(0)
    assert (inn.closed, inn.restarts) == (1, restarts)


@pytest.mark.parametrize("line", ["@shutdown 1 --restart", "@shutdown --restart 1"])
def test_a_world_can_restart_in_its_time_instead(inn, line):
    restarts_in = (
        "The world restarts in {}. It is back in a moment, and you are where you were, unless you are a guest."
    )
    assert inn.shown("Ana", line) == [restarts_in.format("a minute")]
    inn.clock.advance(30)
    assert inn.players["Cat"].screen()[-1] == restarts_in.format("30 seconds")
    inn.clock.pump([20, 10])
    assert (inn.closed, inn.restarts) == (1, True)


def test_whoever_was_told_of_a_restart_is_told_that_it_is_off_and_nobody_else(inn):
    off = ["The restart is cancelled."]
    inn.shown("Ana", "@shutdown 1 --restart")
    inn.clock.advance(30)
    inn.players["Cat"].screen()
    inn.administration.cancel_restart()  # another restart was refused, by a signal: this one is still to come
    assert inn.players["Cat"].screen() == []
    inn.clock.advance(20)
    inn.clock.advance(10)
    inn.players["Cat"].screen()
    inn.administration.cancel_restart()
    assert [inn.players[name].screen()[-1:] for name in ("Ana", "Ben", "Cat")] == [off] * 3
    inn.administration.cancel_restart()
    inn.shown("Ana", "@shutdown --restart")
    inn.clock.advance(0)
    inn.administration.cancel_restart()
    assert inn.players["Cat"].screen() == []


def test_the_log_shows_who_did_what_and_what_came_of_it(inn):
    inn.shown("Ben", "@announce Free apples!")
    inn.shown("Ana", "@save")
    inn.shown("Ben", "say hello")
    assert inn.shown("Ana", "@audit") == [
        "2026-11-18T11:06:40Z Ben from 203.0.113.7: @announce Free apples! - "
        "@announce is for an admin and above; you are a player.",
        "2026-11-18T11:06:40Z Ana from 203.0.113.7: @save - done",
    ]
    assert inn.shown("Ana", "@audit ben") == [
        "2026-11-18T11:06:40Z Ben from 203.0.113.7: @announce Free apples! - "
        "@announce is for an admin and above; you are a player."
    ]
    assert inn.shown("Ana", "@audit 1") == ["2026-11-18T11:06:40Z Ana from 203.0.113.7: @audit ben - done"]
    assert inn.shown("Ana", "@audit nobody") == ["The audit log has nothing about 'nobody'. Give a name or a number."]
    assert inn.shown("Ana", f"@audit {'9' * 4000}")[0].startswith("The audit log has nothing about '999")


def test_an_empty_log_says_so(inn):
    assert inn.shown("Ana", "@audit") == ["Nobody has used a command of observers, builders or admins yet."]
