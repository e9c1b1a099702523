"""A cache of what the journal's files hold, so that a start need not read them; deleting it loses nothing."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable
from dataclasses import asdict

from vault.folder import Vault
from vault.notes import NoteError
from vault.remembered.segment import Segment

log = logging.getLogger(__name__)


class SegmentIndex:
    """The rows of one agent's journal files in `.index/`; a row counts only while file size and time are as noted."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = (".index", f"{agent_id}.json")

    def read(self) -> dict[str, Segment]:
        """Return the rows by file name; nothing if there is no index or it cannot be understood."""
        try:
            rows = json.loads(self._vault.read_text(*self._parts)) if self._vault.exists(*self._parts) else []
            return {row["name"]: Segment(**row | {"pinned": tuple(row["pinned"])}) for row in rows}
        except (NoteError, ValueError, TypeError, KeyError, RecursionError):
            log.warning("%s could not be read and is made anew", "/".join(self._parts))
            return {}

    def write(self, segments: Iterable[Segment]) -> None:
        """Note the rows; a failure to do so is no more than a slower start."""
        try:
            self._vault.write_text(json.dumps([asdict(segment) for segment in segments]), *self._parts)
        except NoteError as error:
            log.warning("%s", error)
