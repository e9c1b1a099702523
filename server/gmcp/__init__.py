"""GMCP: structured messages to and from clients, beside the text."""
