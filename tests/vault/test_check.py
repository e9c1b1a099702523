"""A vault with one fault gives just that finding, with file and line, and what is safe to mend is mended."""

from __future__ import annotations

import os
import subprocess
import unicodedata
from pathlib import Path

import pytest

from tests.vault.vault_of import files, vault_of
from vault.check import check_vault, fix_vault
from vault.vault import STARTER, Vault

NOW = 4_000_000_000.0  # later than any file that a test makes
NOTES = {
    "Fallwater.md": "A small world.\n",
    "config/world.md": "# The world\n\n**start_room**: Hall\n",
    "rooms/Hall.md": "---\nnumber: 1\n---\nA hall.\n\n## Exits\n- **north**, n: [[Attic]]\n",
    "rooms/Attic.md": "---\nnumber: 2\n---\nDust.\n\n## Exits\n- **south**, s: [[Hall]]\n",
    "things/lamp.md": "---\nat: '[[Attic]]'\n---\nA dented lamp.\n",
    "people/Ana.md": "Ana has flour on her sleeves.\n",
    "agents/Moss/agent.md": "---\nroom: '[[Attic]]'\ndescription: A long man.\n---\nYou are Moss.\n",
    "agents/Moss/journal/2026-03-01.md": (
        "---\nagent: '[[Moss]]'\nday: 2026-03-01\nfirst: 1\n---\n"
        "- 09:00:00.000 observed · Attic · Ana sneezes. [with:: Ana] ^m1\n"
        "- 09:00:05.000 acted · Attic · say Bless you! ^m2\n"
        "- 09:00:09.000 thought · Attic · Dust, again. ^m3\n"
    ),
    "agents/Moss/summaries/recent.md": "---\ncovers: [1, 2]\n---\nAna sneezed.\n",
    "agents/Moss/facts.md": (
        "---\nupto: 3\nmarked: [1]\n---\n## Pinned\n- Bless her. ([[2026-03-01#^m2]])\n\n"
        "## People\n- **Ana**: last seen in Attic (seen 2026-03-01 09:00; since [[2026-03-01#^m1]])\n"
    ),
    "agents/Moss/people/Ana.md": "---\nperson: Ana\n---\n## Said\n- **name**: I am Ana. ([[2026-03-01#^m1]])\n",
    "agents/Moss/insights.md": "## Insights\n- **Ana**: Ana misses the lamp. ([[2026-03-01#^m1]])\n",
    "world/whereabouts.md": "## Characters\n- [[Moss]]: [[Hall]]\n\n## Things\n- [[lamp]]: [[Moss]]\n",
    "text/movement.md": "**no_exit**: Not by '{wanted}'.\n",
}
JOURNAL = "agents/Moss/journal/2026-03-01.md"
WHEREABOUTS = "world/whereabouts.md"


def found(vault: Vault) -> list[str]:
    return [str(finding) for finding in check_vault(vault, NOW)]


def found_with(root: Path, notes: dict[str, str]) -> list[str]:
    return found(vault_of(root, NOTES | notes))


def changed(path: str, old: str, new: str) -> dict[str, str]:
    """Return one of the notes with a text in it replaced, which must be there."""
    assert old in NOTES[path]
    return {path: NOTES[path].replace(old, new, 1)}


def test_a_vault_as_it_should_be_gives_nothing(tmp_path):
    assert found_with(tmp_path, {}) == []


def test_the_starter_vault_gives_nothing():
    assert found(Vault(STARTER)) == []


