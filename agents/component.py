"""The seam between an agent and the components of its mind: what one is given, and what it adds to a prompt."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol, runtime_checkable

from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.view import View
from agents.offer import Act, Occasion
from vault.memory.memory_line import Memory
from vault.vault import Vault
from world.entities import Character
from world.events import Event
from world.message_catalog import Wording
from world.world import World


@dataclass(frozen=True)
class Turn:
    """The outcome of one turn: the line done, the reason why it went no better, and the cause of the turn.

    `outcome` is `acted`, `refused`, `speechless`, `failed`, or `silent` where it would only have repeated its own
    words. Without a request to a model it is `paused`, `asleep`, `resting` while nothing is worth a thought, or
    `listening` while somebody else is about to answer. `cause` is the engine's decision: answer, deliver, errand,
    greet, free or rest.
    """

    outcome: str
    line: str = ""
    why: str = ""
    cause: str = field(default="", compare=False)


TurnKind = Literal["speech", "action"]


@dataclass(frozen=True)
class Section:
    """A part of a prompt, by the name of the slot that it fills.

    `text` may hold several lines. `max_tokens` cuts it, at a line's end; None is no limit of its own. Of a prompt that
    is too long, sections with a higher `gives_way` are left out first: 3 and more before the tail is shortened, 1 and 2
    when its oldest lines are gone; 0 stays. `shows` are the numbers of the memories that the text tells, and `scores`
    how well what was retrieved fits: by a memory's number, or a note's title.
    `is_aside` puts it, in a talk, right before the words to be answered. `names` are other names by
    which a prompt for a talk calls people, as a guest is called by the name that they have told.
    """

    name: str
    text: str
    max_tokens: int | None = None
    gives_way: int = 0
    shows: frozenset[int] = frozenset()
    is_aside: bool = False
    names: Mapping[str, str] = field(default_factory=dict)
    scores: Mapping[int | str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Moment:
    """The occasion of one turn, at the instant in which its prompt is made.

    `company` are the others that the agent can see; `partner` is the one it should talk with in a speech turn, and
    `heard` are the partner's words that wait for an answer, a line for each speech, or empty.
    `left_out` counts the oldest memories of the view's tail that the prompt has no room for. `told` is the text of the
    sections before this one. `count_tokens` is the model's own count; `budget_tokens` bounds the whole prompt.
    `hearers` are the names of all who will hear what the agent says, by default the company: what is private stands in
    the prompt only if all of them know of it. `cause` is why the turn is taken, `offers` are the labels of what may be
    done along with words. `tells_heard` is true if the layout itself tells the words that are answered.
    """

    world: World
    actor: Character
    now_ms: int
    view: View
    company: tuple[Character, ...] = ()
    kind: TurnKind = "action"
    partner: Character | None = None
    budget_tokens: int = 8192
    count_tokens: Callable[[str], int] = len
    left_out: int = 0
    told: str = ""
    heard: str = ""
    hearers: frozenset[str] = frozenset()
    cause: str = ""
    offers: tuple[str, ...] = ()
    tells_heard: bool = False

    def __post_init__(self) -> None:
        if not self.hearers:
            object.__setattr__(self, "hearers", frozenset(one.name for one in self.company))


class Component(Protocol):
    """A part of a mind. It never performs a command; if it raises, it is logged and switched off.

    `name` is the name of its slot in templates. A section without a slot of its own goes to `{known}`.
    """

    @property
    def name(self) -> str: ...

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Take in a memory as it is recorded; `event` is what it came from, None for the agent's own command."""

    def context(self, moment: Moment) -> Section | None:
        """Return the section to add to the prompt of this moment, or None."""

    def acted(self, turn: Turn) -> None:
        """Take in what came of a turn."""


@dataclass(frozen=True)
class Owner:
    """The agent that a component is made for.

    `rng` is the component's own, the same at every start. `reading` reads what is narrated in the world's language.
    `names_of` returns the names by which people speak of somebody, first the one that they have told, as guests do.
    """

    name: str
    vault: Vault
    now_ms: Callable[[], int]
    rng: random.Random
    reading: NarrationParser = ENGLISH
    names_of: Callable[[str], tuple[str, ...]] = lambda who: (who,)


class AddedComponent:
    """A component that tells and keeps nothing. What derives from it is added to every mind; see docs/extending.md.

    Its section goes to its own slot, or else to `{known}`. It may offer acts besides. What was whispered it hears and
    sees withheld, but for the words that a private answer is for: its section stands in that prompt alone. One that
    raises, that takes longer than a second, or whose section is none of its own is switched off.
    """

    name: ClassVar[str] = ""

    def __init__(self, owner: Owner) -> None:
        self.owner = owner

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Take in a memory as it is recorded; `event` is what it came from, None for the agent's own command."""

    def context(self, moment: Moment) -> Section | None:
        """Return the section to add to the prompt of this moment, or None."""
        return None

    def offers(self, now: Occasion) -> Iterable[Act]:
        """Return what the agent may do along with its words, beside the engine's own; see `agents.offer`."""
        return ()

    def acted(self, turn: Turn) -> None:
        """Take in what came of a turn."""


@runtime_checkable
class Described(Protocol):
    """A component that can tell people what it holds, as `@mind` does."""

    def describe(self, say: Wording) -> list[str]:
        """Return lines for a screen. Raises: NoteError if a file cannot be read."""


@dataclass(frozen=True)
class Text:
    """A component that does no more than tell something: `make` returns the text of its section."""

    name: str
    make: Callable[[Moment], str]
    gives_way: int = 0
    is_aside: bool = False

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Nothing is kept."""

    def context(self, moment: Moment) -> Section | None:
        text = self.make(moment)
        return Section(self.name, text, gives_way=self.gives_way, is_aside=self.is_aside) if text else None

    def acted(self, turn: Turn) -> None:
        """Nothing is kept."""
