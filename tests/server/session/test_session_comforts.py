"""What a session shows to who listens instead of looking, and to who wants it brief."""

from __future__ import annotations

import pytest

from config.settings import ServerSettings
from server.session.registry import SessionRegistry
from tests.server.fake_connection import Guest
from tests.server.front_door import lobby_of
from tests.world.inn import inn_game


@pytest.fixture
def registry(tmp_path) -> SessionRegistry:
    return lobby_of(tmp_path, inn_game(), ServerSettings(login_seconds=60, max_connections=3, idle_minutes=10))


def ana_in(registry: SessionRegistry, *lines: str) -> Guest:
    """Return Ana at a screen on which nothing stands any more."""
    ana = Guest(registry)
    ana.enters("Ana")
    for line in lines:
        ana.types(line)
    ana.screen()
    return ana


def test_who_listens_is_given_one_prompt_a_line_typed_and_none_for_what_others_do(registry):
    ana, ben = ana_in(registry, "screenreader on"), Guest(registry)
    ben.enters("Ben")
    ben.types("say hello")
    ben.types("say again")
    assert ana.screen() == '\nBen wakes up here.\nBen says, "hello"\nBen says, "again"\n'
    assert ana.types("say hi") == 'You say, "hi"\n> '


def test_a_client_that_reads_aloud_is_believed_until_its_player_says_otherwise(registry):
    ana = ana_in(registry)
    ana.connection.tells(screen_reader=True)
    assert ana.types("exits") == "Exits: you can go north to The Kitchen, out to The Yard or down to The Cellar.\n> "
    ana.types("screenreader off")
    assert ana.types("exits").startswith("Exits: north")


def test_who_wants_it_brief_walks_without_descriptions_and_can_still_look(registry):
    ana = ana_in(registry, "brief")
    assert ana.types("north") == (
        "You go north to The Kitchen.\nThe Kitchen\nYou see some apples here.\nExits: south (The Common Room).\n> "
    )
    assert "Copper pans" in ana.types("look")


def test_what_was_heard_can_be_read_again_after_coming_back(registry):
    ana, ben = ana_in(registry), Guest(registry)
    ben.enters("Ben")
    ben.types("say hello")
    ana.hangs_up()
    assert ana_in(registry).types("history") == 'Ben says, "hello"\n> '


def test_a_password_is_nothing_that_could_be_repeated(registry):
    ana = ana_in(registry, "say hi", "@password", "a long secret")
    doings = registry.game.world.characters["Ana"].doings
    assert (doings.last_line, list(doings.heard)) == ("", ['You say, "hi"'])
    assert ana.screen() == ""
