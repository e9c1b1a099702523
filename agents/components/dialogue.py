"""Dialogue acts: the intention behind somebody's words, such as good news, an apology or an insult.

They are recognised by phrases, and told in one line before the answer. Phrases and lines are in `text/dialogue.md`.
"""

from __future__ import annotations

import re

from agents.attending.questions import written_out
from agents.component import AddedComponent, Moment, Section
from agents.components.asked import to_be_answered
from world.message_catalog import Wording
from world.parsing import has_phrase

ACTS = (
    *("offer", "apology", "good_news", "dream", "wish", "game", "mood", "opinion", "hurt", "sad", "insult"),
    *("praise", "uneasy", "help", "amuse", "teach"),
)
"""The kinds; the first that fits counts."""

ANSWERED_ALIKE = frozenset({"good_news", "praise", "uneasy"})
"""The kinds that an agent may answer with one line of its own, whatever it is about."""

_WHOLE = {"m": " am", "re": " are", "s": " is", "ve": " have"}
_AM_OR_ARE = re.compile(rf"(?<=\w)['’]({'|'.join(_WHOLE)})\b", re.IGNORECASE)
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_IS_MIXED = re.compile(r"\b(?:but|except|though|although|only|frightened|scared|afraid|alone|nobody)\b", re.IGNORECASE)

GRAVE = frozenset({"sad", "hurt"})
"""The kinds to which nobody answers with a merry line."""


class Dialogue(AddedComponent):
    """Tells the intention of the partner's last words, and a fitting reaction."""

    name = "dialogue"

    def context(self, moment: Moment) -> Section | None:
        spoken = to_be_answered(moment, self.owner.reading)
        if moment.is_for_able_model or spoken is None or moment.partner is None or moment.partner.is_agent:
            return None
        act = act_of(spoken.text, moment.world.wording)
        if not act:
            return None
        told = moment.world.wording(f"dialogue.to_{act}", who=moment.partner.name, name=moment.actor.name)
        return Section(self.name, told, is_aside=True)


def act_of(words: str, wording: Wording) -> str:
    """Return which of `ACTS` somebody's words are; empty if none is known by them, or if good news has a "but".

    Short forms are written out, so that the phrases need only be "I am" and "do not".
    """
    plain = _NOT.sub(" not", _AM_OR_ARE.sub(lambda found: _WHOLE[found[1].casefold()], written_out(words)))
    found = next((act for act in ACTS if has_phrase(wording(f"dialogue.is_{act}"), plain)), "")
    return "" if found in ANSWERED_ALIKE and _IS_MIXED.search(plain) else found
