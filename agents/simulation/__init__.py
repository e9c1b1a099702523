"""A world that lives by a clock of its own: lived through, recorded and given again to the byte."""
