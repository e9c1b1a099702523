"""Checking a vault: every fault with file and line, and mending what loses nothing."""
