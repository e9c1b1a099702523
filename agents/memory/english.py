"""The verifier's knowledge of English: closed classes of words, synonyms and stems.

A text in another language is recognised by how few of these words it has; rules that rest on them then do not apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

FUNCTION_WORDS = frozenset(
    """
    a an the this that these those such each every either neither both all any some no none not nor much many more most
    few fewer less least several enough another other others one ones same own only just even still yet already almost
    i me my mine myself we us our ours ourselves you your yours yourself he him his himself she her hers herself it its
    itself they them their theirs themselves who whom whose which what whatever whoever whichever where wherever when
    whenever why how however somebody someone something somewhere anybody anyone anything anywhere nobody nothing
    nowhere everybody everyone everything everywhere and or but so for because since although though while whereas if
    unless until till than as of at by in on to from with without within into onto out off over under above below
    between among amid against along across around behind beside besides beyond before after during despite except
    inside outside near next past per through throughout toward towards up upon down via about like unlike
    is are was were be been being am do does did done have has had having can could shall should would might must ought
    need cannot isn aren wasn don didn doesn won wouldn couldn ok okay yes no oh ah well there here then now ever else
    """.split()
)
"""Words that say nothing of what a text is about."""

UNFINISHED_AT = frozenset(
    "a an the and or but of to with from for in at by my your his her our its their is was were has had that which who "
    "because when while if than into as very so".split()
)
"""Words after which a sentence does not end."""

TITLES = frozenset(
    """
    mr mrs ms miss dr doctor sir madam captain lord lady sister brother father mother uncle aunt auntie
    professor prof king queen master mayor colonel major sergeant st saint old young
    """.split()
)

DETERMINERS = frozenset("a an the this that these those some any no every each another both all several many".split())
POSSESSIVES = frozenset("my your his her its our their whose".split())
SUBJECT_PRONOUNS = frozenset("i you he she it we they".split())
OBJECT_PRONOUNS = frozenset("me him her them us".split())
PREPOSITIONS = frozenset(
    """
    of at by in on to from with without within into onto off over under above below between among against along
    across around behind beside beyond during despite except inside outside near past through towards toward
    upon via about like unlike for
    """.split()
)
SUBORDINATORS = frozenset(
    "who whom which that because since while when whenever after before though although if unless whether where until "
    "as what how why than".split()
)
COORDINATORS = frozenset("and but or so yet nor then".split())
BE = frozenset("is are was were be been being am 's 're 'm".split())
AUXILIARIES = BE | frozenset(
    "do does did have has had can could shall should will would may might must ought cannot can't won't don't didn't "
    "doesn't isn't wasn't aren't weren't hasn't haven't hadn't couldn't wouldn't shouldn't".split()
)
MODALS = frozenset("to will shall would should could can may might must cannot can't won't wouldn't couldn't".split())
NEGATIONS = frozenset("not no never nobody none nothing neither nor cannot nowhere".split())
NOBODY = frozenset("nobody none neither".split())
QUANTIFIERS = NOBODY | frozenset("somebody someone everybody everyone anybody".split())
DENIALS = frozenset(
    """
    deny denied denies denying refuse refused refuses fail failed fails unable lack lacks lacked hardly untrue
    false avoid prevent whether if might perhaps maybe dispute disputed doubt contradict
    contradicted without yet warn warned warning against forbid forbade forbidden instead except anymore thought
    believe believed believes hope hoped hopes
    reject rejected supposed innocent
    """.split()
)
"""Words that deny or leave open without a `not`: a sentence with one of them may mean either."""


TIMES = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december today yesterday tomorrow tonight".split()
)

IRREGULAR = {
    form: base
    for base, forms in {
        "give": "gave given gives",
        "tell": "told",
        "say": "said says",
        "take": "took taken",
        "bring": "brought",
        "lose": "lost",
        "find": "found",
        "come": "came",
        "go": "went gone goes",
        "sell": "sold",
        "buy": "bought",
        "leave": "left",
        "meet": "met",
        "keep": "kept",
        "know": "knew known",
        "think": "thought",
        "see": "saw seen",
        "hear": "heard",
        "break": "broke broken",
        "swim": "swam swum",
        "throw": "threw thrown",
        "write": "wrote written",
        "stick": "stuck",
        "steal": "stole stolen",
        "lend": "lent",
        "teach": "taught",
        "hide": "hid hidden",
        "forgive": "forgave forgiven",
        "die": "died dies dead death dying",
        "get": "got gotten",
        "make": "made",
        "let": "lets",
        "owe": "owed owes owing",
        "pay": "paid",
        "hold": "held",
        "send": "sent",
        "catch": "caught",
        "build": "built",
        "show": "shown",
        "fall": "fell fallen",
        "sing": "sang sung",
        "sit": "sat",
        "stand": "stood",
        "lie": "lied lying lies",
        "speak": "spoke spoken",
        "eat": "ate eaten",
        "drink": "drank drunk",
        "wake": "woke woken",
        "child": "children",
        "penny": "pennies pence",
        "foot": "feet",
        "ill": "sick",
        "swear": "swore sworn",
        "choose": "chose chosen",
        "drive": "drove driven",
        "ride": "rode ridden",
        "begin": "began begun",
        "ring": "rang rung",
        "wear": "wore worn",
        "fly": "flew flown",
        "draw": "drew drawn",
        "run": "ran",
        "feel": "felt",
        "read": "reads",
        "use": "used uses",
        "put": "puts",
        "cut": "cuts cutting",
        "arise": "arose arisen",
        "awake": "awoke awoken",
        "beat": "beaten",
        "become": "became",
        "bend": "bent",
        "bind": "bound",
        "bite": "bit bitten",
        "bleed": "bled",
        "blow": "blew blown",
        "breed": "bred",
        "burn": "burnt",
        "cling": "clung",
        "cost": "costs",
        "creep": "crept",
        "deal": "dealt",
        "dig": "dug",
        "dream": "dreamt",
        "dwell": "dwelt",
        "feed": "fed",
        "fight": "fought",
        "flee": "fled",
        "fling": "flung",
        "forbid": "forbade forbidden",
        "forget": "forgot forgotten",
        "freeze": "froze frozen",
        "grow": "grew grown",
        "hang": "hung",
        "hit": "hits",
        "hurt": "hurts",
        "kneel": "knelt",
        "lay": "laid",
        "leap": "leapt",
        "learn": "learnt",
        "light": "lit",
        "mean": "meant",
        "mistake": "mistook mistaken",
        "overhear": "overheard",
        "prove": "proven",
        "quit": "quits",
        "rise": "rose risen",
        "seek": "sought",
        "set": "sets",
        "sew": "sewn",
        "shake": "shook shaken",
        "shine": "shone",
        "shoot": "shot",
        "shrink": "shrank shrunk",
        "shut": "shuts",
        "sink": "sank sunk",
        "sleep": "slept",
        "slide": "slid",
        "sow": "sown",
        "spell": "spelt",
        "spend": "spent",
        "spill": "spilt",
        "spin": "spun",
        "spit": "spat",
        "split": "splits",
        "spoil": "spoilt",
        "spread": "spreads",
        "sting": "stung",
        "stride": "strode",
        "strike": "struck",
        "sweep": "swept",
        "swell": "swollen",
        "swing": "swung",
        "tear": "torn",
        "undo": "undid undone",
        "understand": "understood",
        "upset": "upsets",
        "wed": "weds",
        "weave": "wove woven",
        "weep": "wept",
        "win": "won",
        "withdraw": "withdrew withdrawn",
        "overtake": "overtook overtaken",
        "undertake": "undertook undertaken",
        "foresee": "foresaw foreseen",
        "mislead": "misled",
        "retell": "retold",
        "repay": "repaid",
        "rebuild": "rebuilt",
        "rewrite": "rewrote rewritten",
        "outrun": "outran",
        "overcome": "overcame",
        "uphold": "upheld",
        "partake": "partook",
        "thrust": "thrusts",
        "tread": "trod trodden",
        "wring": "wrung",
        "stink": "stank",
    }.items()
    for form in forms.split()
}
BASES = frozenset(IRREGULAR.values())
FINITE = (frozenset(IRREGULAR) - frozenset("children pennies pence feet sick dead death".split())) | frozenset(
    "carries wants lives knows thinks brings asks teaches mends stays owns forgives believes hopes".split()
)
_SUFFIX = re.compile(r"(?:ing|ed|es|s|ly)$")
_VOWEL = re.compile("[aeiouy]")
_STEM_LETTERS = 7
_MIN_SHARE = 0.2
_FEW_WORDS = 5
_SHORT, _MIN_SHARE_OF_SHORT = 16, 0.15


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """Return the common stem of the forms of a folded English word, roughly; the same for words of one meaning."""
    bare = _stem(word)
    return _SYNONYMS.get(bare, bare)


def _stem(word: str) -> str:
    word = IRREGULAR.get(word, word)
    if len(word) > 4:
        bare = _SUFFIX.sub("", word)
        word = bare if _VOWEL.search(bare) else word
        if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
            word = word[:-1]
    return word.removesuffix("e").removesuffix("i").removesuffix("y")[:_STEM_LETTERS] if len(word) > 3 else word


_SYNONYMS = {
    _stem(other): _stem(one)
    for one, *others in map(
        str.split,
        (
            "mend repair fix",
            "begin start",
            "marry wed",
            "steal rob",
            "buy purchase",
            "answer reply respond",
            "hurt injure wound",
            "vanish disappear",
            "search seek",
            "afraid fear scare frighten dread",
            "angry furious",
            "examination exam",
            "allow permit",
            "present gift",
            "hide conceal",
            "finish complete",
            "sibling siblings",
            "collect gather",
            "destroy ruin",
            "assist help",
            "deliver bring",
        ),
    )
    for other in others
}
"""The stems of words by those of words that mean the same."""


def stems(words: str) -> frozenset[str]:
    """Return the stems of words between blanks."""
    return frozenset(map(stem, words.split()))


def is_english(words: Iterable[str]) -> bool:
    """Return whether words, `folded`, are of an English text; of very few nobody can tell, and they count as such."""
    found = [word for word in words if not word.isdigit()]
    known = sum(bool({word, word.partition("'")[0]} & (FUNCTION_WORDS | IRREGULAR.keys())) for word in found)
    share = _MIN_SHARE if len(found) > _SHORT else _MIN_SHARE_OF_SHORT
    return len(found) < _FEW_WORDS or known >= share * len(found)


def is_negation(word: str) -> bool:
    """Return whether a folded word negates."""
    return word in NEGATIONS or word.endswith("n't")


MUTUAL = stems("sister brother sibling twin cousin friend neighbour partner")
"""Stems of what two people are to each other."""


LIGHT = stems(
    """
    man woman look go come talk say tell speak day thing people person time morning evening afternoon night
    today like see get take make good walk meet do small spend away round visit new old great little lot kind
    way back long short hear think feel know want have give ask answer find keep leave pass busy quiet friend
    encounter conversation word work place always often again too very quite also later first last
    """
)
"""Words, as stems, that any day has: they do not show that anything was kept."""

SAYING = stems(
    "say tell ask mention explain report complain claim admit confess whisper announce add note warn assure swear "
    "inform insist reveal reply answer remark state"
)
"""The stems of verbs by which words are somebody's."""

THINKING = stems("think believe suspect guess suppose reckon hope fear")
"""The stems of verbs that a belief follows."""
