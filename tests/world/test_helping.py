"""The lists of all commands, made from the table for whoever asks."""

from __future__ import annotations

from tests.world.inn import Player, inn_game
from world.model import Role


def test_help_lists_every_command_that_somebody_may_use_under_its_category():
    game = inn_game()
    ana = Player(game, "Ana")
    ana.types("help")
    *lines, last = ana.screen()
    listed = {category: verbs.split(", ") for category, _, verbs in (line.partition(": ") for line in lines)}
    allowed = game.commands.allowed(game.world.characters["Ana"])
    assert sorted(listed) == sorted({one.category for one in allowed})
    assert sorted(verb for verbs in listed.values() for verb in verbs) == sorted(one.verb for one in allowed)
    assert last == "The name of an exit alone goes there. help <command> tells more: help say."


def test_commands_lists_each_with_its_usage_and_what_it_does():
    game = inn_game()
    ana = Player(game, "Ana")
    ana.types("commands")
    allowed = game.commands.allowed(game.world.characters["Ana"])
    assert ana.screen() == [f"{one.usage:<32} {one.summary}" for one in allowed]


def test_nobody_is_told_of_a_command_above_its_role():
    game = inn_game()
    game.world.characters["Ana"].role = Role.GUEST
    ana = Player(game, "Ana")
    ana.types("commands")
    usages = [line.partition("  ")[0] for line in ana.screen()]
    assert usages == [one.usage for one in game.commands if one.role == Role.GUEST]
