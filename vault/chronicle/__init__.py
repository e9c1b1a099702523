"""The event log of the world, and the index that finds any hour of it."""
