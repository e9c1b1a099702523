"""What an agent learns from its memories, one by one and by rules alone: the same memories give the same facts.

The sentences are those of `world.narration`, in whatever language they stand in `text/`; what is said within them is
read by rules for English. Nothing here asks a model, a clock or a file.
"""

from __future__ import annotations

from collections.abc import Iterable

from agents.memory.knowing.hearing import Spoken, hear, keep_appointments, keep_by_giving
from agents.memory.knowing.known import ME, Known, minute_of
from agents.memory.knowing.reading import ENGLISH, Deed, Reading
from vault.markdown import LINE_BREAK
from vault.memory.facts_note import BEEN_THERE, PEOPLE, PLACES, THINGS, Fact
from vault.memory.memory_line import Memory
from world.parsing import parse_line
from world.sanitize import name_key

PARTED_MINUTES = 30
"""After so long without a sign of somebody, the next sign is a new meeting."""

_PRIVATELY = frozenset({"whispers_to_you", "tells_you"})
_SPEAKING = _PRIVATELY | {"says", "says_to", "says_to_you"}
_FROM_AFAR = frozenset({"tells_you", "shouts_from"})
_COMING = frozenset({"arrives", "wakes"})

# The first that fits counts, and what is taken out of something would fit what is taken as well.
_OWN_DEEDS = (
    "narration.you_give",
    "narration.you_take_from",
    "narration.you_take",
    "narration.you_put_in",
    "narration.you_drop",
)
_EXITS = ("narration.no_exits", "narration.exits")
# A crowd first: it would read as some, of whom one is called `30 others`.
_COMPANY = ("narration.crowd_is_here", "narration.some_are_here", "narration.one_is_here")
_CARRYING = ("looking.you_carry",)
_LYING = ("narration.lying_here",)
_INSIDE = ("things.inside",)
_GOING = ("narration.you_go", "narration.you_go_along")


def learn(known: Known, memory: Memory, refused: bool = False, reading: Reading = ENGLISH) -> None:
    """Take in one memory; a number that was taken in already changes nothing.

    `refused` says that what the memory tells of was not done: words that nobody heard promise nothing.
    """
    if memory.seq <= known.upto:
        return
    known.upto = memory.seq
    if memory.room and memory.room != known.place:
        known.place = memory.room
        _visit(known, memory)
    match memory.kind:
        case "observed" | "told" if memory.people:
            _perceive(known, memory, memory.people[0], reading)
        case "result":
            _see(known, memory, reading)
        case "acted" if not refused and (spoken := spoken_in(memory, people=known.people())):
            hear(known, spoken, memory)


def spoken_in(memory: Memory, reading: Reading = ENGLISH, people: Iterable[str] = ()) -> Spoken | None:
    """Return what was spoken in a memory, and by whom; None if nothing was.

    `people` are those to whom words may have been whispered whose names have several words.
    """
    if memory.kind == "acted":
        line = parse_line(memory.text)
        match line.verb:
            case "say" | "speak":
                return Spoken(ME, line.arguments)
            case "whisper" | "tell":
                return Spoken(ME, _behind_name(line.arguments, people))
        return None
    is_heard = memory.kind in ("observed", "told") and memory.people
    heard = reading.deed(memory.text, memory.people[0]) if is_heard else None
    return _spoken(heard, memory.people[0]) if heard else None


def _spoken(deed: Deed, who: str) -> Spoken | None:
    is_speech = deed.name in _SPEAKING and "text" in deed.values
    return Spoken(who, deed.values["text"], deed.name in _PRIVATELY) if is_speech else None


def _behind_name(arguments: str, people: Iterable[str]) -> str:
    """Return what is whispered to somebody: all behind the longest name of one known, or behind the first word."""
    typed = name_key(arguments)
    named = (name.count(" ") + 1 for name in people if typed.startswith(f"{name_key(name)} "))
    return arguments.split(" ", max(named, default=1))[-1] if " " in arguments else ""


def awaits_outcome(memory: Memory) -> bool:
    """Return whether it shows only in the next memory if something was done: nobody may be there to hear it."""
    return memory.kind == "acted" and parse_line(memory.text).verb in ("whisper", "tell")


def _visit(known: Known, memory: Memory) -> None:
    old = known.find(PLACES, memory.room)
    if old is None:
        known.put(Fact(PLACES, memory.room, BEEN_THERE, memory.seq, memory.seq, minute_of(memory)))
    else:
        known.renew(old, BEEN_THERE, memory, old.count + 1)


