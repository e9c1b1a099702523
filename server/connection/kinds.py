"""What kind of text something is, so that every door can show it in its way."""

from __future__ import annotations

from collections.abc import Mapping

from world.events import Announced, Event, Happened, Paged, Refused, Said, Saw, Shouted, Whispered

SCENE = "scene"
"""The kind of a text whose first line names a room and whose last tells the exits."""
MARKED = "marked"
"""The kind of a text that is the world's own from beginning to end, so that marks in it count."""
RAW = "raw"
"""The kind of a text that is for a program: nothing in it is wrapped."""

KIND_OF: Mapping[type[Event], str] = {
    Said: "speech",
    Shouted: "speech",
    Paged: "private",
    Whispered: "private",
    Announced: "notice",
    Happened: "ambience",
    Refused: "refusal",
}
"""The kind of what somebody perceives of an event, a style's name. Of other events it is empty."""


def shown_of(event: Saw, text: str, room_name: str) -> tuple[str, str]:
    """Return what a screen shows of what a command answers, given as it is perceived, and its kind."""
    if event.is_own:
        return event.text, MARKED
    return text, SCENE if text.startswith(f"{room_name}\n") else ""
