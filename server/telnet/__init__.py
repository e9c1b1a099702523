"""Telnet: a parser, option negotiation, charsets and compression."""
