"""A life as a talk: memories as the messages that instructed models were trained on.

What others say is the user's message, bare; what the agent said is the assistant's; everything else stands in
(brackets) in the user's. So a model that has learnt to answer answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence

from agents.escaping import quoted
from agents.memory.facts.extraction import Utterance, utterance_in
from agents.memory.facts.narration_parser import NarrationParser
from agents.models.model import Message
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from world.message_catalog import Wording
from world.parsing import parse_line, split_reason


class Talk:
    """Tells the memories of the agent called `name` as messages."""

    def __init__(self, name: str, reading: NarrationParser, wording: Callable[[], Wording]) -> None:
        self._name = name
        self._reading = reading
        self._wording = wording

    def lines(self, told: Iterable[tuple[Memory, str]]) -> Iterator[Message]:
        """Yield memories, each with the text that is told of it, as messages: one for each memory.

        A speaker is named where the speaker changes. So a line stays the same as the talk goes on, and a model's prefix
        cache serves it. What was whispered is withheld: only that it was stands there.
        """
        speaker = ""
        for memory, text in told:
            if memory.kind == "acted":
                yield self._own(memory)
            elif (spoken := self._spoken(memory)) is None:
                yield Message("user", f"({text})")
            else:
                label = "" if speaker == spoken.speaker else f"({self._wording()('talk.says', who=spoken.speaker)})\n"
                speaker = spoken.speaker
                yield Message("user", f"{label}{quoted(spoken.text)}")

    def once_more(self, talk: Sequence[Message], partner: str, heard: str, is_private: bool) -> list[Message]:
        """Return the words of a partner that wait for an answer, if they are not what was said last in a talk.

        Meanwhile the agent may have answered earlier words, and the partner may have said more. What was said in
        confidence stands nowhere else.
        """
        lines = [quoted(line) for line in heard.split("\n") if line]
        last = next((one for one in reversed(talk) if _is_said(one)), Message("assistant", ""))
        if not lines or (last.role == "user" and last.content.endswith(lines[-1])):
            return []
        key = "talk.whispers" if is_private else "talk.says"
        return [Message("user", "\n".join([f"({self._wording()(key, who=partner)})", *lines]))]

    def with_whom(self, partner: str) -> str:
        """Return who talks with whom, as it is told beside what was said last; empty without a partner."""
        return self._wording()("talk.with_whom", name=self._name, who=partner) if partner else ""

    def _own(self, memory: Memory) -> Message:
        line = split_reason(memory.text)[0]
        typed = parse_line(line)
        if typed.verb != "say":
            return Message("user", f"({self._wording()('talk.you_did', line=quoted(line))})")
        return Message("assistant", words_json(quoted(typed.arguments)))

    def _spoken(self, memory: Memory) -> Utterance | None:
        """Return the words that somebody else said in a memory; None if nothing was said."""
        is_heard = memory.kind in ("observed", "told") and memory.people and not memory.parties
        if not is_heard or LINE_BREAK in memory.text:
            return None
        return utterance_in(memory, self._reading)


def _is_said(message: Message) -> bool:
    """Return whether a message of a talk is somebody's words, and not what happens, in brackets."""
    return message.role == "assistant" or not message.content.rpartition("\n")[2].startswith("(")


def words_json(words: str) -> str:
    """Return words as the answer that a speech turn asks for."""
    return json.dumps({"words": words}, ensure_ascii=False)


def merged(messages: Iterable[Message]) -> list[Message]:
    """Return messages with neighbours of one role made one, a line each, beginning with the user's."""
    found: list[Message] = []
    for one in messages:
        if found and found[-1].role == one.role:
            if one.role == "assistant":
                found.append(Message("user", "…"))  # two own speeches in a row, with nothing heard between them
                found.append(one)
            else:
                found[-1] = Message(one.role, f"{found[-1].content}\n{one.content}")
        else:
            found.append(one)
    return found


def examples(
    yesterday: str, name: str, wording: Wording, reading: NarrationParser, names: Iterable[str]
) -> list[Message]:
    """Return the talk of an example day as messages, and at its end one exchange that tells `you` from `I`.

    The first of `names` who says something in it is the partner; what others say and do stands in brackets. What comes
    after the answer to what the partner says last is left out.
    """
    lines = [line for line in yesterday.split("\n") if line.strip()]
    known, partner, last, is_answer = list(names), "", 0, False
    found: list[Message] = []
    for line in lines:
        if line.startswith(f"~{name}> "):
            typed = parse_line(split_reason(line.removeprefix(f"~{name}> "))[0])
            if typed.verb == "say":
                found.append(Message("assistant", words_json(typed.arguments)))
                last = len(found) if is_answer else last
                is_answer = False
            continue
        who = next((one for one in known if line.startswith(f"{one} ")), "")
        event = reading.event_in(line, who) if who else None
        said = event.values.get("text") if event and event.name in _SAYING else None
        partner = partner or (who if said else "")
        if said and who == partner:
            found.append(Message("user", said))
            last, is_answer = len(found), True
        else:
            found.append(Message("user", f"({line})"))
    if not last:
        return []
    asks, answer = wording("talk.who_am_i"), wording("talk.you_are", other=partner, name=name)
    return merged([*found[:last][-EXAMPLE_MESSAGES:], Message("user", asks), Message("assistant", words_json(answer))])


EXAMPLE_MESSAGES = 16
_SAYING = frozenset({"says", "says_to", "says_to_you"})
