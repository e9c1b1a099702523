"""The parts of an agent's mind, and the prompts that are made from them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from functools import partial

from agents.attending.privacy import Withholding
from agents.choices.policy import Decision
from agents.component import AddedComponent, Component, Moment, Text, Turn
from agents.component_registry import loaded_components
from agents.components.confided import Confided
from agents.components.errands import Errands, Step
from agents.components.facts import Facts, LookedUp, Retrieval, board_text
from agents.components.notice import Notice
from agents.memory.facts.file import FactRegistry
from agents.memory.journal_search import JournalSearch
from agents.memory.memory import AgentMemory
from agents.memory.retrieval import NotesIndex, Retriever
from agents.memory.view import OLDER, RECENT
from agents.offer import Act, Occasion
from agents.prompts.builder import Chat, Layout, Templates, Transcript, build, checked, sections_of
from agents.prompts.prompt import Prompt
from agents.prompts.scene import command_list, here_text, place_text, scene_text
from agents.prompts.talk import Talk, examples
from agents.turn.asking import Question
from vault.entities.agent_notes import AgentNote, PlanNote
from vault.memory.memory_line import Memory
from world.entities import Character
from world.events import Event, Recalled
from world.game import Game
from world.message_catalog import Wording
from world.parsing import split_reason
from world.room_view import visible_characters
from world.world import World

log = logging.getLogger(__name__)

TEXTS = ("profile", "commands", "yesterday", "older", "recent", "board", "offers", "scene", "place", "here")
"""The components that are texts and nothing more."""


def component_names() -> tuple[str, ...]:
    """Return the names of all components that a mind can have, those of installed packages included, sorted."""
    return tuple(sorted(loaded_components().names.union(TEXTS)))


@dataclass(frozen=True)
class Knowledge:
    """The knowledge of an agent: its memory, facts known by rule, the search of its journal, and what it withholds."""

    memory: AgentMemory
    facts: FactRegistry
    finder: JournalSearch
    withhold: Withholding


class Mind:
    """The components of one agent, in the order of its prompt.

    `notice` returns the text about its own repetition. `more` are further components. `on_trouble` is called with the
    texts for admins.
    """

    def __init__(
        self,
        note: AgentNote,
        templates: Templates,
        game: Game,
        knowledge: Knowledge,
        notice: Callable[[Wording], str],
        more: Iterable[Component] = (),
    ) -> None:
        self.on_trouble: Callable[[str], None] = lambda text: None
        memory, vault = knowledge.memory, knowledge.memory.journal.vault
        self._unknown: set[str] = set()
        self._withhold = knowledge.withhold
        self._talked_with = ""
        self._note = note
        self._templates = templates
        self._memory = memory
        self._game = game
        self._talk = Talk(note.name, memory.reading, lambda: game.world.wording)
        known = Facts(knowledge.facts, lambda: memory.settings, self._parties_of)
        self.looked_up = LookedUp(known)
        self.errands = Errands(PlanNote(vault, note.name), note.errands)
        retriever = Retriever(knowledge.finder, NotesIndex(vault, note.name))
        retrieval = Retrieval(retriever, lambda: memory.settings, knowledge.withhold.parties_of)
        every = [
            *self._texts_before(),
            known,
            *self._summaries(),
            self.looked_up,
            Confided(knowledge.withhold, memory.journal.read),
            retrieval,
            *more,
            self.errands,
        ]
        every += [Notice(notice), *self._scenes()]
        self._every: list[Component] = every
        self.components: list[Component] = list(every)

    def _texts_before(self) -> list[Component]:
        return [
            Text("profile", lambda now: self._note.profile),
            Text("commands", lambda now: command_list(self._game.commands, now.actor)),
            Text("yesterday", self._yesterday, gives_way=3),
        ]

    def _summaries(self) -> list[Component]:
        return [
            Text("older", lambda now: now.view.told_in(OLDER)),
            Text("recent", lambda now: now.view.told_in(RECENT)),
            Text("board", board_text),
        ]

    def _scenes(self) -> list[Component]:
        return [
            Text("offers", _offers_text, is_aside=True),
            Text("scene", lambda now: scene_text(now.world, now.actor, now.view.idle_ms(now.now_ms))),
            Text("place", lambda now: place_text(now.world, now.actor)),
            Text("here", lambda now: here_text(now.world, now.actor)),
        ]

    def adopt(self, note: AgentNote, templates: Templates, without: Collection[str] = ()) -> None:
        """Go on with notes that were edited, from the next thought; leave out the components named in `without`."""
        self._note, self._templates = note, templates
        self.errands.adopt(note.errands)
        for name in without:
            if name not in self.names and name not in self._unknown:
                self._unknown.add(name)
                log.warning("%s: there is no part %r of a mind; there are %s", note.source, name, ", ".join(self.names))
        self.components = [one for one in self._every if one.name not in without]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all components, including those that are left out."""
        return tuple(one.name for one in self._every)

    def observe(self, memory: Memory, event: Event | None) -> None:
        """Let every component take in a memory as it is recorded, and the event that it came from.

        What was whispered reaches an added component withheld, and without its event; so does what was looked up.
        """
        withheld = self._withhold(memory)

        def observe(component: Component) -> None:
            is_added = isinstance(component, AddedComponent)
            is_private = is_added and (withheld is not memory or isinstance(event, Recalled))
            component.observe(withheld if is_added else memory, None if is_private else event)

        self._each(observe)

    def _parties_of(self, seq: int) -> Collection[str]:
        """Return who knows of a memory; empty if anybody may. Raises: NoteError if the journal cannot be read."""
        memory = self._memory.memory(seq)
        return self._withhold.parties_of(memory) if memory else ()

    def offers(self, now: Occasion) -> list[Act]:
        """Return the acts that the added components offer; one that fails is switched off."""
        found: list[Act] = []

        def take(component: Component) -> None:
            if isinstance(component, AddedComponent):
                found.extend(component.offers(now))

        self._each(take)
        return found

    def acted(self, turn: Turn) -> None:
        """Let every component take in what came of a turn; an added one without the words of a whisper."""
        withheld = self._withhold(Memory(0, 0, "acted", "", turn.line)).text
        public = replace(turn, line=withheld, why="") if withheld != turn.line else turn
        self._each(lambda component: component.acted(public if isinstance(component, AddedComponent) else turn))

    def _each(self, call: Callable[[Component], None]) -> None:
        """Call every component; one that fails is switched off, and the others hear all the same."""
        for component in tuple(self.components):
            try:
                checked(component, partial(call, component))
            except Exception:
                log.exception("the component %s failed, and is switched off", component.name)
                self._switch_off(component)

    def next_step(self, world: World, actor: Character) -> Step | None:
        """Return the next step of the agent's errands, or None."""
        return self.errands.next_step(world, actor) if self.errands in self.components else None

    def prompt(
        self, question: Question, is_chat: bool, now_ms: int, count_tokens: Callable[[str], int], budget_tokens: int
    ) -> Prompt:
        """Return the prompt of this moment. Raises: NoteError if the journal cannot be read."""
        world, decision = self._game.world, question.decision
        actor = world.characters[self._note.name]
        layout = self._chat(question) if is_chat else self._transcript(question)
        told_by = [one for one in self.components if layout.has_place_for(one.name)]
        moment = Moment(
            world,
            actor,
            now_ms,
            self._memory.view(),
            tuple(visible_characters(world, actor.room_id, actor)),
            decision.kind,
            self._partner(decision),
            budget_tokens,
            count_tokens,
            heard=question.heard,
            hearers=question.hearers,
            cause=decision.cause,
            offers=tuple(one.label for one in question.acts[1:]),
            tells_heard=is_chat,
        )
        return build(layout, lambda now: sections_of(self._on(told_by), now, self._switch_off), moment)

    def _transcript(self, question: Question) -> Layout:
        opening = question.decision.opening() if question.is_prefilled else ""
        return Transcript(self._templates.transcript, self._note.name, opening)

    def _chat(self, question: Question) -> Layout:
        decision, name, world = question.decision, self._note.name, self._game.world
        shown = examples(self._note.yesterday, name, world.wording, self._memory.reading, world.characters)
        if decision.kind == "action":
            # It begins as the talk before it did, so that a prefix cache serves both.
            with_whom = self._talked_with or world.wording("talk.nobody")
            values = {"menu": "; ".join(question.menu)}
            return Chat(self._templates.action, name, self._talk, shown, with_whom, values=values)
        found = self._partner(decision)
        partner = self._talked_with = found.name if found else ""
        return Chat(self._templates.talk, name, self._talk, shown, partner, self._cue(question), decision.is_private)

    def _partner(self, decision: Decision) -> Character | None:
        """Return who is talked with, be it from afar."""
        return decision.partner or self._game.world.characters.get(decision.opening().partition(" ")[2])

    def _cue(self, question: Question) -> str:
        """Return the last line of a talk that nobody else has begun, or that the model has not gone on with well."""
        decision = question.decision
        say, who = self._game.world.wording, decision.partner.name if decision.partner else ""
        keys = {"greet": "talk.approaches", "deliver": "talk.approaches", "errand": "talk.approaches"}
        key = keys.get(decision.cause, "talk.turns_to" if decision.cause == "free" else "")
        cue = say(key, who=who, name=self._note.name) if key else ""
        again = say(f"talk.again_{question.again}", who=who, name=self._note.name) if question.again else ""
        told = " ".join(text for text in (cue, again, question.refused) if text)
        return f"({told})" if told else ""

    def _on(self, components: Iterable[Component]) -> list[Component]:
        """Return the components that are still on: a prompt may be put together several times."""
        return [one for one in components if one in self.components]

    def _switch_off(self, component: Component) -> None:
        self._every.remove(component)
        self.components.remove(component)
        self.on_trouble(f"The part {component.name!r} of {self._note.name}'s mind failed and is off; the log says why.")

    def _yesterday(self, now: Moment) -> str:
        """Return the example day until there is a first summary, without its reasons."""
        if now.view.covered:
            return ""
        return "\n".join(split_reason(line)[0] for line in self._note.yesterday.split("\n"))


def _offers_text(now: Moment) -> str:
    """Return what may be done along with the words; empty if nothing."""
    return now.world.wording("offers.may", acts="; ".join(now.offers)) if now.offers else ""
