"""Settings that had another name, or that nothing reads any more; docs/hosting.md tells the same to people."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

from config.given import Given

log = logging.getLogger(__name__)

OLD_NAMES = {
    "short_window": "recent_window",
    "short_term_window": "recent_window",
    "max_turns": "max_memories",
    "rounds_to_retain": "retain_recent",
    "compaction.enabled": "enabled",
    "compaction.threshold": "threshold",
    "compaction.retain_recent": "retain_recent",
}
"""What settings were called elsewhere or before, and what they are called now: docs/hosting.md."""

_ROLES_ARE_IN_ACCOUNTS = (
    "What somebody may do belongs to their account now: `new_role` is what somebody new may do, and the one-time "
    "password that the world prints at its first start is for the first admin. Remove the lines."
)
GONE = {"loopback_role": _ROLES_ARE_IN_ACCOUNTS, "remote_role": _ROLES_ARE_IN_ACCOUNTS}
"""Settings that are gone, and what there is instead."""


def today(values: Mapping[str, Given], known: Collection[str], source: str) -> dict[str, Given]:
    """Return the values under the names of today, without those that nothing reads any more.

    Each old name is warned of, and all that are gone at once. Where a setting stands under both, today's name wins.
    """
    gone = [key for key in values if key in GONE and key not in known]
    if gone:
        what = " and ".join(f"{key} (line {values[key].line})" for key in gone)
        log.warning("%s: %s count no more. %s", source, what, " ".join(dict.fromkeys(GONE[key] for key in gone)))
    found = {key: given for key, given in values.items() if key not in gone}
    for key in [key for key in found if OLD_NAMES.get(key) in known]:
        log.warning("%s:%d: %s is called %s now.", source, values[key].line, key, OLD_NAMES[key])
        found.setdefault(OLD_NAMES[key], found.pop(key))
    return found
