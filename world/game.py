"""The game: lines come in by `perform`, what happens goes out to everyone who perceives it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from world.command import CommandTable
from world.errors import CommandError
from world.events import Announced, Arrived, Event, Left, Refused, Saw, Told
from world.following import end_followings
from world.hush import await_answers, is_hushed, is_talk, take_answer
from world.life.clock import Moment, parts_begun
from world.life.reacting import Chance, reactions_of_time, reactions_to
from world.model import Character, World
from world.narration import is_speech_for, narrate, outlook, perceivers
from world.note_names import name_key
from world.parsing import MAX_LINE_BYTES, Line, parse_line
from world.people import names_known_to
from world.preferences import own_aliases
from world.shorthand import AGAIN, expanded, is_kept

log = logging.getLogger(__name__)

AFK = "afk"
"""The command after which alone somebody is not back."""

Observer = Callable[[Event, str], None]


@dataclass(frozen=True)
class Performed:
    """What became of one line. `verb` is the command that was meant, or empty; `refusal` says why it was not done."""

    verb: str
    events: tuple[Event, ...]
    refusal: str = ""

    @property
    def accepted(self) -> bool:
        return not self.refusal


class Game:
    """A world, its commands and its observers.

    Each character has at most one observer, called with every event that the character perceives and the sentence
    it gets of it. An observer never calls `perform`; one that fails is logged and the rest go on.
    `on_events` is called once a line with everything that happened, before any observer, to save what changed.
    `on_performed` is told of every line, with who typed it, before anybody perceives what came of it.
    `chance` says whether something comes true that does so once in so many times. No line becomes longer than
    `max_line_bytes` by what its author has a word of its own for.
    """

    def __init__(
        self,
        world: World,
        commands: CommandTable,
        on_events: Callable[[tuple[Event, ...]], None] = lambda events: None,
        chance: Chance = lambda times: times == 1,
        max_line_bytes: int = MAX_LINE_BYTES,
    ) -> None:
        self.world = world
        self.commands = commands
        self.on_events = on_events
        self.on_performed: Callable[[str, str, Performed], None] = lambda character_id, text, performed: None
        self._chance = chance
        self.max_line_bytes = max_line_bytes
        self._observers: dict[str, Observer] = {}

    def perform(self, character_id: str, text: str) -> Performed:
        """Do what a character typed and let everyone perceive it. Never raises: a refusal is an event too."""
        actor = self.world.characters.get(character_id)
        if actor is None:
            log.error("%r typed a line and is nobody here", character_id)
            return Performed("", (), self.world.wording("commands.went_wrong"))
        board = self.world.board
        first_shared, verb, refusal = board.next_id, "", ""
        back, events = list[Event](), list[Event]()
        try:
            text = self._in_full(actor, text)
            line = parse_line(text)
            if not line.verb:
                return Performed("", ())
            meant = self.commands.get(line.verb)
            verb = meant.verb if meant else ""
            board.begin_turn(character_id)
            back = self._come_back(actor, line)
            verb, events = self._act(actor, line)
        except CommandError as error:
            refusal = str(error)
        except Exception:
            log.exception("%s typed a line and %r failed", character_id, verb)
            refusal = self.world.wording("commands.went_wrong")
        if refusal:
            board.fail_turn(character_id, first_shared)
            events = [Refused(character_id, refusal)]
        performed = Performed(verb, (*back, *events), refusal)
        self._note(character_id, text, performed)
        await_answers(actor, performed.events, self.world)
        self.publish(performed.events)
        for event in performed.events:
            self._react(reactions_to(event, self.world, self._chance))
        return performed

    def pass_time(self, now: Moment) -> None:
        """Let it be another time: the light changes, and what was to happen by now happens."""
        before, self.world.moment = self.world.moment, now
        for part in parts_begun(before, now) if before.minutes else []:
            self.publish((Announced("", self.world.wording(f"life.{part}_comes")),))
        if before.minutes and now.minutes > before.minutes:
            self._react(reactions_of_time(before, now, self.world, self._chance))

    def tell(self, character_id: str, text: str) -> None:
        """Give one character a message from the world itself."""
        self.publish((Told(character_id, text),))

    def wake(self, character_id: str, observer: Observer) -> None:
        """Bring a character into the world; from now on `observer` is called with what it perceives."""
        self._observers[character_id] = observer
        actor = self.world.characters[character_id]
        if not actor.awake:
            actor.awake = True
            self.publish((Arrived(character_id, actor.room_id),))

    def sleep(self, character_id: str) -> None:
        """Take a character out of the world; what it carries stays with it."""
        self._observers.pop(character_id, None)
        actor = self.world.characters[character_id]
        if actor.awake:
            actor.awake = False
            self.publish((Left(character_id, actor.room_id, "", ""),))

    def publish(self, events: tuple[Event, ...]) -> None:
        """Let everyone perceive what happened, in order. What could not be saved has happened all the same."""
        viewers = [perceivers(event, self.world) for event in events]
        for event in events:
            if isinstance(event, Left):
                self.world.board.leave(event.actor_id, event.room_id)
                end_followings(self.world, event.actor_id)  # who is left behind was still to perceive it
        try:
            self.on_events(events)
        except Exception:
            log.exception("saving what happened failed: %s", ", ".join(type(event).__name__ for event in events))
        for event, present in zip(events, viewers, strict=True):
            sentences: dict[tuple[object, ...], str] = {}
            for viewer in present:
                self._show(event, viewer, sentences)

    def _in_full(self, actor: Character, text: str) -> str:
        """Return what a line stands for: the last one, or what its author has a word of its own for."""
        doings = actor.doings
        if text.strip().lower() not in AGAIN:
            doings.last_line = text if is_kept(text) else ""
        elif doings.last_line:
            text = doings.last_line
        if not actor.preferences:
            return text
        return expanded(text, own_aliases(actor), self.world.wording, self.max_line_bytes)

    def _come_back(self, actor: Character, line: Line) -> list[Event]:
        """Let somebody who was away be back, unless it says that it is away."""
        found = self.commands.get(line.verb)
        if actor.doings.away is None or (found and found.verb == AFK):
            return []
        actor.doings.away = None
        return [Saw(actor.character_id, self.world.wording("comforts.back"))]

    def _act(self, actor: Character, line: Line) -> tuple[str, list[Event]]:
        world = self.world
        names = {name_key(name): exit for name, exit in world.room_of(actor).ways.items()}
        typed = name_key(f"{line.verb} {line.arguments}".strip())
        if self.commands.get(line.verb) is None and typed in names and (go := self.commands.get("go")):
            return go.verb, go.act(world, actor, exit=names[typed].name)
        found = self.commands.find(line.verb, actor, world.wording, names)
        arguments = found.arguments_in(line.arguments, world.wording, names_known_to(world, actor))
        return found.verb, found.act(world, actor, **arguments)

    def _note(self, character_id: str, text: str, performed: Performed) -> None:
        try:
            self.on_performed(character_id, text, performed)
        except Exception:
            log.exception("a line of %s could not be noted", character_id)

    def _react(self, reactions: Iterator[list[Event]]) -> None:
        """Publish what happens because of something; a table that fails is logged, and nothing else is affected."""
        try:
            for events in reactions:
                self.publish(tuple(events))
        except Exception:
            log.exception("a reaction failed")

    def _show(self, event: Event, viewer: Character, sentences: dict[tuple[object, ...], str]) -> None:
        """Let one viewer perceive an event. `sentences` has what it is to others so far, by their outlook."""
        observer = self._observers.get(viewer.character_id)
        if observer is None:
            return
        try:
            alike = outlook(event, viewer, self.world)
            sentence = sentences.get(alike)
            if sentence is None:
                sentence = sentences[alike] = narrate(event, viewer, self.world)
            hushed = bool(viewer.preferences) and is_hushed(event, viewer, self.world)
            heard = is_talk(event) if hushed else is_speech_for(event, viewer.character_id)
            if heard and not viewer.is_agent:
                viewer.doings.heard.append(sentence)
            if not hushed:
                if viewer.doings.asked_ids:
                    take_answer(event, viewer)
                observer(event, sentence)
        except Exception:
            log.exception("the observer of %s failed on %s", viewer.character_id, type(event).__name__)
