"""Copies of a vault for experiments: other settings, fewer agents, other templates, and neutral perturbations."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agents.memory.strategy import loaded_strategies
from vault.config_notes import load_settings
from vault.entities.agent_notes import load_agent
from vault.entities.load import load_world
from vault.errors import NoteError
from vault.variant import Variant, apply_variant, find_setting, vault_hash
from vault.vault import STARTER, Vault, agent_names


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    shutil.copytree(STARTER, tmp_path / "world")
    return Vault(tmp_path / "world")


def changed(vault: Vault, **changes) -> Vault:
    apply_variant(vault, Variant(**changes), loaded_strategies().settings_kind)
    return vault


def test_a_setting_is_set_in_its_note_whichever_that_is(vault):
    changed(
        vault, settings={"strategy": "window", "think_jitter": "0", "day_minutes": "120", "without": "errand, facts"}
    )
    settings = loaded_strategies().load_settings(vault)
    assert (settings.memory.strategy, settings.agents.think_jitter, settings.world.day_minutes) == ("window", 0.0, 120)
    assert settings.agents.left_out == {"errand", "facts"}


def test_a_setting_wins_over_what_an_agent_s_own_note_says(vault):
    changed(vault, settings={"think_seconds": "7"})
    settings = load_settings(vault)
    own = {name: load_agent(vault, name).agent_settings(settings.agents).think_seconds for name in agent_names(vault)}
    assert own == {"Eliza": 7.0, "Moss": 7.0, "Odile": 7.0}


def test_a_setting_of_a_profile_is_set_in_its_section_and_a_profile_that_is_missing_is_made(vault):
    changed(vault, settings={"thinker.model": "tiny", "thinker.endpoints": "http://127.0.0.1:9/v1"})
    changed(vault, settings={"thinker.model": "small", "spare.temperature": "0.5"})
    profiles = load_settings(vault).profiles
    assert (profiles["thinker"].settings.model, profiles["thinker"].settings.endpoints) == (
        "small",
        "http://127.0.0.1:9/v1",
    )
    assert profiles["spare"].settings.temperature == 0.5


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("stratgy", "there is no setting 'stratgy'; did you mean 'strategy'?"),
        ("memory_compaction.windw", "there is no setting 'memory_compaction.windw'; did you mean 'recent_window'?"),
        ("thinker.modl", "there is no setting 'thinker.modl'; did you mean 'model'?"),
    ],
)
def test_a_setting_that_does_not_exist_is_refused_with_the_nearest_that_does(name, message):
    with pytest.raises(NoteError) as refused:
        find_setting(name)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": {"think_jitter": "3"}}, "--set think_jitter: think_jitter is 3; expected a number from 0 to 0.9"),
        ({"settings": {"strategy": "windo"}}, "--set strategy: strategy is 'windo'; expected one of waterfall, "),
        ({"agents": 4}, "--agents is 4; the vault has 3: Eliza, Moss, Odile."),
        ({"perturbations": ("weather",)}, "--perturb is 'weather'; expected one of rooms, names, persona, rules."),
    ],
)
def test_a_change_that_cannot_be_is_refused_and_says_what_would_be_right(vault, changes, message):
    with pytest.raises(NoteError) as refused:
        changed(vault, **changes)
    assert str(refused.value).startswith(message)


def test_the_first_agents_by_name_are_kept(vault):
    assert agent_names(changed(vault, agents=2)) == ["Eliza", "Moss"]


def test_templates_of_a_folder_replace_those_of_the_same_name(vault, tmp_path):
    folder = tmp_path / "terse"
    folder.mkdir()
    (folder / "talk_prompt.md").write_text("## System\n{profile}\n", encoding="utf-8")
    changed(vault, templates=folder)
    assert vault.read_text("templates", "talk_prompt.md") == "## System\n{profile}\n"
    (folder / "talk_promt.md").write_text("x", encoding="utf-8")
    with pytest.raises(NoteError, match="talk_promt.md: the vault has no template of this name; did you mean talk_p"):
        changed(vault, templates=folder)


def test_the_hash_of_a_vault_is_of_its_names_and_contents_but_not_of_hidden_files(vault):
    before = vault_hash(vault.root)
    (vault.root / ".obsidian").mkdir()
    (vault.root / ".obsidian" / "app.json").write_text("{}")
    assert vault_hash(vault.root) == before
    (vault.root / "rooms" / "Ink Yard.md").rename(vault.root / "rooms" / "Ink Court.md")
    assert vault_hash(vault.root) != before


def test_the_perturbation_of_rooms_lists_exits_in_the_opposite_order_and_nothing_else(vault):
    before = load_world(vault, load_settings(vault).world).rooms
    changed(vault, perturbations=("rooms",))
    after = load_world(vault, load_settings(vault).world).rooms
    assert after.keys() == before.keys()
    assert list(after["The Landing"].exits) == ["west", "east", "north"]
    assert {name: room.exits for name, room in after.items()} == {name: room.exits for name, room in before.items()}


def test_the_perturbation_of_names_leaves_no_old_name_anywhere(vault):
    changed(vault, perturbations=("names",))
    assert agent_names(vault) == ["Bram", "Ilka", "Thea"]
    left = [path for path in vault.root.rglob("*.md") if "Eliza" in path.read_text(encoding="utf-8")]
    assert left == []
    assert load_agent(vault, "Thea").profile.startswith("You are Thea, day-writer of Fallwater.")


def test_the_perturbation_of_personas_has_a_sentence_an_item_and_keeps_errands_and_reactions(vault):
    before = load_agent(vault, "Moss")
    changed(vault, perturbations=("persona",))
    after = load_agent(vault, "Moss")
    assert after.profile.split("\n")[:2] == [
        "- You are Moss.",
        "- You look after the ferns in the Spray Garden and listen to the weir, which you think the better talker.",
    ]
    assert after.errands == before.errands
    assert "| dusk | | remind" in vault.read_text("agents", "Moss", "agent.md")


def test_the_perturbation_of_rules_rewords_templates_and_keeps_their_slots(vault):
    rules = "{profile}\nIf something was refused, do something else. {menu}\n"
    vault.write_text(rules, "templates", "action_prompt.md")
    changed(vault, perturbations=("rules",))
    after = vault.read_text("templates", "action_prompt.md")
    assert after == "{profile}\nWhen something is refused, try something different. {menu}\n"
