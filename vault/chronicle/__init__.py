"""The log of what happened in the world, and the index that finds any hour of it."""
