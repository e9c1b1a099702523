"""Looking through source code."""

from __future__ import annotations

import ast


def nodes_of(source: str) -> list[ast.AST]:
    """Return all nodes of the syntax tree of a module, as `ast.walk` does in twice the time."""
    found: list[ast.AST] = [ast.parse(source)]
    for node in found:
        for value in node.__dict__.values():
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [one for one in value if isinstance(one, ast.AST)]
    return found
