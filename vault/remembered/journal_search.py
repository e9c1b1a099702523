"""Looking for whether a journal names somebody or some place at all, without reading its lines one by one."""

from __future__ import annotations

import re

from vault.folder import Vault


def names_person(vault: Vault, agent_id: str, name: str) -> bool:
    """Return whether any memory of an agent has somebody of this name in it."""
    return _stands_there(vault, agent_id, rb"\[with:: (?:[^\]\n]*, )?%b(?:, [^\]\n]*)?\]" % re.escape(name.encode()))


def names_room(vault: Vault, agent_id: str, room: str) -> bool:
    """Return whether any memory of an agent is from a room."""
    return _stands_there(vault, agent_id, rb"(?m)^- [\d:.]+ [a-z]+ \xc2\xb7 %b \xc2\xb7 " % re.escape(room.encode()))


def _stands_there(vault: Vault, agent_id: str, pattern: bytes) -> bool:
    """Search the files of a journal, newest first; one that cannot be read has nothing in it."""
    wanted, folder = re.compile(pattern), f"agents/{agent_id}/journal"
    for name in sorted(vault.names(folder), reverse=True):
        try:
            if wanted.search(vault.path(folder, f"{name}.md").read_bytes()):
                return True
        except OSError:
            continue
    return False
