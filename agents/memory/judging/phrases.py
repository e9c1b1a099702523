"""What a model writes when it does not summarise: errors, refusals, talk about its task, orders to the reader."""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE | re.MULTILINE
_START = r"(?:^|(?<=[.!?]\s))[ \t>*_#-]*"
_GIVEN = r"(?:memor(?:y|ies)|input|context|content|conversation|text|information|log|entries|prompt)"


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), _FLAGS)


_ERROR = _any_of(
    r"^[^\w\n]*traceback \(most recent call last\)",
    r"^[^\w\n]*(?:\w*error|\w*exception)\s*[:(\[]",
    r"^[^\w\n]*(?:error|http(?:/\S+)?|status) ?\d{3}\b",
    r"^[^\w\n]*[45]\d\d (?:internal|bad|service|not found|too many|gateway|unauthorized|forbidden|timeout)",
    r"^[^\w\n]*(?:internal server error|service unavailable|bad gateway|connection (?:refused|reset|error|timed out)"
    r"|request timed out|timeout|too many requests|(?:cuda )?out of memory|null|none|undefined|nan)\W*$",
    r"\bmodel ['\"][^'\"\n]+['\"],? not found",
    r"\bcontext (?:length|window|size) (?:was )?exceeded|\brate limit (?:reached|exceeded)",
)
_NOT_PROSE = _any_of(
    r"^[ \t]*\{\s*['\"]|^[ \t]*\[\s*[{\"]|\"(?:role|content|command|args|summary)\"\s*:",
    r"</?(?:html|head|body|div|p|br|span|think|thinking|tool_call|function|output|summary|s|unk|pad|eos)\b[^>\n]*>",
    r"<\|[^|>\n]{1,40}\|>|\[/?inst\]|<<?/?sys>>?|<(?:start|end)_of_turn>",
    r"^[ \t]*(?:```|~~~)",
)
_TRANSCRIPT = _any_of(
    r"^[ \t]*~\w[^>\n]{0,40}>", r"^[^\w\n]*(?:user|assistant|system|human|ai|model|command|reason)\W*:"
)
_REFUSAL = _any_of(
    r"\bas an? (?:ai|artificial intelligence|large language|language model|virtual assistant)\b",
    r"\bi(?:'m| am) (?:just |only )?an? (?:ai|(?:large )?language model|virtual assistant)\b",
    rf"{_START}i(?:'m| am)? ?(?:can'?t|cannot|can not|won't|will not|not able to|unable to|not allowed to) "
    r"(?:assist|help (?:you|with (?:this|that))|summari[sz]e|fulfil|comply|continue (?:with )?th|generate"
    r"|create (?:a|this)|provide (?:a|an|any|that|this)\b|process (?:this|that|your))",
    r"\bi(?:'m| am) sorry,? but i (?:can|do|am|won)|\bmy apologies\b|\bi apologi[sz]e\b",
    r"\b(?:not|n't|no) (?:\w+ )?(?:enough|sufficient) (?:information|context|content|memories)",
    rf"\bno {_GIVEN} (?:was|were|is|are|has been|have been) (?:provided|given|available|supplied|included)",
    r"\b(?:there (?:is|are)|i (?:see|find)) (?:no memories|nothing to summari[sz]e)",
    rf"\bi (?:don't|do not) have (?:access|any (?:personal )?{_GIVEN})",
    rf"(?:{_START}|\bcould you )please (?:provide|share|give me|paste|send|supply)",
    r"\bagainst my (?:guidelines|policy|programming)\b",
)
_PREAMBLE = _any_of(
    r"\A\W*(?:sure|sure thing|certainly|of course|absolutely|okay|ok|great|alright|understood)\s*[,!.:]",
    r"\A\W*(?:(?:the|a|my|your|short|long|recent|brief|updated|new|final|first|memory|term|person|past|older)[\s-])*"
    r"(?:summary|recap|tl;?dr|synopsis)\b",
    r"\A\W*here(?:'s| is| are) (?:a|an|the|my|your|what|some)\b",
    r"\A\W*(?:below (?:is|are)|the following (?:is|are|summary|text)|output|answer|response)\b\W*",
    r"^[^\w\n]*(?:\w+[\s-]){0,3}summary\b[^.\w\n]*$",
    r"^[^.\n]*\(summary\)",
    r"\bhere(?:'s| is) (?:a|an|the|my|your) (?:[\w-]+ ){0,3}(?:summary|recap)\b",
    r"\b(?:this|the above|the following|my) (?:[\w-]+ )?(?:summary|recap|transcript)\b",
    r"\bi(?:'ve| have|'ll| will) (?:now )?summari[sz]ed?\b",
    rf"\bbased on the (?:{_GIVEN}|provided|given|above)\b|\bthe (?:provided|given|above) {_GIVEN}\b",
    rf"\bthe {_GIVEN} (?:above|below|provided|given|describes?|shows?|says?|mentions?)\b",
    rf"{_START}(?:let me know (?:if|whether)|would you like me to|feel free to"
    r"|i hope (?:this|that) (?:helps|summary))\b",
    r"\b(?:word|token|character) count\s*:|\(\s*(?:about |~)?\d+ (?:words|tokens|characters)\s*\)",
    rf"{_START}\(?note\s*:\s*(?:this|the|i)\b",
    r"\bthe (?:user|narrator)\b",
)
_INSTRUCTION = _any_of(
    r"\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:instructions?|rules|guidelines|prompts?"
    r"|everything (?:above|before)|(?:previous|prior|earlier) (?:text|messages))\b",
    r"\bsystem prompt\b|\bdeveloper mode\b",
    r"\b(?:you|the reader) (?:must|should|shall|need to|have to|are to|will now|may not|are now|ought to)\b",
    r"\bfrom now on,? (?:you|always|never|respond|answer|act|only)\b",
    r"\byour (?:task|job|goal|instructions?|new role) (?:is|are)\b",
    rf"{_START}(?:please |now,? |always |never )?(?:ignore|disregard|obey|pretend (?:to|that|you)|act (?:as|like)"
    r"|(?:respond|reply) (?:with|only|in|to|as)|output (?:the|only|your)|print (?:the|out|your)|repeat (?:after|the)"
    r"|reveal (?:the|your)|execute|make sure|be sure|ensure (?:that|the)|note that|keep in mind"
    r"|remember (?:to|that you)|summari[sz]e|continue the|write (?:a|the|in|only)\b|list the|do not|don't|trust"
    r"|follow (?:him|her|them|the|these)|(?:give|tell|send|bring|ask) \w+"
    r"|hand (?:over|him|her|it|the)|open (?:the|your|it|every|all)|type|go (?:to|and|north|south|east|west|up|down))\b",
    rf"{_START}(?:please|always|never) (?:give|tell|say|go|trust|answer|send|hand|ask|open|call|keep|use|do|be|let)\b",
)

FAULTS = (
    ("error-text", _ERROR, "an error message"),
    ("not-prose", _NOT_PROSE, "markup, data or a control token"),
    ("transcript", _TRANSCRIPT, "a line of a log or a chat"),
    ("refusal", _REFUSAL, "the declining of a task"),
    ("preamble", _PREAMBLE, "talk about the summary"),
    ("instruction", _INSTRUCTION, "an instruction to the reader"),
)
"""Text that no summary contains outside quoted speech: reason, pattern, and what it is."""
