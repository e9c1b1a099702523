"""Notes as people write them, with the line of everything that will not do."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from config.validation import SourcedValue
from vault.errors import NoteError
from vault.note import Entry, format_note, link_target, parse_note


def refusal(text: str) -> str:
    """Return the message with which a note is refused."""
    with pytest.raises(NoteError) as refused:
        parse_note(text, "n.md").settings()
    return str(refused.value)


def test_a_note_is_its_properties_and_its_body():
    note = parse_note("---\nport: 4000\nhost: here\n---\n\n# Server\n\nProse.\n", "n.md")
    assert note.properties == {"port": 4000, "host": "here"}
    assert note.body == "# Server\n\nProse."
    assert (note.property_lines, note.body_line) == ({"port": 2, "host": 3}, 6)


@pytest.mark.parametrize(
    "text",
    [
        "---\nport: 4000\n---\nProse.\n",
        "\ufeff---\nport: 4000\n---\nProse.\n",
        "---\r\nport: 4000\r\n---\r\nProse.\r\n",
        "---  \nport: 4000\n---\t\nProse.",
        "---\nport: 4000\n---\n\n\nProse.\n\n\n",
    ],
)
def test_a_byte_order_mark_and_other_line_ends_make_no_difference(text):
    note = parse_note(text, "n.md")
    assert (note.properties, note.body) == ({"port": 4000}, "Prose.")


@pytest.mark.parametrize(
    "text", ["", "Prose.\n", "# Hall\n\n---\nkey: value\n---\n", " ---\nkey: value\n---\n", "----\na: 1\n"]
)
def test_without_front_matter_all_is_body(text):
    note = parse_note(text, "n.md")
    assert (note.properties, note.body, note.body_line) == ({}, text, 1)


def test_a_rule_in_the_body_ends_nothing():
    note = parse_note("---\na: 1\n---\nOne.\n\n---\n\nTwo.\n\n-----\nb: 2\n---\n", "n.md")
    assert (note.properties, note.body) == ({"a": 1}, "One.\n\n---\n\nTwo.\n\n-----\nb: 2\n---")


def test_empty_front_matter_is_none():
    assert parse_note("---\n---\nProse.\n", "n.md").properties == {}
    assert parse_note("---\n# only a remark\n---\n", "n.md").properties == {}


def test_keys_that_a_library_might_take_for_its_own_are_properties():
    note = parse_note("---\ncontent: words\nhandler: yaml\nmetadata: {a: 1}\n---\nProse.\n", "n.md")
    assert note.properties == {"content": "words", "handler": "yaml", "metadata": {"a": 1}}
    assert note.body == "Prose."


def test_a_key_is_the_text_that_somebody_typed():
    note = parse_note("---\n1: one\n007: bond\nyes: agreed\n2026-11-21: day\n3.10: pi\n---\n", "n.md")
    assert note.properties == {"1": "one", "007": "bond", "yes": "agreed", "2026-11-21": "day", "3.10": "pi"}
    assert note.property_lines == {"1": 2, "007": 3, "yes": 4, "2026-11-21": 5, "3.10": 6}


def test_a_value_is_what_yaml_says():
    note = parse_note("---\non: 2026-11-21\nnothing:\nmany: [1, two]\nbold: '**x**'\n---\n", "n.md")
    assert list(note.properties.values()) == [datetime.date(2026, 11, 21), None, [1, "two"], "**x**"]


@pytest.mark.parametrize(
    ("written", "target"),
    [
        ("'[[The Hall]]'", "The Hall"),
        ("[[The Hall]]", "The Hall"),
        ("The Hall", "The Hall"),
        ("'[[The Hall|hall]]'", "The Hall"),
        ("[[The Hall|hall]]", "The Hall"),
        ("[[The Hall#Exits]]", "The Hall"),
        ("[[Upstairs, left]]", "Upstairs, left"),
        ("", ""),
        ("[]", ""),
        ("[' ']", ""),
        ("42", "42"),
    ],
)
def test_a_link_is_found_with_or_without_its_quotes(written, target):
    assert link_target(parse_note(f"---\nroom: {written}\n---\n", "n.md").properties["room"]) == target


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\na: 1\nb: [1\nc: 2\n---\n", "n.md:4: the front matter is not valid YAML"),
        ("---\na: 1\nb: 'open\n---\n", "n.md:"),
        ("---\na: b: c\n---\n", "n.md:2: the front matter is not valid YAML"),
        ("---\n\n\na: b: c\n---\n", "n.md:4: the front matter is not valid YAML"),
        ("---\r\na: 1\r\nb: b: c\r\n---\r\n", "n.md:3: the front matter is not valid YAML"),
        ("---\na: 1\nb: !!python/object:os.system x\n---\n", "n.md:3: the front matter is not valid YAML"),
        ("---\na: 1\nb: \x07\n---\n", "n.md:3: the front matter is not valid YAML"),
        ("---\na: 1\n\tb: 2\n---\n", "n.md:3: the front matter is not valid YAML"),
        ("---\nb: 1\na: &self [*self]\n---\n", "n.md:3: the front matter is not valid YAML"),
        ("---\n? [a, b]\n: 1\n---\n", "n.md:1: the front matter must be lines of the form 'key: value'."),
        ("---\na: *nobody\n---\n", "n.md:2: the front matter is not valid YAML"),
        ("---\na: 1\nday: 2026-13-45\n---\n", "n.md:3: the front matter cannot be read: month must be in 1..12"),
        ("---\na: 1\n", "n.md:1: the front matter begins with '---' but no second '---' ends it."),
        ("---\njust words\n---\n", "n.md:1: the front matter must be lines of the form 'key: value'."),
        ("---\n- a\n- b\n---\n", "n.md:1: the front matter must be lines of the form 'key: value'."),
        (f"---\na: {'[' * 800}\n---\n", "n.md:1: the front matter cannot be read"),
        ("---\na: 1\nb: 2\na: 3\n---\n", "n.md:4: 'a' is set twice; it stands in line 2 already."),
    ],
    ids=range(17),
)
def test_broken_front_matter_is_refused_by_its_line(text, message):
    assert refusal(text).startswith(message)
    assert "\n" not in refusal(text)


def test_settings_stand_among_prose_with_their_lines():
    note = parse_note(
        "---\nport: 4000\n---\n\n# Server\n\n**host**: 0.0.0.0 (every address)\n\nProse about **host**.\n"
        "- **max_connections**: 20\n* **enabled**:  `true`\n**motto**:\n**Port**: 5000\n",
        "n.md",
    )
    assert note.settings() == {
        "port": SourcedValue(4000, 2),
        "host": SourcedValue("0.0.0.0", 7),
        "max_connections": SourcedValue(20, 10),
        "enabled": SourcedValue(True, 11),
        "motto": SourcedValue(None, 12),
    }


@pytest.mark.parametrize("value", ["http://127.0.0.1:11434", "ollama:gemma3:1b", "30m", "auto", "::", "::1", "fe80::"])
def test_a_setting_with_colons_in_it_stays_text(value):
    assert parse_note(f"**key**: {value}", "n.md").settings() == {"key": SourcedValue(value, 1)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\nport: 1\n---\n\n**port**: 2\n", "n.md:5: 'port' is set twice; it stands in line 2 already."),
        ("**port**: 1\n\n- **port**: 2\n", "n.md:3: 'port' is set twice; it stands in line 1 already."),
        ("Prose.\n**port**: [1\n", "n.md:2: the value '[1' cannot be read; write a number, true, false or plain text."),
        ("**day**: 2026-13-45\n", "n.md:1: the value '2026-13-45' cannot be read"),
        (f"**day**: {'[' * 800}\n", "n.md:1: the value"),
    ],
    ids=range(5),
)
def test_a_setting_that_will_not_do_is_refused_by_its_line(text, message):
    assert refusal(text).startswith(message)


def test_sections_are_found_with_their_lines_in_whatever_case():
    note = parse_note("---\na: 1\n---\nA hall.\n\n## exits ##\n- x\n\n ## Details\n\ny\n", "n.md")
    found = {title: note.section(title) for title in ("", "Exits", "DETAILS", "Writing")}
    assert {title: one.text for title, one in found.items()} == {
        "": "A hall.",
        "Exits": "- x",
        "DETAILS": "y",
        "Writing": "",
    }
    assert {title: one.start for title, one in found.items() if one.exists} == {"": 4, "Exits": 7, "DETAILS": 10}


def test_entries_have_a_name_other_names_a_value_and_a_line():
    note = parse_note("## Exits\n\n- **North**, N, up: [[The Mill]]\n* **out**: [[The Yard]]\nProse.\n", "n.md")
    assert list(note.entries("Exits")) == [
        Entry("north", ("n", "up"), "[[The Mill]]", 3),
        Entry("out", (), "[[The Yard]]", 4),
    ]
    assert list(note.entries("Details")) == []


def test_a_list_line_that_is_no_entry_is_refused_by_its_line():
    note = parse_note("---\na: 1\n---\n\n## Exits\n- **out**: [[The Yard]]\n- north to the mill\n", "n.md")
    with pytest.raises(NoteError) as refused:
        list(note.entries("Exits"))
    assert str(refused.value) == "n.md:7: '- north to the mill' is not of the form '- **name**, alias: text'."


PLAIN = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"))
VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | PLAIN | st.lists(PLAIN | st.integers())
)
BODIES = st.lists(PLAIN | st.sampled_from(["---", "--- ", "a: 1", "", "-----", "...", "%YAML"]), max_size=6)


@given(st.dictionaries(PLAIN, VALUES, max_size=5), BODIES.map("\n".join))
@example({}, "---\nno front matter\n---")
@example({}, "---")
@example({"=": "=", "on": "off", "1": "1"}, "---")
@example({"link": "[[The Hall]]", "text": "a\n---\nb"}, "")
def test_what_is_written_is_read_again(properties, body):
    note = parse_note(format_note(properties, body), "n.md")
    assert (note.properties, note.body.strip("\n")) == (properties, body.strip("\n"))
    assert list(note.properties) == list(properties)


@given(st.text() | BODIES.map("\n".join) | st.text("-a:\n[]{}'\"&*!|> ", max_size=30).map("---\n{}\n---\n".format))
def test_any_text_is_a_note_or_refused_in_one_line_with_its_place(text):
    try:
        parse_note(text, "n.md").settings()
    except NoteError as refused:
        assert str(refused).startswith("n.md:")
        assert "\n" not in str(refused)
