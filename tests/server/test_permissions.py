"""Who may do what: every command there is by the role that it needs, and each refusal word for word.

A command that is new is to be written down here, under the role that somebody has thought about.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from twisted.internet.task import Clock

from tests.server.monitored_world import world_of
from tests.world.inn import Player
from world.entities import Character, Role
from world.game import Game

GUESTS = """
    ! afk back board brief color commands connect drop emote examine exits follow get give go help history hush
    inventory lastseen links look map on put quit read reply rooms say screenreader tell time unfollow unhush use
    verbose where whisper who
    @password
"""
PLAYERS = """
    alias dream goal goals note recall share shout think unalias unshare write
    @chronicle @feed @town
    @compact-memories @memory-diff @memory-expand @memory-facts @memory-find @memory-pin @memory-rollback @memory-status
    @memory-unpin @mind @memory-why @rebuild-memories
    @my-description @my-profile @overwrite-note @set-description @set-profile @undo-description @undo-profile
"""
OBSERVERS = """
    @bonds @health @impersonate @llm-log @llm-status @memories @show-profile @why
"""
BUILDERS = """
    @alias @create @describe @destroy @detail @dig @examine @exit @rename @set @teleport @undo @unexit
"""
ADMINS = """
    @agent-model @announce @audit @backup @ban @create-agent @edit-interval @edit-profile @grant @kick @llm-config
    @narrative @pause-agent @possess @prune @release @reload @resume-agent @revoke @save @show-config @shutdown
    @training-export @unban
"""
NEEDED = {
    verb: role
    for role, verbs in (
        (Role.GUEST, GUESTS),
        (Role.PLAYER, PLAYERS),
        (Role.OBSERVER, OBSERVERS),
        (Role.BUILDER, BUILDERS),
        (Role.ADMIN, ADMINS),
    )
    for verb in verbs.split()
}
IS_CALLED = {
    Role.GUEST: "a guest",
    Role.PLAYER: "a player",
    Role.OBSERVER: "an observer",
    Role.BUILDER: "a builder",
    Role.ADMIN: "an admin",
}
MAY = {
    Role.GUEST: {Role.GUEST},
    Role.PLAYER: {Role.GUEST, Role.PLAYER},
    Role.OBSERVER: {Role.GUEST, Role.PLAYER, Role.OBSERVER},
    Role.BUILDER: {Role.GUEST, Role.PLAYER, Role.BUILDER},
    Role.ADMIN: {*Role},
}
"""For whom what is there may be done, by the role of who does it: a builder sees into no mind."""


@pytest.fixture(scope="module")
def game(tmp_path_factory) -> Game:
    """The whole of a starter world, with a person and an agent of each role in it, and an agent with one grant."""
    fallwater = world_of(tmp_path_factory.mktemp("permissions"), Clock())
    world = fallwater.world
    for role in Role:
        for kind, is_agent in (("Person", False), ("Agent", True)):
            name = f"{role.name.title()}{kind}"
            world.add_character(Character(name, world.start_room_id, role=role, is_agent=is_agent, awake=True))
    granted = Character("GrantedAgent", world.start_room_id, is_agent=True, awake=True, grants=frozenset({"@dig"}))
    world.add_character(granted)
    return fallwater.game


def test_every_command_there_is_stands_in_the_table_and_no_other(game):
    assert {one.verb: one.role.name for one in game.commands} == {verb: role.name for verb, role in NEEDED.items()}


@pytest.mark.parametrize("kind", ["Person", "Agent"])
@pytest.mark.parametrize("role", Role, ids=lambda role: role.name.lower())
def test_a_role_may_do_what_is_for_it_and_below_and_is_refused_the_rest(game, role, kind):
    actor = game.world.characters[f"{role.name.title()}{kind}"]
    refused = {verb for verb in NEEDED if NEEDED[verb] not in MAY[role]}
    assert {one.verb for one in game.commands if not one.allows(actor)} == refused
    assert refusals(game, actor, refused) == {verb: refusal_of(verb, role) for verb in refused}


def refusals(game: Game, actor: Character, verbs: Iterable[str]) -> dict[str, str]:
    """Return what somebody is told who tries each of the commands, of which none may be accepted."""
    performed = {verb: game.perform(actor.character_id, f"{verb} anything -> at all") for verb in verbs}
    assert [verb for verb, result in performed.items() if result.accepted] == []
    return {verb: result.refusal for verb, result in performed.items()}


def refusal_of(verb: str, role: Role) -> str:
    """Return the refusal, word for word."""
    needed = NEEDED[verb]
    if (role, needed) == (Role.GUEST, Role.PLAYER):
        return f'Guests can\'t use "{verb}". Log in with a name first.'
    return f"{verb} is for {IS_CALLED[needed]} and above; you are {IS_CALLED[role]}."


def test_an_agent_may_use_what_it_was_granted_and_nothing_else_above_players(game):
    actor = game.world.characters["GrantedAgent"]
    refused = {*OBSERVERS.split(), *BUILDERS.split(), *ADMINS.split()} - {"@dig"}
    assert {one.verb for one in game.commands if not one.allows(actor)} == refused
    assert refusals(game, actor, refused) == {verb: refusal_of(verb, Role.PLAYER) for verb in refused}


def test_what_somebody_may_not_do_is_in_no_help_of_theirs(game):
    player = Player(game, "PlayerPerson")
    player.screen()
    for line in ("help", "commands"):
        player.types(line)
        shown = "\n".join(player.screen())
        above = (*OBSERVERS.split(), *BUILDERS.split(), *ADMINS.split())
        assert [verb for verb in above if f"{verb} " in f"{shown} "] == []
    player.types("help @dig")
    assert player.screen()[0].startswith("There is no help on '@dig'.")


def test_an_agent_is_told_of_play_and_its_own_mind_and_of_what_it_was_granted(game):
    def told(name: str) -> set[str]:
        return {one.verb for one in game.commands if one.is_listed_for(game.world.characters[name])}

    assert {verb for verb in told("PlayerAgent") if NEEDED[verb] > Role.PLAYER} == set()
    assert told("GrantedAgent") - told("PlayerAgent") == {"@dig"}
    assert set(BUILDERS.split()) <= told("BuilderAgent")
    assert not {*ADMINS.split(), *OBSERVERS.split()} & told("BuilderAgent")


def test_a_private_reason_is_on_no_screen_and_in_no_event_of_others(game):
    others = [Player(game, name) for name in ("GuestPerson", "PlayerPerson", "BuilderAgent")]
    builder = Player(game, "BuilderPerson")
    for line in ("say hello", "emote waves", "@create stool", "@dig hatch to The Attic", "look", "fly", "think hm"):
        builder.types(f"{line} | because of quartz")
    for one in (*others, builder):
        assert "quartz" not in "\n".join(one.screen())
        assert "quartz" not in repr(one.events)
