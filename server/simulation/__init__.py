"""The sub-command that lets a world live through a simulation, and the files that come of it."""
