"""Rooms, things and characters as notes: read, saved by difference, and reloaded when edited."""
