"""The rules of the world: rooms, things, characters, commands and events. Pure: no input or output."""
