"""The fields of a memory that say who did what to whom, so that nothing has to read its sentence for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from world.command import CommandTable
from world.entities import Character
from world.events import (
    Arrived,
    Dropped,
    Emoted,
    Event,
    Gave,
    Left,
    Paged,
    PutIn,
    ReadThing,
    Said,
    Shouted,
    Took,
    TookFrom,
    Used,
    Whispered,
    Wrote,
)
from world.find import names_known_to
from world.parsing import parse_line
from world.world import World

VERBS: Mapping[type[Event], str] = {
    Said: "said",
    Whispered: "whispered",
    Paged: "told",
    Shouted: "shouted",
    Emoted: "posed",
    Arrived: "arrived",
    Left: "left",
    Gave: "gave",
    Took: "took",
    Dropped: "dropped",
    PutIn: "put",
    TookFrom: "took",
    Used: "used",
    ReadThing: "read",
    Wrote: "wrote",
}
"""The first word of `[event::]`, by the class of event; behind it stands the thing that it was done with, if any."""

SPEAKING: Mapping[str, str] = {"say": "said", "whisper": "whispered", "tell": "told", "reply": "told"}
"""The event of a line that an agent types, by the command's verb."""

PRIVATE = frozenset({"whisper", "tell", "reply"})


@dataclass(frozen=True)
class TypedEvent:
    """Who did what to whom, by the names that everybody sees.

    `by` is empty for the agent's own acts, `parties` for what is not private.
    """

    by: str = ""
    to: str = ""
    event: str = ""
    parties: tuple[str, ...] = ()


NO_EVENT = TypedEvent()


def typed_event(event: Event, name: str, world: World, is_addressed: bool = False) -> TypedEvent:
    """Return the fields of an event for the memory of the agent called `name`."""
    verb = VERBS.get(type(event), "")
    who = world.characters.get(event.actor_id)
    if not verb or who is None:
        return NO_EVENT
    to_id = getattr(event, "to_id", "") or getattr(event, "meant_for_id", "") or (name if is_addressed else "")
    to = world.characters[to_id].name if to_id in world.characters else ""
    thing = world.things.get(getattr(event, "thing_id", ""))
    is_private = isinstance(event, Whispered | Paged) and name in (event.actor_id, to_id)
    return TypedEvent(
        "" if event.actor_id == name else who.name,
        to,
        _plain(f"{verb} {thing.name}" if thing else verb),
        (who.name, to) if is_private else (),
    )


def typed_line(line: str, actor: Character, world: World, commands: CommandTable) -> TypedEvent:
    """Return the fields of a line that an agent is about to do; only of speech, the rest is an event of its own."""
    typed = parse_line(line)
    command = commands.get(typed.verb)
    event = SPEAKING.get(command.verb, "") if command else ""
    if not command or not event:
        return NO_EVENT
    if command.verb not in PRIVATE:
        partner = world.characters.get(actor.transient.speaks_to_id)
        return TypedEvent("", partner.name if partner else "", event)
    if command.verb == "reply":
        asked = world.characters.get(actor.transient.reply_to_id)
        return TypedEvent("", asked.name if asked else "", event, (actor.name, *([asked.name] if asked else [])))
    found = command.read(typed.arguments, names_of=names_known_to(world, actor)) or {}
    wanted = found.get("person") or found.get("anyone") or typed.arguments.partition(" ")[0]
    other = world.characters.get(world.characters.id_ignoring_case(wanted) or "")
    to = other.name if other else _plain(wanted)
    return TypedEvent("", to, event, (actor.name, to))


def _plain(text: str) -> str:
    """Return a text that can stand in a field of a journal line."""
    return text.replace("[", "(").replace("]", ")").replace(",", "")
