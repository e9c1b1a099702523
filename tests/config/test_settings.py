"""Every setting has a default that will do, and what will not do is refused by file, line and expectation."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import (
    SETTINGS_BY_NOTE,
    AgentSettings,
    MemorySettings,
    ModelSettings,
    ServerSettings,
    WorldSettings,
)
from config.validation import (
    IGNORED_KEYS,
    SettingsError,
    SourcedValue,
    closest_name,
    override,
    setting_names,
    settings_from,
)

SOURCE = "config/x.md"
FIELDS = [(kind, field) for kind in SETTINGS_BY_NOTE.values() for field in dataclasses.fields(kind)]
RANGED = [
    pytest.param(kind, field, id=f"{kind.__name__}.{field.name}")
    for kind, field in FIELDS
    if field.metadata["low"] is not None
]


def refusal(kind: type[Any], key: str, value: object, line: int = 7) -> str:
    """Return the message with which a value is refused."""
    with pytest.raises(SettingsError) as refused:
        settings_from(kind, {key: SourcedValue(value, line)}, SOURCE)
    return str(refused.value)


def test_every_default_is_a_value_that_could_be_given():
    for kind, field in FIELDS:
        assert settings_from(kind, {field.name: SourcedValue(field.default, 1)}, SOURCE) == kind()


def test_every_setting_says_what_it_is_about():
    assert [field.name for _, field in FIELDS if len(field.metadata["about"]) <= 10] == []


def test_a_list_will_not_do_and_the_message_says_where_and_what_will():
    for kind, field in FIELDS:
        message = refusal(kind, field.name, ["a"])
        assert message.startswith(f"config/x.md:7: {field.name} is ['a']; expected ")
        assert field.metadata["about"] in message


@pytest.mark.parametrize(("kind", "field"), RANGED)
def test_the_ends_of_a_range_belong_to_it_and_what_is_beyond_does_not(kind, field):
    wanted = type(field.default)
    low, high = field.metadata["low"], field.metadata["high"]
    for end in (low, high):
        assert getattr(settings_from(kind, {field.name: SourcedValue(wanted(end), 1)}, SOURCE), field.name) == end
    for beyond in (wanted(low - 1), wanted(high + 1)):
        assert refusal(kind, field.name, beyond).startswith(f"config/x.md:7: {field.name} is {beyond}; expected ")
        assert f"from {low} to {high}" in refusal(kind, field.name, beyond)


@pytest.mark.parametrize(
    ("kind", "key", "value", "message"),
    [
        (
            ServerSettings,
            "port",
            "4000",
            "config/x.md:7: port is '4000'; expected a whole number from 0 to 65535 (the telnet port).",
        ),
        (ServerSettings, "port", 4000.0, "port is 4000.0; expected a whole number from 0 to 65535"),
        (ServerSettings, "port", True, "port is True; expected a whole number"),
        (ServerSettings, "port", None, "port is None; expected a whole number"),
        (ServerSettings, "new_role", "king", "new_role is 'king'; expected one of guest, player, builder (the role"),
        (WorldSettings, "name", False, "name is False; expected text"),
        (AgentSettings, "think_seconds", "soon", "think_seconds is 'soon'; expected a number from 0.5 to 86400"),
        (AgentSettings, "think_seconds", float("nan"), "think_seconds is nan; expected a number"),
        (AgentSettings, "think_seconds", float("inf"), "think_seconds is inf; expected a number"),
        (AgentSettings, "think_seconds", 10**400, "expected a number from 0.5 to 86400"),
        (MemorySettings, "enabled", 1, "enabled is 1; expected true or false"),
        (MemorySettings, "enabled", "yes", "enabled is 'yes'; expected true or false"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(kind, key, value, message):
    assert message in refusal(kind, key, value)


def test_a_whole_number_will_do_for_a_number_and_a_number_for_text():
    agents = settings_from(AgentSettings, {"think_seconds": SourcedValue(5, 1)}, SOURCE)
    assert (agents.think_seconds, type(agents.think_seconds)) == (5.0, float)
    assert settings_from(WorldSettings, {"name": SourcedValue(1984, 1)}, SOURCE).name == "1984"


def test_nothing_written_is_empty_text():
    assert settings_from(ModelSettings, {"summary_model": SourcedValue(None, 1)}, SOURCE).summary_model == ""


@pytest.mark.parametrize(("read", "meant"), [(True, "on"), (False, "off"), ("auto", "auto"), ("off", "off")])
def test_on_and_off_are_choices_although_yaml_reads_them_as_true_and_false(read, meant):
    assert settings_from(AgentSettings, {"steering": SourcedValue(read, 1)}, SOURCE).steering == meant


@pytest.mark.parametrize(("name", "meant"), [("strat_room", "; did you mean 'start_room'?"), ("zzz", ".")])
def test_an_unknown_setting_is_refused_with_the_one_that_is_meant_and_those_there_are(name, meant):
    assert refusal(WorldSettings, name, "x", 3) == (
        f"config/x.md:3: unknown setting '{name}'{meant} Known settings are name, start_room, day_minutes, "
        "ambient_minutes, crowd, trash_days, chronicle, chronicle_absence_hours, export_people, contact, website, "
        "language, location, founded, genre, gameplay, status."
    )


def test_what_an_editor_writes_into_every_note_is_no_setting():
    values = {key: SourcedValue(["anything"], 2) for key in IGNORED_KEYS}
    assert settings_from(WorldSettings, values, SOURCE) == WorldSettings()


def test_an_override_keeps_what_it_does_not_name():
    given_first = settings_from(MemorySettings, {"immediate_window": SourcedValue(24, 1)}, SOURCE)
    assert override(given_first, {"recent_window": SourcedValue(12, 1)}, SOURCE) == MemorySettings(
        immediate_window=24, recent_window=12
    )


def test_a_misspelt_key_is_told_from_an_unrelated_one():
    names = setting_names(AgentSettings)
    assert [closest_name(key, names) for key in ("think_secnds", "colour", "template")] == [
        "think_seconds",
        "",
        "template",
    ]


@given(st.sampled_from(sorted(SETTINGS_BY_NOTE)), st.data())
def test_any_value_is_either_taken_or_refused_in_one_line_with_its_place(name, data):
    kind = SETTINGS_BY_NOTE[name]
    key = data.draw(st.sampled_from(setting_names(kind)))
    anything = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())
    value = data.draw(anything)
    try:
        settings_from(kind, {key: SourcedValue(value, 9)}, SOURCE)
    except SettingsError as refused:
        assert str(refused).startswith(f"config/x.md:9: {key} is ")
        assert "\n" not in str(refused)
