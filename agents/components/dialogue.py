"""Dialogue acts: the intention behind somebody's words, such as good news, an apology or an insult.

They are recognised by phrases, and told in one line before the answer. Phrases and lines are in `text/dialogue.md`.
"""

from __future__ import annotations

import re
from functools import lru_cache

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
_IS = re.compile(rf"(?<=\w)(?<!\blet)['’]({'|'.join(_WHOLE)})\b", re.IGNORECASE)
_WHOLE_NOT = {"c": "can not", "w": "will not", "s": "shall not"}
_CANNOT = re.compile(r"\b(?:ca|wo|sha)n['’]t\b|\bcannot\b", re.IGNORECASE)
_NOT = re.compile(r"n['’]t\b", re.IGNORECASE)
_DEGREE = re.compile(
    r"\b(am|is|are|was|were|feel|have|has) (?:(?:very|really|so|terribly|quite|rather|just|still|a bit|a little|kinda|"
    r"kind of|pretty) )+(?=\w)",
    re.IGNORECASE,
)
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
    """Return which of `ACTS` somebody's words are; empty if none is known by them.

    What has a "but" or the like is none of those that are answered alike. Words and phrases are compared without short
    forms and without words such as "very": "I'm so scared" has the phrase "am scared".
    """
    plain = _plain(words)
    every = (act for act in ACTS if act not in ANSWERED_ALIKE or not _IS_MIXED.search(plain))
    return next((act for act in every if has_phrase(_plain_phrases(wording(f"dialogue.is_{act}")), plain)), "")


def _plain(words: str) -> str:
    words = _CANNOT.sub(lambda found: _WHOLE_NOT[found[0][0].casefold()], written_out(words))
    words = _NOT.sub(" not", _IS.sub(lambda found: _WHOLE[found[1].casefold()], words))
    return _DEGREE.sub(r"\1 ", words)


_plain_phrases = lru_cache(maxsize=64)(_plain)
