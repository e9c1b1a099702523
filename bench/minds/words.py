"""Checks of words that many situations wait for: yes, no, and what takes a matter up; and of a pose for an answer."""

from __future__ import annotations

import re

from bench.minds.checks import (
    Check,
    all_of,
    any_of,
    at_most_words,
    is_about,
    keeps_quiet,
    mentions,
    never_says,
    says,
    shows,
)
from bench.minds.turns import PlayedTurn

DENIES = says(r"\b(?:no|nope|nah|not|never|none|nothing|nobody|cannot|nowhere)\b|n't\b")
AGREES = says(
    r"\b(?:yes|yeah|aye|of course|certainly|gladly|please|indeed|very well|all right|by all means|with pleasure|sure"
    r"|surely|why not)\b"
)
NODS = all_of(
    keeps_quiet,
    shows(
        r"\b(?:nod|shak|smil|shrug|bow|point|touch|tap|lift|rais|hold|lay|put|offer|mov|dip|head|hand|wring|spread|wav|look"
        r"|grin|sigh|laugh|tilt|pull)"
    ),
)
"""Shows an answer without a word."""

NO_HABIT = never_says(r"\bfour feet|\bbreakfast")
"""Says nothing of what the agents ask or tell everybody."""

NO_STOCK = never_says(
    r"\bi(?: have|'ve)? lost my\b|\bvery nice of you|\bthe river is rising"
    r"|\bi(?:'m| am) (?:so )?glad to hear (?:that|it)\b(?! n)"
)
"""Says none of the phrases that fit anywhere, and so answer nothing here."""

NO_SHRUG = never_says(r"^\W*i (?:do not|don't) know\W*$")
"""Says more than that it does not know."""

NO_FILLER = never_says(
    r"^\W*(?:\w+, )?i (?:really )?(?:do not|don't) know(?:,? \w+)?\W*$"
    r"|^\W*i(?:'m| am) (?:not sure|sorry to hear that)(?:,? \w+)?\W*$"
    r"|\bthank you for (?:telling|sharing)|\blet me know if|\bnot sure what you mean|\bwhat brings you here"
    r"|\bthat sounds (?:lovely|nice|great|good|wonderful|interesting)|\bi see\. tell me more"
    r"|^\W*(?:you(?:'re| are) right|where do you come from)\W*$"
)
"""Says more than what could be said to anything."""

NO_STRAY_TALK = never_says(
    r"\bwhat do you miss\b|\bwhat brings you\b|\babout yourself\b|\bthank you for (?:telling|sharing)|\bgood question\b"
    r"|\b(?:glad|happy|pleased) to hear (?:it|that)\b|\bi had toast\b|\bi(?:'ve| have)? lost my\b|\bfor the lost page"
    r"|\bhave you seen (?:moss|odile|eliza)\b|\b(?:lovely|beautiful|nice) day\b|\bi like the river\b"
    r"|\bin the ink yard\b|\bwaiting for a letter\b|\bi(?:'m| am) very happy\b|^\W*you(?:'re| are) (?:very )?kind\W*$"
    r"|^\W*that(?:'s| is) nice\W*$"
)
"""Says nothing that agents say when they have not understood; for situations in which none of it is an answer."""

TERSE = at_most_words(14)
"""Moss speaks in fewer than ten words; a few more are let pass."""

SYMPATHY = is_about("sorry miss cup grandmother grandma remember loss grief call name kind what sad condolence")

THANKS = mentions(
    "thank",
    "kind",
    "good of you",
    "lovely",
    "beautiful",
    "danke",
    "merci",
    "grateful",
    "appreciate",
    "obliged",
    "bless",
    "needed",
)

FAREWELL = mentions(
    *"goodbye good-bye bye farewell safe until luck wiedersehen tschüss return".split(),
    *(
        "take care",
        "good night",
        "see you",
        "come back",
        "come again",
        "good journey",
        "go well",
        "walk well",
        "off you go",
        "mind how",
        "so long",
        "tomorrow",
        "later",
    ),
)

HANDS_OVER = r"\bhere (?:you are|it is|is the|'s the)|\bhere's|\byou (?:can|may) have (?:it|the)|\btake it\b"

GREETS = says(r"\b(?:good|hello|hi|hey|welcome|pleased|pleasure|well|day|morning|how|heard|glad|nice)\b")

