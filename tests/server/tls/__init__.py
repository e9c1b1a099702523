"""Tests of telnet over TLS."""
