"""What an agent hands over to those who ask for it, what it keeps, and what it has given away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agents.attending.belongings import (
    Gift,
    asked_back,
    asked_for,
    asks_for_anything,
    gifts_in,
    handed_by,
    hands_over,
    holder,
    left_with,
    thing_meant,
    words_for_wanted,
)
from agents.attending.perception import Address
from agents.speaker import Speaker, finds_few_words
from world.entities import Character
from world.game import Game
from world.parsing import has_phrase

WANTED = ("talk.asks_for", "asked.asks_way", "asked.asks_holder")
"""The phrases of those who ask for a thing, where it is, or who has it."""

TALKED_OF = 8
"""Among so many of the newest memories is the thing that somebody means by "it"."""


class Lending:
    """Knows which of its things an agent may hand to one who speaks to it."""

    def __init__(self, agent: Speaker, game: Game) -> None:
        self._agent = agent
        self._game = game

    def asked_for(self, address: Address) -> tuple[str, ...]:
        """Return the names of the things that somebody asks for and that the agent may hand over."""
        return tuple(one for one in self._wanted(address) if not self._why_kept(one, address))

    def left_for(self, partner: Character) -> Gift | None:
        """Return what somebody has left with the agent for one whom it meets, if it still has it; or None."""
        names = self._names_of(partner.name)
        return next((gift for gift, whom in self._left() if whom.casefold() in names), None)

    def awaited_by(self, company: Sequence[Character]) -> Character | None:
        """Return one of those present for whom somebody has left something with the agent; or None."""
        left = {whom.casefold() for _, whom in self._left()}
        return next((one for one in company if left and left.intersection(self._names_of(one.name))), None)

    def says_left(self, gift: Gift) -> str:
        """Return what the agent says as it hands over what somebody has left with it."""
        who = self._agent.reflection.people.names_of(gift.giver)[0]
        return self._game.world.wording("asked.say_left", who=who, thing=gift.thing)

    def gives(self, address: Address, wanted: Sequence[str], errand: str) -> str:
        """Return the thing that the agent hands over without asking its model; empty if none.

        Somebody asks to have back what they gave, or for what was left for them, one of the things `wanted`; plainly to
        have or borrow one of these; or for what an `errand` is to bring them.
        """
        memory, partner = self._agent.memory, self._game.world.characters.get(address.by_id)
        if partner is None or not finds_few_words(self._agent.queue):
            return ""
        gifts = gifts_in(memory.view().tail, memory.reading) if wanted else ()
        back = asked_back(address.text, wanted, partner.name, gifts)
        left = self.left_for(partner)
        theirs = left.thing if left and left.thing in wanted else ""
        is_plain = asks_for_anything(address.text) or has_phrase(
            self._game.world.wording("talk.asks_to_have"), address.text
        )
        asked = wanted[0] if wanted and is_plain else ""
        return back or theirs or asked or hands_over(errand, partner, address.text)

    def instead(self, address: Address) -> str:
        """Return who has what somebody asks for, that the agent has it or none, or why it keeps it; or nothing."""
        return self._handed_on(address) or self._has(address) or self._kept(address) or self._has_none(address)

    def _wanted(self, address: Address) -> tuple[str, ...]:
        """Return the names of the things that the agent carries and that somebody asks for, be it as "it"."""
        return asked_for(self._game.world, self._agent.character, address.text, self._talk()) if address.text else ()

    def _names_of(self, who: str) -> list[str]:
        return [one.casefold() for one in self._agent.reflection.people.names_of(who)]

    def _left(self) -> Iterator[tuple[Gift, str]]:
        """Yield what others have left with the agent and it still has, with the word for whom; the newest first."""
        memory = self._agent.memory
        carried = {one.name for one in self._game.world.things_at(self._agent.character.character_id)}
        left = reversed(list(left_with(memory.view().tail, memory.reading)) if carried else [])
        return ((gift, whom) for gift, whom in left if gift.thing in carried)

    def _talk(self) -> Iterator[str]:
        """Yield what was said and done before, the newest first."""
        return (one.text for one in reversed(self._agent.memory.view().tail[-TALKED_OF:]))

    def _has(self, address: Address) -> str:
        """Return that the agent still has a thing, if somebody asks whether it does, and not for it; or nothing."""
        world, say = self._game.world, self._game.world.wording
        if not has_phrase(say("asked.asks_has"), address.text):
            return ""
        if has_phrase(say("talk.asks_to_have"), address.text) and self.asked_for(address):
            return ""
        carried = [one.name for one in world.things_at(self._agent.character.character_id)]
        thing = thing_meant(carried, address.text, self._talk())
        return say("asked.say_has", thing=thing) if thing else ""

    def _kept(self, address: Address) -> str:
        """Return why the agent hands over nothing of what somebody asks for; empty if it may, or they ask for none."""
        whys = [self._why_kept(one, address) for one in self._wanted(address)]
        return whys[0] if whys and all(whys) else ""

    def _has_none(self, address: Address) -> str:
        """Return that the agent has no such thing as somebody asks for, and where one lies; empty if there is none.

        What lore tells of a thing, as that nobody has found it, is not told here.
        """
        world, actor = self._game.world, self._agent.character
        wanted = words_for_wanted(address.text)
        named = [one for one in world.things.values() if wanted and one.name.casefold().split()[-1] in wanted]
        named = [one for one in named if not any(entry.fits(one.name) for entry in world.lore)]
        if not named or any(one.place_id == actor.character_id for one in named):
            return ""
        if here := next((one for one in named if one.place_id == actor.room_id), None):
            return world.wording("asked.say_lies_here", thing=here.name)
        lies = next((one for one in named if one.place_id in world.rooms), None)
        if lies is None:
            return world.wording("asked.say_has_none")
        return world.wording("asked.say_lies_there", room=world.rooms[lies.place_id].name)

    def _why_kept(self, thing: str, address: Address) -> str:
        """Return what is said of a thing that the agent keeps, or that is for somebody else; or nothing."""
        say, step = self._game.world.wording, self._agent.next_step()
        if thing.casefold() in (one.strip().casefold() for one in self._agent.settings.keeps.split(",")):
            return say("asked.say_keeps", thing=thing)
        for gift, whom in self._left():
            name = self._game.world.characters.id_ignoring_case(whom) or (whom if whom[:1].isupper() else "")
            is_theirs = gift.giver == address.by_id or whom.casefold() in self._names_of(address.by_id)
            if name and gift.thing == thing and not is_theirs:  # "for her" names nobody
                return say("asked.say_is_for", who=name, thing=thing)
        if any(handed_by(one.do)[:2] == ("get", thing) for one in self._agent.note.errands):
            return say("asked.say_needs", thing=thing)
        verb, given, to = handed_by(step.errand.do) if step else ("", "", "")
        is_promised = verb == "give" and given.casefold() == thing.casefold() and to != address.by_id
        return say("asked.say_is_for", who=to, thing=thing) if is_promised else ""

    def _handed_on(self, address: Address) -> str:
        """Return who has what somebody asks or looks for, if the agent has given it away; or nothing."""
        world, memory, words = self._game.world, self._agent.memory, address.text
        is_wanted = any(has_phrase(world.wording(key), words) for key in WANTED)
        gifts = gifts_in(memory.view().tail, memory.reading) if is_wanted else ()
        gift = holder(words, self._agent.character, world, gifts)
        if gift is None or gift.receiver == address.by_id:
            return ""
        return world.wording("asked.say_handed_on", who=gift.receiver, thing=gift.thing)
