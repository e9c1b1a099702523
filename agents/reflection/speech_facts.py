"""Facts from speech: what people say of themselves, taken in their very words.

The patterns are English and few. They replace a model that cannot extract facts, and count from the moment in which
something is heard. For every language there is the other way, in `agents.reflection.reflecting`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from agents.memory.english import FUNCTION_WORDS, IRREGULAR
from agents.memory.facts.extraction import Utterance
from agents.memory.facts.speech_acts import MAX_SENTENCE_CHARACTERS, content_words, spans
from agents.memory.judging.entities import folded, names, plain
from vault.markdown import LINE_BREAK

NAME, HOME, KIN, LOSS, LIKE, PROMISE, REQUEST = "name", "home", "kin", "loss", "like", "promise", "request"
OTHER = "other"
KINDS = (NAME, HOME, KIN, LOSS, LIKE, PROMISE, REQUEST, OTHER)

MAX_FACTS_A_SPEECH = 4

KIN_WORDS = (
    r"(?:mother|mum|mom|father|dad|parents?|brother|sister|son|daughter|child|children|wife|husband|uncle|aunt|cousin|"
    r"niece|nephew|twin|grand\w+|friend|partner|family|dog|cat|horse|bird)"
)
_GONE = (
    r"(?:died|drowned|vanished|disappeared|(?:ran|run) (?:away|off)|passed away|got lost|went missing|"
    r"(?:is|was|has|are|were|have)(?: been)? (?:dead|gone|lost|missing|stolen|died|vanished|disappeared))"
)
_SOON = r"(?:yesterday |today |here |somewhere |last \w+ )?"
_NOT_LOST = r"(?!my (?:way|temper|mind|place|patience|breath|balance|train)\b)"
_NO_MATTER = r"(?!(?:it|this|that|you|to)\b)"
_PATTERNS = (
    (LOSS, rf"\bI(?:['’]ve| have)? (?:just |also |once )?lost {_SOON}{_NOT_LOST}(?:my|our|a|an|the|both|all)\b"),
    (LOSS, r"\bI had (?:a|an|the|my|some) .{2,80}\b(?:gone|missing|lost|vanished)\b"),
    (LOSS, r"\bI(?:['’]ve| have)? left my (?:\w+ ){1,3}(?:in|on|at|by|near|behind|under)\b"),
    (LOSS, rf"\bmy (?:\w+ ){{1,3}}{_GONE}\b|\bI (?:can['’]t|cannot|can not) find my\b"),
    (LOSS, r"\bI(?:['’]ve| have)? (?:finally |just )?found (?:my|him|her|it|them)\b"),
    (KIN, rf"\bmy (?:\w+ )?{KIN_WORDS} (?:is|was|are|were|has|had|lives?|works?|used to)\b"),
    (KIN, rf"\bI(?:['’]ve| have)(?: got)? (?:a|an|one|two|three|four|five|six|no) (?:\w+ )?{KIN_WORDS}s?\b"),
    (HOME, r"\bI(?: come|['’]m| am) from\b|\bI (?:live|grew up|was born) (?:in|at|on|by|near|behind|over)\b"),
    (LIKE, rf"\bI (?:really |do |also )?(?:love|like|adore|enjoy|hate|dislike|fear|can['’]t stand) {_NO_MATTER}"),
    (LIKE, r"\bI(?:['’]m| am) (?:afraid of|allergic to|fond of)\b"),
)
_COMPILED = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS]
_I_AM = re.compile(
    r"^(?:(?:hello|hi|hey|good \w+)(?:,? \w+)?[,!.]? |\w+, )?(?:I am|I['’]?m|it(?:['’]?s| is) me,?) "
    r"(?P<name>[^\W\d_]{2,20})(?=[,.!;]|\Z| from\b| and\b| again\b| I['’]?m\b)",
    re.IGNORECASE,
)
_NAME = r"(?P<name>[^\W\d_]{2,20})\b"
_CALLED_IN_SMALL_LETTERS_TOO = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (rf"\bmy name(?:['’]s| is) {_NAME}", rf"^(?:please |just |you (?:can|may) )?call me {_NAME}")
)
_HELLO = "(?:hi|hello|hey|hiya|good (?:morning|day|evening|afternoon))"
_CALLED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bI(?:['’]?m| am) called {_NAME}",
        rf"\b(?:they|people|friends|most|everybody|everyone) (?:all )?calls? me {_NAME}",
        rf"^{_NAME} is my name\b",
        rf"^(?:the )?name(?:['’]s| is) {_NAME}",
        rf"\bit(?:['’]?s| is) {_NAME}(?:,)? again\b",
        rf"^it(?:['’]?s| is) {_NAME}, (?:the|your|from)\b",
        rf"^{_HELLO}\b[^.!?]*\b(?:it(?:['’]?s| is)|this is) {_NAME}(?=$|[,.!]| here\b| from\b| speaking\b)",
        rf"^(?:{_HELLO}\b[^.!?]*, )?{_NAME} here[.!]?$",
    )
)
_SAYS_WHO_IT_IS = re.compile(rf"\b(?:I am|I['’]?m|it(?:['’]?s| is) me,?) {_NAME}", re.IGNORECASE)
_IS_ASKED = re.compile(r"\byour name\b|\bcall you\b|\bwho are you\b|\b(?:are you|you are) called\b", re.IGNORECASE)
_ANSWERS = re.compile(
    rf"(?:(?:it['’]s|it is|this is|just|I am|I['’]?m) )?{_NAME}(?:[.!,].*)?", re.IGNORECASE | re.DOTALL
)
_NO_NAMES = frozenset(
    "hello hi hey yes no why thanks thank sorry good well please nobody nothing guess sure okay maybe never later what "
    "who where when how you yours mine secret stranger guest goodbye bye".split()
)
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday christmas easter".split())
_AND_I = re.compile(r",? and (?=(?:I|my)\b)", re.IGNORECASE)
_SUPPOSED = re.compile(r"\b(?:if|suppose|imagine|would|might|could have|wish|perhaps I|did I|as if)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"(?:he|she|it|they|his|her|its|their)\b", re.IGNORECASE)

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
_YOURS_IN_HASTE = {"im": "you're", "ive": "you've"}
_IN_HASTE = re.compile(rf"\b(?:{'|'.join(_YOURS_IN_HASTE)})\b", re.IGNORECASE)
"""Only beside other English words of the first person: in German, "im" is no person."""

_TO_ANOTHER = re.compile(r"\b(?:you|your|yours|we|our|ours|us)\b|[\"“”«»?]", re.IGNORECASE)

_IRREGULAR = {"is": "are", "was": "were", "has": "have"}
_OF_ME = {"is": "am", "was": "was"}

_STEM = 5
"""Words that begin with so many equal letters count as one: `misses` and `missing`, `Hund` and `Hunde` do not differ
for a filter."""

MIN_LETTERS = 3
_PRONOUNS = frozenset("his her hers him their theirs them themselves himself herself who whom whose which what".split())
UNSPACED_SIGN = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class SpeechFact:
    """A statement of `speaker` about `about` in memory `seq`, word for word; `day` is its day, as in `2026-11-22`."""

    about: str
    kind: str
    words: str
    seq: int
    speaker: str
    privately: bool = False
    day: str = ""


def heard_facts(spoken: Utterance, seq: int, day: str = "") -> list[SpeechFact]:
    """Return a speaker's statements about itself by the patterns above, at most a few facts of one speech."""
    text = spoken.text.replace(LINE_BREAK, " ")
    found = [
        SpeechFact(spoken.speaker, kind, words, seq, spoken.speaker, spoken.privately, day)
        for kind, words in _found(text, spoken.speaker)
    ]
    return found[:MAX_FACTS_A_SPEECH]


