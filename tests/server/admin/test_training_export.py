"""Reading back what happened, as a story and as pairs to train a model with."""

from __future__ import annotations

import json

import pytest

from tests.server.administered_inn import AdministeredInn


@pytest.fixture
def inn(inn):
    """The inn in which Rook remembers some things."""
    memory = inn.agents["Rook"].memory
    memory.record("acted", "say hello | I am lonely", "The Kitchen")
    memory.record("observed", "Ana arrives from The Common Room.", "The Kitchen", ("Ana",))
    memory.record("acted", "look", "The Kitchen")
    memory.record("result", "The Kitchen\nCopper pans, steam, and no window.", "The Kitchen")
    memory.record("acted", "get moon", "The Kitchen")
    memory.record("result", "There is no 'moon' lying here.", "The Kitchen", refused=True)
    memory.record("result", "You take the apples.", "The Kitchen")
    memory.record("observed", 'Ben says, "Hi."', "The Cellar", ("Ben",))
    return inn


def test_what_happened_to_an_agent_is_told_by_place_without_looks_refusals_and_reasons(inn):
    assert inn.shown("Ana", "@narrative Rook") == [
        "What happened to Rook",
        "",
        "## The Kitchen, 2026-11-18",
        "",
        'You say, "hello"',
        "Ana arrives from The Common Room.",
        "You take the apples.",
        "",
        "## The Cellar, 2026-11-18",
        "",
        'Ben says, "Hi."',
    ]


def test_what_all_remember_is_told_by_name(inn):
    assert inn.shown("Ana", "@narrative")[:6] == [
        "What happened lately",
        "",
        "## The Kitchen, 2026-11-18",
        "",
        'Rook says, "hello"',
        "Ana arrives from The Common Room.",
    ]


def test_a_story_can_be_short_and_can_go_into_a_note(inn):
    assert inn.shown("Ana", "@narrative Rook 1")[2:] == ["## The Cellar, 2026-11-18", "", 'Ben says, "Hi."']
    assert inn.shown("Ana", "@narrative Rook file") == ["The story is in stories/Rook 2026-11-18 110640.md."]
    story = (inn.vault.root / "stories" / "Rook 2026-11-18 110640.md").read_text(encoding="utf-8")
    assert story.startswith("# What happened to Rook\n\n## The Kitchen, 2026-11-18\n")


def test_nothing_is_told_where_nothing_happened_and_of_nobody(tmp_path):
    inn = AdministeredInn(tmp_path)
    assert inn.shown("Ana", "@narrative Rook") == ["Nothing has happened that anybody remembers."]
    assert inn.shown("Ana", "@narrative Zed") == ["There is no agent 'Zed'. Agents: Rook."]


def test_an_export_has_to_be_allowed_first(inn):
    assert inn.shown("Ana", "@training-export Rook") == [
        "What Rook was asked is not exported. "
        "Set training_export: true in its agent.md, or in config/agents.md for all."
    ]


@pytest.fixture
def agreeing(inn):
    """The inn in which Rook may be exported."""
    note = inn.vault.root / "agents" / "Rook" / "agent.md"
    note.write_text(
        note.read_text(encoding="utf-8").replace("---\nYou", "training_export: true\n---\nYou"), encoding="utf-8"
    )
    assert inn.agents.reload(inn.settings) == []


@pytest.mark.usefixtures("agreeing")
def test_what_was_done_is_exported_beside_the_vault_and_what_was_refused_is_not(inn):
    trail = inn.agents["Rook"].memory.archive_writer
    last = inn.agents["Rook"].memory.journal.last
    trail.add("message", last, prompt="A long story.\n~Rook>", reply=" say hi", finish="stop")
    trail.add("tool_call", last + 1, command="say hi")
    trail.add("message", last + 1, prompt="A longer story.\n~Rook>", reply=" get moon", finish="stop")
    trail.add("tool_call", last + 2, command="get moon")
    trail.add("tool_result", last + 3, text="There is no moon.", refused=True)
    trail.add("message", last + 3, prompt="A third one.\n~Rook>", reply=" look", finish="cancelled")
    trail.add("tool_call", last + 4, command="led by somebody")
    trail.write()
    path = inn.root / "vault.exports" / "Rook 2026-11-18 110640.jsonl"
    assert inn.shown("Ana", "@training-export rook") == [
        f"Pairs of prompt and completion: 1, in {path}.",
        "What Rook was asked and did is being written; you will be told when it is done.",
    ]
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [
        {"prompt": "A long story.\n~Rook>", "completion": "say hi"}
    ]


@pytest.mark.usefixtures("agreeing")
def test_an_export_can_be_chosen_and_a_word_that_means_nothing_is_refused(inn):
    trail, last = inn.agents["Rook"].memory.archive_writer, inn.agents["Rook"].memory.journal.last
    trail.add("message", last, prompt="A story.\n~Rook>", reply=" get moon", finish="stop")
    trail.add("tool_call", last + 1, command="get moon | it shines")
    trail.add("tool_result", last + 2, text="There is no moon.", refused=True)
    trail.write()
    folder, chosen = inn.root / "vault.exports", "chat no-reasons refused since 2026-11-18"
    inn.shown("Ana", f"@training-export Rook {chosen}")
    path = folder / f"Rook 2026-11-18 110640 {chosen}.jsonl"
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == [
        {
            "messages": [
                {"role": "user", "content": "A story.\n~Rook>"},
                {"role": "assistant", "content": "get moon"},
            ],
            "accepted": False,
        }
    ]
    inn.shown("Ana", "@training-export Rook since 2026-11-19 refused")
    other = folder / "Rook 2026-11-18 110640 since 2026-11-19 refused.jsonl"
    assert other.read_text(encoding="utf-8") == ""
    assert path.read_text(encoding="utf-8")  # one of the same second takes the place of no other
    for given in ("since yesterday", "since 20261118", "xml"):
        assert inn.shown("Ana", f"@training-export Rook chat {given}") == [
            f"'{given}' is no way to export. Give any of: chat, completion, no-reasons, refused, since 2026-11-21."
        ]
