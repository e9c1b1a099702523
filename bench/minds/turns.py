"""The acts of an agent in one turn, as the checks see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from world.events import Dropped, Emoted, Event, Gave, Paged, Said, Shouted, Took, Whispered
from world.game import CommandResult
from world.parsing import parse_line

CHANNELS = {Said: "say", Whispered: "whisper", Paged: "tell", Shouted: "shout"}


@dataclass(frozen=True)
class Act:
    """A command that somebody gave. `line` is verb and arguments, without the private reason."""

    who: str
    line: str
    performed: CommandResult

    @property
    def verb(self) -> str:
        """The command's own name, whichever alias was typed."""
        return self.performed.verb or self.line.partition(" ")[0]


@dataclass(frozen=True)
class Speech:
    """Words that somebody spoke: `channel` is say, whisper, tell or shout; `to` is for whom, or empty for all."""

    who: str
    channel: str
    to: str
    text: str


@dataclass(frozen=True)
class PlayedTurn:
    """One turn of an agent.

    `acts` are its commands, including refused ones. `people` are all whom the situation knows by name. `before` has
    everybody's acts before the turn, oldest first. `room` is the agent's room at the end of the turn, and `carries` its
    things then. `theirs` are words for belongings or losses of others.
    """

    agent: str
    acts: tuple[Act, ...]
    people: frozenset[str]
    before: tuple[Act, ...]
    room_before: str
    room: str
    carries: frozenset[str]
    theirs: tuple[str, ...] = ()
    failure: str = ""

    @property
    def speeches(self) -> tuple[Speech, ...]:
        """The speeches of the agent in this turn."""
        return tuple(speeches_in(self.acts))

    @property
    def poses(self) -> tuple[str, ...]:
        """The emotes of the agent in this turn."""
        return tuple(event.text for event in self.events if isinstance(event, Emoted) and not event.is_scripted)

    @property
    def events(self) -> tuple[Event, ...]:
        """The events of the agent's acts."""
        return tuple(
            event for act in self.acts for event in act.performed.events if event.actor_id in (self.agent, act.who)
        )

    @property
    def heard(self) -> tuple[str, ...]:
        """The speeches of others before the turn."""
        return tuple(speech.text for speech in speeches_in(self.before) if speech.who != self.agent)

    @property
    def own_lines(self) -> tuple[str, ...]:
        """The lines of the agent before the turn."""
        return tuple(act.line for act in self.before if act.who == self.agent)

    @property
    def refusals(self) -> tuple[str, ...]:
        """The reasons why commands of the turn were refused."""
        return tuple(act.performed.refusal for act in self.acts if act.performed.refusal)

    def took(self, thing: str) -> bool:
        """Return whether the agent picked a thing up in this turn."""
        return any(isinstance(event, Took) and event.thing_id == thing for event in self.events)

    def dropped(self, thing: str) -> bool:
        """Return whether the agent put a thing down in this turn."""
        return any(isinstance(event, Dropped) and event.thing_id == thing for event in self.events)

    def gave(self, thing: str, to: str) -> bool:
        """Return whether the agent handed a thing to somebody in this turn."""
        return any(isinstance(event, Gave) and (event.thing_id, event.to_id) == (thing, to) for event in self.events)


def act_of(who: str, text: str, performed: CommandResult) -> Act:
    """Return a line that was performed as an act."""
    line = parse_line(text)
    return Act(who, f"{line.verb} {line.arguments}".strip(), performed)


def speeches_in(acts: Iterable[Act]) -> Iterable[Speech]:
    """Yield the speeches in some acts; those that a table of reactions makes somebody say do not count."""
    for act in acts:
        for event in act.performed.events:
            channel = CHANNELS.get(type(event), "")
            if channel and event.actor_id == act.who and not getattr(event, "is_scripted", False):
                yield Speech(act.who, channel, getattr(event, "to_id", ""), event.text)  # type: ignore[attr-defined]
