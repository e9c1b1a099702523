"""What an agent learns from its memories, one by one and by rules alone: the same memories give the same facts.

The sentences are those of `world.narration`. Nothing here asks a model, a clock or a file.
"""

from __future__ import annotations

import re

from agents.memory.hearing import Spoken, hear, keep_appointments, keep_by_giving
from agents.memory.known import ME, Known, minute_of
from vault.fact_line import BEEN_THERE, PEOPLE, PLACES, THINGS, Fact
from vault.memory_line import LINE_BREAK, Memory
from world.parsing import parse_line

PARTED_MINUTES = 30
"""After so long without a sign of somebody, the next sign is a new meeting."""

_SAYS = re.compile(
    r'(?P<who>.+?) (?:says(?: to .+?)?|(?P<privately>(?:whispers to|tells) you)), "(?P<text>.*)"', re.DOTALL
)
_FROM_AFAR = re.compile(r".+? (?:tells you|shouts from .+?), \"")
_TAKES = re.compile(r"(?P<who>.+?) takes? the (?P<thing>.+?)(?: out of the .+)?\.")
_PUTS_IN = re.compile(r"(?P<who>.+?) puts? the (?P<thing>.+?) in the (?P<container>.+)\.")
_INSIDE = re.compile(r"In the (?P<container>.+?): (?P<things>(?:an?|some) .+)\.")
_DROPS = re.compile(r"(?P<who>.+?) puts? down the (?P<thing>.+)\.")
_GIVES = re.compile(r"(?P<who>.+?) gives (?P<to>.+?) the (?P<thing>.+)\.")
_I_GIVE = re.compile(r"You give the (?P<thing>.+) to (?P<to>.+?)\.")
_LEAVES = re.compile(r"(?P<who>.+?) leaves .+ to (?P<room>.+)\.")
_COMES = re.compile(r"(?P<who>.+?) (?:arrives from .+|wakes up here)\.")
_I_CARRY = re.compile(r"You carry (?P<things>nothing|(?:an?|some) .+)\.")
_LIE_HERE = re.compile(r"You see (?P<things>.+) here\.")
_ARE_HERE = re.compile(r"(?P<people>.+) (?:is|are) here\.")
_BETWEEN_THINGS = re.compile(r"(?:, | and )(?=(?:an?|some) )")
_ARTICLE = re.compile(r"^(?:an?|some) ")


def learn(known: Known, memory: Memory, refused: bool = False) -> None:
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
            _perceive(known, memory, memory.people[0])
        case "result":
            _see(known, memory)
        case "acted" if not refused and (spoken := spoken_in(memory)):
            hear(known, spoken, memory)


def spoken_in(memory: Memory) -> Spoken | None:
    """Return what was spoken in a memory, and by whom; None if nothing was."""
    if memory.kind == "acted":
        line = parse_line(memory.text)
        to_one = line.arguments.partition(" ")[2]
        said = {"say": line.arguments, "speak": line.arguments, "whisper": to_one, "tell": to_one}
        return Spoken(ME, said[line.verb]) if line.verb in said else None
    heard = _SAYS.fullmatch(memory.text) if memory.kind in ("observed", "told") and memory.people else None
    if heard is None or heard["who"] != memory.people[0]:
        return None
    return Spoken(heard["who"], heard["text"], bool(heard["privately"]))


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


def _perceive(known: Known, memory: Memory, who: str) -> None:
    text = memory.text
    if not text.startswith(who):
        return
    came, left = _COMES.fullmatch(text), _LEAVES.fullmatch(text)
    if not _FROM_AFAR.match(text):
        _meet(known, memory, who, arrived=bool(came))
    if came:
        keep_appointments(known, who, memory)
    elif left and (seen := known.find(PEOPLE, who)):
        known.renew(seen, f"last seen in {left['room']}", memory)
    elif spoken := spoken_in(memory):
        hear(known, spoken, memory)
    else:
        _move_things(known, memory, who)


def _move_things(known: Known, memory: Memory, who: str) -> None:
    text = memory.text
    if (took := _TAKES.fullmatch(text)) and took["who"] == who:
        _place(known, took["thing"], f"{who} has it", memory)
    elif (dropped := _DROPS.fullmatch(text)) and dropped["who"] == who:
        _place(known, dropped["thing"], f"it lies in {memory.room}", memory)
    elif (put := _PUTS_IN.fullmatch(text)) and put["who"] == who:
        _place(known, put["thing"], f"it lies in the {put['container']}", memory)
    elif (gave := _GIVES.fullmatch(text)) and gave["who"] == who:
        _hand_over(known, who, ME if gave["to"] == "you" else gave["to"], gave["thing"], memory)


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


def _see(known: Known, memory: Memory) -> None:
    """Take in what a command of one's own brought: a deed done, a list of things, a look around."""
    text, lines = memory.text, memory.text.split(LINE_BREAK)
    if gave := _I_GIVE.fullmatch(text):
        _hand_over(known, ME, gave["to"], gave["thing"], memory)
    elif (took := _TAKES.fullmatch(text)) and took["who"] == "You":
        _place(known, took["thing"], "I have it", memory)
    elif (dropped := _DROPS.fullmatch(text)) and dropped["who"] == "You":
        _place(known, dropped["thing"], f"it lies in {memory.room}", memory)
    elif (put := _PUTS_IN.fullmatch(text)) and put["who"] == "You":
        _place(known, put["thing"], f"it lies in the {put['container']}", memory)
    elif carried := _I_CARRY.fullmatch(lines[0]):
        _list(known, carried["things"], "I have it", memory)
        _look_inside(known, lines[1:], memory)
    elif len(lines) > 1 and lines[-1].startswith("Exits: "):  # under the room's title, which need not be its id
        _look_around(known, lines[1:-1], memory)
    elif _INSIDE.fullmatch(lines[0]):
        _look_inside(known, lines, memory)
    elif text.startswith("You go ") and text.endswith(f" to {memory.room}."):
        keep_appointments(known, ME, memory)


def _look_around(known: Known, lines: list[str], memory: Memory) -> None:
    present = _ARE_HERE.fullmatch(lines[-1]) if lines else None
    lines = lines[:-1] if present else lines
    for name in re.split(r", | and ", present["people"]) if present else ():
        _meet(known, memory, name)
    lying = _LIE_HERE.fullmatch(lines[-1]) if lines else None
    _list(known, lying["things"] if lying else "nothing", f"it lies in {memory.room}", memory)


def _look_inside(known: Known, lines: list[str], memory: Memory) -> None:
    for line in lines:
        if inside := _INSIDE.fullmatch(line):
            _list(known, inside["things"], f"it lies in the {inside['container']}", memory)


def _list(known: Known, text: str, value: str, memory: Memory) -> None:
    """Take in a whole list of things: what was believed to be in it and is not, has gone who knows where."""
    names = [_ARTICLE.sub("", one) for one in _BETWEEN_THINGS.split(text)] if text != "nothing" else []
    for name in names:
        _place(known, name, value, memory)
    listed = {name.casefold() for name in names}
    for fact in list(known.facts.values()):
        if fact.section == THINGS and fact.value == value and fact.subject.casefold() not in listed:
            known.renew(fact, "", memory)
