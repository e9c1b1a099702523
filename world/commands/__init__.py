"""The commands of the world, a module a subject."""
