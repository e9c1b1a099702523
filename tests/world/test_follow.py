"""Who goes along with whom: never round and round, and never with somebody who is elsewhere."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.world.inn import Player, inn_game
from world.events import Left
from world.navigation import party
from world.world import World

NAMES = ("Ana", "Ben", "Cat", "Rook")
LINES = st.sampled_from(
    [*(f"follow {name}" for name in NAMES), "unfollow", "north", "south", "out", "in", "back", "go the stable", "go on"]
)


def leaders(world: World, name: str) -> list[str]:
    """Return whom somebody follows, whom they follow and so on; endless if they go round."""
    found = [name]
    while (leader := world.characters[found[-1]].transient.following_id) and len(found) < 9:
        found.append(leader)
    return found


@given(st.lists(st.tuples(st.sampled_from(NAMES), LINES), max_size=40))
def test_however_people_follow_one_another_they_stay_together_and_never_go_in_a_circle(done):
    game = inn_game()
    for name, line in done:
        events = game.perform(name, line).events
        went = [event.actor_id for event in events if isinstance(event, Left)]
        assert len(went) == len(set(went))
        for one in game.world.awake():
            chain = leaders(game.world, one.name)
            assert len(chain) == len(set(chain))
            assert len({game.world.characters[other].room_id for other in chain}) == 1
            assert len(party(game.world, one)) == len({other.name for other in party(game.world, one)})


def test_who_is_taken_elsewhere_is_followed_no_longer():
    game = inn_game()
    ben = Player(game, "Ben")
    game.perform("Ben", "follow Ana")
    game.world.characters["Ana"].room_id = "The Yard"
    game.publish((Left("Ana", "The Common Room", "", "The Yard"),))
    game.perform("Ana", "in")
    game.perform("Ana", "north")
    assert ben.screen()[-2:] == ["Ana arrives from The Yard.", "Ana leaves north to The Kitchen."]
