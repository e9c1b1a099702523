"""What all doors share: the connection seam, and scheduling of input and output."""
