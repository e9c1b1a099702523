"""Changing the shape of the world, from inside or by its notes."""