def tells_own_name(speaker: str, text: str) -> bool:
    """Return whether somebody tells in their words what they are called."""
    return any(one.kind == NAME for one in heard_facts(Utterance(speaker, text), 0))


def whole_sentences(text: str, words: str) -> str:
    """Return the sentences of a text that have some of its words, word for word; the words if they are too long.

    `text` has `words`, upper and lower case and white space aside. Raises: ValueError if it has not.
    """
    pattern = r"\s+".join(re.escape(word) for word in words.split())
    match = re.search(pattern, text, re.IGNORECASE) if pattern else None
    if match is None:
        raise ValueError(f"{words!r} does not stand in {text!r}")
    touched = [(start, end) for start, end in spans(text) if start < match.end() and match.start() < end]
    start, end = (touched[0][0], touched[-1][1]) if touched else match.span()
    return text[start:end] if end - start <= MAX_SENTENCE_CHARACTERS else match[0]


def told_name(words: str) -> str:
    """Return the name that a fact of the kind `name` tells, by the patterns above; empty if they find none."""
    found = (pattern.search(words) for pattern in (*_CALLED_IN_SMALL_LETTERS_TOO, *_CALLED, _SAYS_WHO_IT_IS))
    match = next(filter(None, found), None) or _ANSWERS.fullmatch(words.strip())
    return match["name"][0].upper() + match["name"][1:] if match else ""


def asks_name(words: str) -> bool:
    """Return whether words ask somebody for their name."""
    return bool(_IS_ASKED.search(words))


def answered_name(spoken: Utterance, seq: int, day: str = "") -> SpeechFact | None:
    """Return the name as a fact, of somebody who was asked for it and says no more than that; None otherwise."""
    text = plain(spoken.text).strip()
    match = _ANSWERS.fullmatch(text)
    if match is None or match["name"].lower() in FUNCTION_WORDS | _NO_NAMES:
        return None
    is_alone = match["name"] == text.rstrip(".!")
    if not (is_alone or match["name"][0].isupper()):
        return None
    words = text[: match.end("name")]
    return SpeechFact(spoken.speaker, NAME, words, seq, spoken.speaker, spoken.privately, day)


