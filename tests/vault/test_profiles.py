"""Profiles: sections of config/models.md, read, refused with file and line, and left alone by changes of settings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from config.profiles import ModelProfile, ProfileSettings, legacy_thinker
from config.settings import ModelSettings
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings, write_setting
from vault.errors import NoteError
from vault.vault import STARTER, Vault

NOTE = """# The models

**model**: none
**num_ctx**: 4096

## How to go on
**keep_alive**: 5m

## thinker
**endpoints**: http://a:1, http://b:2
Two hosts.
**model**: gemma3:4b
**fallback**: spare

## spare
**endpoints**: embedded
**temperature**: 0.5
"""


def settings_of(tmp_path, text):
    return load_settings(vault_of(tmp_path, {"config/models.md": text}))


def refusal(tmp_path, text):
    with pytest.raises(NoteError) as refused:
        settings_of(tmp_path, text)
    return str(refused.value)


DURATIONS = (
    "5m",
    "1h30m",
    "-1m",
    "300ms",
    ".5h",
    "5.m",
    "+5m",
    "1µs",
    "1h5m",
    "99999h",
    "0",
    "30",
    "1.5",
    "-1",
    "-0.5",
)
NO_DURATIONS = ("soon", "1d", "5 m", "1h-5m", "5M", "h", "9999999h", "1e3s", "٣m", "true", "", '""', "[5m]", "m5", "-")
SECTIONS = ("", "## thinker\n", "## spare\n")


@pytest.mark.parametrize("section", SECTIONS)
def test_keep_alive_takes_every_duration_of_ollama(tmp_path, section):
    for given in DURATIONS:
        settings = settings_of(tmp_path, f"{section}**keep_alive**: {given}\n")
        profile = settings.profiles[section[3:].strip()].settings if section else settings.models
        assert profile.keep_alive == given


@pytest.mark.parametrize("section", SECTIONS)
def test_keep_alive_that_is_no_duration_is_refused(tmp_path, section):
    for given in NO_DURATIONS:
        said = refusal(tmp_path, f"{section}**keep_alive**: {given}\n")
        assert said.startswith(f"config/models.md:{section.count(chr(10)) + 1}: keep_alive is "), given
        assert "30m, 1h30m or 300ms, or seconds; 0 not at all, -1 for ever" in said


def test_what_stands_before_the_first_profile_is_as_it_ever_was_and_the_profiles_follow(tmp_path):
    settings = settings_of(tmp_path, NOTE)
    assert settings.models == ModelSettings(model="none", num_ctx=4096, keep_alive="5m")
    assert settings.profiles == {
        "thinker": ModelProfile(
            "thinker",
            ProfileSettings(endpoints="http://a:1, http://b:2", model="gemma3:4b", fallback="spare"),
            frozenset({"endpoints", "model", "fallback"}),
            "config/models.md",
        ),
        "spare": ModelProfile(
            "spare",
            ProfileSettings(endpoints="embedded", temperature=0.5),
            frozenset({"endpoints", "temperature"}),
            "config/models.md",
        ),
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "\n## spare\n**tempratur**: 1\n",
            "config/models.md:3: unknown setting 'tempratur'; did you mean 'temperature'?",
        ),
        ("## spare\n**top_p**: 2\n", "config/models.md:2: top_p is 2; expected a number from 0 to 1"),
        ("## spare\n**endpoints**: ftp://x\n", "config/models.md:2: endpoints is 'ftp://x'; expected text (where"),
        (
            "## spare\n**seed**: 1\n**seed**: 2\n",
            "config/models.md:3: 'seed' is set twice; it stands in line 2 already.",
        ),
        ("## spare\n\n## spare\n", "config/models.md:3: there are two profiles 'spare'; give one another name."),
        ("## a\n**fallback**: b\n", "config/models.md:2: the fallback of a is 'b'; the profiles are thinker, a."),
    ],
)
def test_what_will_not_do_is_refused_with_its_line(tmp_path, text, message):
    assert refusal(tmp_path, text).startswith(message)


def test_the_thinker_stands_in_although_no_section_names_it(tmp_path):
    profiles = settings_of(tmp_path, "**model**: embedded\n\n## far\n**fallback**: thinker\n").profiles
    assert profiles["far"].settings.fallback == "thinker"


def test_a_setting_is_changed_before_the_profiles_and_not_in_them(tmp_path):
    vault = vault_of(tmp_path, {"config/models.md": NOTE})
    write_setting(vault, "models", "model", "embedded")
    write_setting(vault, "models", "timeout_seconds", "60")
    settings = load_settings(vault)
    assert settings.models == ModelSettings(model="embedded", num_ctx=4096, keep_alive="5m", timeout_seconds=60.0)
    assert settings.profiles == settings_of(tmp_path / "before", NOTE).profiles


def test_a_profile_has_what_it_does_not_say_from_the_thinker_but_not_how_strange_endpoints_are_spoken_to():
    thinker = legacy_thinker(ModelSettings(num_ctx=2048, ollama_mode="chat"))
    thinker = ModelProfile(
        "thinker", ProfileSettings(api="openai", temperature=0.1), frozenset({"api", "temperature"})
    ).inherit_from(thinker)
    with_own = ModelProfile("x", ProfileSettings(endpoints="http://c"), frozenset({"endpoints"})).inherit_from(thinker)
    without = ModelProfile("y").inherit_from(thinker)
    assert (with_own.settings.api, without.settings.api) == ("ollama", "openai")
    assert {one.settings.num_ctx for one in (with_own, without)} == {2048}
    assert {one.settings.mode for one in (with_own, without)} == {"chat"}
    assert "temperature" not in with_own.given | without.given


def test_the_command_line_wins_over_the_thinkers_endpoints(tmp_path):
    settings = settings_of(tmp_path, NOTE)
    before = settings.profiles["thinker"].given
    assert {"endpoints", "model"} <= before
    for model, left in (("ollama:x", before - {"endpoints", "api", "model"}), ("auto", before - {"endpoints", "api"})):
        chosen = replace(settings, models=replace(settings.models, model=model), is_model_chosen=True)
        assert chosen.profiles_in_force["thinker"].given == left
        assert chosen.profiles_in_force["spare"] == settings.profiles["spare"]
    assert settings.profiles_in_force == settings.profiles


def test_the_command_line_drops_no_other_setting(tmp_path):
    note = "## thinker\n**constraint**: json_schema\n**concurrency**: 2\n**num_ctx**: 2048\n"
    settings = settings_of(tmp_path, note)
    chosen = replace(settings, models=replace(settings.models, model="ollama:x"), is_model_chosen=True)
    assert chosen.profiles_in_force == settings.profiles


def test_the_example_in_the_starter_vault_is_valid_once_its_marks_are_taken_away(tmp_path):
    text = Vault(STARTER).read("config", "models.md").body
    example = "\n".join(line[1:].strip() for line in text.split("\n") if line.startswith(">"))
    assert sorted(settings_of(tmp_path, example).profiles) == ["spare", "summarizer", "thinker"]


def test_the_starter_vault_tells_of_every_setting_of_a_profile():
    text = Vault(STARTER).read("config", "models.md").body.partition("# Further models")[2]
    assert [name for name in ProfileSettings.__dataclass_fields__ if f"`{name}`" not in text] == []
