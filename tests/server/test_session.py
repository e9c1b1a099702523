"""Coming in, having a name, playing and going, as it looks on a screen."""

from __future__ import annotations

import pytest
from twisted.internet.task import Clock

from config.settings import ServerSettings
from server.accounts import Accounts
from server.session import Lobby, Texts
from tests.server.fake_terminal import Guest
from tests.vault.vault_of import vault_of
from tests.world.inn import inn_game

TEXTS = Texts("Welcome to the inn.", "Type look.", "Sleep well.")
ROOM = (
    "The Common Room\n"
    "A long table, a low ceiling and a fire that never quite goes out.\n"
    "You see a brass lamp and an oil lamp here.\n"
)
EXITS = "Exits: north (The Kitchen), out (The Yard), down (The Cellar).\n"


@pytest.fixture
def lobby(tmp_path):
    game = inn_game()
    for character in game.world.characters.values():
        character.awake = False
    accounts = Accounts(vault_of(tmp_path, {}), game.world, ServerSettings())
    return Lobby(game, accounts, TEXTS, Clock(), login_seconds=60, max_sessions=3)


def test_a_caller_is_welcomed_and_asked_for_a_name(lobby):
    assert Guest(lobby).screen() == "Welcome to the inn.\nBy what name shall we know you? "


def test_a_newcomer_reads_the_first_steps_and_sees_the_room(lobby):
    assert Guest(lobby).types("eve") == f"Type look.\n{ROOM}{EXITS}> "


def test_whoever_was_here_before_sees_the_room_at_once(lobby):
    assert Guest(lobby).types("Ana") == f"{ROOM}{EXITS}> "


def test_a_name_means_the_same_character_however_it_is_written(lobby):
    first = Guest(lobby)
    first.types("eve")
    first.types("north")
    first.hangs_up()
    assert Guest(lobby).types("EVE").startswith("The Kitchen\n")
    assert [name for name in lobby.game.world.characters if name.casefold() == "eve"] == ["Eve"]


def test_a_name_that_will_not_do_is_refused_with_the_rule_and_asked_again(lobby):
    assert Guest(lobby).types("../x") == (
        "'../x' will not do. A name has 2 to 20 letters, such as Ana; a hyphen or\n"
        "apostrophe may be inside.\n"
        "By what name shall we know you? "
    )


def test_the_name_of_an_agent_is_refused(lobby):
    assert Guest(lobby).types("rook") == (
        "Rook lives here already and is one of the agents. Choose another name.\nBy what name shall we know you? "
    )


def test_an_empty_line_is_answered_with_the_same_question(lobby):
    assert Guest(lobby).types("  ") == "By what name shall we know you? "
    ana = Guest(lobby)
    ana.types("Ana")
    assert ana.types("") == "> "


def test_each_turn_ends_in_one_prompt_however_much_it_shows(lobby):
    ana, ben = Guest(lobby), Guest(lobby)
    ana.types("Ana")
    ben.types("Ben")
    ana.screen()
    prompts = ana.terminal.prompts
    lobby.game.perform("Ben", "say one")
    lobby.game.perform("Ben", "say two")
    ana.session.line_received("say three")
    assert ana.screen() == '\nBen says, "one"\nBen says, "two"\nYou say, "three"\n> '
    assert ana.terminal.prompts == prompts + 1


def test_what_happens_while_somebody_types_stands_on_a_line_of_its_own(lobby):
    ana, ben = Guest(lobby), Guest(lobby)
    ana.types("Ana")
    ben.types("Ben")
    ana.screen()
    ben.types("say hello")
    assert ana.screen() == '\nBen says, "hello"\n> '


def test_the_answer_to_a_line_begins_without_an_empty_one(lobby):
    ana = Guest(lobby)
    ana.types("Ana")
    assert ana.types("say hello") == 'You say, "hello"\n> '


def test_a_walk_ends_in_a_look_around(lobby):
    ana = Guest(lobby)
    ana.types("Ana")
    assert ana.types("north") == (
        "You go north to The Kitchen.\n"
        "The Kitchen\nCopper pans, steam, and no window.\nYou see some apples here.\n"
        "Exits: south (The Common Room).\n> "
    )


