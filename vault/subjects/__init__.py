"""Rooms, things and characters as notes: read, saved by what differs, and taken in again when edited."""
