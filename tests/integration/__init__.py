"""Tests with real processes, sockets, client programs and models."""
