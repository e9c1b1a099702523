"""What the agent knows of what was just spoken of, from the notes in `lore/`: the model need not make it up."""

from __future__ import annotations

from agents.component import AddedComponent, Moment, Section, last_heard
from agents.components.asked import LATEST
from agents.memory.facts.extraction import utterance_in


class LoreBook(AddedComponent):
    """Tells the lore that fits best what the partner has said last."""

    name = "lore"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or moment.partner is None:
            return None
        heard = last_heard(moment.view.tail[-LATEST:], moment.partner.name)
        spoken = utterance_in(heard, self.owner.reading) if heard else None
        if spoken is None:
            return None
        found = moment.world.lore.about(spoken.text, moment.actor.name)
        if not found:
            return None
        told = moment.world.wording("asked.knows", who=moment.actor.name, lore=found[0].text)
        return Section(self.name, told, is_aside=True)
