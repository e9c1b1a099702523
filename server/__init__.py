"""Sockets, timers, sessions and pages, and the one place where everything is wired together."""
