"""The requests of an agent to its model: their constraint, temperature and length, and the reading of the answer."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from agents.attending.conversation import is_farewell
from agents.attending.questions import subject_of
from agents.choices.constraints import JSON_TOKENS, command_schema, gbnf, line_schema, tidied, verbs_in, words_schema
from agents.choices.policy import Decision
from agents.memory.facts.speech_acts import sentences
from agents.models.model import Capabilities, Completion, ModelError, OnText, Request
from agents.models.queue import RoutedModel
from agents.models.thoughts import shows_thoughts
from agents.prompts.prompt import Prompt
from agents.prompts.talk import spoken_words
from agents.repetition.guard import Mitigation
from agents.replies.reply import Listener, Reply, first_command, open_to
from agents.replies.speech import (
    called_rightly,
    speech_in,
    to_the_point,
    told_to_asker,
    uncalled,
    without_asking_name,
    without_phrases,
)
from config.settings import AgentSettings
from vault.entities.agent_notes import AgentNote
from world.game import Game

THOUGHT_SHARE = 4
"""Thoughts may take this part of the context window at most, one in so many."""

SPEECH_TEMPERATURE = 0.7
FACTUAL_TEMPERATURE = 0.4
SECOND_TEMPERATURE = 1.0
READING_TEMPERATURE = 0.1
"""The highest temperature of speech, the first time and where the world has the answer; the lowest for a second try
without a hint; and the one for an answer that is read from what was said."""

SMALL_BILLION = 2.8
"""An instructed model of fewer parameters acts better with a short prompt, and obeys the last speaker."""

Constraint = Literal["grammar", "schema", "none"]

OF_MATTER = ("profile", "here", "errand")
"""The names of sections of which an agent speaks unasked."""

TALKED_OF = 8
"""Of so many of the newest speeches a further sentence may be about."""


@dataclass(frozen=True)
class Question:
    """A question to a model: the decision, the constraint on its answer, and the prompt.

    `menu` are the lines that it may choose from; empty for free words. `newest` is the number of the newest memory.
    `again` is the objection to its first answer, where it is asked once more, and `said_again` are the words of
    that answer if it had said them before. `heard` are the partner's words that are to be answered, a line for each
    speech; empty if they have not spoken. `is_unknown` says that the partner is a guest who has told no name.
    `reads` are the words of a question about what was said, which a small model is asked as a text to be read.
    `is_prefilled` says that the prompt begins the agent's own line: a transcript of which only the words are wanted.
    `is_of_small_model` says that a small instructed model is asked, `is_of_able_model` that a larger one is.
    """

    decision: Decision = field(default_factory=lambda: Decision("free"))
    prompt: Prompt = field(default_factory=Prompt)
    menu: tuple[str, ...] = ()
    grammar: str | None = None
    schema: Mapping[str, Any] | None = None
    newest: int = 0
    heard: str = ""
    again: str = ""
    said_again: str = ""
    is_unknown: bool = False
    reads: str = ""
    is_prefilled: bool = False
    is_of_small_model: bool = False
    is_of_able_model: bool = False

    @property
    def known(self) -> str:
        """All that the prompt tells; of a text to be read not the examples, which are about others."""
        return self.prompt.messages[-1].content if self.reads and self.prompt.messages else self.prompt.text

    @property
    def examples(self) -> str:
        """The parts of a text to be read that tell of others, to show how a question is answered."""
        return "\n".join(one.content for one in self.prompt.messages[1:-1]) if self.reads else ""

    @property
    def matter(self) -> str:
        """What the prompt tells that words may be about: the agent, its place and errand, and the last of the talk."""
        if self.reads:
            return self.known
        sections = (one.text for one in self.prompt.sections if one.is_aside or one.name in OF_MATTER)
        return "\n".join([*sections, *(one.content for one in self.prompt.messages[-TALKED_OF:])])

    @property
    def asked_lately(self) -> list[str]:
        """What the agent has asked in the last of the talk."""
        said = (one.content for one in self.prompt.messages[-TALKED_OF:] if one.role == "assistant")
        return [one for words in said for one in sentences(spoken_words(words)) if one.endswith("?")]

    @property
    def is_unanswerable(self) -> bool:
        """True if the prompt says that nobody has told the answer."""
        return any(one.is_unanswerable for one in self.prompt.sections)


@dataclass(frozen=True)
class Asked:
    """The last question to a model and its answer; `before` is the prompt before it, empty for the first."""

    question: Question
    completion: Completion
    before: str = ""


class Asking:
    """Makes the requests of one agent and reads what is answered.

    A model that has shown its thoughts is given room for them from then on, beside the command itself.
    """

    def __init__(self, name: str, game: Game, rng: random.Random, timeout_seconds: float) -> None:
        self._name = name
        self._game = game
        self._rng = rng
        self._timeout_seconds = timeout_seconds
        self._thinks = False

    def max_tokens(self, settings: AgentSettings, context_tokens: int) -> int:
        """Return how long an answer may be, thoughts and all."""
        thoughts = min(settings.thought_tokens, context_tokens // THOUGHT_SHARE) if self._thinks else 0
        return settings.reply_tokens + thoughts

    def constraint(self, model: RoutedModel, settings: AgentSettings) -> Constraint:
        """Return what an answer can be held to: in a talk to a schema, if the model takes one, else to a grammar."""
        can = model.capabilities
        if settings.steering == "off" or not (can.grammar or can.json_schema):
            return "none"
        return "grammar" if can.grammar and not (can.chat and can.json_schema) else "schema"

    def question(self, decision: Decision, model: RoutedModel, settings: AgentSettings) -> Question:
        """Return what the model is to be asked, without its prompt."""
        held = self.constraint(model, settings)
        if held == "grammar" and decision.forms:
            return Question(decision, grammar=gbnf(decision.forms))
        if decision.kind == "speech":
            is_schema = held == "schema" and model.capabilities.chat
            words = words_schema(decision.hand_over(), decision.asked_along) if is_schema else None
            chats, small = model.capabilities.chat, is_small(model.capabilities)
            return Question(
                decision,
                schema=words,
                is_prefilled=not chats,
                is_of_small_model=small,
                is_of_able_model=chats and not small,
            )
        menu = tuple(decision.menu(self._rng))
        if held != "schema" or not menu:
            return Question(decision, menu=menu)
        return Question(
            decision, menu=menu, schema=command_schema(menu) if model.capabilities.chat else line_schema(menu)
        )

    def request(
        self,
        question: Question,
        seed: int,
        settings: AgentSettings,
        remedy: Mitigation,
        again: bool,
        context_tokens: int,
    ) -> Request:
        """Return a request. An answer to a transcript ends where its line ends or the next prompt would begin.

        `again` says that the same was asked a moment ago, and the answer would not do.
        """
        temperature = remedy.temperature(settings.temperature)
        if question.decision.kind == "speech":
            is_told = any(one.is_aside for one in question.prompt.sections)
            most = FACTUAL_TEMPERATURE if is_told or question.again else SPEECH_TEMPERATURE
            most = READING_TEMPERATURE if question.reads else most
            is_varied = again and (not question.again or bool(question.said_again))
            temperature = max(temperature, SECOND_TEMPERATURE) if is_varied else min(temperature, most)
        is_line = question.grammar or question.is_prefilled
        stop = () if question.prompt.messages else ("\n",) if is_line else (f"\n~{self._name}>",)
        return Request(
            question.prompt.text,
            max_tokens=self.max_tokens(settings, context_tokens) + (JSON_TOKENS if question.schema else 0),
            stop=stop,
            temperature=temperature,
            seed=seed,
            grammar=question.grammar,
            schema=question.schema,
            repeat_penalty=remedy.repeat_penalty,
            timeout_seconds=self._timeout_seconds,
            messages=question.prompt.messages,
        )

    def listener(
        self, question: Question, settings: AgentSettings, count_tokens: Callable[[str], int]
    ) -> OnText | None:
        """Return what ends an answer as soon as it has its command; None where it ends by itself."""
        if question.grammar or question.schema or question.decision.kind == "speech":
            return None
        return Listener(lambda text: self._command(text), self._thinks, settings.reply_tokens, count_tokens)

    def read(self, text: str, question: Question) -> Reply:
        """Return the reply that an answer makes, in the agent's present room."""
        decision = question.decision
        if question.grammar or decision.kind == "action":
            reply = self._command(text)
            return Reply(tidied(reply.line)) if question.grammar and reply.line else reply
        speech = speech_in(text, self._name, decision.opening(), decision.hand_over())
        if not speech.words:
            return Reply("", self._game.world.wording("talk.speechless"))
        words = self._to_partner(speech.words, question) if decision.partner else speech.words
        line = decision.line_of(words)
        line += f" | {speech.reason}" if speech.reason else ""
        if speech.hand_over and decision.partner:
            return Reply(line, before=f"give {speech.hand_over} to {decision.partner.name}")
        if speech.follows and decision.asked_along and decision.partner:
            return Reply(line, before=f"follow {decision.partner.name}")
        return Reply(line)

    def _to_partner(self, words: str, question: Question) -> str:
        """Return words as they are said to the partner, where a model has mixed up the persons."""
        called = self._called(question)
        if question.reads:
            words = told_to_asker(words, self._name, called, question.reads)
            if subject_of(question.reads) != "asker":  # nobody else need have told it
                words = without_phrases(words, self._game.world.wording("talk.not_told"))
        if not question.is_of_able_model:
            words = called_rightly(words, self._name, called)
        partner = question.decision.partner.name if question.decision.partner else called
        if called != partner:  # of a transcript, in which everybody has the world's names
            words = re.sub(rf"\b{re.escape(partner)}\b", called, words)
        if question.is_of_small_model:
            is_parting = is_farewell(question.heard, self._game.world.wording)
            words = to_the_point(words, question.heard, question.matter, question.asked_lately, is_parting)
        return uncalled(words, called) if question.is_unknown else without_asking_name(words)

    def _called(self, question: Question) -> str:
        """Return how the partner is called in the prompt: a guest by the name that they have told."""
        assert question.decision.partner is not None
        name = question.decision.partner.name
        return next((one.names[name] for one in question.prompt.sections if name in one.names), name)

    def learn(self, completion: Completion) -> None:
        """Take note of whether the model shows its thoughts."""
        self._thinks = self._thinks or shows_thoughts(completion.text)

    def _command(self, text: str) -> Reply:
        character = self._game.world.characters[self._name]
        ways = self._game.world.room_of(character).exits_by_name
        return first_command(text, self._name, self._game.commands, ways, open_to(character))


