"""The summarizing prompts: their templates, and the memories in them.

Templates are notes in the vault with slots; one text serves base and chat models. `summarize_recent` and
`summarize_longterm` serve everybody. An agent of a kind has its own, `summarize_recent_planner`; a note named after the
domain of a room, `summarize_recent_market` for the tag `domain/market`, serves what happened mostly in such rooms.

Memories are grouped by place and company, with the daily round as counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from agents.escaping import filling
from agents.memory.facts.narration_parser import ENGLISH, NarrationParser
from agents.memory.importance import is_routine
from agents.memory.judging.evidence import ANSWERED
from agents.memory.view import collapse_repeats, memory_text
from vault.errors import NoteError
from vault.markdown import LINE_BREAK
from vault.memory.memory_line import Memory
from vault.note import Note
from vault.vault import STARTER, Vault
from world.parsing import join_and, parse_line, split_reason

RECENT, LONGTERM, SECTIONED = "summarize_recent", "summarize_longterm", "summarize_sections"
_FOLDING = ("older", "recent", "objection")
SLOTS = {RECENT: ("memories", "objection"), LONGTERM: _FOLDING, SECTIONED: _FOLDING}
FREE_SLOTS = ("name", "sentences")
CUE = "SUMMARY:"
STOP = ("\n\n", CUE, "\n---", "\n~")
SCHEMAS = ("prose", "json", "sections")

_SLOT = re.compile(r"\{([a-z_]+)\}")

_PERSONS = [
    (re.compile(pattern), word)
    for pattern, word in {
        r"\bYou are\b": "I am",
        r"\bYou were\b": "I was",
        r"\bYou\b": "I",
        r"\byour\b": "my",
        r"\byou\b": "me",
    }.items()
]
"""The world's forms of address, with the forms in which the agent tells of itself."""

MOVED = ("narration.you_go",)


@dataclass(frozen=True)
class SummaryTemplate:
    """The template of a request for a summary; `schema` is the form of its answer: `prose`, `json` or `sections`."""

    text: str
    schema: str = "prose"


@dataclass(frozen=True)
class SummaryTemplates:
    """The templates of one agent, for the short-term and the long-term step, and for one with sections.

    `domains` has those for what happened mostly in rooms of a domain; an agent of a kind of its own has none.
    `missing` says which template of that kind there is not, so that the common one serves.
    """

    recent: SummaryTemplate
    longterm: SummaryTemplate
    sections: SummaryTemplate
    domains: Mapping[str, SummaryTemplate] = field(default_factory=dict)
    missing: str = ""


def load_summary_templates(vault: Vault, agent_id: str, kind: str = "") -> SummaryTemplates:
    """Return the templates of an agent: its own, from `agents/<Name>/templates`, or else the world's.

    `kind` names the kind of agent, such as planner; empty for none.
    Raises: NoteError if one is missing or lacks a slot that it needs, naming the file.
    """
    recent, longterm, sections = (_loaded(vault, agent_id, step) for step in (RECENT, LONGTERM, SECTIONED))
    if not kind:
        return SummaryTemplates(recent, longterm, sections, _domains(vault, agent_id))
    if not _exists(vault, agent_id, f"{RECENT}_{kind}"):
        missing = f"there is no template {RECENT}_{kind}; {agent_id} is asked with {RECENT}."
        return SummaryTemplates(recent, longterm, sections, _domains(vault, agent_id), missing)
    if _exists(vault, agent_id, f"{LONGTERM}_{kind}"):
        longterm = _loaded(vault, agent_id, LONGTERM, kind)
    return SummaryTemplates(_loaded(vault, agent_id, RECENT, kind), longterm, sections)


def parse_summary_template(note: Note, step: str) -> SummaryTemplate:
    """Return the template that a note is; `step` is a key of SLOTS.

    Raises: NoteError if it lacks a slot that it needs or has one that nobody fills, naming file and line.
    """
    text = note.body.strip()
    for slot in SLOTS[step]:
        if f"{{{slot}}}" not in text:
            raise NoteError(f"{note.source}: the slot {{{slot}}} is missing; without it, it would be lost.")
    for number, line in enumerate(note.body.split("\n"), note.body_line):
        for slot in _SLOT.findall(line):
            if slot not in (*SLOTS[step], *FREE_SLOTS):
                known = ", ".join((*FREE_SLOTS, *SLOTS[step]))
                raise NoteError(f"{note.source}:{number}: there is no slot {{{slot}}}; known are {known}.")
    if not text.endswith(CUE):
        raise NoteError(f"{note.source}: the last line must be {CUE}, from which a base model goes on.")
    schema = str(note.properties.get("schema") or "prose")
    if schema not in SCHEMAS:
        line_number = note.property_lines.get("schema", 1)
        raise NoteError(f"{note.source}:{line_number}: schema is {schema!r}; expected one of {', '.join(SCHEMAS)}.")
    return SummaryTemplate(text, schema)


def fill_template(template: str, values: Mapping[str, str], chat: bool = False) -> str:
    """Return the prompt; for a chat model without the cue that a base model goes on from."""
    words = filling(values)
    text = _SLOT.sub(lambda slot: words.get(slot[1], ""), template)
    return text.removesuffix(CUE).rstrip() if chat else text


