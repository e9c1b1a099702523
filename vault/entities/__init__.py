"""Rooms, things and characters as notes: read, saved by what differs, and reloaded when edited."""
