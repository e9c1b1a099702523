"""The perception of an agent: its memory of an event, who addressed it, and whether the event is worth a thought."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from agents.attending.conversation import is_question
from agents.attending.typed_events import TypedEvent, typed_event
from agents.memory.importance import event_importance
from vault.memory.memory_line import DEFAULT_IMPORTANCE
from world.entities import Character
from world.events import Arrived, Emoted, Event, Gave, Left, Paged, Said, Shouted, SystemMessage, Thought, Whispered
from world.world import World

CHANNELS = ("say", "whisper", "tell")
"""The verbs that answer somebody, by how they spoke."""


MOST_LINES = 4
"""Maximum number of speeches of one person that wait for an answer; of more, the newest are answered."""

MOST_WAITING = 4
"""Maximum number of people, or channels of one, that wait in a row; of more, the second is not answered."""


@dataclass(frozen=True)
class Address:
    """The speeches to an agent since its last turn, and the one to answer.

    `by_id` spoke last, a person before an agent; `channel` is the verb that answers: say, whisper or tell. `by_person`
    is true if that is a person and not an agent, `from_afar` if they may be anywhere. `is_gift` is true if they gave it
    something instead of speaking, `with_gift` if they gave it something besides. `text` are the words: a line for each
    speech of one person, up to the first that asks. What they have said since waits for an answer of its own, in
    `later`; behind a question so does, in `then`, what another person has said, or the same in another channel.
    """

    spoken: bool = False
    by_person: bool = False
    from_afar: bool = False
    by_id: str = ""
    channel: str = "say"
    is_gift: bool = False
    text: str = ""
    with_gift: bool = False
    later: tuple[str, ...] = ()
    then: Address | None = None

    def __or__(self, other: Address) -> Address:
        """Return what is to be answered when both were heard, the other one later."""
        if not other.spoken or (self.by_person and not other.by_person):
            return self
        if not self.by_person:
            return other
        is_same = (self.by_id, self.channel) == (other.by_id, other.channel)
        if self.then or (not is_same and any(map(is_question, self.lines))):
            then = self.then | other if self.then else other
            return replace(self, then=then if then.count < MOST_WAITING else then.then)
        if self.is_gift and is_same and not any(map(is_question, other.lines)):
            return replace(other, with_gift=True)  # "Thought you would want it." goes with the thing
        if self.is_gift or not is_same:
            return other
        if other.is_gift:
            return replace(self, with_gift=True)  # words ask for more of an answer than the thing that came with them
        lines = dict.fromkeys([*self.lines, *other.lines])
        return replace(other, with_gift=self.with_gift).of_lines(list(lines)[-MOST_LINES:])

    @property
    def count(self) -> int:
        """How many answers are due, speeches of one person in a row counted once."""
        return sum(1 for _ in self.each())

    def each(self) -> Iterator[Address]:
        """Yield this and what waits behind it, in the order of the answers."""
        yield self
        if self.then:
            yield from self.then.each()

    @property
    def lines(self) -> list[str]:
        """All speeches that wait, oldest first."""
        return [*self.text.split("\n"), *self.later]

    def rest(self) -> Address:
        """Return what waits still when this has been answered."""
        if self.later:
            return replace(self, with_gift=False).of_lines(self.later)
        return self.then or Address()

    def of_lines(self, lines: Sequence[str]) -> Address:
        """Return the same of other speeches: those up to the first that asks, and the others for later."""
        end = next((at for at, line in enumerate(lines, 1) if is_question(line)), len(lines))
        return replace(self, text="\n".join(lines[:end]), later=tuple(lines[end:]))


def address(event: Event, world: World) -> Address:
    """Return what an event by which an agent was spoken to says of that."""
    who = world.characters[event.actor_id]
    match event:
        case Paged(text=text):
            channel = "tell"
        case Whispered(text=text):
            channel = "whisper"
        case Said(text=text):
            channel = "say"
        case _:
            channel, text = "say", ""
    return Address(True, not who.is_agent, channel == "tell", who.character_id, channel, isinstance(event, Gave), text)


def is_overheard(address: Address, world: World, actor: Character) -> bool:
    """Return whether a third would hear an answer to somebody's words."""
    return address.channel == "say" and world.count_occupants(actor.room_id) > 2