def _domains(vault: Vault, agent_id: str) -> dict[str, SummaryTemplate]:
    names = [*vault.names("templates"), *vault.names(f"agents/{agent_id}/templates")]
    domains = {name.removeprefix(f"{RECENT}_") for name in names if name.startswith(f"{RECENT}_")}
    return {domain: _loaded(vault, agent_id, RECENT, domain) for domain in sorted(domains)}


def _exists(vault: Vault, agent_id: str, name: str) -> bool:
    return vault.exists(*_own(agent_id, name)) or vault.exists("templates", f"{name}.md")


def _own(agent_id: str, name: str) -> tuple[str, ...]:
    return ("agents", agent_id, "templates", f"{name}.md")


def _loaded(vault: Vault, agent_id: str, step: str, kind: str = "") -> SummaryTemplate:
    name = f"{step}_{kind}" if kind else step
    parts = _own(agent_id, name) if vault.exists(*_own(agent_id, name)) else ("templates", f"{name}.md")
    # A vault made by an older version lacks what was added since.
    return parse_summary_template((vault if vault.exists(*parts) or kind else Vault(STARTER)).read(*parts), step)


@dataclass(frozen=True)
class Group:
    """The memories of one place in the same company, in order. An empty `place` means a line typed by hand."""

    place: str
    people: tuple[str, ...]
    memories: tuple[Memory, ...]

    @property
    def heading(self) -> str:
        where = f"At {self.place}" if self.place else "Somewhere"
        return f"{where}, with {join_and(list(self.people))}:" if self.people else f"{where}:"


def group_memories(memories: Sequence[Memory], grouping: str) -> list[Group]:
    """Return memories by place and company, or all as one group if `grouping` is `none`.

    Company is everyone who is named during a stay at a place; stays with the same company at the same place become
    one group. Groups come in the order in which they begin, and are in order themselves.
    """
    if grouping == "none":
        return [Group("", (), tuple(memories))]
    stays: dict[tuple[str, frozenset[str]], list[Memory]] = {}
    for place, stay in _stays(memories):
        people = frozenset(person for memory in stay for person in memory.people)
        stays.setdefault((place, people), []).extend(stay)
    return [Group(place, tuple(sorted(people)), tuple(told)) for (place, people), told in stays.items()]


def render_groups(groups: Sequence[Group], name: str, width: int, reading: NarrationParser = ENGLISH) -> str:
    """Return groups as text, a line a memory of at most so many characters, each group under its heading.

    What is routine is not told but counted, in the last line of its group.
    """
    lines: list[str] = []
    for group in groups:
        lines += [group.heading] if len(groups) > 1 else []
        notable = [memory for memory in group.memories if not is_routine(memory)]
        shown = filter(None, (first_person(memory, name, reading) for memory in notable))
        lines += collapse_repeats(_shortened(line, width) for line in shown)
        lines += [counts] if (counts := _counts(group.memories, reading)) else []
    return "\n".join(lines)


def first_person(memory: Memory, name: str, reading: NarrationParser = ENGLISH) -> str:
    """Return a memory as its owner would tell it, as far as the world's own English sentences go; else as it was.

    Empty for a command whose outcome is a memory of its own.
    """
    if memory.kind == "acted" and not memory.refused and not memory.pinned:
        return _own_command(memory, name)
    is_event = memory.kind == "observed" and memory.people and reading.event_in(memory.text, memory.people[0])
    if is_event or (memory.kind == "result" and memory.text.startswith("You ") and LINE_BREAK not in memory.text):
        told_by_world, quote, speech = memory_text(memory, name).partition('"')
        for pattern, word in _PERSONS:
            told_by_world = pattern.sub(word, told_by_world)
        return f"{told_by_world}{quote}{speech}"
    return memory_text(memory, name)


def _own_command(memory: Memory, name: str) -> str:
    command, reason = split_reason(memory.text)
    line = parse_line(command)
    if reason:
        return memory_text(memory, name)
    match line.verb:
        case "say" | "speak":
            return f'I say, "{line.arguments}"'
        case "think":
            return f"I think: {line.arguments}"
        case verb if verb in ANSWERED:
            return ""
        case _:
            return memory_text(memory, name)


def _stays(memories: Sequence[Memory]) -> Iterator[tuple[str, list[Memory]]]:
    """Yield (place, memories) for each stay; a line typed by hand belongs to where its neighbour before was."""
    place, placed = "", []
    for memory in memories:
        place = memory.room or place
        placed.append((place, memory))
    for room, stay in groupby(placed, key=lambda pair: pair[0]):
        yield room, [memory for _, memory in stay]


def _counts(memories: Sequence[Memory], reading: NarrationParser) -> str:
    routine = [memory for memory in memories if is_routine(memory)]
    moves = sum(memory.kind == "result" and reading.sentence_in(MOVED, memory.text) is not None for memory in routine)
    commands = sum(memory.kind == "acted" for memory in routine)
    others = sum(memory.kind == "observed" for memory in routine)
    looks = max(0, commands - moves) if commands else len(routine) - moves - others
    counted = [_count_text(moves, "move"), _count_text(looks, "look")]
    went = f"went about: {', '.join(filter(None, counted))}" if moves or looks else ""
    seen = f"saw others come and go: {others}" if others else ""
    return f"[{'; '.join(filter(None, [went, seen]))}]" if went or seen else ""


def _count_text(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}" if count else ""


def _shortened(text: str, characters: int) -> str:
    plain = text.replace(LINE_BREAK, " ")
    return plain if len(plain) <= characters else f"{plain[:characters].rsplit(' ', 1)[0]} …"
