"""Questions: of what type an answer has to be, and of whose things it is asked.

The patterns are English, as those of `agents.reflection.speech_facts`. Where none fits, nothing is known of a question.
The types are those of answer type detection, as in the TREC question answering tracks, and few.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from agents.memory.facts.speech_acts import sentences, spans
from agents.memory.numerals import NUMBER_WORDS, numerals
from agents.reflection.speech_facts import key_words

AnswerType = Literal["", "age", "number", "hour", "time", "colour", "name", "place", "work"]
Subject = Literal["", "asker", "asked"]
"""Of whom a question asks: of who asks it, of who is asked, or of anything else."""

MEASURED = ("age", "number", "hour", "time", "colour")
"""Types by whose absence in a text one knows that it holds no answer."""

_NUMBER = rf"\d|\b(?:{'|'.join(sorted(NUMBER_WORDS))}|half|both|once|twice)\b"
_IS = r"(?:['’]?m|['’]?re|['’]?s|am|is|are|was|were|be|been|turn(?:s|ed|ing)?|aged?)"
_AGE = (
    rf"(?<!that )(?<!there )(?<!\bit )\b{_IS} (?:\w+ )?(?:{_NUMBER})(?:[- ](?:{_NUMBER}))?"
    r"(?![- ](?!and\b|now\b|in\b|on\b|this\b|next\b|years?\b)\w+)|"
    rf"(?:{_NUMBER})(?:[- ]years?[- ](?:old|young)\b| birthday\b)|\bof age\b"
)
_DAY_OR_HOUR = (
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|jan\w*|febr\w*|march|april|june|july|august|septem\w*|octo\w*|"
    r"novem\w*|decem\w*|spring|summer|autumn|winter|noon|midnight|dawn|dusk|morning|afternoon|evening|night|tonight|"
    r"today|tomorrow|yesterday|week|month|year|o['’]clock|at (?:\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|"
    r"eleven|twelve|half)\b))"
)
_HOUR = (
    r"\b\d{1,2}(?:[:.]\d\d\b| ?[ap]\.?m\b)|o['’]clock|\b(?:noon|midnight|dawn|dusk|sunrise|sunset|morning|afternoon|"
    r"evening|night|tonight)\b|\b(?:at|by|before|after|around|about|past|till|until) "
    r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|quarter)\b(?! \w+s\b)"
)
_COLOUR = r"\b(?:red|blue|green|white|yellow|brown|gr[ea]y|black|orange|purple|pink|violet|silver|gold\w*)\b"
_NO_NAME = (
    r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|January|February|March|April|May|June|July|August|\w+ember|October"
)
_NAME = rf"\b(?:named|called|name is|name['’]s)\b|(?<=[a-z,] )(?!(?:{_NO_NAME})\b)[A-Z][a-z]+"
_PLACE = (
    r"\b(?:in|at|on|from|to|by|behind|under|near|beside|below|above|over|upstream|downstream|opposite|inside) "
    r"(?:\w+ )?\w"
)
_STATE = (
    r"think|like|love|hate|have|had|want|need|hope|know|see|saw|feel|am|was|would|will|shall|should|can|could|may|"
    r"might|must|do|did|lost|found|left|hear|heard|say|said|mean|guess|wonder|believe|remember|forget|forgot|come|came|"
    r"live|lived|thought|once|just|also|always|never|only|really|still|cannot|wish|fear"
)
_WORK = (
    rf"\bI(?:['’]?m| am) (?:an? |the |\w+, (?:the|an?) )\w|\bI (?!(?:{_STATE})\b)[a-z]+\b|\bI do (?!not\b)\w|"
    r"\b(?:my|by) trade\b"
)

_TRADES = "(?:do|make|play|sell|mend|cut|grow|catch|keep|build|teach|write|paint|cook|bake)(?:e?s)?"

_ASKED_BY: dict[AnswerType, str] = {
    "work": r"\bfor a living\b|\b(?:my|your|his|her|their) (?:trade|work|job|craft|profession)\b|"
    rf"\bwhat (?:it is )?(?:I|he|she|they) (?:{_TRADES})\b|\bwhat (?:do|does) (?!I\b|we\b)\w+ (?:{_TRADES})\b",
    "colour": r"\b(?:what|which) colou?rs?\b",
    "age": r"\bhow old\b|\b(?:what|which) age\b",
    "number": r"\bhow (?:many|much|long|far|high|deep|tall|late)\b|\b(?:what|which) number\b",
    "hour": r"\b(?:what|which) (?:time|hour)\b",
    "time": r"\bwhen\b|\b(?:what|which) (?:day|month|year|week|evening|morning)\b",
    "place": r"\bwhere\b|\b(?:what|which) (?:town|village|city|street|house|place|room|inn|country)\b",
    "name": r"\bwho(?:se|m)?\b|\bnames?\b|\bcalled\b",
}
"""How each type is asked for; the first that fits counts."""

_ASKS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _ASKED_BY.items()}
_ANSWERS = {
    "work": re.compile(_WORK, re.IGNORECASE),
    "colour": re.compile(_COLOUR, re.IGNORECASE),
    "age": re.compile(_AGE, re.IGNORECASE),
    "number": re.compile(_NUMBER, re.IGNORECASE),
    "hour": re.compile(_HOUR, re.IGNORECASE),
    "time": re.compile(_DAY_OR_HOUR, re.IGNORECASE),
    "place": re.compile(_PLACE, re.IGNORECASE),
    "name": re.compile(_NAME),
}
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day", re.IGNORECASE)
_OF_ASKER = re.compile(r"\b(?:I|me|my|mine|myself|ours?|(?:do|did|will|had|have) we)\b", re.IGNORECASE)
_ASKS_OF_ASKED = re.compile(
    r"\W*(?:did|do|have|had|are|were|will|would|can|could|don['’]?t|didn['’]?t|haven['’]?t|aren['’]?t|won['’]?t) you\b",
    re.IGNORECASE,
)
_OF_ASKED = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)
_I_DO = re.compile(r"\b(?:I|we|us)\b", re.IGNORECASE)
_YOU = re.compile(r"\byou\b", re.IGNORECASE)
_YOU_DID = re.compile(
    r"\b(?:(?:did|have|had|were|was|will) you|are you going to)\b(?! (?:a|an|any|the|ever)\b)", re.IGNORECASE
)
_TO_YOU = re.compile(r"\b(?:to|of|with|for|tell|told) you\b", re.IGNORECASE)
_KNOW = r"know(?! any| some| of\b| how (?:i|we|to|one)\b)"
_ASIDE = re.compile(
    rf"\b(?:can|could|do|did|would|will) you (?:still )?(?:remember|recall|{_KNOW}|tell me|say|guess)\b|\btell me\b|"
    rf"\byou (?:still |do )?(?:remember|recall|{_KNOW}|noticed?|heard?|got|have got|"
    r"(?:write|wrote)(?: \w+)? down|said)\b|"
    r"\bhave you (?:got|put|noted|written)\b",
    re.IGNORECASE,
)
_EXCUSES = re.compile(r"\b(?:(?:ex|s)cuse|pardon|forgive) me\b", re.IGNORECASE)
_GOES_BACK = re.compile(r"\b(?:he|she|it|they|him|her|them|his|its|their|again)\b", re.IGNORECASE)
# "is it weird that I come here?": the word `it` refers to nothing said before.
_DUMMY = re.compile(r"\b(?:is|was|would) it (?:\w+ ){1,2}(?:that|if|to|when|for|how)\b", re.IGNORECASE)
_OF_US = re.compile(
    r"\b(?:which|who|whom|one) of (?:us|the (?:two|three) of us)\b|\bme or (?:him|her|them)\b", re.IGNORECASE
)
_PUTS_RIGHT = re.compile(
    r"\W*(?:[Nn]o|NO)\b(?:.{0,40}\b(?:[Ii] said|[Ii] meant|with an? [A-Za-z]\b)|"
    r"(?:\W+[Nn]o\b)+\W+(?:[A-Z]\w+\W+)?(?:not an? \w+|[A-Z]{3,}\b|[a-z]+[A-Z]))"
    r"|.{0,60}\b(?:[Yy]ou(?:['’]?re| are| have|['’]ve)|ur|u) (?:mixing|mixed|confusing|mistaking)\b"
)
_PRESENTS = r"\b(?:this is|here is|here['’]?s|meet|may I present)(?: my(?: \w+){1,3})?"
_RIDDLE = re.compile(
    r"\bwhy did the \w+ (?:cross|go|run|jump|fall|take|bring)\b|\bwhat do (?:you|u) (?:call an?\b|get (?:if|when)\b)|"
    r"\bwhat did the \w+ say to the\b",
    re.IGNORECASE,
)
_FORGOTTEN = re.compile(
    r"\b(?:forgot(?:ten)?|(?:do not|don['’]?t|cannot|can['’]?t) (?:remember|recall))\b", re.IGNORECASE
)
_ONCE_MORE = re.compile(
    r"\b(?:what|which|who\w*|where|when|why|how)(?:['’]?s)?\b.*\bagain\b|"
    r"\bwhich (?:one )?of (?:them|['’]?em|these|those)\b",
    re.IGNORECASE,
)
_FILLERS = "so|and|but|now|then|ok|okay|well|quick|quiz|anyway|hang on|hey|hm+|oh|lol|sorry|please|wait"
_CALLED = (  # "eliza whats that"
    r"(?:(?!(?:know|guess|tell|ask|see|say|wonder|remember|forget|show|that|i|you|me|is|not|of|from|to)\b)\w+\s+"
    r"(?=(?:what|who|where|when|why|how)(?:['’]?s|['’]?re|\s+(?:is|are|do|does|did|was|were|can|could|would))\b))?"
)
_BEGINS_ASKING = re.compile(
    rf"\W*(?:(?:{_FILLERS})\W+)*{_CALLED}"
    r"(?:what(?! an? )|which|who|whose|where|when|why|how)(?:['’]?s|['’]?re|['’]?d)?\b",
    re.IGNORECASE,
)
_BEGINS_YES_OR_NO = re.compile(
    rf"\W*(?:(?:{_FILLERS})\W+)*(?:do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|may|might)\b",
    re.IGNORECASE,
)
_WHILE = re.compile(  # "Could I use yours when you have finished?" asks for no time
    r"\b(?!(?:know|remember|recall|says?|said|tell|told|me|him|her|guess|idea|exactly|again|is|was|asked?|and|or|of|so|but)\b)"
    r"\w+,? when (?=(?:I|you|we|he|she|they|it|people|the|my|your)\b)",
    re.IGNORECASE,
)
_AND_ASKS = re.compile(
    r"\s*,?\s+and (?=(?:what|which|who|whose|where|when|why|how)\b(?! (?:else|so on)\b))", re.IGNORECASE
)
_OF_OWN_WORDS = re.compile(
    r"\b(?:did|have|had) I (?:\w+ )?(?:say|said|tell|told|ask|asked|whisper(?:ed)?|mention(?:ed)?|call(?:ed)?)\b|"
    r"\bI (?:said|told|asked|whispered)\b",
    re.IGNORECASE,
)
_OF_OWN_PAST = re.compile(r"\b(?:did|have|had|was) I\b", re.IGNORECASE)
_NAMES_GOAL = re.compile(r"\b(?:me|us|way) to (?!it\b|him\b|her\b|them\b|there\b|that\b|follow\b)\w", re.IGNORECASE)
_ASKS_WHAT = re.compile(r"\b(?:what|who|whose|where|when|why|which|how|is there a reason)", re.IGNORECASE)
_ASKS_ADVICE = re.compile(
    r"\b(?:should|shall|can|could|may|might|must|would|will|how do) (?:I|we)\b|"
    r"\b(?:where|what|who|how) (?:I|we) (?:can|could|may)\b|\bdo (?:I|we) (?:have|need) to\b|"
    r"\b(?:do|how) (?:I|we) (?:get|find|go|put|sleep|buy|pay|start|begin|ask|use|reach|look)\b|"
    r"\bwhat (?:do (?:I|we) do|am I doing|are we doing)\b",
    re.IGNORECASE,
)
_OWNED = re.compile(
    r"\b(?:(?:(?:what|which|how (?:many|much|old|long|far|high|tall)|when|where|who|whose)\b[^.!?]*?"
    r"\b(?:is|are|was|were|do|does|did|has|have|had)|recall|remember|(?:name|age|colou?r|trade)s? of) my|"
    r"did I (?:say|tell you|mention)(?: that)? (?:my|his|her|their|its|the)) (?P<thing>(?:[\w'’-]+ ?){1,4})",
    re.IGNORECASE,
)
_ENDS_THING = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|had|called|named|in|at|on|from|to|of|by|with|for|and|or|again|now|"
    r"then|come|comes|go|goes|look|looks|cost|costs|live|lives|made|again)\b.*",
    re.IGNORECASE,
)


SHORT_FORMS = dict(
    one.split("=")
    for one in (
        "u=you; ur=your; yr=your; ya=you; r=are; im=i am; ive=i have; whats=what is; wheres=where is; whos=who "
        "is; hows=how is; thats=that is; its=it is; isnt=is not; dont=do not; cant=can not; cannot=can not; "
        "pls=please; thx=thanks; wd=would; wld=would; cld=could; shd=should; y=why; wat=what; wats=what is; "
        "wot=what; wots=what is; wich=which; em=them; wen=when; gimme=give me; didnt=did not; havent=have not; "
        "youre=you are; whered=where did; whatd=what did; howd=how did; whod=who did; whyd=why did; hes=he is; "
        "shes=she is; theyre=they are; doesnt=does not; arent=are not; wasnt=was not; youve=you have"
    ).split("; ")
)
"""How people who type fast write some words, and what they stand for."""

_SHORT = re.compile(rf"\b(?:{'|'.join(SHORT_FORMS)})\b(?!['’])", re.IGNORECASE)


def written_out(words: str) -> str:
    """Return words with the short forms of chats written out: "do u like ur job" as "do you like your job"."""
    return _SHORT.sub(lambda found: SHORT_FORMS[found[0].casefold()], words)


SHORTEST_QUESTION = 3
"""What has fewer words calls or wonders, and does not ask for anything by itself."""

SHORTEST_WHOLE = 5
"""A question of no more words needs the sentence before it to be understood."""

_HAS = re.compile(r"['’]s\s+")
"""Between who has a thing and the thing: of "my sister's dog" it is the dog that is asked about."""


def asking_part(question: str) -> str:
    """Return the last sentence that asks, by its mark or its first word; all words where neither tells which it is."""
    parts = list(sentences(question))
    if parts and _BEGINS_ASKING.match(parts[-1]):
        return parts[-1]
    asking = [one for one in parts if one.rstrip("\"'”’)").endswith("?")]
    return asking[-1] if asking else question


def asking_parts(words: str) -> list[str]:
    """Return the questions in some words, each by itself; nothing where no mark or first word tells which they are.

    "Who is Moss, and where is he?" are two, "Excuse me? Where is Moss?" is one.
    """
    asking = [one for one in sentences(words) if one.rstrip("\"'”’)").endswith("?") or _BEGINS_ASKING.match(one)]
    parts = [part for one in asking for part in _AND_ASKS.split(one)]
    return [one for one in parts if len(one.split()) >= SHORTEST_QUESTION]


def whole_question(question: str) -> str:
    """Return the part of words that asks, with the sentence before it where it is too short to tell of what.

    Of "I have found a kite. Whose is it?" that is all.
    """
    asked = asking_part(question)
    if len(asked.split()) > SHORTEST_WHOLE:
        return asked
    begin = question.rfind(asked)
    starts = [start for start, _ in spans(question[:begin])]
    return question[starts[-1] if starts else begin : begin + len(asked)]


def answer_type(question: str) -> AnswerType:
    """Return of what type the answer to a question has to be; empty if that is not known."""
    asked = _WHILE.sub("", written_out(asking_part(question)))
    return next((kind for kind, asks in _ASKS.items() if asks.search(asked)), "")


def is_of_type(kind: AnswerType, words: str) -> bool:
    """Return whether words hold something of a type; nothing is of the type that is not known."""
    return bool(kind) and bool(_ANSWERS[kind].search(words))


def values_of(kind: AnswerType, words: str) -> set[str]:
    """Return the numbers, colours or days of the week that words hold, if it is such that are asked for."""
    if kind in ("number", "age"):
        return {one.value for one in numerals(words.casefold())}
    values = _ANSWERS["colour"] if kind == "colour" else _WEEKDAY if kind == "time" else None
    return {one.casefold() for one in values.findall(words)} if values else set()


def subject_of(question: str) -> Subject:
    """Return of whom a question asks, polite forms as in "do you know when I …" aside.

    Where nothing else is asked, as in "I told you of a clock. Do you remember?", the sentence before tells it.
    """
    asked = _ASIDE.sub("", _EXCUSES.sub("", written_out(asking_part(question))))
    if asks_to_remember(question):
        asked = _ASIDE.sub("", written_out(whole_question(question)))
    if _ASKS_OF_ASKED.match(asked):
        return "asked"
    if _OF_ASKER.search(asked) and (_I_DO.search(asked) or not _YOU.search(_TO_YOU.sub("", asked))):
        return "asker"
    return "asked" if _OF_ASKED.search(asked) else ""


def goes_back(question: str) -> bool:
    """Return whether a question is about what was spoken of before: by a pronoun, or it asks to remember."""
    asked = _DUMMY.sub("", written_out(asking_part(question)))
    return bool(_ASIDE.search(asked) or _GOES_BACK.search(asked) or _FORGOTTEN.search(question))


def asks_to_remember(question: str) -> bool:
    """Return whether somebody only asks whether one remembers or knows what they have spoken of: "Do you remember?"."""
    asked = written_out(asking_part(question))
    return bool(_ASIDE.search(asked)) and len(re.findall(r"\w+", _ASIDE.sub("", asked))) < SHORTEST_QUESTION


def asks_what(question: str) -> bool:
    """Return whether a question wants more than yes or no."""
    return bool(_ASKS_WHAT.search(written_out(asking_part(question))))


def yes_or_no_part(question: str) -> str:
    """Return the last sentence that asks for yes or no, such as "Do eels bite?"; empty if more is asked for."""
    parts = [one for one in sentences(written_out(question)) if _BEGINS_YES_OR_NO.match(one)]
    is_more = _BEGINS_ASKING.match(asking_part(question)) or not parts or _ASKS_WHAT.search(parts[-1])
    return "" if is_more else parts[-1]


def asks_what_was_done(question: str) -> bool:
    """Return whether somebody asks what the one who is asked has said or done, or will do: "What did you tell him?"."""
    return bool(_YOU_DID.search(written_out(asking_part(question))))


def wants_more_than_yes(question: str) -> bool:
    """Return whether a question wants more than yes or no, though it may ask so: "Do you still know my name?"."""
    return asks_what(question) or bool(_ASIDE.search(written_out(asking_part(question))))


def asks_of_self(question: str) -> bool:
    """Return whether somebody asks what only they can have told: "Which knee am I to rest?".

    "What should I see?" asks for advice.
    """
    return asks_what(question) and subject_of(question) == "asker" and not asks_advice(question)


def is_personal(question: str) -> bool:
    """Return whether somebody asks of the one they ask, or of themselves, which no lore of the world answers.

    "What should I see?" asks for advice, which lore may give.
    """
    subject = subject_of(question)
    return subject == "asked" or (subject == "asker" and not asks_advice(question))


def asks_advice(question: str) -> bool:
    """Return whether somebody asks what to do: "What should I see?", "What do I do?"."""
    return bool(_ASKS_ADVICE.search(written_out(asking_part(question))))


def is_of_own_past(question: str) -> bool:
    """Return whether somebody asks what they have done: "Where did I buy it?"."""
    return bool(_OF_OWN_PAST.search(question))


def is_riddle(words: str) -> bool:
    """Return whether words are the first half of a joke: "Why did the eel cross the river?"."""
    return bool(_RIDDLE.search(words))


def puts_right(words: str) -> bool:
    """Return whether somebody puts right what one has misheard: "No no, TAILOR.", "No, I said Tuesday."."""
    return bool(_PUTS_RIGHT.match(words))


def presents(words: str, name: str) -> bool:
    """Return whether somebody presents one of this name to who listens: "This is my brother Ivo."."""
    return bool(re.search(rf"{_PRESENTS},? {re.escape(name)}\b(?! and i\b)", words, re.IGNORECASE))


def says_you(words: str) -> bool:
    """Return whether words speak to somebody as "you"."""
    return bool(_OF_ASKED.search(written_out(words)))


def names_goal(words: str) -> bool:
    """Return whether one who asks to be led says whereto, or to whom, and not only "there"."""
    return bool(_NAMES_GOAL.search(words))


def asks_of_own_words(question: str) -> bool:
    """Return whether somebody asks what they have said themselves: "What day did I say?"."""
    return bool(_OF_OWN_WORDS.search(question))


def asks_whether_told(question: str) -> bool:
    """Return whether somebody asks whether they have told a thing: "I said that it was red, right?"."""
    return asks_of_own_words(asking_part(question)) and not asks_what(question)


def asks_which_of_us(question: str) -> bool:
    """Return whether somebody asks who of several said or has something: "Which of us was it?", "Was it me or her?"."""
    return bool(_OF_US.search(question))


def asks_once_more(question: str) -> bool:
    """Return whether a question asks for something "again": "Which one was loose again?"."""
    return bool(_ONCE_MORE.search(asking_part(question)))


def is_untold(question: str, known: Collection[str]) -> bool:
    """Return whether somebody asks for a plain fact about a thing or person of their own that was never spoken of.

    `known` are the key words of all that is known. So "What colour are my curtains?" has no answer where no curtains
    were ever named.
    """
    found = _OWNED.search(written_out(question))
    if found is None:
        return False
    thing = key_words(_HAS.split(_ENDS_THING.sub("", found["thing"]))[-1])
    return bool(thing) and not thing & frozenset(known)
