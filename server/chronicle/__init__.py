"""The chronicle: what happened is logged, and read back as text, as a page and as a file."""
