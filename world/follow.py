"""Who follows whom. Lookups cost one step per follower, not per character in the world."""

from __future__ import annotations

from world.entities import Character
from world.world import World


def start_following(follower: Character, leader: Character) -> None:
    """Let somebody follow another from now on."""
    follower.transient.following_id = leader.character_id
    leader.transient.followed_by[follower.character_id] = None


def followers(world: World, leader: Character) -> list[Character]:
    """Return who follows somebody and is in the same room, in the order in which they began to."""
    return [one for one in _current_followers(world, leader) if one.awake and one.room_id == leader.room_id]


def party(world: World, leader: Character) -> list[Character]:
    """Return everyone who goes when somebody goes: the leader, then those who follow, and who follow these."""
    found = {leader.character_id: leader}
    waiting = [leader]
    for one in waiting:
        new = [follower for follower in followers(world, one) if follower.character_id not in found]
        found |= {follower.character_id: follower for follower in new}
        waiting += new
    return waiting


def break_follows(world: World, character_id: str) -> None:
    """End every following that this character has to do with, if the two are apart or one of them sleeps."""
    known = world.characters.get(character_id)
    for one in [known, *_current_followers(world, known)] if known else []:
        leader = world.characters.get(one.transient.following_id)
        if one.transient.following_id and not (leader and _are_together(one, leader)):
            one.transient.following_id = ""


def is_in_party_of(world: World, follower: Character, leader_id: str) -> bool:
    """Return whether somebody follows another, or follows one who does."""
    leader = world.characters.get(leader_id)
    if leader is None or leader is follower or not follower.transient.following_id:
        return False
    return follower in party(world, leader)


def companions(world: World, character: Character) -> list[Character]:
    """Return whom somebody follows and who follows it, wherever they are."""
    leader = world.characters.get(character.transient.following_id)
    return [*([leader] if leader else []), *_current_followers(world, character)]


def _current_followers(world: World, leader: Character) -> list[Character]:
    """Return who follows somebody, and forget who does no more."""
    ids = leader.transient.followed_by
    known = [one for one_id in ids if (one := world.characters.get(one_id))]
    found = [one for one in known if one.transient.following_id == leader.character_id and one is not leader]
    if len(found) < len(ids):
        leader.transient.followed_by = {one.character_id: None for one in found}
    return found


def _are_together(one: Character, other: Character) -> bool:
    return one.awake and other.awake and one.room_id == other.room_id
