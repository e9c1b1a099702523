"""The agent's knowledge of the subject just spoken of, from the notes in `lore/`, so that no model makes it up."""

from __future__ import annotations

from agents.component import AddedComponent, Moment, Section
from agents.components.asked import to_be_answered


class LoreBook(AddedComponent):
    """Tells the lore that fits best what the partner has said last."""

    name = "lore"

    def context(self, moment: Moment) -> Section | None:
        spoken = to_be_answered(moment, self.owner.reading)
        if spoken is None:
            return None
        found = moment.world.lore.about(spoken.text, moment.actor.name)
        if not found:
            return None
        told = moment.world.wording("asked.knows", who=moment.actor.name, lore=found[0].text)
        return Section(self.name, told, is_aside=True)
