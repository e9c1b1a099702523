"""The common parts of all doors: the connection seam, and scheduling of input and output."""
