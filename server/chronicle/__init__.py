"""The chronicle: logs events, and reads them back as text, as a page and as a file."""