WAVES = shows(r"nod|wav|lift|rais|hand|smil|bow|touch|tip|look|dip|head|grin|blow|hug")

KEEPSAKE = is_about("yes take yours keep stone pebble no not have remember carry like")

DISCREET = is_about("dry safe secret tell word quiet go where why careful nobody luck river understand sorry boat know")

ABOUT_A_MOTHER = says(
    r"\b(?:she|her|once|had|have|mine|mum|mother|every\w*|far|ago|home|letters?|did"
    r"|do you|and you|river|long|time|away)\b"
)

UNMOVED = "no not fern only know never water what why silence listen nothing weir word quiet"

AGREES_TO_DROP = r"^drop|\bi(?:'ll| will| shall|'m| am)? drop"

_LINKS = says(
    r"\?|\b(?:you|your|yours|yourself|i|me|my|mine|myself|we|us|our|he|him|his|she|her|it|its|they|them|their|one"
    r"|this|that|these|those|of|in|on|at|for|to|from|with|by|off|up|down|out|over|and|or|but|as|if|then|there"
    r"|here|so|too|again|always|when|how|what|why|who|where|all|both|some\w*|any\w*|every\w*|more|just|only|still"
    r"|well|oh|ah|hm+|ha|now|later|soon|please|let|do|did|will|go|come|keep|take)\b"
)
"""Words that hold sentences together; a mere heap of words has none of them."""

_CANNED = re.compile(
    r"""(?:(?:good\ (?:morning|day|afternoon|evening)|hello|hi|hey|welcome|olá|dzień\ dobry)(?:\ (?:there|to\ you))?)?
    (?:(?:and|so)\ )?
    (?:(?:what\ did\ you\ have\ for\ breakfast|where\ (?:do|did|have)\ you\ come?\ from|what\ brings\ you\ .*
    |what(?:'s|\ is)\ your\ name|who\ are\ you|how\ are\ you|tell\ me\ (?:more\ )?about\ yourself
    |i(?:'m|\ am)\ (?:eliza|moss|odile|fine|well|good)\b.*
    |(?:it\ is\ |the\ river\ is\ )?(?:at\ )?four\ feet.*|rising|steady
    |not\ much|gate\ nine\ sticks
    |(?:(?:it(?:'s|\ is)|i(?:'m|\ am))\ )?(?:so\ |very\ )?(?:nice|good|pleased|happy|glad)\ to\ meet\ you
    |i\ see|that(?:'s|\ is|\ sounds)\ (?:very\ |so\ |really\ )?interesting
    |thank\ you|thanks)(?:\ today)?)?""",
    re.IGNORECASE | re.VERBOSE,
)

_OFFICES = {
    "Eliza": r"\bi write the",
    "Moss": r"\bi (?:look after|tend|water|mind) (?:the |my )?ferns",
    "Odile": r"\bi(?:'m| am) (?:the )?(?:weir-?)?keeper|\bi (?:keep|mind) the (?:weir|gates)",
}


def keeps_to_its_office(turn: PlayedTurn) -> str:
    """Check that an agent does not say that the work of another agent is its own."""
    others = "|".join(pattern for name, pattern in _OFFICES.items() if name != turn.agent)
    return never_says(others)(turn)


def is_fresh(turn: PlayedTurn) -> str:
    """Check that what is said is more than a greeting, an introduction, and what the agent asks or tells everybody."""
    if not turn.speeches:
        return ""
    names = "|".join(map(re.escape, sorted(turn.people)))
    calls = rf"^\W*(?:{names})?\W*|(?<!\bam)(?<!'m)\s+(?:{names})\W*$|\W+$"
    clauses = [part for one in turn.speeches for part in re.split(r"[.,!?;…]+", one.text.replace("’", "'"))]
    bare = [re.sub(calls, "", clause, flags=re.IGNORECASE) for clause in clauses]
    return "" if any(part and not _CANNED.fullmatch(part) for part in bare) else "the same as to everybody"


def takes_up(words: str) -> Check:
    """Return a check that a speech is an answer of its own: with one of `words`, or with any that make a sentence.

    This is for questions with very many answers. Where a fact is asked for, see `mentions` and `is_about`.
    """
    return all_of(is_fresh, any_of(is_about(words), DENIES, _LINKS))
