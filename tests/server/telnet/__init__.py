"""Telnet: the parser, the options, the characters and the connection."""
