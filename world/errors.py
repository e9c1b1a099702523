"""The errors that the rules of the world can raise."""


class WorldError(Exception):
    """Something about the world itself is wrong: an unknown room, an exit to nowhere."""


class CommandError(WorldError):
    """A command cannot be done; the message is shown to its author."""
