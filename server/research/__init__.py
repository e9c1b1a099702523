"""What researchers take out of a world: figures, and data sets."""
