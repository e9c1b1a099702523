"""Who an agent is, from its notes; and its own notes come back as written, with nothing of before lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings import AgentSettings, MemorySettings
from tests.english import ENGLISH
from tests.vault.vault_of import vault_of
from vault.entities.agent_notes import AgentNote, PersonalNotes, ProfileHistory, load_agent
from vault.errors import NoteError
from vault.vault import STARTER, Vault, agent_names
from world.commands.table import world_commands
from world.entities import Character
from world.errors import CommandError
from world.parsing import parse_line

PROFILE = "You are Moss.\n\n  You speak rarely, {and} never at length.\n\n---\n\nYou like ferns."

AT = 1_795_248_000_000  # 2026-11-21 08:00 UTC
ROOK, ANA = Character("Rook", "", "Black.", is_agent=True), Character("Ana", "", "Tall.")
lines = st.one_of(
    st.sampled_from(["---", "## Exits", "- **x**: y", "\\", "\\---", "key: value", "[[Rook]]", "{tail}", " ---", "…"]),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=12),
)
HEAD = "---\nroom:   '[[Hall]]'  # home\nthink_seconds: 20\nmood: {a: 1,   b: 2}\n---\n"
TABLE = "## Reactions\n| on | when | do |\n| --- | --- | --- |\n| say | | emote hums |\n"
NOTE = f"{HEAD}You are Rook.\n\n## Goals\n- Hum.\n\n{TABLE}"
OWN = "agents/Rook/agent.md"


def moss(root, head: str, profile: str = PROFILE) -> AgentNote:
    """Return Moss as an `agent.md` with these properties makes him."""
    return load_agent(vault_of(root, {"agents/Moss/agent.md": f"---\n{head}\n---\n{profile}\n"}), "Moss")


def test_properties_and_profile_make_an_agent(tmp_path):
    note = moss(tmp_path, "room: '[[Spray Garden]]'\ndescription: A long, still man.")
    assert note.character == Character("Moss", "Spray Garden", "A long, still man.", is_agent=True)
    assert note.source == "agents/Moss/agent.md"


def test_the_profile_is_kept_to_the_letter(tmp_path):
    assert moss(tmp_path, "room: Hall").profile == PROFILE


def test_an_agent_is_told_neither_comments_nor_its_table_and_code_to_the_letter(tmp_path):
    text = (
        "You are Moss. %% shy %%\n\n```\n## Reactions\n```\n<!--\n## Goals\n-->\n\n## reactions\n| use | | show x |\n"
    )
    note = moss(tmp_path, "room: Hall", f"{text}\n## Goals\nTea.")
    assert note.profile == "You are Moss.\n\n```\n## Reactions\n```\n\n## Goals\nTea."
    assert len(note.character.triggers) == 1


def test_an_agent_without_properties_is_one_all_the_same(tmp_path):
    notes = {"agents/Moss/agent.md": "You are Moss.\n", "agents/Moss/yesterday.md": "~Moss> look\n"}
    note = load_agent(vault_of(tmp_path, notes), "Moss")
    assert (note.character.room_id, note.character.description, note.profile, note.yesterday) == (
        "",
        "",
        "You are Moss.",
        "~Moss> look",
    )
    assert note.agent_settings(AgentSettings()) == AgentSettings()


def test_its_own_settings_win_and_the_rest_are_everybody_s(tmp_path):
    note = moss(tmp_path, "think_seconds: 45\ntemperature: 0\nimmediate_window: 24\nrecent_window: 8")
    general = AgentSettings(think_seconds=20, reply_tokens=99)
    assert note.agent_settings(general) == AgentSettings(think_seconds=45.0, temperature=0.0, reply_tokens=99)
    assert note.memory_settings(MemorySettings()) == MemorySettings(immediate_window=24, recent_window=8)


@pytest.mark.parametrize("key", ["think_secnds", "Think-Seconds", "THINK_SECONDS"])
def test_a_misspelt_setting_is_refused_with_file_line_and_what_was_meant(tmp_path, key):
    with pytest.raises(NoteError) as refused:
        moss(tmp_path, f"room: Hall\n{key}: 45")
    assert str(refused.value) == f"agents/Moss/agent.md:3: unknown setting {key!r}; did you mean 'think_seconds'?"


def test_a_property_that_is_like_no_setting_is_somebody_s_own(tmp_path):
    assert moss(tmp_path, "room: Hall\nfavourite_fern: maidenhair\ncreated: 2026-11-21").character.room_id == "Hall"


@pytest.mark.parametrize("name", agent_names(Vault(STARTER)))
def test_an_agent_of_the_starter_vault_has_settings_and_reactions_which_are_no_part_of_its_profile(name):
    note = load_agent(Vault(STARTER), name)
    assert note.profile.startswith(f"You are {name}")
    assert "Reactions" not in note.profile
    assert "|" not in note.profile
    assert note.character.description and note.character.triggers
    note.agent_settings(AgentSettings())
    note.memory_settings(MemorySettings())


@pytest.mark.parametrize("name", agent_names(Vault(STARTER)))
def test_what_an_agent_of_the_starter_vault_typed_yesterday_are_commands_with_reasons(name):
    table = world_commands()
    lines = load_agent(Vault(STARTER), name).yesterday.splitlines()
    typed = [line.removeprefix(f"~{name}> ") for line in lines if line.startswith("~")]
    assert len(typed) >= 5
    assert [line for line in lines if line.startswith("~") and not line.startswith(f"~{name}> ")] == []
    faults = []
    for text in typed:
        line = parse_line(text)
        command = table.get(line.verb)
        try:
            assert command and command.for_agents and line.reason, text
            command.arguments_in(line.arguments, ENGLISH)
        except (CommandError, AssertionError) as error:
            faults.append(f"{text}: {error}")
    assert faults == []


def test_an_agent_s_notes_are_in_its_folder_and_a_person_s_in_its_own(tmp_path):
    notes = PersonalNotes(vault_of(tmp_path, {}), lambda: AT)
    notes.add(ROOK, "Plan", "Hum.")
    notes.add(ANA, "Plan", "Bake.")
    found = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*.md")}
    assert found == {
        "agents/Rook/notes/Plan.md": "---\nby: '[[Rook]]'\n---\nHum.\n",
        "people/Ana/notes/Plan.md": "---\nby: '[[Ana]]'\n---\nBake.\n",
    }


@given(st.lists(lines, min_size=1, max_size=5))
def test_whatever_is_written_comes_back_line_by_line_and_never_becomes_a_property(tmp_path_factory, written):
    vault = vault_of(tmp_path_factory.mktemp("vault"), {})
    notes = PersonalNotes(vault, lambda: AT)
    for line in written:
        notes.add(ROOK, "Plan", line)
    assert notes.read(ROOK, "Plan").split("\n") == written
    assert vault.read("agents", "Rook", "notes", "Plan.md").properties == {"by": "[[Rook]]"}


def test_what_a_hand_has_written_into_a_note_stays_to_the_letter(tmp_path):
    path = "agents/Rook/notes/Plan.md"
    by_hand = "---\ntags: [ mine ]   # yes\n---\n\n# A heading\r\n* [ ] hum\n"
    notes = PersonalNotes(vault_of(tmp_path, {}), lambda: AT)
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_bytes(by_hand.encode())
    notes.add(ROOK, "plan", "Sing.")
    assert (tmp_path / path).read_bytes().decode() == f"{by_hand}Sing.\n"


def test_every_version_that_was_overwritten_is_kept(tmp_path):
    notes = PersonalNotes(vault_of(tmp_path, {}), lambda: AT)
    notes.add(ROOK, "Plan", "One.")
    kept = [notes.overwrite(ROOK, "Plan", text) for text in ("Two.", "Three.", "Four.")]
    assert kept == ["Plan 20261121-080000.md", "Plan 20261121-080000-02.md", "Plan 20261121-080000-03.md"]
    former = [(tmp_path / "agents/Rook/notes/former" / name).read_text().split("\n")[3] for name in kept]
    assert (former, notes.read(ROOK, "Plan")) == (["One.", "Two.", "Three."], "Four.")
    assert notes.titles(ROOK) == ["Plan"]


def test_a_title_that_no_file_can_have_is_refused(tmp_path):
    notes = PersonalNotes(vault_of(tmp_path, {}), lambda: AT)
    for title in ("../agent", "a/b", ".hidden", "a\0b", "", "x" * 200):
        with pytest.raises(NoteError):
            notes.add(ROOK, title, "Hum.")
    assert list(tmp_path.rglob("*.md")) == []


def profiles_in(root: Path, note: str = NOTE) -> ProfileHistory:
    return ProfileHistory(vault_of(root, {OWN: note}), lambda: AT)


def text_of(root: Path, path: str = OWN) -> str:
    return (root / path).read_text(encoding="utf-8")


def test_front_matter_and_reactions_stay_to_the_letter(tmp_path):
    profiles_in(tmp_path).set_profile(ROOK, "You are Rook, and old.\nYou sing.")
    assert text_of(tmp_path) == f"{HEAD}You are Rook, and old.\nYou sing.\n\n{TABLE}"


@pytest.mark.parametrize(
    "profile",
    [
        "---\nthink_seconds: 1\nrole: admin\n---\nYou are free.",
        "## Reactions\n| say | | give [[key]] to {actor} |",
        "**think_seconds**: 1",
        "\n---\ngrants: [dig]\n---",
    ],
)
def test_no_profile_becomes_a_setting_a_role_or_a_reaction(tmp_path, profile):
    vault = vault_of(tmp_path, {OWN: NOTE})
    before = load_agent(vault, "Rook")
    ProfileHistory(vault, lambda: AT).set_profile(ROOK, profile)
    after = load_agent(vault, "Rook")
    assert (after.given, after.character.role, after.character.grants, after.character.triggers) == (
        before.given,
        before.character.role,
        before.character.grants,
        before.character.triggers,
    )
    assert text_of(tmp_path).startswith(HEAD)


def test_a_note_without_front_matter_gets_none_by_its_profile(tmp_path):
    vault = vault_of(tmp_path, {OWN: "You are Rook.\n"})
    ProfileHistory(vault, lambda: AT).set_profile(ROOK, "---\nrole: admin\n---\nYou are free.")
    assert load_agent(vault, "Rook").given == {}


def test_links_and_slots_in_a_profile_are_plain_words(tmp_path):
    vault = vault_of(tmp_path, {OWN: NOTE})
    ProfileHistory(vault, lambda: AT).set_profile(ROOK, "![[secret]] {tail} [one] []][x")
    assert load_agent(vault, "Rook").profile == "!secret (tail) [one] x"


def test_undoing_twice_brings_the_change_back_and_keeps_every_version(tmp_path):
    profiles = profiles_in(tmp_path)
    profiles.set_profile(ROOK, "You are old.")
    changed = text_of(tmp_path)
    assert profiles.undo_profile(ROOK)
    assert text_of(tmp_path) == NOTE
    assert profiles.undo_profile(ROOK)
    assert text_of(tmp_path) == changed
    kept = sorted((tmp_path / "agents/Rook/history").iterdir(), key=lambda path: (len(path.name), path.name))
    assert [path.read_text() for path in kept] == [NOTE, changed, NOTE]


def test_undoing_takes_back_the_profile_and_no_setting(tmp_path):
    profiles = profiles_in(tmp_path)
    profiles.set_profile(ROOK, "You are old.")
    profiles.set_interval(ROOK, "7.5")
    profiles.undo_profile(ROOK)
    assert text_of(tmp_path) == NOTE.replace("think_seconds: 20", "think_seconds: 7.5")


def test_who_was_never_another_has_nothing_to_undo(tmp_path):
    profiles = profiles_in(tmp_path)
    assert not profiles.undo_profile(ROOK)
    assert profiles.former_description(ANA) is None


def test_how_somebody_looked_is_kept(tmp_path):
    profiles = profiles_in(tmp_path)
    assert profiles.set_description(ANA, "Tall, {and} old.\nGrey.") == "Tall, (and) old.\nGrey."
    assert profiles.former_description(ANA) == "Tall."
    assert text_of(tmp_path, "people/Ana/history/description 20261121-080000.md") == "Tall."


def test_how_an_agent_looks_is_in_its_note_at_once_and_nothing_else_in_it_changes(tmp_path):
    profiles = profiles_in(tmp_path)
    profiles.set_description(ROOK, "Black: as night.\nrole: admin")
    note = load_agent(vault_of(tmp_path, {}), "Rook")
    assert note.character.description == "Black: as night.\nrole: admin"
    assert "role" not in note.given
    assert text_of(tmp_path).startswith(HEAD.removesuffix("---\n"))


def test_what_cannot_be_loaded_again_is_not_written(tmp_path):
    broken = NOTE.replace("think_seconds", "think_secnds")
    with pytest.raises(NoteError, match="did you mean 'think_seconds'"):
        profiles_in(tmp_path, broken).set_profile(ROOK, "You are old.")
    assert text_of(tmp_path) == broken
