"""The game: `perform` runs a line, and publishes its events (event bus) to observers and to those who perceive them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from textwrap import shorten

from world.command import Command, CommandTable
from world.entities import Character
from world.errors import CommandError, WorldError
from world.events import Announced, Arrived, Event, Left, Output, Refused, SystemMessage
from world.find import names_known_to
from world.game_time import GameTime, day_parts_started
from world.message_catalog import Wording
from world.narration import Perceptions, audience_of
from world.navigation import break_follows
from world.observers import MAX_SECONDS, ObserverCalls, Observers
from world.parsing import MAX_LINE_BYTES, REPEAT, Line, expand_alias, is_repeatable, parse_line
from world.preferences import clear_awaited, expect_replies, is_ignored, is_talk, own_aliases
from world.run_triggers import Chance, triggered_by, triggered_by_time
from world.sanitize import fold_punctuation, name_key
from world.world import World

log = logging.getLogger(__name__)

MAX_SPEECH_SHOWN = 60
"""Maximum number of characters shown of a line that lacks `say`."""

AFK = "afk"
"""The command after which alone somebody is not back."""

Observer = Callable[[Event, str], None]
EventObserver = Callable[[tuple[Event, ...]], object]


LineObserver = Callable[[str, str, "CommandResult"], object]


@dataclass(frozen=True)
class CommandResult:
    """The result of one line. `verb` is the command that was meant, or empty; `refusal` says why it was not done.

    `seconds` is how long the line took with all that came of it; it is 0 until it is over.
    """

    verb: str
    events: tuple[Event, ...]
    refusal: str = ""
    seconds: float = 0.0

    @property
    def accepted(self) -> bool:
        return not self.refusal


class Game:
    """A world, its commands and its observers.

    Observers come in three kinds. Each character has at most one, which gets the events that the character perceives
    with their sentences (`wake`). Others get all events (`subscribe`) or all lines (`subscribe_lines`). Everything
    an observer raises is logged under its name, and the rest go on. No observer may call `perform`.

    `chance` says whether something comes true that does so once in so many times. No line becomes longer than
    `max_line_bytes` by what its author has a word of its own for. `seconds` is a monotonic clock, by which observers
    are timed.
    """

    def __init__(
        self,
        world: World,
        commands: CommandTable,
        chance: Chance = lambda times: times == 1,
        max_line_bytes: int = MAX_LINE_BYTES,
        seconds: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.world = world
        self.commands = commands
        self.max_line_bytes = max_line_bytes
        self._chance = chance
        self._calls = ObserverCalls(seconds)
        self._perceiving: dict[str, Observer] = {}
        self._before = Observers[tuple[Event, ...]](self._calls, can_pause=False)
        self._after = Observers[tuple[Event, ...]](self._calls)
        self._lines_before = Observers[str, str, CommandResult](self._calls, can_pause=False)
        self._lines_after = Observers[str, str, CommandResult](self._calls)

    def subscribe(
        self, name: str, observer: EventObserver, kinds: tuple[type[Event], ...] = (), *, first: bool = False
    ) -> None:
        """Tell an observer of events: of some kinds, or of everything that happens together.

        It is called after everybody has perceived them, and left out for a while when it is slow. With `first` it is
        told before anybody perceives them, and never left out: that is for what has to be safe or known by then.
        Without `kinds` it also gets an empty tuple, when an edit of the world was taken in that nobody perceives.

        Raises: WorldError if there is an observer of that name.
        """

        def filtered(events: tuple[Event, ...]) -> None:
            if wanted := tuple(event for event in events if isinstance(event, kinds)):
                observer(wanted)

        (self._before if first else self._after).add(name, filtered if kinds else observer)

    def subscribe_lines(self, name: str, observer: LineObserver, *, first: bool = False) -> None:
        """Tell an observer who typed which line, without secrets, and what became of it; when, as for events.

        Only an observer that is not `first` learns the `seconds`. Raises: WorldError as `subscribe`.
        """
        (self._lines_before if first else self._lines_after).add(name, observer)

    def perform(self, character_id: str, text: str) -> CommandResult:
        """Do what a character typed and let everyone perceive it. A refusal is an event too.

        Raises: WorldError if an observer calls it; nothing else.
        """
        if self._calls.running:
            raise WorldError(f"The observer {self._calls.running!r} called perform; observers only look.")
        began = self._calls.seconds()
        actor = self.world.characters.get(character_id)
        if actor is None:
            log.error("%r typed a line and is nobody here", character_id)
            return CommandResult("", (), self.world.wording("commands.went_wrong"))
        text, performed = self._do(actor, text)
        if performed is None:
            return CommandResult("", ())
        text = self.commands.redact(text)
        self._lines_before.tell(character_id, text, performed)
        expect_replies(actor, performed.events, self.world)
        self.publish(performed.events)
        for event in performed.events:
            self._react(triggered_by(event, self.world, self._chance))
        if self._lines_after:
            done = replace(performed, seconds=self._calls.seconds() - began)
            self._lines_after.tell(character_id, text, done)
        return performed

    def redact(self, character_id: str, text: str) -> str:
        """Return what a character types as it may be shown and stored: see `CommandTable.redact`."""
        actor = self.world.characters.get(character_id)
        aliases = own_aliases(actor) if actor and actor.preferences else {}
        verb = parse_line(text).verb
        if verb in aliases and self.commands.redact(f"{aliases[verb]} {text}") != f"{aliases[verb]} {text}":
            return f"{verb} …"
        return self.commands.redact(text)

    def advance_time(self, now: GameTime) -> None:
        """Let it be another time: the light changes, and what was to happen by now happens."""
        before, self.world.time = self.world.time, now
        for part in day_parts_started(before, now) if before.minutes else []:
            self.publish((Announced("", self.world.wording(f"life.{part}_comes")),))
        if before.minutes and now.minutes > before.minutes:
            self._react(triggered_by_time(before, now, self.world, self._chance))

    def tell(self, character_id: str, text: str) -> None:
        """Give one character a message from the world itself."""
        self.publish((SystemMessage(character_id, text),))

    def wake(self, character_id: str, observer: Observer) -> None:
        """Bring a character into the world; from now on `observer` is called with what it perceives."""
        self._calls.forget(character_id)
        self._perceiving[character_id] = observer
        actor = self.world.characters[character_id]
        if not actor.awake:
            actor.awake = True
            self.publish((Arrived(character_id, actor.room_id),))

    def sleep(self, character_id: str) -> None:
        """Take a character out of the world; what it carries stays with it."""
        self._perceiving.pop(character_id, None)
        actor = self.world.characters[character_id]
        if actor.awake:
            actor.awake = False
            self.publish((Left(character_id, actor.room_id, "", ""),))

    def publish(self, events: tuple[Event, ...]) -> None:
        """Let everyone perceive what happened, in order. What could not be saved has happened all the same."""
        viewers = [audience_of(event, self.world) for event in events]
        for event in events:
            if isinstance(event, Left):
                self.world.board.leave(event.actor_id, event.room_id)
                break_follows(self.world, event.actor_id)  # who is left behind was still to perceive it
        self._before.tell(events)
        outer = self._calls.running
        try:
            for event, present in zip(events, viewers, strict=True):
                self._show(event, present)
        finally:
            self._calls.running = outer
        self._after.tell(events)

    def _do(self, actor: Character, text: str) -> tuple[str, CommandResult | None]:
        """Do what a line says; return it in full, and what became of it, or None if it says nothing."""
        board = self.world.board
        first_shared, verb, refusal = board.next_id, "", ""
        back, events = list[Event](), list[Event]()
        try:
            text = self._expand(actor, text, is_remembered=True)
            line = parse_line(text)
            if not line.verb:
                return text, None
            meant = self.commands.get(line.verb)
            verb = meant.verb if meant else ""
            board.begin_turn(actor.character_id)
            back = self._end_afk(actor, verb)
            found, arguments = self._resolve(actor, line, meant)
            events = found.act(self.world, actor, **arguments)
            verb = found.verb
        except CommandError as error:
            refusal = str(error)
        except Exception:
            log.exception("%s typed a line and %r failed", actor.character_id, verb)
            refusal = self.world.wording("commands.went_wrong")
        if refusal:
            board.fail_turn(actor.character_id, first_shared)
            events = [Refused(actor.character_id, refusal)]
        return text, CommandResult(verb, (*back, *events), refusal)

    def command_meant(self, character_id: str, text: str) -> Command | None:
        """Return the command that a line would do, None if it is none; nothing is done."""
        actor = self.world.characters.get(character_id)
        try:
            line = parse_line(self._expand(actor, text)) if actor else None
            if not (actor and line and line.verb):
                return None
            return self._find(actor, line, self.commands.get(line.verb))[0]
        except CommandError:
            return None

    def _expand(self, actor: Character, text: str, is_remembered: bool = False) -> str:
        """Return what a line stands for: the last one, or what its author has a word of its own for.

        A line that `is_remembered` is the last one from now on, if it can be repeated.
        """
        if fold_punctuation(text).strip().lower() in REPEAT:
            text = actor.transient.last_line or text
        elif is_remembered:
            can_repeat = is_repeatable(text) and self.commands.redact(text) == text
            actor.transient.last_line = text if can_repeat else ""
        if not actor.preferences:
            return text
        return expand_alias(text, own_aliases(actor), self.world.wording, self.max_line_bytes)

    def _end_afk(self, actor: Character, verb: str) -> list[Event]:
        """Let somebody who was away be back, unless it says that it is away."""
        if actor.transient.afk_message is None or verb == AFK:
            return []
        actor.transient.afk_message = None
        return [Output(actor.character_id, self.world.wording("comforts.back"))]

    def _resolve(self, actor: Character, line: Line, meant: Command | None) -> tuple[Command, dict[str, str]]:
        """Return the command that a line means and its arguments. `meant` is the one with its verb, if there is one.

        Raises: CommandError if the actor can mean none, or the arguments do not fit.
        """
        world, found = self.world, meant
        try:
            found, exit = self._find(actor, line, meant)
            if exit:
                return found, {"exit": exit}
            return found, found.arguments_in(line.arguments, world.wording, names_known_to(world, actor))
        except CommandError:  # "i walked here" begins with a command, whose arguments do not fit
            if self.commands.redact(f"{line.verb} {line.arguments}") != f"{line.verb} {line.arguments}":
                raise
            _check_lacks_say(actor, line, world.wording, may_be_marked=found is None)
            raise

    def _find(self, actor: Character, line: Line, meant: Command | None) -> tuple[Command, str]:
        """Return the command that a line means, and the name of the exit that the line is. Raises: CommandError."""
        if meant is not None and meant.allows(actor):
            return meant, ""
        names = {name_key(name): exit for name, exit in self.world.room_of(actor).exits_by_name.items()}
        typed = name_key(f"{line.verb} {line.arguments}".strip())
        if meant is None and typed in names and (go := self.commands.get("go")):
            return go, names[typed].name
        return self.commands.find(line.verb, actor, self.world.wording, names), ""

    def _react(self, triggers: Iterator[list[Event]]) -> None:
        """Publish what happens because of something; a table that fails is logged, and nothing else is affected."""
        try:
            for events in triggers:
                self.publish(tuple(events))
        except Exception:
            log.exception("a reaction failed")

    def _show(self, event: Event, viewers: list[Character]) -> None:
        """Let viewers perceive an event."""
        calls, perceiving, seconds = self._calls, self._perceiving, self._calls.seconds
        began = seconds()
        perceptions = Perceptions(event, self.world)
        concerned, room_id, sentence, is_heard = perceptions.concerned, "", "", False
        for viewer in viewers:
            name = viewer.character_id
            observer = perceiving.get(name)
            if observer is None:
                continue
            calls.running = name
            try:
                if viewer.room_id != room_id or name in concerned:
                    sentence, is_heard = perceptions.of(viewer)
                    room_id = "" if name in concerned else viewer.room_id  # else the next one there perceives the same
                transient = viewer.transient
                if viewer.preferences and is_ignored(event, viewer, self.world):
                    if is_talk(event) and not viewer.is_agent:
                        transient.speech_history.append(sentence)
                    continue
                if is_heard and not viewer.is_agent:
                    transient.speech_history.append(sentence)
                if transient.awaiting_reply_from:
                    clear_awaited(event, viewer)
                observer(event, sentence)
            except Exception as error:
                calls.report_failure(name, error)
            ended = seconds()
            if ended - began >= MAX_SECONDS:
                calls.report_slow(name, ended - began)
            began = ended


def _check_lacks_say(actor: Character, line: Line, wording: Wording, *, may_be_marked: bool) -> None:
    """Explain `say` to a person whose refused line is speech without it.

    Speech is known by its first word, and if it `may_be_marked`, by `?` or `!` at the end.

    Raises: CommandError.
    """
    typed = f"{line.verb} {line.arguments}".strip()
    is_speech = line.verb.strip(",.:;") in wording("commands.speech").split(", ")
    if not actor.is_agent and (is_speech or (may_be_marked and typed.endswith(("?", "!")))):
        shown = shorten(typed, MAX_SPEECH_SHOWN, placeholder="…")
        raise CommandError(wording("commands.say_it", verb=line.verb, line=shown))
