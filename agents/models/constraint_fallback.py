"""What happens when a server refuses a schema or a grammar: the request goes without it, and that is said once."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

MAX_REFUSALS = 3


class ConstraintFallback:
    """Counts the schemas and grammars that one server has refused in a row; after three it is sent none any more."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._in_a_row = 0
        self._is_told = False

    @property
    def is_off(self) -> bool:
        """Whether the server is sent none any more."""
        return self._in_a_row >= MAX_REFUSALS

    def accept(self) -> None:
        """Note that an answer was held to one."""
        self._in_a_row = 0

    def refuse(self, why: str) -> None:
        """Note that the server refused one, but answers without it."""
        self._in_a_row += 1
        if not self._is_told:
            log.warning("%s refuses a schema or grammar, and answers without it: %s", self._name, why)
        if self.is_off:
            log.warning("%s has refused %d of them in a row, and is sent none any more.", self._name, MAX_REFUSALS)
        self._is_told = True