def _meet(known: Known, memory: Memory, name: str, arrived: bool = False) -> None:
    old, value = known.find(PEOPLE, name), f"last seen in {memory.room}"
    if old is None:
        known.put(Fact(PEOPLE, name, value, memory.seq, memory.seq, minute_of(memory)))
        return
    parted = arrived or old.value != value or minute_of(memory) - old.minute > PARTED_MINUTES
    known.renew(old, value, memory, old.count + parted)


def _perceive(known: Known, memory: Memory, who: str, reading: Reading) -> None:
    deed = reading.deed(memory.text, who)
    if deed is None:
        if memory.text.startswith(who):  # a pose, as they begin in every language
            _meet(known, memory, who)
        return
    if deed.name not in _FROM_AFAR:
        _meet(known, memory, who, arrived=deed.name in _COMING)
    if deed.name in _COMING:
        keep_appointments(known, who, memory)
    elif deed.name == "leaves" and "room" in deed.values and (seen := known.find(PEOPLE, who)):
        known.renew(seen, f"last seen in {deed.values['room']}", memory)
    elif spoken := _spoken(deed, who):
        hear(known, spoken, memory)
    else:
        _move_things(known, memory, who, deed)


def _move_things(known: Known, memory: Memory, who: str, deed: Deed) -> None:
    has = "I have it" if who == ME else f"{who} has it"
    match deed:
        case Deed(name="takes" | "takes_from" | "you_take" | "you_take_from", values={"thing": thing}):
            _place(known, thing, has, memory)
        case Deed(name="drops" | "you_drop", values={"thing": thing}):
            _place(known, thing, f"it lies in {memory.room}", memory)
        case Deed(name="puts_in" | "you_put_in", values={"thing": thing, "container": container}):
            _place(known, thing, f"it lies in the {container}", memory)
        case Deed(name="gives_you", values={"thing": thing}):
            _hand_over(known, who, ME, thing, memory)
        case Deed(name="gives" | "you_give", values={"thing": thing, "to": to}):
            _hand_over(known, who, to, thing, memory)


def _hand_over(known: Known, giver: str, receiver: str, thing: str, memory: Memory) -> None:
    if receiver != ME:
        _meet(known, memory, receiver)
    _place(known, thing, "I have it" if receiver == ME else f"{receiver} has it", memory)
    keep_by_giving(known, giver, receiver, thing, memory)


def _place(known: Known, thing: str, value: str, memory: Memory) -> None:
    old = known.find(THINGS, thing)
    if old is None:
        known.put(Fact(THINGS, thing, value, memory.seq, memory.seq, minute_of(memory)))
    else:
        known.renew(old, value, memory)


def _see(known: Known, memory: Memory, reading: Reading) -> None:
    """Take in what a command of one's own brought: a deed done, a list of things, a look around."""
    text, lines = memory.text, memory.text.split(LINE_BREAK)
    if len(lines) == 1 and (deed := reading.own(_OWN_DEEDS, text)):
        _move_things(known, memory, ME, deed)
    elif carried := reading.own(_CARRYING, lines[0]):
        _list(known, carried, "I have it", memory, reading)
        _look_inside(known, lines[1:], memory, reading)
    elif len(lines) > 1 and reading.own(_EXITS, lines[-1]):  # under the room's title, which need not be its id
        _look_around(known, lines[1:-1], memory, reading)
    elif reading.own(_INSIDE, lines[0]):
        _look_inside(known, lines, memory, reading)
    elif len(lines) == 1 and reading.own(_GOING, text):
        keep_appointments(known, ME, memory)


def _look_around(known: Known, lines: list[str], memory: Memory, reading: Reading) -> None:
    present = reading.own(_COMPANY, lines[-1]) if lines else None
    lines = lines[:-1] if present else lines
    for name in reading.names(present.values["who"]) if present and "who" in present.values else ():
        _meet(known, memory, name)
    lying = reading.own(_LYING, lines[-1]) if lines else None
    _list(known, lying, f"it lies in {memory.room}", memory, reading)


def _look_inside(known: Known, lines: list[str], memory: Memory, reading: Reading) -> None:
    for line in lines:
        if (inside := reading.own(_INSIDE, line)) and "container" in inside.values:
            _list(known, inside, f"it lies in the {inside.values['container']}", memory, reading)


def _list(known: Known, seen: Deed | None, value: str, memory: Memory, reading: Reading) -> None:
    """Take in a whole list of things: what was believed to be in it and is not, has gone who knows where."""
    names = reading.things(seen.values.get("things", "")) if seen else []
    if names is None:
        return
    for name in names:
        _place(known, name, value, memory)
    listed = {name.casefold() for name in names}
    for fact in list(known.facts.values()):
        if fact.section == THINGS and fact.value == value and fact.subject.casefold() not in listed:
            known.renew(fact, "", memory)
