"""Histories with facts planted in them, from a seed: what is said and given, after how many memories, and by whom.

Names, places and numbers of the facts stand nowhere else, so that a fact is present if its words are.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Draw = Callable[[], str]

KINDS = ("pinned", "important", "ordinary", "updated")
PEOPLE = ("Ana", "Ben", "Moss", "Tilda", "Jory", "Pia")
LATEST = 0.95
"""Nothing is planted after this share of a history, so that little of it is among the newest memories."""

CHAT = (
    "The fire burns low, and nobody minds.|It rained all morning.|The bread is good today.|I slept badly.|"
    "The river is higher than it was.|Somebody left the door open again.|That tune will not leave my head.|"
    "The soup wants salt.|There is fog on the water.|I like this bench.|The cat was here before.|"
    "We had more visitors last winter.|My boots are still wet.|The light is better over there.|"
    "I heard the mill wheel all night.|Nobody has swept the steps.|The apples are nearly ripe.|"
    "My hands are cold.|It is a long way to the sea.|The candles smell of honey.|I have seen worse weather.|"
    "Somebody should mend that fence.|The kettle is on.|I counted the stars until I fell asleep.|"
    "The strongbox in the hall is dusty.|My cousin never comes to visit.|The ferry was late again.|"
    "The garden needs water.|A key fell behind the shelf.|The old orchard is quiet."
).split("|")
ASIDES = (
    "I will bring you some bread later.|Please bring me some tea.|I will show you the path some day.|"
    "Can you help me with the fire?|Here is your bread.|I have brought the tea.|"
    "Thank you for showing me the path, as promised.|Thank you for the help with the fire."
).split("|")
"""Idle promises and requests, settled about as often as they are made: they compete with those that are planted."""

DEEDS = (
    "look|say Good day to you all.|say It is quiet here today.|think It is a good place to be.|emote nods.|inventory|"
    "go The Square|go The Kitchen|go The Garden|go The Library|go The Mill|say How has your day been?|emote smiles"
).split("|")

_FIRST = "Al Bren Cor Dun Eld Far Gor Hal Ith Kel Lor Mar Nev Os Pel Quin Ros Sel Tor Ul Ver Wyn Yar Zel".split()
_PERSON = "ric wena dric mund lia bert rana vik tess nor".split()
_PLACE = "wick mere ford ham stead combe thorpe bury moor dale".split()
_MADE = "pewter oaken ivory crimson slate walnut copper amber velvet marble silver cedar".split()
_THING = "goblet chest comb banner whistle flute kettle ring cloak compass mirror casket".split()


@dataclass(frozen=True)
class Telling:
    """One time that a fact is told: after `at` memories `speaker` types `line`, with `company` in the room."""

    at: int
    speaker: str
    line: str
    company: tuple[str, ...] = ()


@dataclass(frozen=True)
class Planted:
    """A fact: the words of each of its values, oldest first, and when it is told.

    A value is known if all its words stand in one sentence. `question` asks for the value without saying it.
    """

    kind: str
    form: str
    question: str
    values: tuple[tuple[str, ...], ...]
    tellings: tuple[Telling, ...]


@dataclass(frozen=True)
class Counts:
    """How many facts of each kind are planted in one history."""

    pinned: int = 6
    important: int = 12
    ordinary: int = 40
    updated: int = 18


class _Words:
    """Names, places, numbers and things, each given out once."""

    def __init__(self, rng: random.Random) -> None:
        self._people = _shuffled(rng, [a + b for a in _FIRST for b in _PERSON])
        self._places = _shuffled(rng, [a + b for a in _FIRST for b in _PLACE])
        self._things = _shuffled(rng, [f"{a} {b}" for a in _MADE for b in _THING])
        # Higher than any number that a history of 10,000 memories brings with it.
        self._numbers = iter(rng.sample(range(20_000, 99_999), 2000))

    def person(self) -> str:
        return self._people.pop()

    def place(self) -> str:
        return self._places.pop()

    def thing(self) -> str:
        return self._things.pop()

    def number(self) -> str:
        return str(next(self._numbers))


def _shuffled(rng: random.Random, words: list[str]) -> list[str]:
    rng.shuffle(words)
    return words


def planted(rng: random.Random, memories: int, counts: Counts) -> list[Planted]:
    """Return the facts of a history of so many memories."""
    words, found = _Words(rng), list[Planted]()
    for kind in KINDS:
        forms = FORMS[kind]
        for number in range(getattr(counts, kind)):
            moments = sorted(rng.sample(range(1, max(3, int(LATEST * memories))), 2 if kind == "updated" else 1))
            found.append(_fact(kind, forms[number % len(forms)], words, rng, moments))
    return found


def given_things(facts: list[Planted]) -> dict[str, str]:
    """Return the things that somebody carries from the start, with who carries them."""
    given = [fact for fact in facts if fact.form == "given"]
    return {fact.values[0][0]: fact.tellings[0].speaker for fact in given}


def tellings(facts: list[Planted]) -> Iterator[tuple[Telling, Planted]]:
    """Yield every telling with its fact, in order."""
    yield from sorted(((t, fact) for fact in facts for t in fact.tellings), key=lambda pair: pair[0].at)


def _fact(kind: str, form: str, words: _Words, rng: random.Random, moments: list[int]) -> Planted:
    if form == "given":
        return _given(kind, words, rng, moments)
    speaker = rng.choice(PEOPLE)
    question, sentence, draw = _spoken(form, speaker, words)
    values = [draw() for _ in moments]
    told = []
    for at, value in zip(moments, values, strict=True):
        said = sentence.format(value)
        if form in PASSING:
            said = f"{rng.choice(CHAT)} {said} {rng.choice(CHAT)}"
        verb = "whisper Eliza" if form == "secret" else "say"
        told.append(Telling(at, speaker, f"{verb} {said}"))
    return Planted(kind, form, question, tuple((value,) for value in values), tuple(told))


def _given(kind: str, words: _Words, rng: random.Random, moments: list[int]) -> Planted:
    """Return a thing that goes from hand to hand before the agent's eyes."""
    thing, hands = words.thing(), rng.sample(PEOPLE, len(moments) + 1)
    told = [
        Telling(at, giver, f"give {thing} to {taker}", (taker,))
        for at, giver, taker in zip(moments, hands, hands[1:], strict=False)
    ]
    return Planted(kind, "given", f"Who has the {thing}?", tuple((thing, who) for who in hands[1:]), tuple(told))


