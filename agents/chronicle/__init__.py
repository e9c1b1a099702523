"""Top moments of a world, found by rule."""
