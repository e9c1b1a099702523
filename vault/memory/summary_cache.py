"""A cache of summaries that a model has made, so that none is paid for twice; deleting it loses nothing."""

from __future__ import annotations

import hashlib
import json
import logging
from typing import Any

from vault.errors import NoteError
from vault.vault import Vault

log = logging.getLogger(__name__)

MAX_ROWS = 256


def cache_key(*parts: object) -> str:
    """Return a key for what a summary is made from and how: any parts that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode("utf-8", "surrogatepass")).hexdigest()


class SummaryCache:
    """The rows of one agent in `.index/`, one a line; of two with one key the later counts."""

    def __init__(self, vault: Vault, agent_id: str) -> None:
        self._vault = vault
        self._parts = (".index", f"{agent_id}.summaries.jsonl")
        self._rows: dict[str, dict[str, Any]] | None = None

    def get(self, key: str) -> dict[str, Any] | None:
        """Return what was put under a key, or None. What is asked for stays longer than what is not."""
        rows = self._read()
        if key in rows:
            rows[key] = rows.pop(key)
        return rows.get(key)

    def put(self, key: str, row: dict[str, Any]) -> None:
        """Keep a row; if there are too many, the one goes that was not asked for the longest.

        A failure is no more than a call paid twice.
        """
        rows = self._read()
        rows.pop(key, None)
        rows[key] = row
        while len(rows) > MAX_ROWS:
            del rows[next(iter(rows))]
        text = "".join(f"{json.dumps({'key': key, **row}, ensure_ascii=False)}\n" for key, row in rows.items())
        try:
            self._vault.write_text(text, *self._parts)
        except NoteError as error:
            log.warning("%s", error)

    def _read(self) -> dict[str, dict[str, Any]]:
        if self._rows is None:
            self._rows = dict(self._lines())
        return self._rows

    def _lines(self) -> list[tuple[str, dict[str, Any]]]:
        try:
            text = self._vault.read_text(*self._parts) if self._vault.exists(*self._parts) else ""
        except NoteError as error:
            log.warning("%s", error)
            return []
        found = []
        for line in text.split("\n"):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue  # a torn or garbled line: that summary is made again
            if isinstance(row, dict) and isinstance(key := row.pop("key", None), str):
                found.append((key, row))
        return found
