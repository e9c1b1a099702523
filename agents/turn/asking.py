"""The requests of an agent to its model: one question, two renderers, and the constraint on the answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from agents.choices.constraints import (
    JSON_TOKENS,
    command_schema,
    gbnf,
    line_schema,
    speech_grammar,
    verbs_in,
    words_schema,
)
from agents.choices.policy import Decision
from agents.models.model import Completion, ModelError, OnText, Request
from agents.models.queue import RoutedModel
from agents.models.thoughts import shows_thoughts
from agents.offer import Act
from agents.prompts.prompt import Prompt
from agents.repetition.guard import Mitigation
from agents.replies.reply import Listener, Reply, first_command, open_to
from agents.turn.answer import Answer, answer_in
from agents.turn.checks import Objection
from config.settings import AgentSettings
from vault.entities.agent_notes import AgentNote
from world.game import Game

THOUGHT_SHARE = 4
"""Thoughts may take this part of the context window at most, one in so many."""

SPEECH_TEMPERATURE = 0.7
SECOND_TEMPERATURE = 1.0
"""The highest temperature of speech, and the lowest for a second try after words that were said before."""

Constraint = Literal["grammar", "schema", "none"]


@dataclass(frozen=True)
class Question:
    """A question to a model: the decision, the acts on offer, the constraint on its answer, and the prompt.

    `menu` are the lines that it may choose from; empty for free words. `newest` is the number of the newest memory.
    `heard` are the partner's words that are to be answered, a line for each speech; empty if they have not spoken.
    `again` is the objection to its first answer, where it is asked once more; `refused` is why the world has refused
    the act that it chose then. `hearers` are the names of those who will hear the answer. `is_prefilled` says that the
    prompt begins the agent's own line.
    """

    decision: Decision = field(default_factory=lambda: Decision("free"))
    acts: tuple[Act, ...] = ()
    prompt: Prompt = field(default_factory=Prompt)
    menu: tuple[str, ...] = ()
    grammar: str | None = None
    schema: Mapping[str, Any] | None = None
    newest: int = 0
    heard: str = ""
    again: Objection = ""
    refused: str = ""
    hearers: frozenset[str] = frozenset()
    is_prefilled: bool = False

    @property
    def may_be_silent(self) -> bool:
        """True if saying nothing is on offer."""
        return any(one.is_silence for one in self.acts)


@dataclass(frozen=True)
class Asked:
    """The last question to a model and its answer; `before` is the prompt before it, empty for the first."""

    question: Question
    completion: Completion
    before: str = ""


class Asking:
    """Makes the requests of one agent and reads what is answered.

    A model that has shown its thoughts is given room for them from then on, beside the answer itself.
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

    def question(
        self, decision: Decision, model: RoutedModel, settings: AgentSettings, acts: tuple[Act, ...] = ()
    ) -> Question:
        """Return what the model is to be asked, without its prompt."""
        held, chats = self.constraint(model, settings), model.capabilities.chat
        if decision.kind == "speech":
            return self._of_speech(decision, held, chats, acts)
        if held == "grammar" and decision.forms:
            return Question(decision, grammar=gbnf(decision.forms))
        menu = tuple(decision.menu(self._rng))
        if held != "schema" or not menu:
            return Question(decision, menu=menu)
        return Question(decision, menu=menu, schema=command_schema(menu) if chats else line_schema(menu))

    def _of_speech(self, decision: Decision, held: Constraint, chats: bool, acts: tuple[Act, ...]) -> Question:
        labels = [one.label for one in acts]
        silence = next((one.label for one in acts if one.is_silence), "")
        if held == "schema" and chats:
            return Question(decision, acts, schema=words_schema(labels, bool(silence)))
        if held == "grammar" and not chats:
            return Question(decision, acts, grammar=speech_grammar(decision.opening(), self._name, labels, silence))
        return Question(decision, acts, is_prefilled=not chats and not silence)

    def request(
        self, question: Question, seed: int, settings: AgentSettings, remedy: Mitigation, context_tokens: int
    ) -> Request:
        """Return a request. An answer to a transcript ends where its line ends or the next prompt would begin."""
        temperature, is_speech = remedy.temperature(settings.temperature), question.decision.kind == "speech"
        if is_speech and question.again in ("repeats", "echoes"):
            temperature = max(temperature, SECOND_TEMPERATURE)
        elif is_speech:
            temperature = min(temperature, SPEECH_TEMPERATURE)
        is_line = (question.grammar or is_speech) and not question.acts
        stop = () if question.prompt.messages else ("\n",) if is_line else (f"\n~{self._name}>",)
        return Request(
            question.prompt.text,
            max_tokens=self.max_tokens(settings, context_tokens) + (JSON_TOKENS if question.schema else 0),
            stop=() if question.acts else stop,
            temperature=temperature,
            seed=seed,
            grammar=question.grammar,
            schema=question.schema,
            repeat_penalty=remedy.repeat_penalty,
            timeout_seconds=self._timeout_seconds,
            messages=question.prompt.messages,
        )

    def listener(
        self, question: Callable[[], Question], settings: AgentSettings, count_tokens: Callable[[str], int]
    ) -> OnText | None:
        """Return what ends an answer as soon as it is whole; None where it ends by itself.

        `question` returns what is asked, which may change until the request is built.
        """
        now = question()
        if now.grammar or now.schema:
            return None
        if now.decision.kind == "speech":
            return lambda text: bool(question().acts) and _has_act(text)
        return Listener(lambda text: self.command(text), self._thinks, settings.reply_tokens, count_tokens)

    def answer(self, text: str, question: Question) -> Answer:
        """Return the words and the act of an answer to a speech turn."""
        return answer_in(text, self._name, question.decision.opening(), question.acts)

    def learn(self, completion: Completion) -> None:
        """Take note of whether the model shows its thoughts."""
        self._thinks = self._thinks or shows_thoughts(completion.text)

    def command(self, text: str) -> Reply:
        """Return the command that an answer makes, in the agent's present room."""
        character = self._game.world.characters[self._name]
        ways = self._game.world.room_of(character).exits_by_name
        return first_command(text, self._name, self._game.commands, ways, open_to(character))


