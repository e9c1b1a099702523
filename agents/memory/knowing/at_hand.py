"""What an agent knows, set right by what it has before its eyes: nothing at hand is told as it used to be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from vault.remembered.fact_line import PEOPLE, THINGS, Fact
from world.model import Character, World


def as_it_is(facts: Iterable[Fact], world: World, actor: Character) -> list[Fact]:
    """Return facts as they are true now of whatever the actor can see: its things, this place and who is here.

    What is elsewhere stays as it was last known; what is at hand and not known of yet comes in front.
    """
    here = {one.name: one for one in world.occupants(actor.room_id) if one is not actor}
    places = {actor.character_id: "I have it", actor.room_id: f"it lies in {actor.room_id}"}
    places |= {one.character_id: f"{one.name} has it" for one in here.values()}
    own = [thing for thing in world.things.values() if thing.place_id in (actor.character_id, actor.room_id)]
    true = {thing.name.casefold(): places.get(thing.place_id, "") for thing in world.things.values()}
    facts = list(facts)
    known = {fact.subject.casefold() for fact in facts if fact.section == THINGS}
    found = [Fact(THINGS, one.name, places[one.place_id]) for one in own if one.name.casefold() not in known]
    for fact in facts:
        if fact.section == THINGS:
            now = true.get(fact.subject.casefold(), "")
            visible = now in (places[actor.character_id], places[actor.room_id])
            if visible and now != fact.value:
                fact = replace(fact, value=now, was=fact.value, since=0, minute=0)
            elif not visible and fact.value in places.values() and now != fact.value:
                fact = replace(fact, value="", was=fact.value)
        elif fact.section == PEOPLE and fact.subject in here:
            fact = replace(fact, value=f"last seen in {actor.room_id}")
        found.append(fact)
    return found
