"""The two summarising prompts: notes in the vault with slots; one text serves base and chat models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from vault.folder import Vault
from vault.notes import NoteError

RECENT_SLOTS = ("name", "memories", "objection")
LONGTERM_SLOTS = ("name", "older", "recent", "objection")
CUE = "SUMMARY:"
STOP = ("\n\n", CUE, "\n---", "\n~")

_SLOT = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class SummaryTemplates:
    """What the summariser is asked, for the short-term and for the long-term step."""

    recent: str
    longterm: str


def load_summary_templates(vault: Vault, agent_id: str) -> SummaryTemplates:
    """Return an agent's own templates, from `agents/<Name>/templates`, or else the world's.

    Raises: NoteError if one is missing or lacks a slot that it needs, naming the file.
    """
    return SummaryTemplates(
        _loaded(vault, agent_id, "summarize_recent", RECENT_SLOTS),
        _loaded(vault, agent_id, "summarize_longterm", LONGTERM_SLOTS),
    )


def filled(template: str, values: Mapping[str, str], chat: bool = False) -> str:
    """Return the prompt; for a chat model without the cue that a base model goes on from."""
    text = _SLOT.sub(lambda slot: values.get(slot[1], ""), template)
    return text.removesuffix(CUE).rstrip() if chat else text


def _loaded(vault: Vault, agent_id: str, name: str, slots: tuple[str, ...]) -> str:
    own = ("agents", agent_id, "templates", f"{name}.md")
    parts = own if vault.exists(*own) else ("templates", f"{name}.md")
    text = vault.read(*parts).body.strip()
    for slot in slots:
        if f"{{{slot}}}" not in text and slot != "name":
            raise NoteError(f"{'/'.join(parts)}: the slot {{{slot}}} is missing; without it, it would be lost.")
    for slot in _SLOT.findall(text):
        if slot not in slots:
            raise NoteError(f"{'/'.join(parts)}: there is no slot {{{slot}}}; known are {', '.join(slots)}.")
    if not text.endswith(CUE):
        raise NoteError(f"{'/'.join(parts)}: the last line must be {CUE}, from which a base model goes on.")
    return text
