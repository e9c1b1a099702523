"""Who goes along with whom."""

from __future__ import annotations

from world.model import Character, World


def followers(world: World, leader: Character) -> list[Character]:
    """Return who follows somebody and is in the same room."""
    here = world.occupants(leader.room_id)
    return [one for one in here if one.doings.following_id == leader.character_id and one is not leader]


def party(world: World, leader: Character) -> list[Character]:
    """Return everyone who goes when somebody goes: the leader, then those who follow, and who follow these."""
    found = [leader]
    for one in found:
        found += [follower for follower in followers(world, one) if follower not in found]
    return found


def end_followings(world: World, character_id: str, left_id: str) -> None:
    """End every following that this character has to do with, if the two are apart or one of them sleeps.

    `left_id` is the room that it has left just now, where whoever followed it was, or still is.
    """
    known = world.characters.get(character_id)
    here = known.room_id if known else left_id
    for one in [*([known] if known else []), *world.characters.at(left_id), *world.characters.at(here)]:
        leader_id = one.doings.following_id
        if leader_id and character_id in (one.character_id, leader_id):
            leader = world.characters.get(leader_id)
            together = leader and one.awake and leader.awake and one.room_id == leader.room_id
            one.doings.following_id = leader_id if together else ""


def goes_with(world: World, follower: Character, leader_id: str) -> bool:
    """Return whether somebody follows another, or follows one who does."""
    leader = world.characters.get(leader_id)
    if leader is None or leader is follower or not follower.doings.following_id:
        return False
    return follower in party(world, leader)
