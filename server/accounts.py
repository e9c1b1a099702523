"""Who somebody is: from a name given at the door to a character, and what it may do.

Passwords come with accounts; until then a name is enough, and the role follows from where somebody connects from.
"""

from __future__ import annotations

import ipaddress
import unicodedata

from config.settings import ServerSettings
from vault.agent_notes import agent_names
from vault.folder import Vault, check_name
from vault.notes import NoteError
from vault.world_notes import save_person
from world.model import Character, Role, World

SHORTEST, LONGEST = 2, 20
RESERVED = frozenset(
    "me myself self you here room all everyone someone somebody nobody admin fallwater quit con nul aux prn".split()
)


class NameRefused(Exception):
    """A name that nobody can have here; the message says why and what would do."""


class Accounts:
    """Finds or makes the character for a name."""

    def __init__(self, vault: Vault, world: World, settings: ServerSettings) -> None:
        self._vault = vault
        self._world = world
        self._settings = settings

    def enter(self, given: str, host: str) -> tuple[Character, bool]:
        """Return the character for a name, and whether it is new.

        Raises: NameRefused if nobody can be called that, NoteError if a new character cannot be saved.
        """
        name = self._checked(given)
        known = {c.name.casefold(): c for c in self._world.characters.values()}.get(name.casefold())
        if known and known.is_agent:
            raise NameRefused(f"{known.name} lives here already and is one of the agents. Choose another name.")
        character = known or self._made(name)
        character.role = self.role_from(host)
        return character, known is None

    def role_from(self, host: str) -> Role:
        """Return what somebody may do who connects from an address."""
        try:
            here = ipaddress.ip_address(host).is_loopback
        except ValueError:
            here = False
        return Role[(self._settings.loopback_role if here else self._settings.remote_role).upper()]

    def _made(self, name: str) -> Character:
        taken = {key.casefold() for key in (*self._world.rooms, *self._world.things, *agent_names(self._vault))}
        if name.casefold() in taken or name.casefold() in RESERVED:
            raise NameRefused(f"{name!r} is the name of something else here. Choose another name.")
        if name.casefold() in {known.casefold() for known in self._vault.names("people")}:
            # Left out at the start, because it is not valid: whoever mends it should find it as it is.
            raise NameRefused(f"The note of {name!r} cannot be read, so nobody can be {name} until it is mended.")
        character = Character(name, self._world.start_room_id)
        save_person(self._vault, character)
        self._world.add_character(character)
        return character

    def _checked(self, given: str) -> str:
        name = unicodedata.normalize("NFC", given.strip())
        name = name[:1].upper() + name[1:]
        rule = f"A name has {SHORTEST} to {LONGEST} letters, such as Ana; a hyphen or apostrophe may be inside."
        inside = name.replace("-", "").replace("'", "")
        latin = all(char.isalpha() and unicodedata.name(char, "").startswith("LATIN") for char in inside)
        if not SHORTEST <= len(name) <= LONGEST or not latin or not (name[0].isalpha() and name[-1].isalpha()):
            raise NameRefused(f"{given[:40]!r} will not do. {rule}")
        try:
            return check_name(name)
        except NoteError as error:
            raise NameRefused(f"{given[:40]!r} will not do. {rule}") from error
