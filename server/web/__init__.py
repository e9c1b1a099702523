"""The door for browsers: a page, the socket behind it, and play in which no line is lost."""
