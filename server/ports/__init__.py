"""The ports of a world, and how many may call there."""