def test_a_private_reason_is_on_no_other_screen(lobby):
    ana, ben = Guest(lobby), Guest(lobby)
    ana.types("Ana")
    ben.types("Ben")
    ben.screen()
    shown = ana.types("say hello | ben owes me a lamp", "look | secretly", "north | away from ben", ":sings | secretly")
    assert "owes" not in shown + ben.screen()
    assert "secretly" not in shown + ben.screen()


def test_text_is_wrapped_to_the_width_of_the_moment(lobby):
    ana = Guest(lobby, width=40)
    ana.types("Ana")
    assert max(map(len, ana.types("look").split("\n"))) <= 39
    ana.terminal.width = 80
    ana.session.size_changed(80, 24)
    assert "A long table, a low ceiling and a fire that never quite goes out." in ana.types("look")


def test_a_second_connection_takes_the_character_over_and_the_first_is_told(lobby):
    first = Guest(lobby)
    first.types("Ana")
    second = Guest(lobby)
    assert second.types("ana") == f"{ROOM}{EXITS}> "
    assert first.screen() == "\nYou have connected from somewhere else, and go on there.\n"
    assert not first.terminal.is_open


def test_a_connection_that_was_taken_over_takes_nobody_with_it_when_it_ends(lobby):
    first, second = Guest(lobby), Guest(lobby)
    first.types("Ana")
    second.types("Ana")
    first.hangs_up()
    assert lobby.game.world.characters["Ana"].awake
    assert second.types("say still here") == 'You say, "still here"\n> '


def test_quit_says_farewell_and_closes(lobby):
    ana = Guest(lobby)
    ana.types("Ana")
    assert ana.types("quit") == "Sleep well.\n"
    assert not ana.terminal.is_open


def test_a_lost_connection_puts_the_character_to_sleep_for_all_to_see(lobby):
    ana, ben = Guest(lobby), Guest(lobby)
    ana.types("Ana")
    ben.types("Ben")
    ben.screen()
    ana.hangs_up()
    assert ben.screen() == "\nAna falls asleep and is gone.\n> "
    assert not lobby.game.world.characters["Ana"].awake
    assert lobby.playing == {"Ben": ben.session}


def test_whoever_gives_no_name_in_time_is_let_go(lobby):
    guest = Guest(lobby)
    guest.screen()
    lobby.clock.advance(60)
    assert guest.screen() == "\nNobody gave a name, so the door closes. Connect again whenever you like.\n"
    assert not guest.terminal.is_open


def test_whoever_gave_a_name_may_be_silent_for_ever(lobby):
    ana = Guest(lobby)
    ana.types("Ana")
    lobby.clock.advance(100_000)
    assert ana.terminal.is_open


def test_a_full_house_turns_callers_away_and_says_why(lobby):
    inside = [Guest(lobby) for _ in range(3)]
    turned_away = Guest(lobby)
    assert turned_away.screen() == ("There are 3 people here, and that is as many as we can hold. Come back later.\n")
    assert not turned_away.terminal.is_open
    turned_away.session.connection_lost("Connection was closed.")
    inside[0].hangs_up()
    assert Guest(lobby).terminal.is_open


def test_nothing_is_left_to_happen_when_all_have_gone(lobby):
    guests = [Guest(lobby), Guest(lobby)]
    guests[0].types("Ana")
    for guest in guests:
        guest.hangs_up()
    assert lobby.clock.getDelayedCalls() == []
    assert (lobby.sessions, lobby.playing) == (set(), {})


def test_everyone_connected_hears_an_announcement(lobby):
    ana, nameless = Guest(lobby), Guest(lobby)
    ana.types("Ana")
    nameless.screen()
    lobby.announce("The world is closing.")
    assert ana.screen() == "\nThe world is closing.\n> "
    assert nameless.screen() == "\nThe world is closing.\nBy what name shall we know you? "


def test_sending_home_waits_for_the_last_connection(lobby):
    ana, ben = Guest(lobby), Guest(lobby)
    ana.types("Ana")
    sent = lobby.send_home()
    assert ana.screen().endswith("Sleep well.\n")
    ana.hangs_up()
    assert not sent.called
    ben.hangs_up()
    assert sent.called


def test_nobody_need_be_sent_home_from_an_empty_house(lobby):
    assert lobby.send_home() is None


def test_whoever_comes_in_is_told_to_the_rest_of_the_server(lobby):
    entered = []
    lobby.entered = lambda character: entered.append(character.name)
    Guest(lobby).types("Ana")
    assert entered == ["Ana"]
