"""Errors of notes."""


class NoteError(Exception):
    """A note in the vault cannot be read or is not as it should be; the message names file and line."""


class NoteEditedError(NoteError):
    """A note is not written, for somebody has edited it just now; that may not be all of the edit yet."""
