"""The summarising prompts: notes in the vault with slots; one text serves base and chat models.

`summarize_recent` and `summarize_longterm` serve everybody. An agent of a kind has its own,
`summarize_recent_planner`; a note named after the domain of a room, `summarize_recent_market` for the tag
`domain/market`, serves what happened mostly in such rooms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from agents.escaping import filling
from vault.errors import NoteError
from vault.note import Note
from vault.vault import STARTER, Vault

RECENT, LONGTERM, SECTIONED = "summarize_recent", "summarize_longterm", "summarize_sections"
_FOLDING = ("older", "recent", "objection")
SLOTS = {RECENT: ("memories", "objection"), LONGTERM: _FOLDING, SECTIONED: _FOLDING}
FREE_SLOTS = ("name", "sentences")
CUE = "SUMMARY:"
STOP = ("\n\n", CUE, "\n---", "\n~")
SCHEMAS = ("prose", "json", "sections")

_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class SummaryTemplate:
    """What the summariser is asked; `schema` is how it has to answer: `prose`, `json` or in `sections`."""

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
    """Return the template that a note is; `step` is one of those in SLOTS.

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


def filled(template: str, values: Mapping[str, str], chat: bool = False) -> str:
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
