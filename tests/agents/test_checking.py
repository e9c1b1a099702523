"""Faults that only who makes prompts can tell are found with file and line."""

from __future__ import annotations

import pytest

from agents.checking import check_minds
from tests.vault.vault_of import vault_of
from vault.vault import STARTER, Vault

AGENT = {"agents/Moss/agent.md": "---\ntemplate: own\n---\nYou are Moss.\n"}
PROMPT = "{profile}\n\n{tail}\n\n{scene}\n~{name}>\n"
OWN = "agents/Moss/templates/own.md"
RECENT, LONGTERM = "agents/Moss/summaries/recent.md", "agents/Moss/summaries/longterm.md"
NOTES = AGENT | {OWN: PROMPT}


def found(root, notes: dict[str, str]) -> list[str]:
    return [str(finding) for finding in check_minds(vault_of(root, NOTES | notes))]


def test_templates_as_they_should_be_give_nothing(tmp_path):
    assert found(tmp_path, {}) == []
    assert list(check_minds(Vault(STARTER))) == []


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (
            {OWN: f"---\ntags: [mine]\n---\n{{tial}}\n{PROMPT}{{sceen}}\n~{{name}}>\n"},
            [
                f"{OWN}:4: there is no slot {{tial}}; did you mean {{tail}}?",
                f"{OWN}:11: there is no slot {{sceen}}; did you mean {{scene}}?",
            ],
        ),
        (
            {"templates/reflection.md": '{name} {memories} "facts": what people told of themselves\n'},
            [
                "templates/reflection.md: the slot {lines} is missing; it has {name}, {memories}. "
                "Without the file, the built-in one counts."
            ],
        ),
        ({OWN: "{tail} ~{name}>\n"}, [f"{OWN}: a slot is missing; a prompt needs {{scene}} or {{place}} or {{here}}."]),
        (
            {"templates/summarize_recent.md": "---\nschema: verse\n---\n{memories} {objection}\n{mood}\n\nSUMMARY:\n"},
            [
                "templates/summarize_recent.md:2: schema is 'verse'; expected one of prose, json, sections.",
                "templates/summarize_recent.md:5: there is no slot {mood}; known are name, sentences, "
                "memories, objection.",
            ],
        ),
        (
            {"templates/summarize_longterm.md": "{older} {recent}\nSUMMARY:\n"},
            ["templates/summarize_longterm.md: the slot {objection} is missing; without it, it would be lost."],
        ),
        (
            {"agents/Moss/agent.md": "---\ntags: [x]\ntemplate: old\n---\n"},
            ["agents/Moss/agent.md:3: there is no template 'old'; there are auto, agent_prompt."],
        ),
        (
            {"config/memory_compaction.md": "---\nstrategy: magic\nthreshold: many\n---\n"},
            [
                "config/memory_compaction.md:2: strategy is 'magic'; expected one of waterfall, layered, rolling, "
                "window (the memory strategy).",
                "config/memory_compaction.md:3: threshold is 'many'; expected a whole number from 1 to 4096 "
                "(rolling: more memories than this after the summary are too many).",
            ],
        ),
        (
            {"agents/Moss/agent.md": "---\nthreshold: 0\nretain_recnt: 3\n---\n"},
            [
                "agents/Moss/agent.md:3: unknown setting 'retain_recnt'; did you mean 'retain_recent'?",
                "agents/Moss/agent.md:2: threshold is 0; expected a whole number from 1 to 4096 "
                "(rolling: more memories than this after the summary are too many).",
            ],
        ),
        (
            {
                "agents/Moss/agent.md": f"---\nmodel_profile: small\n---\n{'abcde ' * 800}\n",
                "config/models.md": "**num_ctx**: 2048\n\n## small\n**num_ctx**: 1024\n",
            },
            [
                "agents/Moss/agent.md: it has about 1,440 tokens, and num_ctx is 1,024: no prompt fits. "
                "Shorten that note, or raise num_ctx in config/models.md if the model was trained for more."
            ],
        ),
        (
            {LONGTERM: "---\ncovers: [2, 9]\n---\nLong ago.\n", RECENT: "---\nmade: x\ncovers: [5, 9]\n---\nLately.\n"},
            [
                f"{LONGTERM}:2: it begins at memory 2 and not at 1; it will not be told.",
                f"{RECENT}:3: it covers 5–9, and memories from 1 on would be missing or twice; it will not be told.",
            ],
        ),
    ],
)
def test_a_fault_is_told_with_its_line(tmp_path, notes, expected):
    assert sorted(found(tmp_path, notes)) == sorted(expected)
