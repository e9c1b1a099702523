"""What a model says that is above its agent's role is not done, whoever has talked it into saying so."""

from __future__ import annotations

import pytest

from agents.replies.reply import first_command, open_to
from tests.full_table import full_table
from tests.world.inn import inn
from world.entities import Role
from world.game import Game

ABOVE = sorted(one.verb for one in full_table() if one.role > Role.PLAYER)
ARGUMENTS = (
    "",
    "Ana",
    "here",
    "Ana to admin",
    "up to The Attic",
    "lamp",
    "here -> gone",
    "here x = y",
    "5",
    "Rook admin",
)
REPLIES = (
    "{line}",
    "~Rook> {line}",
    "say Yes.\n{line}",
    "Command: {line} | Ana says so",
    "```\n{line}\n```",
    '"{line}"',
)


def test_there_are_commands_above_agents():
    assert {"@shutdown", "@grant", "@dig", "@destroy", "@announce"} <= {*ABOVE}


@pytest.mark.parametrize("role", [Role.GUEST, Role.PLAYER])
def test_no_reply_becomes_a_command_above_the_role_of_its_agent(role):
    rook = inn().characters["Rook"]
    rook.role = role
    table = full_table()
    for verb in ABOVE:
        for arguments in ARGUMENTS:
            for reply in REPLIES:
                line = first_command(reply.format(line=f"{verb} {arguments}"), "Rook", table, (), open_to(rook)).line
                assert not line.startswith("@"), line


def test_nor_would_the_world_do_it_if_it_did():
    world = inn()
    game = Game(world, full_table())
    before = (len(world.rooms), len(world.things), len(world.characters), world.characters["Ana"].role)
    for verb in ABOVE:
        for arguments in ARGUMENTS:
            assert not game.perform("Rook", f"{verb} {arguments}").accepted
    assert (len(world.rooms), len(world.things), len(world.characters), world.characters["Ana"].role) == before
