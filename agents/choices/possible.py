"""The commands that an agent can type here and now, its affordances, with the names that fit; and its situation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from agents.attending.conversation import Manners
from agents.attending.perception import Address
from agents.components.errands import Step
from world.command import NAME_PLACEHOLDERS, Command, CommandTable, Word
from world.commands.items import reachable_things, readable, usables, writables
from world.entities import Character, Exit, Room
from world.find import Target, names_known_to, visible_targets
from world.message_catalog import Wording
from world.navigation import party, shortest_path
from world.parsing import Named, candidates, parse_line
from world.room_view import visible_characters
from world.world import World

NOTHING = ""
"""The choice of leaving an optional placeholder out."""

SKIPPED = ("to ", "at ", "up ")
"""Words that commands skip in front of a name (`look at lamp`); names that begin with one cannot be typed in full."""


@dataclass(frozen=True)
class Form:
    """One command as it can be typed now.

    `choices` holds the possible values by kind of placeholder; `NOTHING` leaves an optional one out. A kind that is
    missing is free text.
    """

    command: Command
    choices: Mapping[str, tuple[str, ...]]

    def choosing(self, kind: str, choices: Iterable[str]) -> Form:
        """Return the form with other choices for one kind."""
        return replace(self, choices={**self.choices, kind: tuple(choices)})


Possible = Mapping[str, Form]
"""The forms of all commands that can be done now, by verb."""


@dataclass(frozen=True)
class _Spot:
    """The surroundings of one actor, by kind of placeholder; `one_word` asks for names without a space."""

    world: World
    actor: Character

    def names(self, kind: str, one_word: bool) -> tuple[str, ...]:
        offered = _OFFERED[kind](self.world, self.actor) if kind in _OFFERED else []
        among = _AMONG[kind](self.world, self.actor) if kind in _AMONG else offered
        typed = (_typed(item, among, one_word) for item in offered)
        return tuple(dict.fromkeys(name for name in typed if name))


def possible(world: World, actor: Character, table: CommandTable) -> Possible:
    """Return the commands that `actor` can do now, by verb, in the table's order.

    Left out are commands that are hidden from agents, those above the actor's role, and those with a gap that
    nothing here can fill. Every line that a form can spell will be accepted.
    """
    spot = _Spot(world, actor)
    forms = (_form(one, spot) for one in table if one.is_listed_for(actor))
    return {form.command.verb: form for form in forms if form}


def _form(command: Command, spot: _Spot) -> Form | None:
    choices: dict[str, tuple[str, ...]] = {}
    for word in command.words:
        if not word.kind or _is_free(command, word):
            continue
        found = _choices(command, word, spot)
        if command.verb == "follow":
            found = tuple(name for name in found if name not in _following_or_followed(spot))
        if not found:
            return None
        choices[word.kind] = found
    return _checked(Form(command, choices), spot)


def _following_or_followed(spot: _Spot) -> set[str]:
    """Return the names of the people whom the actor cannot begin to follow: the one it follows, and its followers."""
    gone_along = {one.character_id for one in party(spot.world, spot.actor)} | {spot.actor.transient.following_id}
    items = _people(spot.world, spot.actor)
    return {_typed(one, items, one_word=False) for one in items if one.character_id in gone_along}


def _is_free(command: Command, word: Word) -> bool:
    return word.kind == "text" and not word.optional and command.verb != "emote"


def _choices(command: Command, word: Word, spot: _Spot) -> tuple[str, ...]:
    if word.kind == "text":
        return (NOTHING,) if word.optional else _poses(spot)
    last = word == command.words[-1]
    found = spot.names(
        word.kind, one_word=not last and not _before_literal(command, word) and word.kind not in NAME_PLACEHOLDERS
    )
    return (NOTHING, *found) if word.optional else found


def _before_literal(command: Command, word: Word) -> bool:
    after = command.words[command.words.index(word) + 1 :]
    return bool(after) and not after[0].kind


def _poses(spot: _Spot) -> tuple[str, ...]:
    people = [one.name for one in _people(spot.world, spot.actor)]
    things = [one.name for one in spot.world.room_of(spot.actor).details.values()]
    return tuple(poses(people, things, spot.world.wording))


def _checked(form: Form, spot: _Spot) -> Form | None:
    """Return the form without choices that the command would read as something else, such as `letter to Ana`."""
    for kind, choices in form.choices.items():
        kept = tuple(choice for choice in choices if _is_read_back(form, kind, choice, spot))
        if not kept:
            return None
        form = form.choosing(kind, kept)
    return form


def _is_read_back(form: Form, kind: str, choice: str, spot: _Spot) -> bool:
    filled = {k: choices[-1] for k, choices in form.choices.items()} | {kind: choice}
    found = form.command.read(spelt(form.command, filled), names_of=names_known_to(spot.world, spot.actor))
    return found is not None and found.get(kind) == choice


def spelt(command: Command, arguments: Mapping[str, str]) -> str:
    """Return the words behind the verb with these arguments by kind; a missing argument is `x`."""
    words = (arguments.get(word.kind, "x") if word.kind else word.text for word in command.words)
    return " ".join(word for word in words if word)


def _typed(item: Named, among: Iterable[Named], one_word: bool) -> str:
    """Return the first name that means this item and no other here, or an empty string."""
    for name in (item.name, *item.aliases, *item.name.split()):
        if (one_word and " " in name) or name.lower().startswith(SKIPPED):
            continue
        if candidates(name, among) == [item]:
            return name
    return ""


def _people(world: World, actor: Character) -> list[Character]:
    return visible_characters(world, actor.room_id, actor)


def _sights(world: World, actor: Character) -> list[Target]:
    """Return everything that can be looked at; of a crowd, only the people whom the room names."""
    seen = visible_targets(world, actor)
    if not world.is_crowded(actor.room_id):
        return seen
    return [*_people(world, actor), *(one for one in seen if not isinstance(one, Character))]


def _worth_a_look(world: World, actor: Character) -> list[Named]:
    return [one for one in _sights(world, actor) if one is not actor and not isinstance(one, Exit | Room)]


_OFFERED: Mapping[str, Callable[[World, Character], list[Named]]] = {
    "exit": lambda world, actor: list(world.room_of(actor).exits.values()),
    "person": lambda world, actor: list(_people(world, actor)),
    "sight": _worth_a_look,
    "near": lambda world, actor: [one for one in world.things_at(actor.room_id) if not one.fixed],
    # Whom to tell something else than an answer is left to models that need no help.
    "anyone": lambda world, actor: [one for one in world.awake() if one.character_id == actor.transient.reply_to_id],
    "carried": lambda world, actor: list(world.things_at(actor.character_id)),
    # Not what it carries itself: that could be the very thing to be put in.
    "container": lambda world, actor: [one for one in world.things_at(actor.room_id) if one.is_container],
    "writing": lambda world, actor: list(readable(world, actor)),
    "writable": lambda world, actor: list(writables(world, actor)),
    "usable": lambda world, actor: list(usables(world, actor)),
}

_AMONG: Mapping[str, Callable[[World, Character], list[Named]]] = {
    "sight": lambda world, actor: list(_sights(world, actor)),
    "near": lambda world, actor: list(world.things_at(actor.room_id)),
    "anyone": lambda world, actor: list(world.awake()),
    "container": lambda world, actor: [one for one in reachable_things(world, actor) if one.is_container],
}
"""Among what a name has to be the only one, where that is more than what is offered."""


def poses(people: Iterable[str], things: Iterable[str], say: Wording) -> Iterator[str]:
    """Yield every pose of `text/poses.md` that can be struck among these people and things, by their names."""
    yield from say.listed("poses.alone")
    for person in people:
        yield from say.listed("poses.with_somebody", person=person)
    for thing in things:
        yield from say.listed("poses.with_something", thing=thing)


@dataclass(frozen=True)
class Situation:
    """The situation of an agent, as the policy sees it.

    `recent` holds its own last lines, newest last. `address` names those who wait for an answer, `manners` the demands
    of the conversation. `company` are the others whom it can see. `ways_back` are the exits to where it has just been,
    `ways_to_others` the exits towards others. `errand` is the next step of its errands. `gifts` are the names of the
    last things given to it. `shunned` are verbs that would lead it round in a circle. `finds_words` is true if its
    model is worth asking for free words beside speech, such as thoughts. `delivers_to` is who is here and is to be
    told what the agent has promised to tell them, `delivers_privately` whether in a whisper.
    """

    recent: Sequence[str] = ()
    address: Address = field(default_factory=Address)
    manners: Manners = field(default_factory=Manners)
    company: tuple[Character, ...] = ()
    ways_back: frozenset[str] = frozenset()
    ways_to_others: frozenset[str] = frozenset()
    errand: Step | None = None
    shunned: frozenset[str] = frozenset()
    finds_words: bool = True
    gifts: tuple[str, ...] = ()
    delivers_to: Character | None = None
    delivers_privately: bool = False

    @property
    def verbs(self) -> list[str]:
        """The verbs of its last lines, newest first."""
        return [parse_line(line).verb for line in reversed(self.recent)]


def ways_back(room: Room, visited: Sequence[str], most: int = 2) -> frozenset[str]:
    """Return the exits of `room` that lead to the last `most` other rooms visited; ids, newest last."""
    others = [room_id for room_id in dict.fromkeys(reversed(visited)) if room_id != room.room_id]
    return frozenset(exit.name for exit in room.exits.values() if exit.room_id in others[:most])


def ways_to_others(world: World, actor: Character) -> frozenset[str]:
    """Return the exits that begin a shortest way to somebody else who is in the world, if not here."""
    rooms = {one.room_id for one in world.awake() if one is not actor}
    ways = (shortest_path(world, actor.room_id, room_id) for room_id in rooms)
    return frozenset(way[0].name for way in ways if way)
