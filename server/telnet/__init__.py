"""Telnet as real clients speak it: bytes to events, options agreed upon, text to bytes."""
