"""Errors of notes."""


class NoteError(Exception):
    """A note in the vault cannot be read or is not as it should be; the message names file and line."""