FAULTS = {
    "yaml": (changed("rooms/Attic.md", "number: 2", "number: [2"), ["rooms/Attic.md:3: the front matter is not valid"]),
    "no end of the front matter": (
        {"things/cup.md": "---\nat: '[[Hall]]'\n"},
        ["things/cup.md:1: the front matter begins with '---' but no second '---' ends it."],
    ),
    "property twice": (
        changed("rooms/Attic.md", "number: 2", "number: 2\nnumber: 3"),
        ["rooms/Attic.md:3: 'number' is set twice; it stands in line 2 already."],
    ),
    "dangling exit": (
        changed("rooms/Attic.md", "s: [[Hall]]", "s: [[Hall]]\n- **up**: [[Hal]]"),
        ["rooms/Attic.md:8: the exit 'up' leads to 'Hal', which has no note in rooms; did you mean 'Hall'?"],
    ),
    "exit that is none": (
        changed("rooms/Attic.md", "s: [[Hall]]", "s: [[Hall]]\n- up to the roof\n- down the rope"),
        ["rooms/Attic.md:8: '- up to the roof' is not of the form", "rooms/Attic.md:9: '- down the rope' is not of"],
    ),
    "detail that is none": (
        changed("rooms/Attic.md", "s: [[Hall]]", "s: [[Hall]]\n\n## Details\n- a chest"),
        ["rooms/Attic.md:10: '- a chest' is not of the form '- **name**, alias: text'."],
    ),
    "section twice": (
        changed("rooms/Attic.md", "s: [[Hall]]", "s: [[Hall]]\n\n## exits\n- **up**: [[Hall]]"),
        ["rooms/Attic.md:9: the section 'exits' stands in line 6 already; make them one."],
    ),
    "code that nothing ends": (
        changed("rooms/Attic.md", "Dust.", "Dust.\n```yaml\n100%% dust\n\n%% to do"),
        [
            "rooms/Attic.md:5: (remark) nothing closes '```', so it counts as text; close it.",
            "rooms/Attic.md:8: (remark) nothing closes '%%', so it counts as text; close it.",
        ],
    ),
    "misspelt setting": (
        changed("config/world.md", "**start_room**: Hall", "**start_room**: Hall\n**Strat-Room**: Attic"),
        ["config/world.md:4: unknown setting 'Strat-Room'; did you mean 'start_room'?"],
    ),
    "exit called twice": (
        changed("rooms/Attic.md", "s: [[Hall]]", "s: [[Hall]]\n- **stairs**, s: [[Hall]]"),
        ["rooms/Attic.md:8: two exits are called s; give one another name."],
    ),
    "no way back": (
        {"rooms/Roof.md": "---\nnumber: 3\n---\nSky.\n"}
        | changed("rooms/Attic.md", "s: [[Hall]]", "s: [[Hall]]\n- **up**: [[Roof]]"),
        ["rooms/Attic.md:8: (remark) the exit 'up' has no way back: Roof has no exit to Attic."],
    ),
    "unreachable room": (
        {"rooms/Cell.md": "---\nnumber: 3\n---\nDark.\n"},
        ["rooms/Cell.md: (remark) no way leads here from the start room, Hall."],
    ),
    "no start room": (
        changed("config/world.md", "start_room**: Hall", "start_room**: Cellar"),
        ["config/world.md:3: the start room 'Cellar' has no note in rooms; make it, or write another."],
    ),
    "one name for two": (
        {"things/hall.md": "---\nat: '[[Hall]]'\n---\nA picture of it.\n"},
        ["things/hall.md: 'hall' is the name of rooms/Hall.md too; everything in a world has a name of its own."],
    ),
    "names that differ in case alone": (
        {"things/Lamp.md": "---\nat: '[[Hall]]'\n---\n"},
        ["things/lamp.md: its name differs from 'Lamp.md' in case or form alone; give it another one."],
    ),
    "a name that will not do": (
        {"things/what?.md": "---\nat: '[[Hall]]'\n---\n"},
        ["things/what?.md: The name 'what?' has characters that a note's name cannot have: '?'."],
    ),
    "number twice": (
        changed("rooms/Hall.md", "number: 1", "number: 2"),
        ["rooms/Hall.md:2: number 2 is that of rooms/Attic.md too; give this room 3."],
    ),
    "number that is none": (
        changed("rooms/Hall.md", "number: 1", "number: first"),
        ["rooms/Hall.md:2: number is 'first'; expected a whole number from 1 on."],
    ),
    "no number": (
        changed("rooms/Hall.md", "---\nnumber: 1\n---\n", ""),
        ["rooms/Hall.md:1: it has no number, by which maps and renamings know a room; write number: 3"],
    ),
    "thing nowhere": (
        changed("things/lamp.md", "at: '[[Attic]]'", "aliases: [light]"),
        ["things/lamp.md:1: nothing says where it is; write at: '[[A Room]]'."],
    ),
    "thing at nothing": (
        changed("things/lamp.md", "[[Attic]]", "[[Attik]]"),
        ["things/lamp.md:2: at is 'Attik', which is no room, person or thing; did you mean 'Attic'?"],
    ),
    "things in each other": (
        {
            "things/bag.md": "---\nat: '[[box]]'\n---\n",
            "things/box.md": "---\nat: '[[bag]]'\n---\n",
        },
        ["things/bag.md:2: bag is inside itself; put it", "things/box.md:2: box is inside itself; put it"],
    ),
    "agent in no room": (
        changed("agents/Moss/agent.md", "[[Attic]]", "[[lamp]]"),
        ["agents/Moss/agent.md:2: room is 'lamp', which has no note in rooms; make it, or write another."],
    ),
    "nobody in a folder": (
        {"agents/Odile/journal/2026-03-01.md": "- 09:00:00.000 thought · Hall · Alone. ^m1\n"},
        ["agents/Odile: (remark) there is no agent.md in this folder, so nobody lives here."],
    ),
    "whereabouts of what is gone": (
        changed(WHEREABOUTS, "[[Hall]]", "[[Hall]]\n- [[Pim]]: [[Attic]]\n- [[Pim]]: [[Hall]]\n- [[Ana]]: [[Cellar]]"),
        [
            f"{WHEREABOUTS}:4: (remark) Pim has no note; its place and contents are kept until it is back,",
            f"{WHEREABOUTS}:5: (remark) Cellar has no note; its place and contents are kept until it is back,",
        ],
    ),
    "whereabouts of guests": (
        changed(
            WHEREABOUTS, "[[Hall]]", "[[Hall]]\n- [[Guest12]]: [[Hall]]\n- [[lamp]]: [[Guest3]]\n- [[Guest]]: [[Hall]]"
        ),
        [f"{WHEREABOUTS}:5: (remark) Guest has no note;"],
    ),
    "whereabouts that are none": (
        changed(WHEREABOUTS, "[[Hall]]", "[[Hall]]\n- Ana sleeps"),
        [f"{WHEREABOUTS}:3: '- Ana sleeps' is not of the form '- [[name]]: [[place]]'; nothing reads it."],
    ),
    "board": (
        {"world/board.md": "---\nnext: 1\n---\n## On the board\n- come at nine\n"},
        ["world/board.md:5: '- come at nine' is not of the form"],
    ),
    "settings that are none": (
        {"config/agents.md": "**think_second**: 3\n\n**temperature**: hot\n"},
        [
            "config/agents.md:1: unknown setting 'think_second'; did you mean 'think_seconds'?",
            "config/agents.md:3: temperature is 'hot'; expected a number from 0 to 2",
        ],
    ),
    "no such kind of settings": (
        {"config/agent.md": "**think_seconds**: 3\n", "config/server.md": "**port**: -1\n"},
        [
            "config/agent.md: there are no such settings; the notes are server, world, agents, models",
            "config/server.md:1: port is -1; expected a whole number from 0 to 65535 (the telnet port).",
        ],
    ),
    "two contexts for one model in Ollama": (
        {"config/models.md": "## thinker\n**num_ctx**: 4096\n\n## dreamer\n**num_ctx**: 8192\n**temperature**: 1.2\n"},
        ["config/models.md: (remark) num_ctx of dreamer is 8192, of thinker 4096; they use one model in Ollama, which"],
    ),
    "an old name of a setting": (
        {"config/memory_compaction.md": "**max_turns**: 30\n"},
        ["config/memory_compaction.md:1: (remark) max_turns is called max_memories now; rename it."],
    ),
    "an agent's own settings": (
        changed("agents/Moss/agent.md", "room:", "think_secnds: 9\ntemperature: 9\nimmediate_window: 0\nroom:"),
        [
            "agents/Moss/agent.md:2: unknown setting 'think_secnds'; did you mean 'think_seconds'?",
            "agents/Moss/agent.md:3: temperature is 9; "
            "expected a number from 0 to 2 (the sampling temperature of replies).",
            "agents/Moss/agent.md:4: immediate_window is 0; expected a whole number from 1 to ",
        ],
    ),
    "sentences": (
        {"text/movement.md": "**no_exit**: {wantd}.\n**no_exits**: None.\n**which_way**: Which?\n**which_way**: Eh?\n"},
        [
            "text/movement.md:1: 'no_exit' is not given {wantd}; it can say {exits} and {wanted}.",
            "text/movement.md:2: nothing in the world says 'no_exits'; did you mean 'no_exit'?",
            "text/movement.md:4: 'which_way' stands twice in this note; remove one.",
        ],
    ),
    "torn line": (
        {JOURNAL: NOTES[JOURNAL] + "- 09:00:11.000 acted · At"},
        [f"{JOURNAL}:9: the last line was never finished; the next start sets it aside in quarantine.md."],
    ),
    "number of a memory twice": (
        {JOURNAL: NOTES[JOURNAL] + "- 09:00:11.000 acted · Attic · look ^m2\n"},
        [f"{JOURNAL}:9: the number ^m2 stands in 2026-03-01.md, line 7, already; remove this one."],
    ),
    "missing memories": (
        {JOURNAL: NOTES[JOURNAL] + "- 09:00:11.000 acted · Attic · look ^m7\n"},
        [f"{JOURNAL}:9: before ^m7, memories 4 to 6 are missing; put the lines back."],
    ),
    "a number that cannot be one": (
        {"agents/Moss/journal/2026-03-02.md": "Alone. ^m10000000000000000\n"},
        ["agents/Moss/journal/2026-03-02.md:1: ^m10000000000000000 cannot be the number of a memory; take it out"],
    ),
    "a journal's file that is none": (
        {"agents/Moss/journal/march.md": "- 09:00:11.000 acted · Attic · look ^m4\n"},
        ["agents/Moss/journal/march.md: (remark) a journal's file is named after a day, as 2026-11-21.md"],
    ),
    "summary of what never was": (
        {"agents/Moss/summaries/recent.md": "---\nmade: 2026-03-02\ncovers: [1, 65]\n---\nMuch happened.\n"},
        ["agents/Moss/summaries/recent.md:3: it covers 1 to 65, but the journal ends at 3; put"],
    ),
    "summary of nothing": (
        {"agents/Moss/summaries/recent.md": "---\ncovers: much\n---\nMuch happened.\n"},
        ["agents/Moss/summaries/recent.md:2: covers is 'much'; expected the first and last memory, as in [1, 65]."],
    ),
    "facts of nothing": (
        changed("agents/Moss/facts.md", "since [[2026-03-01#^m1]]", "since [[2026-03-01#^m9]]"),
        ["agents/Moss/facts.md:9: [[2026-03-01#^m9]] leads nowhere: there is no memory of that number."],
    ),
    "facts with the wrong day": (
        changed("agents/Moss/facts.md", "since [[2026-03-01#^m1]]", "since [[2026-02-01#^m1]]"),
        ["agents/Moss/facts.md:9: [[2026-02-01#^m1]] leads nowhere: memory 1 stands in [[2026-03-01]]."],
    ),
    "marks in a note on a person that are none": (
        changed("agents/Moss/people/Ana.md", "person: Ana", "written: mine"),
        ["agents/Moss/people/Ana.md:2: written has 'mine'; expected marks such as m43-0a1b2c3d, or nothing."],
    ),
    "an opinion on nothing": (
        changed("agents/Moss/insights.md", "^m1", "^m9"),
        ["agents/Moss/insights.md:2: [[2026-03-01#^m9]] leads nowhere: there is no memory of that number."],
    ),
    "a promise of nothing, and one that is none": (
        {"agents/Moss/promises.md": "- [ ] 1 · Ana → Ben: Come. ([[2026-03-01#^m9]])\n- Ana: Come.\n"},
        [
            "agents/Moss/promises.md:1: [[2026-03-01#^m9]] leads nowhere: there is no memory of that number.",
            "agents/Moss/promises.md:2: '- Ana: Come.' is no promise; expected a line such as "
            "'- [ ] Robin → Isaura: The weir leaks.'.",
        ],
    ),
    "facts ahead of the journal": (
        changed("agents/Moss/facts.md", "upto: 3", "upto: 30"),
        ["agents/Moss/facts.md:2: upto is 30, but the journal ends at 3."],
    ),
    "facts that are none": (
        changed("agents/Moss/facts.md", "## People\n", "## People\n- Ana is kind\n"),
        ["agents/Moss/facts.md:9: '- Ana is kind' is not of the form '- **name**: what is known'."],
    ),
    "no note": (
        {"things/lamp.png": "...."},
        ["things/lamp.png: (remark) this is no note (.md), so nothing reads it."],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_vault_with_one_kind_of_fault_gives_just_that(tmp_path, fault):
    notes, expected = FAULTS[fault]
    said = found_with(tmp_path, notes)
    assert [one for one, start in zip(said, expected, strict=False) if not one.startswith(start)] == []
    assert len(said) == len(expected)


def test_a_file_that_is_not_utf8_is_told_once_with_its_line(tmp_path):
    vault = vault_of(tmp_path, NOTES)
    (tmp_path / "things" / "lamp.md").write_bytes(b"---\nat: '[[Attic]]'\n---\nA l\xe4mp.\n")
    (tmp_path / "config" / "agents.md").write_bytes(b"**temperature**: 1\n\xff\n")
    assert found(vault) == [
        "config/agents.md:2: not UTF-8 text (byte 19); save it as UTF-8.",
        "things/lamp.md:4: not UTF-8 text (byte 27); save it as UTF-8.",
    ]


def test_a_check_changes_nothing_on_disk(tmp_path):
    vault = vault_of(tmp_path, NOTES | FAULTS["no number"][0] | FAULTS["torn line"][0])
    before = files(tmp_path)
    assert len(found(vault)) == 2
    assert files(tmp_path) == before


# Mending


def mended(root: Path) -> list[str]:
    """Mend a vault, check that nothing is left to mend, and return what was done."""
    vault = Vault(root)
    done = fix_vault(vault, lambda: check_vault(vault, NOW))
    assert fix_vault(vault, lambda: check_vault(vault, NOW)) == []
    assert found(vault) == []
    return done


def dead_process() -> int:
    process = subprocess.Popen(["true"])
    process.wait()
    return process.pid


def test_rooms_without_a_number_are_given_one_and_keep_their_text(tmp_path):
    vault_of(tmp_path, NOTES | {"rooms/Hall.md": NOTES["rooms/Hall.md"].removeprefix("---\nnumber: 1\n---\n")})
    attic = "---\ntags: [room]\n---\nDust.\n\n## Exits\n- **south**, s: [[Hall]]\n"
    vault_of(tmp_path, {"rooms/Attic.md": attic})
    assert mended(tmp_path) == [
        "rooms/Attic.md: was given number 1; what it was is in .trash/rooms/Attic.md.",
        "rooms/Hall.md: was given number 2; what it was is in .trash/rooms/Hall.md.",
    ]
    assert (tmp_path / "rooms/Attic.md").read_text() == attic.replace("---\n", "---\nnumber: 1\n", 1)
    assert (tmp_path / "rooms/Hall.md").read_text() == NOTES["rooms/Hall.md"].replace("number: 1", "number: 2")
    assert (tmp_path / ".trash/rooms/Attic.md").read_text() == attic


def test_drafts_of_dead_processes_go_to_the_trash_and_those_of_living_ones_stay(tmp_path):
    vault = vault_of(tmp_path, NOTES)
    dead, living = f".Hall.md.{dead_process()}.draft", f".Attic.md.{os.getpid()}.draft"
    for name in (dead, living, ".facts.md.draft"):
        (tmp_path / "rooms" / name).write_text("half a no")
    what = "a draft that was never finished, by a process that is no more; it can go."
    assert found(vault) == [f"rooms/{dead}: {what}", f"rooms/.facts.md.draft: {what}"]
    assert sorted(mended(tmp_path)) == sorted(
        f"rooms/{name}: put away as .trash/rooms/{name}." for name in (dead, ".facts.md.draft")
    )
    assert (tmp_path / "rooms" / living).exists()
    assert (tmp_path / ".trash" / "rooms" / dead).read_text() == "half a no"


def test_a_draft_that_may_still_be_written_is_left_alone(tmp_path):
    vault = vault_of(tmp_path, NOTES)
    draft = tmp_path / "agents" / "Moss" / ".facts.md.draft"
    draft.write_text("half a no")
    assert check_vault(vault, draft.stat().st_mtime + 5) == []


def test_a_name_with_separate_accents_is_put_together(tmp_path):
    decomposed = unicodedata.normalize("NFD", "Café")
    vault = vault_of(
        tmp_path,
        NOTES
        | {f"rooms/{decomposed}.md": "---\nnumber: 3\n---\nSteam.\n\n## Exits\n- **out**: [[Hall]]\n"}
        | changed("rooms/Hall.md", "n: [[Attic]]", "n: [[Attic]]\n- **east**: [[Café]]"),
    )
    assert found(vault) == [
        f"rooms/{decomposed}.md: its name is written with separate accents (not NFC), "
        "which some systems take for another; rename it."
    ]
    assert mended(tmp_path) == [f"rooms/{decomposed}.md: renamed to Café.md, with its accents in one piece."]


def test_byte_order_marks_and_windows_line_ends_go(tmp_path):
    vault = vault_of(tmp_path, NOTES)
    note = tmp_path / "rooms" / "Hall.md"
    note.write_bytes(b"\xef\xbb\xbf" + NOTES["rooms/Hall.md"].replace("\n", "\r\n").encode())
    assert found(vault) == [
        "rooms/Hall.md:1: (remark) begins with a byte order mark, which nothing needs; save it as UTF-8 without one.",
        "rooms/Hall.md:1: (remark) lines end as on Windows (CR LF); save it with LF alone.",
    ]
    assert mended(tmp_path) == [
        "rooms/Hall.md: freed of its byte order mark; what it was is in .trash/rooms/Hall.md.",
        "rooms/Hall.md: given plain line ends.",
    ]
    assert note.read_text() == NOTES["rooms/Hall.md"]


def test_the_trash_never_loses_what_is_in_it(tmp_path):
    text = NOTES["rooms/Hall.md"].removeprefix("---\nnumber: 1\n---\n")
    for _ in range(2):
        vault_of(tmp_path, NOTES | {"rooms/Hall.md": text})
        mended(tmp_path)
    assert [path.name for path in sorted((tmp_path / ".trash/rooms").iterdir())] == ["Hall 2.md", "Hall.md"]


def test_what_is_not_safe_to_mend_is_left_as_it_is(tmp_path):
    vault = vault_of(tmp_path, NOTES | FAULTS["dangling exit"][0] | FAULTS["number of a memory twice"][0])
    before = found(vault)
    assert fix_vault(vault, lambda: check_vault(vault, NOW)) == []
    assert found(vault) == before
    assert len(before) == 2
