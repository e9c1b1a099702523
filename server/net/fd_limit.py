"""How many connections a process can hold open, so that there are always handles left to save a world with."""

from __future__ import annotations

import os
import resource

RESERVED = 128
"""For notes that are saved, journals that are opened, models that are asked."""

UNBOUNDED = 1_000_000


def raise_fd_limit(connections: int) -> int:
    """Allow this process as many file handles as so many connections need; return for how many there is room."""
    in_use = _in_use()
    needed = connections + in_use + RESERVED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return UNBOUNDED if soft == resource.RLIM_INFINITY else max(1, soft - in_use - RESERVED)


def _in_use() -> int:
    try:
        return len(os.listdir("/proc/self/fd"))
    except OSError:
        return 64
