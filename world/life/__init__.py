"""What goes on by itself: the time of day, and tables of reactions."""
