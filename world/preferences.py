"""How somebody likes it: what they have set for themselves, kept with the character."""

from __future__ import annotations

from world.model import Character

BRIEF = "brief"
SCREEN_READER = "screenreader"
COLOR = "color"
LINKS = "links"
ON, OFF = "on", "off"
ALIAS = "alias "
"""What the name of a preference begins with that is a command of somebody's own."""


def is_brief(character: Character) -> bool:
    """Return whether somebody wants to read no descriptions while walking."""
    return character.preferences.get(BRIEF) == ON


def reads_aloud(character: Character) -> bool:
    """Return whether somebody listens instead of looking: as they have said, or else as their client says."""
    chosen = character.preferences.get(SCREEN_READER)
    return chosen == ON if chosen else character.doings.client_reads_aloud


def own_aliases(character: Character) -> dict[str, str]:
    """Return somebody's own commands: what each stands for, by its name, sorted."""
    found = character.preferences.items()
    return {key.removeprefix(ALIAS): value for key, value in sorted(found) if key.startswith(ALIAS)}
