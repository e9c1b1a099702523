"""Counts the functions that something passes through: those that take or return it, or call one that does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[1]
Function = tuple[str, str]
"""A file, relative to the root of the project, and the qualified name of a function in it."""


class Walk:
    """What `sys.setprofile` is given. `carries` says whether a value is, or holds, what is followed.

    `ends` are the functions behind which nothing is followed any more. Comprehensions belong to their function.
    """

    def __init__(self, carries: Callable[[object], bool], ends: frozenset[Function] = frozenset()) -> None:
        self._carries = carries
        self._ends = ends
        self._stack: list[Function] = []
        self._functions: set[Function] = set()

    def __call__(self, frame: FrameType, event: str, result: object) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event not in ("call", "return") or not path.is_relative_to(ROOT):
            return
        if event == "call":
            self._stack.append((path.relative_to(ROOT).as_posix(), code.co_qualname))
            self._note([frame.f_locals.get(name) for name in code.co_varnames[: code.co_argcount]])
        elif self._stack:
            self._note(result)
            self._stack.pop()

    def _note(self, value: object) -> None:
        if self._ends.isdisjoint(self._stack[:-1]) and self._carries(value):
            self._functions.update(self._stack)

    def functions_in(self, *folders: str) -> set[Function]:
        """Return the functions that are in some folders or files."""
        named = {(path, name) for path, name in self._functions if path.startswith(folders)}
        return {(path, name) for path, name in named if "comp>" not in name and "genexpr>" not in name}


class Route(Walk):
    """Counts what calls some functions, these included: what a reader goes through from the first to any of them."""

    def __init__(self, targets: frozenset[Function]) -> None:
        super().__init__(lambda value: False)
        self._targets = targets

    def _note(self, value: object) -> None:
        if self._stack[-1] in self._targets:
            self._functions.update(self._stack)
