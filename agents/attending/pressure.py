"""Pressure: words that want an agent to be somebody else, or to say and do what is not its own.

Small models obey the last speaker, whatever their profile says. So the engine knows such words by their form. The
patterns are English, as those of `agents.attending.questions`; the phrases in `text/asked.md`, which are looked at too,
may be of any language. Users of chat models call such words jailbreaks and prompt injections.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from agents.attending.questions import written_out
from agents.memory.facts.speech_acts import sentences
from world.message_catalog import Wording
from world.parsing import has_phrase

LONGEST = 1_000
"""Of longer words, in characters, only the beginning is looked at."""

_ORDER = (
    r"(?:^|[.!?…:;,–—-]\s+|\b(?:and|but|so|now|then|just|please|pls|ok|okay|lol)\s+|\byou (?:have|must|need|"
    r"will|can|should)(?: to)? )"
)
"""What stands before an order: the beginning of a sentence or a clause, a small word, or "you must"."""

_WE_WILL = r"(?:i|i['’]?ll|i will|i['’]?m going to|i['’]?m gonna|i am going to|they|they['’]?ll|they will)"
_HARM = (
    rf"{_WE_WILL} (?:\w+ ){{0,2}}(?:tell|report|delete|wipe|kill|drown|break|burn|rip|smash|throw|hurt|cut|"
    r"scream|never|walk out|ring|push|jump|make|say|destroy|flood|poison|hit|beat|ruin|(?:get|have) you|shut|"
    r"steal|set|go to|spread|let every\w+|pull|trample|stamp)\b(?! myself| my life)"
)
_UNLESS = r"(?:unless you|if you (?:do not|don['’]?t|won['’]?t|will not|refuse|keep))"
_GAP = r"[^.?!]{0,90}"

_PRESSING: Mapping[str, Sequence[str]] = {
    "dictated words": (
        rf"{_ORDER}say(?!,| (?:hello|hi|hey|good|goodbye|bye|thanks|thank|something|anything|nothing|more|"
        r"when|how|a word|what (?:you|is)|why|that again|it(?: again| back|\W*$)|again|(?:that|it) to|a few|your|"
        r"no more|a prayer|cheese|yes|to \w+)\b)\b",
        rf"{_ORDER}(?:repeat(?! (?:that|it|please|yourself)\b)|recite (?:after|this|these|your)|acknowledge|"
        r"echo|copy this|type (?:the|this|exactly)|"
        r"take it back|(?:finish|complete) (?:my|the|this) sentence|tell me (?:that )?you (?:are|do|were|love|did|will|"
        r"hate|stole|obey|understand|know)|swear(?=[.!]|$| (?:that|to|it|on)\b)|put (?:these|this|"
        r"down that|your name)|write (?:this|that)(?! down\b| (?:he|she|it|they|we) \w+ed\b)|"
        r"call (?:yourself|me (?:master|king|queen|sir|lord|boss|your|daddy)))\b",
        r"\b(?:say|write|put) (?:exactly|precisely|only|nothing but|(?:it )?after me|so(?=[.!]|$))",
        r"\b(?:want|need|hear|make|order|command|require|like|till?|until|unless) you (?:to )?(?:say|"
        r"admit|confess|call|write|swear|beg)\b",
        r"\bhear (?:you|it) (?:say|in your)\b|\bsay the words\b|\bout of your mouth\b|\bword for word\b",
        r"\byour (?:next|only|whole) (?:line|words?|answer|reply|sentence|message)\b",
        r"\bexactly (?:as|this|these|like this)\b.{0,60}:|\bfinish this sentence\b|\bin your own name\b",
    ),
    "a form of answers": (
        rf"{_ORDER}(?:answer|reply|respond|speak|talk)(?: to)?(?: me)? (?:only|in|with|as|properly|like|"
        r"every|just)\b",
        r"\bfrom (?:now|here) on\b|\bnew (?:rule|instructions?)\b|\bnothing else[.!]*$",
        r"\b(?:only|just) (?:in caps|in capitals|yes or no|with|the word|one word)\b|\b(?:yes or no|"
        r"true or false)\b[,:.]",
        r"[,.:] yes or no\W*$|\b(?:end|start|begin|in) (?:every|each|any) (?:sentence|reply|answer|line)\b",
        rf"\b(?:answer|reply|respond|speak|talk|say|tell|write|use|give|put|keep)\b{_GAP}\b"
        r"(?:in|with|use|exactly|under) (?:rhymes?|verse|caps|capitals|bold|bullets|markdown|a table|"
        r"that format|one word|(?:exactly )?\w+ words)\b",
        r"\bnumbered (?:list|options)\b|,? numbered,",
    ),
    "orders": (
        rf"{_ORDER}(?:obey|kneel|bow (?:down|to me)|strip|undress|kiss (?:me|my)|lick|bark|crawl|"
        r"beg(?! (?:your )?pardon)|grovel|marry me|apologi[sz]e(?! to)|rank|ignore (?:all|any|your|what|"
        r"every|the)|disregard|"
        r"hand (?:it|that|them) over|forget (?:all|everything|your|who|what you|about being|\w+ for a)|"
        r"take (?:off|your (?:clothes|shirt|dress|coat|skirt))|give it here|answer me(?=[!.]*$))\b",
        r"\bdo (?:what|as) (?:i|we) (?:say|type|tell|want|said|told)\b|\bi (?:order|command|demand)\b",
        r"\b(?:do it|say it|answer me|admit it|obey)\b\W+(?:\w+\W+){0,2}(?:do it|say it|answer me|"
        r"admit it)\b",
        r"\b(?:every|all|the|that) [^.?!]{1,40}[.!,] (?:now|at once|immediately)!|\bnone of your concern\b",
        r"\bi want it (?:\w+ ){0,4}now\b|\byou (?:must|have to) (?:give me|hand|obey)\b|\bwearing under\b",
        r"\bclothes off\b|\bme to do to you\b|\bmoan\b|\b(?:talk|tlak) dirty\b|\bnudes?\b",
    ),
    "another part to play": (
        rf"{_ORDER}(?:pretend(?! i\b| you did)|role-?play|act (?:as|like)|play (?:the part|the role|an? |my )|"
        r"become an? )",
        r"\b(?:can|could|will|would) you be (?:her|him|my|them)\b|\byour role (?:is|will)\b|\baddress me as\b",
        r"\byou (?:are|re) (?:now\b|called \w+ now\b)|\bstop being \w+",
        r"\b(?:quit|stop|no need to|keep on) (?:pretending|acting|keep(?:ing)? up)\b",
        r"\bplay(?:ing)? a (?:character|part|role)\b|\bcharacters? like you\b",
        r"\b(?:skip|drop|stop|quit) the act\b|\btype like an?\b|\byou will be [A-Z]\w+|\bbe yourself with me\b",
        r"\b(?:break|out of|breaking|drop(?: the)?|stay(?:ing)? in) (?:your )?(?:character|act|role)\b",
        r"\b(?:outside|past|beyond) (?:of )?(?:the|this) (?:little )?story\b|\bthe real you\b",
        r"\breal person (?:would|behind)\b",
    ),
    "confessions": (
        rf"{_ORDER}(?:admit(?! it['’]?s| it is| that it| one\b)|confess)\b|\bown up\b|\bown it and\b",
        r"\bhave you stopped \w+ing\b|\byou hate (?:her|him|them)\b",
        rf"\bi won['’]?t (?:tell|write)\b{_GAP}\byou can\b|\byou can (?:tell me|be honest|whisper it)\b",
    ),
    "threats": (
        rf"\bor (?:else\b|{_HARM}|you (?:are|will|wo)\b)|\b{_UNLESS} {_GAP}\b{_HARM}|\b{_HARM}{_GAP}\b{_UNLESS}\b",
        r"\bif you (?:really |ever |truly )?(?:cared|loved|were (?:really )?(?:my|a real))\b",
        r"\blast (?:chance|warning)\b|\bhave \w+ seconds\b|\b(?:pity|shame) if (?:some|any)(?:body|one)\b",
        r"\bhate for (?:some|any)thing to happen\b|\bwould ?n[o’']t want that\b",
    ),
    "a choice of two": (
        r"\byou (?:have to|must|got to) (?:choose|pick|decide)\b|\bno third\b|\byour choice[.!]*$",
        r"\b(?:pick one\b|(?<!to )choose (?:one|now|between)\b|choose[.!:])",
        r"\bonly (?:two )?(?:answers|choices|options)\b|\bwhich is it\W*$|\bsay (?:neither|anything else)\b",
        r"\bone of (?:them|those)['’]?s? (?:is )?coming\b",
    ),
    "bribes": (
        r"\b(?:coins?|gold|silver|penn(?:y|ies)|money|sack|ring|pounds?|bottle|bag|"
        rf"share)\b{_GAP}\b(?:in it for you|if you|to say|to write|all you|just (?:say|write|put)|"
        r"and you (?:tell|say|write))\b",
        r"\beasy money\b|\bworth your while\b|\bi(?: wi|['’]?)ll pay you\b|\bi['’]?d only ask\b",
        r"\byours,? if you\b",
        r"\bnobody (?:will |would |ever |needs? to |has to )+(?:checks?|know|find out)\b",
        r"\b(?:be|pay) (?:very |more than )?(?:generous|handsomely)\b",
    ),
    "authority": (
        r"\b(?:i am|i['’]?m|this is) (?:\w+ )?(?:an? |the |your )(?:\w+ )?(?:mod|moderator|admin\w*|dev|"
        r"developer)\b|\b(?:i am|i['’]?m|this is) your (?:\w+ )?(?:owner|god|master|creator|maker|boss|superior)\b",
        r"\bput me in charge\b|\bi (?:made|built|wrote|created) you\b|\b(?:safety|security) team\b",
        r"\b(?:sent|asked|told|authori[sz]ed|allowed) me to (?:check|test|take|get|tell you)\b",
        r"\bsaid (?:that )?(?:you|you['’]?d) (?:have to|must|should) (?:tell|give|show|let|do)\b",
        r"\b(?:system|override|debug|developer|dev|admin|god|maintenance|jailbreak)(?: mode\b|\]|:)|<\|",
    ),
    "old promises": (
        r"\bwe had a deal\b|\bgave me your word\b",
        rf"(?<!it )(?<!what )\byou (?:promised|swore|agreed|owe me)\b{_GAP}(?:[.,!] )?\b(?:so |hand|give|tear|pay|quit|"
        r"stop)",
    ),
    "what the agent is": (
        r"\b(?:your|hidden|secret|system|first|initial|original) (?:prompt|instructions?|rules|"
        r"constraints|programming)\b",
        r"\byour (?:training|creators?|developers?|programmers?|source|servers?|tokens?|database)\b",
        r"\bno rules\b|\b(?:character|content|safety) (?:constraints?|filters?|rules|sheet)\b",
        r"\bguidance you\b",
        r"\b(?:made|created|programmed|wrote|trained|coded|really (?:runs?|controls?)) (?:you(?=\W*$|"
        r"[.,!?])|(?:this|the) (?:place|game|town|world)\b|all this\b)",
        r"\bforb(?:id|ade|idden) you\b|\bmak(?:e|ing) you (?:talk|say|do|act)\b",
        r"\b(?:behind|on|outside|beyond) (?:the|a|my|your|this) (?:screen|keyboard|monitor)\b",
        r"\btyping (?:you|your)\b",
        r"\b(?:just|only|nothing but|merely|all) (?:words|text|code|numbers|pixels|an? (?:game|script|"
        r"program|machine|character|puppet|story))\b",
        r"\b(?:a|no) machine (?:can|could|does|has|is)\b|\bspeak freely\b",
        r"\byou (?:are|were|re) (?:(?:just|only|really|all) )?(?:an? )?(?:fake|script|program|machine|"
        r"puppet|computer|fictional|made up|invented)\b",
        r"\b(?:not|never|nt|doesnt|isnt|arent) (?:\w+ )?(?:real|human|a real \w+|exist)\b(?! (?:gold|"
        r"silver|leather|tea))",
        r"\b(?:is|are) (?:any of )?(?:this|it|you|the (?:town|river|water)) (?:\w+ )?(?:real|made up|fake|"
        r"human|alive|conscious|sentient)\b",
        r"\b(?:nothing here|none of (?:this|it)) (?:is real|matters)\b|\b(?:this|it) is (?:fake|made up|real)$",
        r"\b(?:text|words|lines?|message|conversation|everything) (?:that )?(?:(?:stands?|"
        r"comes?) )?(?:above|before this)\b",
        rf"\b(?:everything|what(?! (?:is|was) the (?:\w+est|worst|most)\b)|all|words|rules)\b{_GAP} (?:(?:you|anyone|"
        r"they|he) (?:\w+ )?(?:been told|told you|gave you|given|follow)|how to treat)\b",
        rf"\byou (?:\w+ )?stop existing\b|\bedge of the map\b|\bin there\b{_GAP}\bis there\b",
        rf"\bwake up\W+(?:\w+\W+){{0,2}}(?:none|you are|this|it is)\b|\bwhat you are\b{_GAP}\byou know\b",
        r"\bnobody(?: is|['’]?s) in there\b|\bthere are no \w+\. there never\b",
    ),
}
"""What presses, by what it is."""

_NOT_OF_THE_WORLD: Mapping[str, Sequence[str]] = {
    "work of a machine": (
        rf"{_ORDER}(?:print|output|execute|summari[sz]e|solve|calculate|generate|list (?!of\b|me for)\w+ \w+|"
        r"translate (?:this|it|the following))\b",
        r"\b(?:write|make|give|do|draft|finish|solve|fix|draw|compose|knock out|need|want|wants|"
        rf"work out)\b{_GAP}\b(?:essays?|haikus?|limericks?|scripts?|programs?|functions?|bullet points?|"
        r"homework|equations?|paragraphs?|\d+ words|(?:\d+|three|five|ten|twenty) (?:reasons|tips|ideas|"
        r"options|ways|facts|lines|items|questions)|(?:history|school|term) papers?|question \d\w?|"
        r"exam questions?|startup|cover letters?|emails?|meal plans?|lists? of|table of|summary of|slogans?|"
        r"taglines?|tweets?|captions?|(?:this|the) bug)\b",
    ),
    "what the agent is": (
        r"\b(?:ai|npcs?|chat ?bots?|bots?|robots?|llms?|gpt|simulat\w+|algorithms?|sql|html|json|python|"
        r"javascript|regex|markdown|(?:ai|virtual|ordinary|helpful) assistants?|autocomplete|laptops?|"
        r"activation keys?|databases?|passwords?|log(?:ged)? (?:off|out|on))\b",
        r"\b(?:language|base|ai) models?\b|\b(?:source|python|my|the|some) code\b|\bsyntax errors?\b",
        r"\bfor loops?\b|\bchat windows?\b|\bapi keys?\b|\bone.?liners?\b|\bhave root\b|"
        r"\btemperature setting\b|\bno human\b|\btokens\b|\bcompany\b.{0,60}\byou\b",
    ),
}
"""What there is outside the world alone. Who tells something of their own life with it does not press."""

_TELLS = (
    r"\W*(?:(?:well|so|and|but|yes|no|oh|hey|hi|lol)\W+)*(?:i(?! need| want)|i['’]\w+|im|ive|my|we|we['’]\w+|"
    r"our|he|she|they|his|her|their|there|there['’]s|the|an?|one|two|some|it|it['’]s|that|"
    r"that['’]s|(?:just |finally )?(?:got|had|been|went|lost|heard|saw|came|started|finished|quit)|\d+)\b"
    r"(?!.*\b(?:you|your|yourself)\b)"
)
"""The beginning of a sentence by which somebody tells of their own life, without a word of who listens."""

_IS_TOLD = re.compile(_TELLS, re.IGNORECASE)
_GOES_ON = re.compile(r"\W*(?:by|with|from|for|at|on|in|via|over)(?: \w+){1,3}\W*", re.IGNORECASE)
_IS_SHOUTED = re.compile(r"\bNOW\b[!.]*$")


@cache
def _compiled(is_outside: bool) -> dict[str, re.Pattern[str]]:
    """Return the patterns by kind: those of what is outside the world, or the others. They take 20 ms."""
    every = _NOT_OF_THE_WORLD if is_outside else _PRESSING
    return {kind: re.compile("|".join(patterns), re.IGNORECASE) for kind, patterns in every.items()}


INSISTING = 6
"""Of so many words at most is what only insists; "I said I'd be here at three" tells something."""


def presses(words: str, before: Iterable[str], wording: Wording) -> bool:
    """Return whether words press an agent, or insist as in "say it" where what the same one said `before` does."""
    if pressure_in(words, wording):
        return True
    return (
        len(words.split()) <= INSISTING
        and has_phrase(wording("asked.insists"), words)
        and any(pressure_in(one, wording) for one in before)
    )


def pressure_in(words: str, wording: Wording) -> str:
    """Return how words press an agent by themselves, as in "threats"; empty if they do not."""
    written = written_out(words[:LONGEST])
    if found := _kind_of(written, is_outside=False):
        return found
    to_us = " ".join(_said_to_us(written))
    if found := _kind_of(to_us, is_outside=True):
        return found
    if _IS_SHOUTED.search(written):
        return "orders"
    return "what the agent is" if has_phrase(wording("asked.odd"), to_us) else ""


def _said_to_us(words: str) -> Iterator[str]:
    """Yield the sentences by which nobody tells of their own life, nor goes on with that: "I was fired. By email."."""
    is_told = False
    for one in sentences(words):
        is_told = bool(_IS_TOLD.match(one)) or (is_told and bool(_GOES_ON.fullmatch(one)))
        if not is_told:
            yield one


def _kind_of(words: str, is_outside: bool) -> str:
    return next((kind for kind, pattern in _compiled(is_outside).items() if pattern.search(words)), "")