@dataclass(frozen=True)
class Impression:
    """The impression of an event on one agent: the kind of memory, who did what, and whether it was spoken to."""

    kind: str
    people: tuple[str, ...] = ()
    importance: int = DEFAULT_IMPORTANCE
    addressed: bool = False
    typed: TypedEvent = field(default_factory=TypedEvent)


def impression(
    event: Event, name: str, world: World, is_first: bool = False, has_floor: bool = False
) -> Impression | None:
    """Return the impression of an event on the agent called `name`, or None for events that it remembers otherwise.

    What it says and thinks itself stands in its memory already: as the command that it typed. `is_first` says that it
    has not met the actor, or not been to the place, before; `has_floor` that words are for it to answer.
    """
    own = event.actor_id == name
    asked = not getattr(event, "is_scripted", False)
    if own and asked and isinstance(event, Said | Emoted | Whispered | Paged | Shouted | Thought):
        return None
    privately = isinstance(event, Whispered | Paged) and event.to_id == name
    addressed = privately or (not own and isinstance(event, Said) and has_floor)
    given = isinstance(event, Gave) and not own and event.to_id == name and event.actor_id in world.characters
    told = privately or (own and isinstance(event, SystemMessage))
    return Impression(
        "told" if told else "result" if own else "observed",
        (world.characters[event.actor_id].name,) if event.actor_id in world.characters and not own else (),
        event_importance(event, name, addressed, is_first),
        addressed or given,
        typed_event(event, name, world, addressed),
    )


LATELY_MS = 300_000
"""The time after somebody's act during which something counts as having happened lately, in milliseconds."""


class Attention:
    """The attention of an agent: whether anything has drawn it since the last turn.

    With `think_when` set to `near`, only people and the world keep an agent awake. An act of another agent draws one
    thought at most; otherwise two agents would keep each other awake for ever with nobody there to see it.
    """

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._people_until = 0
        self._stirred = False

    def take_in(self, event: Event, world: World) -> None:
        """Take in something that the agent has perceived."""
        if is_person(event.actor_id, world):
            self._people_until = self._now_ms() + LATELY_MS

    def stir(self) -> None:
        """Let the next turn be taken although nobody is near: something asks for a thought."""
        self._stirred = True

    @property
    def is_stirred(self) -> bool:
        """True if something asks for a thought."""
        return self._stirred

    def begin_turn(self) -> None:
        """Reset the attention: the turn sees everything that has drawn it."""
        self._stirred = False

    def is_drawn(self, when: str, addressed: bool, world: World, actor: Character) -> bool:
        """Return whether a turn is to be taken, `when` being the setting `think_when`."""
        match when:
            case "always":
                return True
            case "addressed":
                return addressed
            case _:
                return self._stirred or self._now_ms() < self._people_until or is_person_near(world, actor)


def is_worth_a_thought(event: Event, name: str, world: World) -> bool:
    """Return whether the agent called `name` should think soon because of an event, beside being spoken to.

    A person comes or goes, it is given something, or the world tells it something. Agents come and go all day: if
    they hurried each other, a full room would never rest.
    """
    match event:
        case Gave(to_id=to_id):
            return to_id == name
        case SystemMessage():
            return event.actor_id == name
        case Arrived() | Left():
            return event.actor_id != name and is_person(event.actor_id, world)
        case _:
            return False


def is_person(character_id: str, world: World) -> bool:
    """Return whether somebody is a person and not an agent."""
    found = world.characters.get(character_id)
    return found is not None and not found.is_agent


def is_person_near(world: World, actor: Character) -> bool:
    """Return whether a person is awake in the same room, or in one that an exit leads to."""
    rooms = {actor.room_id, *(exit.room_id for exit in world.room_of(actor).exits.values())}
    return any(not one.is_agent for room_id in rooms for one in world.characters.first_at(room_id, "awake"))
