"""What somebody is: an agent's profile and how anybody looks, changed from inside the world, with what it was before.

Former versions are in the folder `history` beside an agent's `agent.md`, or in `people/Ana/history`; none is deleted.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from vault.agent_notes import agent_of
from vault.agent_writing import set_agent_property
from vault.escaping import escaped_section
from vault.folder import Vault
from vault.note_text import NoteText
from vault.own_notes import home_of, keep_former
from vault.subjects.life_notes import only_reactions, without_reactions
from world.entities import Character

HISTORY = "history"
PROFILE, DESCRIPTION = "profile", "description"

_BRACES = str.maketrans("{}", "()")
_BRACKETS = re.compile(r"[\[\]]{2,}")


class OwnProfiles:
    """Profiles and descriptions, and their former versions."""

    def __init__(self, vault: Vault, now_ms: Callable[[], int]) -> None:
        self._vault = vault
        self._now_ms = now_ms

    def set_profile(self, agent: Character, profile: str) -> None:
        """Give an agent another profile; its settings and its reactions stay to the letter. Raises: NoteError."""
        self._write(agent, escaped_section(plain(profile)))

    def undo_profile(self, agent: Character) -> bool:
        """Put an agent's last former profile back, which keeps the one of now; return whether there was one."""
        newest = self._newest(agent, PROFILE)
        if not newest:
            return False
        former = self._vault.read(*home_of(agent), HISTORY, newest)
        self._write(agent, without_reactions(former))
        return True

    def set_description(self, character: Character, description: str) -> str:
        """Keep how somebody looked until now, and return the new description as it will do.

        An agent's is in its note then; a person's is saved when it is announced. Raises: NoteError.
        """
        self._keep(character, DESCRIPTION, character.description)
        description = plain(description)
        if character.is_agent:
            set_agent_property(self._vault, character.name, "description", description or None)
        return description

    def former_description(self, character: Character) -> str | None:
        """Return how somebody looked before the last change; None if nothing was ever changed. Raises: NoteError."""
        newest = self._newest(character, DESCRIPTION)
        return self._vault.read_text(*home_of(character), HISTORY, newest) if newest else None

    def set_interval(self, agent: Character, seconds: str) -> None:
        """Write how often an agent thinks into its note; all else stays to the letter. Raises: NoteError."""
        set_agent_property(self._vault, agent.name, "think_seconds", seconds)

    def _write(self, agent: Character, profile: str) -> None:
        parts = (*home_of(agent), "agent.md")
        before = self._vault.read_exact(*parts)
        text = NoteText(before, self._vault.source(self._vault.path(*parts)))
        text.set_body("\n\n".join(part for part in (profile, only_reactions(text.note)) if part))
        agent_of(text.note, agent.name)  # what could not be loaded again is not written either
        self._keep(agent, PROFILE, before)
        self._vault.write_text(str(text), *parts)

    def _keep(self, character: Character, title: str, text: str) -> None:
        keep_former(self._vault, text, (*home_of(character), HISTORY), title, self._now_ms())

    def _newest(self, character: Character, title: str) -> str:
        names = self._vault.names("/".join((*home_of(character), HISTORY)))
        found = [name for name in names if name.startswith(f"{title} ")]
        return f"{found[-1]}.md" if found else ""


def plain(text: str) -> str:
    """Return prose in which nothing is a link or a slot of a template."""
    return _BRACKETS.sub("", text).translate(_BRACES)
