"""A question about what was said, laid out as a text to be read.

In a talk a small model mixes up who said what, and answers in its part. Given the same lines as a text and asked about
them, it finds the answer far more often.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.attending.questions import asks_of_own_words, whole_question
from agents.component import Moment, Section
from agents.escaping import quoted
from agents.memory.facts.extraction import utterance_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.models.model import Message
from agents.prompts.builder import as_text, calling, shown_range
from agents.prompts.prompt import Prompt
from agents.prompts.talk import words_json
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.message_catalog import Wording
from world.parsing import parse_line, split_reason

TOLD = ("older", "recent", "facts", "recollected", "bonds", "asked", "lore")
"""The sections that are told before what was said; `earlier` would tell a line of it twice."""

OF_WORLD = ("asked", "lore")
"""Those of them in which nobody looks for their own words."""

EXAMPLES = (1, 2, 3, 4)
LINE_END = "/"
"""Where a line of an example ends in `text/earlier.md`."""


@dataclass(frozen=True)
class Reading:
    """What was said to the agent called `name`, and the question that `partner` has asked in these words.

    `again` is what the model is told where its first answer would not do.
    """

    name: str
    partner: str
    question: str
    parser: NarrationParser
    wording: Wording
    again: str = ""

    def has_place_for(self, name: str) -> bool:
        is_of_own_words = asks_of_own_words(self.question)
        return name == "earlier" or (name in TOLD and not (is_of_own_words and name in OF_WORLD))

    def render(self, sections: Sequence[Section], moment: Moment) -> Prompt:
        call, say = calling(sections, moment), self.wording
        told = [quoted(one.text) for one in sections if one.name in TOLD]
        told += self._lines(moment.view.told(moment.left_out))
        asked = whole_question(self.question)
        before = [line.strip() for line in self.question.replace(asked, "").split("\n")]
        told += [say("earlier.speech", who=self.partner, words=quoted(line)) for line in before if line]
        told += ["", say("earlier.question", name=self.name, who=self.partner, words=quoted(asked.replace("\n", " ")))]
        told += [f"({self.again})"] if self.again else []
        messages = [Message("system", say("earlier.reading")), *self._examples()]
        messages.append(Message("user", call("\n".join(told))))
        sections = [Section(one.name, call(one.text), is_unanswerable=one.is_unanswerable) for one in sections]
        text, places = as_text(messages, sections)
        unshown = moment.view.unshown(moment.left_out)
        return Prompt(text, tuple(messages), tuple(sections), places, shown_range(moment), unshown)

    def _lines(self, told: Sequence[tuple[Memory, str]]) -> Iterator[str]:
        """Yield what was said aloud, or between the two, a line each, but for the question itself."""
        asked = self.question.split("\n")
        for memory, _ in told:
            if LINE_BREAK in memory.text:
                continue
            if memory.kind == "acted":
                typed = parse_line(split_reason(memory.text)[0])
                if typed.verb == "say":
                    yield self.wording("earlier.speech", who=self.name, words=quoted(typed.arguments))
                continue
            spoken = utterance_in(memory, self.parser)
            if spoken is None or (spoken.privately and spoken.speaker != self.partner):
                continue
            words = spoken.words
            if spoken.speaker != self.partner or words not in asked:
                yield self.wording("earlier.speech", who=spoken.speaker, words=quoted(words))

    def _examples(self) -> Iterator[Message]:
        for number in EXAMPLES:
            lines = self.wording(f"earlier.example_{number}").split(LINE_END)
            yield Message("user", "\n".join(line.strip() for line in lines))
            yield Message("assistant", words_json(self.wording(f"earlier.answer_{number}")))
