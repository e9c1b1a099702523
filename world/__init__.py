"""The rules of the place: rooms, things, characters, commands and events. Nothing from outside."""
