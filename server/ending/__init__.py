"""Closing a world in good order, and opening it again where everybody was."""