def _found(text: str, speaker: str) -> Iterator[tuple[str, str]]:
    """Yield each fact's kind and words; a sentence that goes on about the same belongs to it."""
    places = [part for start, end in spans(text) for part in _joined(text, start, end, speaker)]
    for index, (start, end) in enumerate(places):
        sentence = text[start:end]
        kind = kind_of(sentence, speaker) if end - start <= MAX_SENTENCE_CHARACTERS else ""
        if not kind:
            continue
        for _, later_end in places[index + 1 :]:
            later = text[end:later_end].strip()
            if kind not in (LOSS, KIN) or not _GOES_ON.match(later) or later_end - start > MAX_SENTENCE_CHARACTERS:
                break
            if later.endswith("?") or kind_of(later, speaker):
                break
            end = later_end
        yield kind, text[start:end]


def _joined(text: str, start: int, end: int, speaker: str) -> Iterator[tuple[int, int]]:
    """Yield the places of the parts of a sentence that each tell something of the speaker: "I am Ana, and I lost …"."""
    for match in _AND_I.finditer(text, start, end):
        if kind_of(text[start : match.start()], speaker) and kind_of(text[match.end() : end], speaker):
            yield start, match.start()
            start = match.end()
    yield start, end


@lru_cache(maxsize=4096)  # everybody in a room hears the same
def kind_of(sentence: str, speaker: str) -> str:
    """Return the kind of fact that a sentence is by the patterns; empty if it is none."""
    if sentence.rstrip("\"'”’)").endswith("?") or _SUPPOSED.search(sentence):
        return ""
    introduced = _I_AM.match(sentence)
    if (introduced and _is_name(introduced["name"], speaker)) or _is_introduced(sentence, speaker):
        return NAME
    return next((kind for kind, pattern in _COMPILED if pattern.search(sentence)), "")


def _is_introduced(sentence: str, speaker: str) -> bool:
    """Return whether somebody says what they are called."""
    for pattern in _CALLED_IN_SMALL_LETTERS_TOO:
        if match := pattern.search(sentence):
            return match["name"].lower() not in FUNCTION_WORDS
    found = next(filter(None, (pattern.search(sentence) for pattern in _CALLED)), None)
    return found is not None and _is_name(found["name"], speaker)


def _is_name(word: str, speaker: str) -> bool:
    if word.casefold() == speaker.casefold():
        return True
    return word[0].isupper() and word.lower() not in FUNCTION_WORDS | _DAYS and not word.endswith(("ing", "ed", "ish"))


def in_third_person(words: str) -> str:
    """Return what follows a person's name and a colon, as `lost their dog near the weir`; empty where it is not safe.

    A sentence is safe if it is English, begins with `My`, or with `I` and a verb whose form is known, and names no
    other person. A sentence that goes on with `He is …` may follow it.
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
    """Return the words behind "You told me that", as `you lost your dog`; empty where they speak to somebody else."""
    if _TO_ANOTHER.search(words):
        return ""
    said = words.strip().rstrip(".!…")
    told = _FIRST_PERSON.sub(lambda match: _YOURS[match[0].lower()], said)
    return _IN_HASTE.sub(lambda match: _YOURS_IN_HASTE[match[0].lower()], told) if told != said else ""


def in_first_person(text: str, name: str) -> str:
    """Return a text about several people as the one called `name` tells it: "Odile keeps the weir", "I keep …"."""
    own = re.escape(name)
    text = re.sub(rf"\b{own}['’]s\b", "my", text)
    text = re.sub(rf"\b{own} ([a-z]+s)\b", lambda match: f"I {_OF_ME.get(match[1]) or verb_of_you(match[1])}", text)
    return re.sub(r"(?:^|(?<=[.!?] ))my\b", "My", text)


def verb_of_you(verb: str) -> str:
    """Return an English verb behind a name as it is behind `you`."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    for end, base in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("oes", "o")):
        if verb.endswith(end):
            return verb.removesuffix(end) + base
    return verb.removesuffix("s") if not verb.endswith(("ss", "us")) else verb


@lru_cache(maxsize=4096)
def key_words(text: str) -> frozenset[str]:
    """Return the stems of the words that say what a text is about; of a script without spaces, each pair of signs."""
    found: set[str] = set()
    for word in content_words(folded(plain(text))) - _PRONOUNS:
        if UNSPACED_SIGN.search(word):
            found.update(word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif len(word) >= MIN_LETTERS:
            found.add(IRREGULAR.get(word, word).removesuffix("'s").removesuffix("s")[:_STEM])
    return frozenset(found)


def unknown_names(text: str, support: str, known: Iterable[str]) -> list[str]:
    """Return the names in a text that are neither in its support nor among those known."""
    supported = key_words(f"{support} {' '.join(known)}")
    return [name for name in names(plain(text)) if not key_words(name) <= supported]
