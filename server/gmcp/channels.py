"""`Comm.Channel`: what is said, for windows and sounds of its own, to whoever hears the words."""

from __future__ import annotations

from functools import lru_cache

from server.connection.connection import Message
from world.command import CommandTable
from world.events import Emoted, Event, Paged, Said, Shouted, Whispered
from world.model import Character
from world.narration import is_speech_for
from world.wording import Wording

CHANNELS = ("say", "emote", "whisper", "tell", "shout")
"""Named like the commands by which one speaks there."""

_CHANNEL_OF: dict[type[Event], str] = {
    Said: "say",
    Emoted: "emote",
    Whispered: "whisper",
    Paged: "tell",
    Shouted: "shout",
}


def spoken(event: Event, sentence: str, viewer: Character) -> Message | None:
    """Return what a viewer is told besides the sentence it reads; None if that is no speech, or none it hears."""
    channel = _CHANNEL_OF.get(type(event))
    if channel is None or not sentence:
        return None
    if channel != "emote" and not is_speech_for(event, viewer.character_id):
        return None
    return _text(channel, event.actor_id, sentence)


def channel_list(commands: CommandTable, character: Character, say: Wording) -> Message:
    """Return the channels on which somebody may speak."""
    found = [(name, commands.get(name)) for name in CHANNELS]
    open_to = [name for name, command in found if command and command.allows(character)]
    return Message(
        "Comm.Channel.List",
        [{"name": name, "caption": say(f"gmcp.channel_{name}"), "command": name} for name in open_to],
    )


# The same words for everybody in a room are put into bytes once.
@lru_cache(maxsize=64)
def _text(channel: str, talker: str, text: str) -> Message:
    return Message("Comm.Channel.Text", {"channel": channel, "talker": talker, "text": text})
