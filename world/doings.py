"""What somebody is about just now: remembered for as long as the world runs, and in no note."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

MOST_HEARD = 100
"""How many lines of speech somebody can read again."""


@dataclass
class Doings:
    """Everything about a character that may be forgotten when the world closes. Ids are empty where there is none.

    `goal_id` is the room that it walks to, `came_from_id` the one that it left last, `following_id` whom it follows,
    `answer_to_id` who spoke to it alone last. `away` is what it said about being away, None if it is not.
    `last_line` is what it typed last; `heard` the speech that reached it, oldest first. `client_reads_aloud` says
    that its client is read out to it. `is_absent` says that it stands here, but its player's connection is lost.
    `followed_by` are those who began to follow it; whether they still do, their own doings say.
    `asked_ids` are those of whom it awaits an answer, so that it hears them although they are hushed.
    """

    goal_id: str = ""
    came_from_id: str = ""
    following_id: str = ""
    answer_to_id: str = ""
    away: str | None = None
    last_line: str = ""
    heard: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_HEARD))
    client_reads_aloud: bool = False
    is_absent: bool = False
    asked_ids: set[str] = field(default_factory=set)
    followed_by: dict[str, None] = field(default_factory=dict)