def _has_act(text: str) -> bool:
    """Return whether a transcript goes on behind the words and the act on the line below them."""
    return text.strip(" \n").count("\n") > 1


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


def archived(question: Question, completion: Completion, finish: str, objection: str = "") -> dict[str, Any]:
    """Return what the archive keeps of a question to the model and its answer.

    `finish` is how it ended, or what became of it, `objection` why its words were not said. `cause` is why the engine
    asked, `verbs`, `menu` or `offers` what it let the model choose from. `told` is where in the prompt each section is:
    the first character, counted from 0, and how many there are; `retrieved` what came to mind, a memory's number or a
    note's title each with its score. `timing` says where the seconds went, as far as that is known. `tiers` says which
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
    kept |= {"objection": objection} if objection else {}
    kept |= {} if completion.is_counted else {"is_counted": False}
    if timing := {name: round(value, 3) for name, value in asdict(completion.timing).items() if value is not None}:
        kept["timing"] = timing
    if question.grammar and question.decision.kind == "action":
        kept["verbs"] = verbs_in(question.grammar)
    elif question.menu:
        kept["menu"] = list(question.menu)
    if question.acts:
        kept["offers"] = [one.label for one in question.acts]
    if prompt.left_out:
        kept["left_out"] = list(prompt.left_out)
    if prompt.places:
        kept["told"] = {name: list(place) for name, place in prompt.places.items()}
    if retrieved := [[of, score] for one in prompt.sections for of, score in one.scores.items()]:
        kept["retrieved"] = retrieved
    return kept