def too_long_profile(source: str, tokens: int, context_tokens: int) -> ModelError:
    """Return the error for a profile for which there is no room in a prompt, whatever else is left out."""
    message = f"{source} has about {tokens:,} tokens, and num_ctx is {context_tokens:,}: no prompt fits."
    remedy = "Shorten that note, or raise num_ctx in config/models.md if the model was trained for more."
    return ModelError(message, remedy=remedy, retryable=False, about_request=True)


def check_profile(note: AgentNote, request: Request, model: RoutedModel) -> None:
    """Raise a ModelError if a request does not fit into the context because of the agent's profile."""
    if model.count_tokens(request.text) + request.max_tokens > model.context_tokens:
        tokens = model.count_tokens(note.profile)
        if tokens > model.context_tokens / 2:
            raise too_long_profile(note.source, tokens, model.context_tokens)


def is_small(model: Capabilities) -> bool:
    """Return whether a model is a small instructed one; one whose size nobody tells, as of a paid service, is not."""
    return model.chat and model.parameters_billion is not None and model.parameters_billion < SMALL_BILLION


def archived(question: Question, completion: Completion, finish: str, objection: str = "") -> dict[str, Any]:
    """Return what the archive keeps of a question to the model and its answer.

    `finish` is how it ended, or what became of it, `objection` why its words were not said. `cause` is why the engine
    asked, `verbs` or `menu` what it let the model choose from. `told` is where in the prompt each section is: the first
    character, counted from 0, and how many there are; `retrieved` what came to mind, a memory's number or a note's
    title each with its score. `timing` says where the seconds went, as far as that is known. `tiers` says which
    memories stand in which tier.
    """
    prompt = question.prompt
    kept: dict[str, Any] = {
        "prompt": prompt.text,
        "reply": completion.text,
        "model": completion.model,
        "prompt_tokens": completion.prompt_tokens,
        "cached_tokens": completion.cached_tokens,
        "completion_tokens": completion.completion_tokens,
        "seconds": round(completion.seconds, 3),
        "finish": finish,
        "newest": question.newest,
        "cause": question.decision.cause,
        "tiers": prompt.tiers,
    }
    if objection:
        kept["objection"] = objection
    if not completion.is_counted:
        kept["is_counted"] = False
    if timing := {name: round(value, 3) for name, value in asdict(completion.timing).items() if value is not None}:
        kept["timing"] = timing
    if question.grammar:
        kept["verbs"] = verbs_in(question.grammar)
    elif question.menu:
        kept["menu"] = list(question.menu)
    if prompt.left_out:
        kept["left_out"] = list(prompt.left_out)
    if prompt.places:
        kept["told"] = {name: list(place) for name, place in prompt.places.items()}
    if retrieved := [[of, score] for one in prompt.sections for of, score in one.scores.items()]:
        kept["retrieved"] = retrieved
    return kept
