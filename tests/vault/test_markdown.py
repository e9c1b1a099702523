"""Notes as people write them in an editor: code, comments and headings, and edits from inside that spare the rest."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from config.validation import SourcedValue
from tests.vault import nasty
from tests.vault.vault_of import vault_of
from vault.config_notes import load_settings, write_setting
from vault.entities.schema import load_room, room_of, save_entity
from vault.errors import NoteError
from vault.markdown import escape_section, scan, unescape_section
from vault.note import link_target, parse_note, with_plain_ends
from vault.note_editor import NoteEditor, entry_lines
from world.entities import Exit

HIDING = {
    "fence": "```\n{}\n```",
    "fence with info": "```yaml title\n{}\n```",
    "tildes": "~~~\n{}\n~~~~",
    "longer fence": "````\n```\n{}\n```\n````",
    "fence in a list": "- An item.\n\n  ```\n  {}\n  ```",
    "comment": "%%\n{}\n%%",
    "comment in its lines": "%% {}\n%%",
    "HTML comment": "<!--\n\n{}\n\n-->",
    "indented code": "So:\n\n    {}",
}
COUNTED = (
    "**port**: 9100",
    "## Exits\n- **secret**: [[Hall]]",
    "- **secret**: [[Hall]]",
    "| use | | show x |",
    "## Night",
)


@pytest.mark.parametrize("around", HIDING.values(), ids=HIDING)
@pytest.mark.parametrize("hidden", COUNTED)
def test_nothing_in_code_or_in_a_comment_counts(around, hidden):
    indent = around.rpartition("{}")[0].rpartition("\n")[2].replace("%% ", "")
    within = around.format(hidden.replace("\n", f"\n{indent}"))
    note = parse_note(f"A hall.\n\n{within}\n\nDust.\n\n## Reactions\n{within}\n\n## Details\n\nNone.\n", "rooms/A.md")
    room, shown = room_of(note, "A"), room_of(note, "A").description
    assert (note.settings(["port"]), room.exits, room.details, room.descriptions_by_day_part) == (
        {},
        {},
        {},
        {},
    )
    assert room.triggers == ()
    is_comment = "%%" in around or "<!--" in around
    assert shown == ("A hall.\n\nDust." if is_comment else f"A hall.\n\n{within}\n\nDust.")


def test_comments_within_a_line_are_not_part_of_it():
    note = parse_note(
        "A %% drab %% hall. <!-- really? --> Dust %% here\nand there %% lies.\n`%%` and `%%` are code. "
        "100\\%% sure, 50%% not.\n"
        "\n## Exits %% all of them %%\n- **out** %% a way %%: [[Yard]] %% was [[Den]] %%\n",
        "rooms/A.md",
    )
    room = room_of(note, "A")
    assert room.description == "A hall. Dust\nlies.\n`%%` and `%%` are code. 100%% sure, 50%% not."
    assert room.exits == {"out": Exit("out", "Yard")}


@pytest.mark.parametrize("opener", ["```", "~~~ x", "%%", "<!--", "text %% more", "``` `x`"])
def test_what_nothing_closes_hides_nothing(opener):
    note = parse_note(f"A hall.\n{opener}\n\n## Exits\n- **out**: [[Yard]]\n", "rooms/A.md")
    assert room_of(note, "A").exits == {"out": Exit("out", "Yard")}


@pytest.mark.parametrize("title", ["exits", "EXITS", "Exits ##", " Exits", "Exits <!-- two -->"])
def test_a_heading_counts_in_any_case(title):
    note = parse_note(f"A hall.\n\n## {title}\n- **out**: [[Yard]]\n\n## night\nDark.\n", "rooms/A.md")
    room = room_of(note, "A")
    assert (list(room.exits), room.descriptions_by_day_part) == (
        ["out"],
        {"night": "Dark."},
    )


@pytest.mark.parametrize("key", ["Port", "PORT", "port"])
def test_a_setting_counts_however_it_is_capitalised(key, tmp_path):
    vault = vault_of(
        tmp_path, {"config/server.md": f"# Server\n\n- **{key}**: 5000 %% was 4000 %%\n\n**Beware**: dogs\n"}
    )
    assert load_settings(vault).server.port == 5000
    write_setting(vault, "server", "port", "6000")
    assert vault.read_text("config", "server.md") == (
        f"# Server\n\n- **{key}**: 6000\n%% was 4000 %%\n\n**Beware**: dogs\n"
    )


def test_hyphens_in_a_setting_are_understood_and_slips_of_the_pen_refused():
    known = ("tls_port", "port")
    assert parse_note("**tls-port**: 1\n**Tls Port:** 2\n", "n.md").settings(known[1:]) == {}
    assert parse_note("**TLS-port**: 1\n", "n.md").settings(known) == {"tls_port": SourcedValue(1, 1)}
    for text, message in {
        "**Tls-Prot**: 1": "n.md:1: unknown setting 'Tls-Prot'; did you mean 'tls_port'?",
        "**port**: 1\n**Port**: 2": "n.md:2: 'port' is set twice; it stands in line 1 already.",
    }.items():
        with pytest.raises(NoteError) as refused:
            parse_note(text, "n.md").settings(known)
        assert str(refused.value) == message


def test_a_setting_in_code_stays_when_the_real_one_is_written(tmp_path):
    before = "```\n**port**: 1\n```\n\n%%\n**port**: 2\n%%\n"
    vault = vault_of(tmp_path, {"config/server.md": before})
    write_setting(vault, "server", "port", "5000")
    assert vault.read_text("config", "server.md") == f"{before}\n**port**: 5000\n"
    assert load_settings(vault).server.port == 5000


def test_a_description_with_a_fence_is_changed_as_a_whole(tmp_path):
    board = "A board:\n\n```\n## Rules\nNo swords.\n```"
    note = f"%% drawn by Ana %%\n{board}\n<!-- to do -->\n\n## Exits\n- **out**: [[R]]\n"
    vault = vault_of(tmp_path, {"rooms/R.md": note})
    room = load_room(vault, "R")
    assert room.description == board
    room.description = "Dust.\n```\n## Rules"
    save_entity(vault, room)
    assert vault.read_text("rooms", "R.md") == (
        "%% drawn by Ana %%\nDust.\n\\```\n\\## Rules\n<!-- to do -->\n\n## Exits\n- **out**: [[R]]\n"
    )
    assert load_room(vault, "R") == room


PARTS = (
    "Some prose.",
    "Prose %% aside %% and on.",
    "Prose %% over\ntwo lines %% and on.",
    "%%\n## Exits\n- **hidden**: [[Hall]]\n%%",
    "<!-- **title**: x\n\n## Details\n-->",
    "```\n## Exits\n- **code**: [[Hall]]\n```",
    "~~~~ text\n```\n~~~~",
    "    indented\n    ## Exits",
    "- **north**, n: [[Hall]] %% checked %%",
    "- **clock**: It has\n  stopped %% since\n  when? %% for good.\n\n  ```\n  - tick\n  ```",
    "\\## not a heading",
    "1. one",
    "%%",
    "```",
    "",
    "",
)
LISTED = tuple(part for part in PARTS if not part.startswith(("1.", "%%\n", "<!--")))
bodies = st.lists(st.sampled_from(PARTS), max_size=5).map("\n\n".join)
sections = st.lists(st.sampled_from(LISTED), max_size=4).map("\n".join)


@st.composite
def notes(draw):
    """A note with front matter or without, with sections in any order and line ends of one kind."""
    head = draw(st.sampled_from(["", "---\ntitle: x # why\n---\n", "\ufeff---\naliases:\n- a\n---\n\n"]))
    names = draw(st.lists(st.sampled_from(["Exits", "details", "Notes", "Night"]), unique=True, max_size=4))
    parts = [draw(bodies), *(f"## {name}\n{draw(sections)}" for name in names)]
    text = head + draw(st.sampled_from(["\n", "\n\n"])).join(parts) + draw(st.sampled_from(["", "\n", "\n\n"]))
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def lines_of(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def check_spared(before: str, after: str, first: int, end: int) -> None:
    """Check that all lines are there but those numbered from `first` to before `end`, whose comments are there too."""
    old, kept = lines_of(before), lines_of(before)[: first - 1]
    assert after.startswith("".join(kept))
    rest = "".join(old[end - 1 :])
    assert after.endswith(rest)
    place = 0
    for line in parse_note(before, "n.md").lines:
        for comment in line.comments if first <= line.number < end else ():
            place = after.index(comment, place) + len(comment)


@given(notes(), st.sampled_from(["", "Details", "Notes", "Night"]), nasty.texts)
@example("%% a\nb %% tail\n\n## Exits\n", "", "new")
@example("text %% a\nb %%", "", "")
def test_a_section_is_changed_and_every_other_byte_stays(before, name, wanted):
    text = NoteEditor(before, "n.md")
    old = text.note.section(name)
    text.set_section(name, wanted)
    assert parse_note(str(text), "n.md").section(name).text == wanted
    if old.exists and old.lines:
        keeps_heading = wanted or not name or any(line.comments for line in old.lines)
        check_spared(before, str(text), old.start - (not keeps_heading), old.lines[-1].number + 1)
    elif not wanted and not old.exists:
        assert str(text) == before


@given(
    notes(), st.sampled_from(["Exits", "Details"]), st.sampled_from(["north", "clock", "new"]), st.none() | nasty.texts
)
def test_a_list_line_is_changed_and_every_other_byte_stays(before, section, name, wanted):
    text = NoteEditor(before, "n.md")
    old = {entry.name: entry for entry in text.note.entries(section)}
    text.set_entry(section, name, None if wanted is None else entry_lines(name, (), wanted))
    now = [entry.value for entry in parse_note(str(text), "n.md").entries(section) if entry.name == name]
    if name in old:
        check_spared(before, str(text), old[name].line, old[name].end)
    elif wanted is None:
        assert str(text) == before
    if wanted is not None:
        assert now[-1:] == [wanted.strip()]


@given(notes(), st.sampled_from(["title", "mood"]), st.none() | nasty.one_liners)
def test_a_property_is_changed_and_every_byte_of_the_body_stays(before, key, wanted):
    text = NoteEditor(before, "n.md")
    text.set_property(key, wanted)
    assert parse_note(str(text), "n.md").body.strip("\n") == parse_note(before, "n.md").body.strip("\n")
    body = re.split("---\r?\n", before)[-1].removeprefix("\ufeff")
    assert str(text).endswith(body)


@given(nasty.texts | notes())
def test_every_text_is_its_lines_and_comes_back_from_a_section(text):
    text = with_plain_ends(text)
    assert "\n".join(line.raw for line in scan(text)) == text
    assert unescape_section(escape_section(text)) == text


class Counted(str):
    """A text that counts how many characters are looked at by whoever looks for something in it."""

    looked = 0

    def find(self, wanted: str, start: int = 0) -> int:  # type: ignore[override]
        found = super().find(wanted, start)
        Counted.looked += (len(self) if found < 0 else found) - start
        return found


HOSTILE = ("<!-- %% ` ", "<!-- a ", "%%\n\n", "x %%\n\n", "-->%%", "`" + "``x", "\\%%", "%% <!-- ")


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_closes_a_comment_is_looked_for_once(hostile):
    Counted.looked, text = 0, Counted(hostile * 20_000)
    assert "\n".join(line.raw for line in scan(text)) == text
    assert Counted.looked <= 4 * len(text)


@pytest.mark.parametrize(
    "hostile", ["```x\n", "- a\n  ```x\n", "- **" + "\\", "[[a|", "# # ", "**a: ", "## a" + " " * 99]
)
def test_a_hostile_note_is_read_at_once(hostile):
    """It takes hours if time grows with more than the length."""
    note = parse_note(f"## Exits\n{hostile * 20_000}", "n.md")
    with suppress(NoteError):
        note.settings(["port"])
        list(note.entries("Exits"))
    link_target(hostile * 20_000)
