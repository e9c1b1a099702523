"""Research: metrics and data sets of a world."""
