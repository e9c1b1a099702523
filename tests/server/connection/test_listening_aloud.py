"""What somebody reads who listens instead of looking: whole lines, no columns, no drawings, one line an event."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from config.settings import ColorSettings
from server.connection.connection import MARKED, Capabilities
from server.connection.text_screen import WHOLE, TurnContent, lay_out
from tests.full_table import full_table
from tests.server.fake_connection import Guest, entered
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game
from vault.message_notes import WHOLE as WHOLE_NOTES
from vault.message_notes import load_command_texts, starter_sentences
from vault.vault import STARTER, Vault

COLUMNS = re.compile(r"\S {2,}\S")
ROWS = re.compile(r"([^\w\s.])\1{2,}|\.{4,}|[\u2500-\u259f\u2800-\u28ff]")
CAPITALS = re.compile(r"\b[A-Z][A-Z' ]{3,}[A-Z]\b")


@pytest.fixture
def registry(tmp_path):
    return lobby_of(tmp_path, inn_game())


def listener(registry, width: int = 80) -> Guest:
    """Return Ana, whose narrow screen nobody looks at, with nothing on it."""
    ana = entered(registry, "Ana", width=width)
    ana.types("screenreader on")
    ana.screen()
    return ana


def test_a_line_is_sent_whole_however_narrow_the_screen(registry):
    ana, ben = listener(registry, width=40), Guest(registry)
    ben.enters("Ben")
    ana.screen()
    words = "one two three four five six seven eight nine ten " * 5
    ben.types(f"say {words}")
    assert ana.screen() == f'Ben says, "{words.strip()}"\n'


def test_help_tells_what_stands_in_two_columns_one_after_the_other(registry):
    told = listener(registry).types("help look")
    assert "look lamp: a thing, a person, a detail of the room or an exit\n" in told


def test_a_pause_is_there_already_behind_a_sentence():
    assert lay_out("  say Good morning.       everyone hears it", WHOLE, True) == "say Good morning. everyone hears it"


def test_spaces_in_what_is_no_text_of_the_worlds_own_are_somebodys_own_affair():
    assert lay_out('Ben says, "one   two"', WHOLE) == 'Ben says, "one   two"'


@pytest.mark.parametrize(
    "line", ["help", "commands", "help help", "help say", "who", "map", "inventory", "alias", "rooms"]
)
def test_no_list_has_columns_drawings_or_indentation(registry, line):
    told = listener(registry).types(line).removesuffix("> ")
    assert [one for one in told.split("\n") if COLUMNS.search(one) or ROWS.search(one) or one != one.strip()] == []


def test_no_help_on_any_command_has_columns_or_a_sentence_over_several_lines():
    texts = {one.verb: full_table().help_of(one) for one in full_table()}
    aloud = TurnContent(Capabilities(screen_reader=True), ColorSettings(), lambda text, charset: text.encode(charset))
    told = {verb: aloud.render(text, MARKED).decode().removesuffix("\n") for verb, text in texts.items()}
    assert [verb for verb, text in told.items() if COLUMNS.search(text)] == []
    assert [(verb, *broken) for verb, text in texts.items() for broken in _broken_lines(text)] == []


def test_a_player_whose_client_is_known_to_be_read_aloud_is_greeted_so(registry):
    caller = Guest(registry, width=40)
    caller.connection.tells(screen_reader=True)
    caller.screen()
    caller.session.show("A long line at the door, which a screen of forty columns could not hold.", kind=MARKED)
    assert "A long line at the door, which a screen of forty columns could not hold.\n" in caller.screen()


def test_what_is_hushed_reaches_neither_screen_nor_client_and_stays_in_history(registry):
    ana = listener(registry)
    ana.session.data_received("Core.Supports.Set", ["Comm.Channel 1"])
    ana.types("hush agents")
    ana.connection.told.clear()
    registry.game.wake("Rook", lambda event, text: None)
    registry.game.perform("Rook", "south")
    ana.screen()
    registry.game.perform("Rook", "say Nobody hears me.")
    assert (ana.screen(), [payload for package, payload in ana.connection.told if "Text" in package]) == ("", [])
    assert ana.types("history") == 'Rook says, "Nobody hears me."\n> '


def test_no_text_of_the_starter_vault_shouts_in_capitals_or_draws_with_signs():
    found = []
    for path in sorted(STARTER.rglob("*.md")):
        if path.parent.name in ("rooms", "things", "text", "topics"):
            body = re.sub(r"(?s)\A---\n.*?\n---\n|^\|.*$|`[^`]*`", "", path.read_text(encoding="utf-8"), flags=re.M)
            lines = [line for line in body.split("\n") if not line.startswith(("#", "    "))]
            found += [
                f"{path.name}: {line}" for line in lines if CAPITALS.search(line) or ROWS.search(line.replace("**", ""))
            ]
    assert found == []
    assert [text for text in starter_sentences().values() if COLUMNS.search(text.replace("{sign}  ", ""))] == []


def test_paragraphs_of_the_starter_vault_are_single_lines():
    vault = Vault(STARTER)
    texts = [vault.read("text", f"{name}.md").body for name in WHOLE_NOTES]
    texts += load_command_texts(vault, full_table()).topics.values()
    assert [broken for text in texts for broken in _broken_lines(text)] == []


def _broken_lines(text: str) -> list[tuple[str, str]]:
    """Return the pairs of lines in which a sentence goes on, and would be read as two; rows of columns are none."""
    lines = text.split("\n")
    return [
        (first, then)
        for first, then in pairwise(lines)
        if len(first) > 50 and first[-1] not in '.!?:"' and then[:1].islower() and not COLUMNS.search(first)
    ]
