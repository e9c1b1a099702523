"""Looking at settings, and changing those of the models, with the prose around them left alone."""

from __future__ import annotations

import pytest

from tests.server.administered_inn import AdministeredInn


@pytest.fixture
def inn(tmp_path):
    return AdministeredInn(tmp_path)


def models_note(inn: AdministeredInn) -> str:
    return (inn.vault.root / "config" / "models.md").read_text(encoding="utf-8")


def test_a_setting_is_shown_with_what_it_means_its_default_and_its_place(inn):
    assert inn.shown("Ana", "@show-config timeout_seconds") == [
        "timeout_seconds = 60.0; how long a model may take for one reply, in seconds "
        "(default 120.0; config/models.md:3)"
    ]
    assert inn.shown("Ana", "@show-config start_room") == [
        "start_room = The Landing; the room in which newcomers arrive (default The Landing; as nobody has set it)"
    ]


def test_a_setting_that_is_another_in_its_note_by_now_says_so(inn):
    inn.shown("Ana", "@llm-config timeout_seconds 90")
    assert inn.shown("Ana", "@show-config timeout_seconds")[0].endswith(
        "(default 120.0; from the start; config/models.md:3 counts from the next one)"
    )


def test_a_note_s_settings_are_shown_a_line_each(inn):
    names = [line.partition(" = ")[0] for line in inn.shown("Ana", "@show-config world")]
    assert names[:4] == ["name", "start_room", "day_minutes", "ambient_minutes"]
    assert len(inn.shown("Ana", "@show-config")) > 50


def test_only_admins_see_settings_and_what_is_none_is_refused(inn):
    assert inn.shown("Ben", "@show-config") == ["@show-config is for an admin and above; you are a player."]
    assert inn.shown("Ben", "@llm-config") == ["@llm-config is for an admin and above; you are a player."]
    assert inn.shown("Ana", "@show-config moon") == [
        "'moon' is no note in config and no setting. "
        "The notes are server, world, agents, models, memory_compaction and colors."
    ]


def test_a_model_s_setting_is_changed_in_its_line_and_nowhere_else(inn):
    assert inn.shown("Ana", "@llm-config timeout_seconds 90") == [
        "timeout_seconds is 90, and counts from the next start."
    ]
    assert models_note(inn) == "# The models\n\n**timeout_seconds**: 90\nHow long.\n"


def test_one_that_does_not_stand_there_comes_behind_the_prose(inn):
    assert inn.shown("Ana", "@llm-config summary_temperature 0.5") == [
        "summary_temperature is 0.5, and counts at once."
    ]
    assert models_note(inn) == "# The models\n\n**timeout_seconds**: 60\nHow long.\n\n**summary_temperature**: 0.5\n"


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (
            "@llm-config timeout_seconds never",
            "timeout_seconds is 'never'; expected a number from 1 to 3600 "
            "(how long a model may take for one reply, in seconds).",
        ),
        ("@llm-config timeout_second 9", "'timeout_second' is no setting of the models. Did you mean timeout_seconds?"),
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
