"""A template becomes a prompt, paragraph by paragraph and slot by slot."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.prompts.prompt import SLOTS, Prompt, known_slots, parse_template
from vault.errors import NoteError
from vault.vault import STARTER, Vault

GOLDEN = Path(__file__).parent / "golden"

VALUES = {
    "name": "Moss",
    "profile": "You are Moss.\n\nYou like ferns {and braces}.",
    "commands": "look [<sight>] - Look around.\nsay <text> - Speak.",
    "yesterday": "~Moss> look ferns | the new frond may have opened\nA new frond.",
    "older": "I came to Fallwater.\n[Summarized 65 memories: 1–65]",
    "recent": "I met Ana.\n[Summarized 64 memories: 66–129]",
    "tail": '~Moss> say Tomorrow. | a letter keeps\nAna says, "{profile}"',
    "before": "~Moss> say Tomorrow. | a letter keeps",
    "since": 'Ana says, "{profile}"',
    "scene": "It is 20:35. You are in The Weir. White water.\nNobody else is here.\nExits: south (The Landing).",
    "place": "[You are in The Weir. Exits: south (The Landing).]",
    "facts": '- Ana told you: "My boat is green."',
    "known": '- Three days ago Ben said, "The pump leaks."\n- Moss keeps the pole.',
    "here": "You are in The Weir, in the evening. Ana is here. You carry a pole.",
    "errand": "You are on your way to The Mill.",
    "offers": "You may also: give pole to Ana; take leave.",
}
FIRST_DAY = VALUES | dict.fromkeys(("older", "recent", "facts", "known", "errand", "offers"), "")
LATER = VALUES | {"yesterday": ""}
MINIMAL = "{tail}\n\n{scene}\n~{name}>"


@pytest.mark.parametrize(
    ("golden", "template", "values"),
    [
        ("agent_prompt.first_day.txt", "agent_prompt", FIRST_DAY),
        ("agent_prompt.later.txt", "agent_prompt", LATER),
        ("transcript_first.first_day.txt", "transcript_first", FIRST_DAY),
        ("transcript_first.later.txt", "transcript_first", LATER),
    ],
)
def test_a_shipped_template_gives_the_prompt_that_was_agreed_on(golden, template, values):
    parsed = parse_template(Vault(STARTER).read("templates", f"{template}.md").body, template)
    assert parsed.fill(values) + "\n" == (GOLDEN / golden).read_text(encoding="utf-8")


def shipped() -> list[str]:
    own = ("summarize_", "dream", "reflection", "talk_", "action_")  # these are tested where they are filled
    return [name for name in Vault(STARTER).names("templates") if not name.startswith(own)]


@pytest.mark.parametrize("name", shipped())
def test_every_shipped_template_of_a_prompt_can_be_read(name):
    assert parse_template(Vault(STARTER).read("templates", f"{name}.md").body, f"templates/{name}.md").paragraphs


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_template_names_its_headings_only_over_something(name):
    parsed = parse_template(Vault(STARTER).read("templates", f"{name}.md").body, name)
    empty = dict.fromkeys(known_slots(SLOTS), "") | {"name": "Moss", "scene": "Here.", "place": "[Here.]"}
    prompt = parsed.fill(empty)
    assert "##" not in prompt
    assert "\n\n\n" not in prompt


def test_a_paragraph_whose_slots_are_all_empty_goes_with_its_heading():
    template = parse_template("# {profile}\n\n## Older\n{older}\n\nAlways.\n\n" + MINIMAL, "t.md")
    assert template.fill({"name": "Moss", "scene": "Here."}) == "Always.\n\nHere.\n~Moss>"


def test_a_paragraph_stays_while_one_of_its_slots_is_filled():
    template = parse_template("{older} {recent}\n\n" + MINIMAL, "t.md")
    assert template.fill({"name": "Moss", "recent": "Lately.", "scene": "Here."}) == " Lately.\n\nHere.\n~Moss>"


def test_what_fills_a_slot_is_never_filled_itself():
    template = parse_template(MINIMAL, "t.md")
    assert template.fill({"name": "Moss", "tail": "{name} {scene} {", "scene": "Here."}) == (
        "{name} {scene} {\n\nHere.\n~Moss>"
    )


def test_blank_lines_inside_a_slot_stay():
    template = parse_template("{profile}\n\n" + MINIMAL, "t.md")
    assert template.fill({"name": "M", "profile": "a\n\nb", "scene": "s"}) == "a\n\nb\n\ns\n~M>"


def test_an_unknown_slot_is_refused_with_its_line_and_the_one_that_was_meant():
    with pytest.raises(NoteError) as refused:
        parse_template("{profile}\n\n{comands}\n\n" + MINIMAL, "templates/x.md")
    assert str(refused.value) == "templates/x.md:3: there is no slot {comands}; did you mean {commands}?"


@pytest.mark.parametrize("missing", ["{tail}", "{scene}", "{name}"])
def test_a_template_without_what_every_prompt_needs_is_refused(missing):
    with pytest.raises(NoteError, match=r"templates/x.md: .*needs"):
        parse_template(MINIMAL.replace(missing, "") + "\n", "templates/x.md")


def test_a_template_that_does_not_end_in_the_agent_s_prompt_is_refused():
    with pytest.raises(NoteError, match=r"templates/x.md: a prompt must end in ~\{name\}>"):
        parse_template(MINIMAL + "\nGo on!", "templates/x.md")


def test_braces_that_are_no_slot_are_plain_text():
    template = parse_template("{} {1} {A b} { name }\n\n" + MINIMAL, "t.md")
    assert template.fill({"name": "M", "scene": "s"}).startswith("{} {1} {A b} { name }")


def test_the_pieces_of_a_prompt_add_up_to_it_and_the_inner_one_counts():
    prompt = Prompt("You. Tail (here) end.", places={"tail": (5, 11), "here": (10, 6), "name": (0, 3)})
    assert prompt.pieces == (("template", 0, 5), ("tail", 5, 5), ("here", 10, 6), ("template", 16, 5))
    assert "".join(prompt.text[at : at + size] for _, at, size in prompt.pieces) == prompt.text


def test_a_prompt_of_nothing_has_no_pieces():
    assert Prompt().pieces == ()
