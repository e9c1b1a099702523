"""Where somebody was at each of the newest entries is known, however much they walk."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.observatory.feed import MAX_MOVES, Positions
from tests.world.inn import inn

ROOMS = ("The Common Room", "The Kitchen", "The Stable")
steps = st.lists(st.tuples(st.sampled_from(ROOMS), st.integers(0, 2)), max_size=3 * MAX_MOVES)


@given(steps, st.integers(0, 10))
def test_who_walks_much_is_known_to_have_been_where_they_were(walk, kept):
    world = inn()
    ana, positions, was = world.characters["Ana"], Positions(world), dict[int, str]()
    ana.awake, last = True, 0
    for room, entries in walk:
        ana.room_id = room
        positions.note("Ana", last, max(0, last - kept))
        for _ in range(entries):
            last += 1
            was[last] = room
    oldest = max(0, last - kept)
    assert {number: positions.room_at("Ana", number) for number in was if number > oldest} == {
        number: room for number, room in was.items() if number > oldest
    }


def test_many_moves_without_an_entry_forget_nothing_of_the_entries_before():
    world = inn()
    ana, positions = world.characters["Ana"], Positions(world)
    ana.awake = True
    for number in range(2 * MAX_MOVES):
        ana.room_id = ROOMS[number % 2]
        positions.note("Ana", number)
    assert positions.room_at("Ana", 1) == ROOMS[0]
