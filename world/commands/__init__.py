"""The commands of the world, one module a subject."""
