"""The lists of all commands, made from the table for whoever asks."""

from __future__ import annotations

import pytest

from tests.english import ENGLISH
from tests.world.inn import Player, inn_game
from world.command import CommandLocalization, command
from world.commands.table import in_columns
from world.entities import Role
from world.game import Game
from world.preferences import ON, SCREEN_READER


def ana_in(game: Game, role: Role = Role.PLAYER, reads_aloud: bool = False) -> Player:
    ana = game.world.characters["Ana"]
    ana.role = role
    ana.preferences |= {SCREEN_READER: ON} if reads_aloud else {}
    return Player(game, "Ana")


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER, Role.ADMIN])
def test_help_says_what_to_try_first_and_has_a_line_for_each_category_that_somebody_may_use(role):
    game = inn_game()
    ana = ana_in(game, role)
    ana.types("help")
    first, *lines, last = ana.screen()
    categories = sorted({one.category for one in game.commands.allowed(game.world.characters["Ana"])})
    assert lines == [f"  {name:<12} {ENGLISH(f'helping.category_{name}')}" for name in categories]
    assert first.startswith("Look around with look.")
    assert last.startswith("help <category> lists")


def test_help_on_a_category_has_a_line_for_each_of_its_commands():
    game = inn_game()
    ana = ana_in(game)
    ana.types("help mind")
    found = [one for one in game.commands if one.category == "mind"]
    assert ana.screen() == [f"  {one.usage:<32} {one.summary}" for one in found]


def test_a_usage_that_is_longer_than_its_column_has_a_line_of_its_own():
    ana = ana_in(inn_game(), Role.BUILDER)
    ana.types("help building")
    lines = ana.screen()
    at = lines.index("  @set <object> <property> = [<text>]")
    assert lines[at + 1] == f"{' ' * 35}Set a property of a room or thing: @set brass lamp fixed = yes. " + (
        "Without a text it is unset."
    )


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER, Role.ADMIN])
def test_commands_names_in_columns_all_that_somebody_may_use_and_nothing_else(role):
    game = inn_game()
    ana = ana_in(game, role)
    ana.types("commands")
    lines = ana.screen()
    assert sorted(" ".join(lines).split()) == sorted(one.verb for one in game.commands if one.role <= role)
    assert all(len(line) < 80 for line in lines)


def test_columns_are_of_one_width_and_fit_the_screen():
    assert in_columns(["a", "bb"] * 3) == ["a   bb  a   bb  a   bb"]
    assert in_columns(["x" * 30] * 3) == [f"{'x' * 30}  {'x' * 30}", "x" * 30]
    assert in_columns(["x" * 90]) == ["x" * 90]
    assert in_columns([]) == []


def test_who_listens_is_told_in_sentences():
    game = inn_game()
    ana = ana_in(game, reads_aloud=True)
    ana.types("help people")
    assert ana.screen()[0] == "who [<text>]: List everyone who is in the world now, and who of them is away or still."
    ana.types("commands")
    assert "people: who, where, lastseen" in ana.screen()


def test_a_world_may_explain_commands_and_call_them_in_its_own_words_and_have_topics():
    game = inn_game()
    game.commands.texts = CommandLocalization(
        {"go": "Geh irgendwohin."}, {"go": ("gehe", "lauf")}, {"things": "Alles hat seinen Platz.", "river": "Nass."}
    )
    ana = ana_in(game)
    ana.types("help lauf")
    assert ana.screen()[2:5] == [
        "Geh irgendwohin.",
        "Also: walk, move, enter, head, gehe, lauf",
        "Everyone in the room notices.",
    ]
    ana.types("help river")
    assert ana.screen() == ["Nass."]
    ana.types("help things")
    assert ana.screen()[0] == "Alles hat seinen Platz."
    ana.types("help")
    assert "There is more on: river" in ana.screen()
    ana.types("lauf north")
    assert ana.screen() == ["You go north to The Kitchen."]


@pytest.mark.parametrize(("role", "lists_it"), [(Role.PLAYER, False), (Role.BUILDER, False), (Role.ADMIN, True)])
def test_what_looks_into_memories_is_listed_for_admins_and_explained_to_all(role, lists_it):
    game = inn_game()

    @command("@ponder", category="memory")
    def ponder(world, actor):
        """Look into a memory."""
        return []

    game.commands.add([ponder])
    ana = ana_in(game, role)
    ana.types("commands")
    assert ("@ponder" in " ".join(ana.screen())) == lists_it
    ana.types("help")
    assert any(line.startswith("  memory ") for line in ana.screen()) == lists_it
    ana.types("help @ponder")
    assert ana.screen() == ["@ponder", "Look into a memory."]