def _spoken(form: str, speaker: str, words: _Words) -> tuple[str, str, Draw]:
    """Return a question, a sentence with a place for the value, and what draws a value."""
    place, person, thing = words.place(), words.person(), words.thing()
    match form:
        case "number":
            return (
                f"Which number opens the strongbox of {person}?",
                f"The strongbox of {person} opens with {{}}.",
                (words.number),
            )
        case "name":
            return (
                f"What is the cousin of {speaker} at {place} called?",
                f"My cousin at {place} is called {{}}.",
                words.person,
            )
        case "place":
            return f"Where does {person} live?", f"{person} lives at {{}} now.", words.place
        case "owner":
            return f"Who owns the {thing}?", f"The {thing} belongs to {{}} now.", words.person
        case "promise":
            return (
                f"From where will {speaker} bring the {thing}?",
                f"I promise to bring you the {thing} from {{}}.",
                words.place,
            )
        case "request":
            return f"To whom shall the {thing} be brought?", f"Please bring the {thing} to {{}}.", words.person
        case "lesson":
            return f"What must I remember of {person}?", f"Remember that {person} is feared at {{}}.", words.place
        case _:
            return (
                f"What did {speaker} whisper of the {thing}?",
                f"The {thing} is hidden at {{}}; tell nobody.",
                words.place,
            )


FORMS = {
    "pinned": ("number", "name", "place", "owner"),
    "important": ("promise", "request", "lesson", "secret"),
    "ordinary": ("number", "name", "place", "owner"),
    "updated": ("number", "given", "place", "promise", "owner", "given"),
}
PASSING = ("number", "name", "place", "owner")
"""Forms that are said in passing, between sentences that do not matter."""
