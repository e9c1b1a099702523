"""`fallwater vault check`: what is wrong with a vault, told line by line or as JSON, and mended where that is safe."""

from __future__ import annotations

import json
from collections.abc import Callable

from agents.checking import check_minds
from vault.checking import check_vault
from vault.finding import Finding
from vault.folder import Vault
from vault.mending import mend_vault


def check_and_tell(vault: Vault, now: float, fix: bool, as_json: bool, say: Callable[[str], None]) -> int:
    """Check a vault and say what was found; return the exit code: 0 if there is no fault, whatever the remarks.

    `now` is in seconds since 1970. With `fix`, what is safe to mend is mended first. Raises: NoteError if that fails.
    """

    def check() -> list[Finding]:
        return check_vault(vault, now, (check_minds,))

    done = mend_vault(vault, check) if fix else []
    found = check()
    faults = [finding for finding in found if not finding.is_remark]
    if as_json:
        say(
            json.dumps({"mended": done, "findings": [_row(finding) for finding in found]}, ensure_ascii=False, indent=2)
        )
    else:
        for sentence in [*(f"mended: {one}" for one in done), *map(str, found)]:
            say(sentence)
        say(_total(vault, faults, found, fix))
    return 1 if faults else 0


def _row(finding: Finding) -> dict[str, object]:
    return {
        "file": finding.source,
        "line": finding.line,
        "kind": "remark" if finding.is_remark else "fault",
        "text": finding.text,
        "fixable": finding.mend is not None,
    }


def _total(vault: Vault, faults: list[Finding], found: list[Finding], fixed: bool) -> str:
    counts = f"{_counted(len(faults), 'fault')} and {_counted(len(found) - len(faults), 'remark')} in {vault.root}."
    mendable = sum(finding.mend is not None for finding in found)
    return counts if fixed or not mendable else f"{counts} --fix can mend {mendable} of them."


def _counted(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'s' * (count != 1)}"
