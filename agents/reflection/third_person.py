"""Telling in another person what somebody said in the first: by rule, and only where the rule is safe."""

from __future__ import annotations

import re

from agents.memory.knowing.commitments import spans

_PAIRS = (
    "am/is 'm/is have/has 've/has 'll/will do/does live/lives love/loves like/likes hate/hates fear/fears miss/misses "
    "enjoy/enjoys adore/adores dislike/dislikes need/needs want/wants come/comes work/works know/knows keep/keeps "
    "sell/sells make/makes mend/mends promise/promises swear/swears can't/cannot"
)
_SAYS = dict(pair.split("/") for pair in _PAIRS.split())
_UNCHANGED = frozenset(
    "lost had was found saw came left grew went gave took heard bought sold made knew lived worked met broke dropped "
    "will shall can cannot must may used once also just really finally never".split()
)
_ADVERBS = frozenset("once also just really finally never always often".split())
_MINE = {"my": "their", "mine": "theirs", "myself": "themselves", "me": "them"}
_UNSAFE = re.compile(
    r"\b(?:I|you|your|yours|we|our|ours|us|let['’]s|here|there|this|that|these|those|him|her|them)\b|[\"“”«»?:;]",
    re.IGNORECASE,
)
_FIRST = re.compile(r"[Ii](?P<verb>['’]\w+| [^\W\d_]+(?:['’]t)?)(?P<rest>.*)", re.DOTALL)
_MY = re.compile(r"my (?P<rest>[^\W\d_].*)", re.DOTALL | re.IGNORECASE)
_ABOUT_ANOTHER = re.compile(r"(?:He|She|It|They|His|Her|Its|Their) (?P<rest>.*)", re.DOTALL)
_OWN = re.compile(r"\b(?:my|mine|myself|me)\b", re.IGNORECASE)


def in_third_person(words: str) -> str:
    """Return what follows a person's name and a colon, as `lost their dog near the weir`; empty where it is not safe.

    Safe are English sentences that begin with `I` and a verb whose form is known, or with `My`, and hold no other
    person. A sentence that goes on with `He is …` may follow one of these.
    """
    told: list[str] = []
    for start, end in spans(words):
        one = _told(words[start:end].rstrip(".!… "), is_first=not told)
        if not one:
            return ""
        told.append(one)
    return "; ".join(told)


def _told(sentence: str, is_first: bool) -> str:
    if first := _FIRST.fullmatch(sentence):
        verb, rest = _conjugated(first["verb"].strip(), first["rest"])
        text = f"{verb}{rest}" if verb else ""
    elif mine := _MY.fullmatch(sentence):
        rest = mine["rest"]
        text = f"their {rest}"
    elif (another := _ABOUT_ANOTHER.fullmatch(sentence)) and not is_first:
        rest, text = another["rest"], sentence[0].lower() + sentence[1:]
    else:
        return ""
    if not text or _UNSAFE.search(rest):
        return ""
    return _OWN.sub(lambda match: _MINE[match[0].lower()], text)


def _conjugated(verb: str, rest: str) -> tuple[str, str]:
    """Return the verb after `I` as it is after a name, and what follows it; an empty verb if its form is not known."""
    if verb.lower() in _ADVERBS:
        next_verb, _, after = rest.strip().partition(" ")
        found, _ = _conjugated(next_verb, "")
        return (f"{verb} {found}", f" {after}" if after else "") if found else ("", rest)
    plain = verb.replace("’", "'")
    is_past = plain in _UNCHANGED or plain.endswith("ed")
    return _SAYS.get(plain, plain if is_past else ""), rest


def in_second_person(words: str) -> str:
    """Return what follows "You told me that", as `you lost your dog`; empty where somebody else is spoken to in it."""
    if _TO_ANOTHER.search(words):
        return ""
    told = _FIRST_PERSON.sub(lambda match: _YOURS[match[0].lower()], words.strip().rstrip(".!…"))
    return told if told != words.strip().rstrip(".!…") else ""


_YOURS = {
    "i am": "you are",
    "i was": "you were",
    "i'm": "you're",
    "i've": "you've",
    "i'll": "you'll",
    "i'd": "you'd",
    "i": "you",
    "my": "your",
    "mine": "yours",
    "me": "you",
    "myself": "yourself",
}
_FIRST_PERSON = re.compile(rf"\b(?:{'|'.join(_YOURS)})\b", re.IGNORECASE)
_TO_ANOTHER = re.compile(r"\b(?:you|your|yours|we|our|ours|us)\b|[\"“”«»?]", re.IGNORECASE)
