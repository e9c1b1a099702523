"""Tables of examples that stand in YAML files."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml


@cache
def rows_in(path: Path) -> Any:
    """Return what a file holds, which nobody may change: it is read once, with the fast parser where there is one."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
