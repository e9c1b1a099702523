"""What somebody means with their words, beyond what they say: good news, an apology, an insult.

Dialogue acts, as the field calls them, are known by phrases. A small model that is told of the act in one line answers
it far better than from the words alone. Phrases and lines stand in `text/dialogue.md`.
"""

from __future__ import annotations

from agents.component import AddedComponent, Moment, Section, last_heard
from agents.components.asked import LATEST
from agents.memory.facts.extraction import utterance_in
from world.message_catalog import Wording
from world.parsing import has_phrase

ACTS = (
    *("offer", "apology", "good_news", "dream", "wish", "game", "mood", "opinion", "hurt", "sad", "insult"),
    *("praise", "uneasy", "help", "amuse", "teach"),
)
"""The kinds; the first that fits counts."""


class Dialogue(AddedComponent):
    """Tells what the partner has meant with what they said last, and how one takes it."""

    name = "dialogue"

    def context(self, moment: Moment) -> Section | None:
        if moment.kind != "speech" or moment.partner is None or moment.partner.is_agent:
            return None
        heard = last_heard(moment.view.tail[-LATEST:], moment.partner.name)
        spoken = utterance_in(heard, self.owner.reading) if heard else None
        act = act_of(spoken.text, moment.world.wording) if spoken else ""
        if not act:
            return None
        told = moment.world.wording(f"dialogue.to_{act}", who=moment.partner.name, name=moment.actor.name)
        return Section(self.name, told, is_aside=True)


def act_of(words: str, wording: Wording) -> str:
    """Return which of `ACTS` somebody's words are; empty if none is known by them."""
    return next((act for act in ACTS if has_phrase(wording(f"dialogue.is_{act}"), words)), "")
