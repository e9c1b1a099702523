"""The agent's knowledge of the subject just spoken of, from the notes in `lore/`, so that no model makes it up."""

from __future__ import annotations

from agents.component import AddedComponent, Moment, Section


class LoreBook(AddedComponent):
    """Tells the lore that fits best the words that are answered."""

    name = "lore"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or not moment.heard:
            return None
        found = moment.world.lore.about(moment.heard, moment.actor.name)
        if not found:
            return None
        told = moment.world.wording("surroundings.lore", who=moment.actor.name, lore=found[0].text)
        return Section(self.name, told, is_aside=True)
