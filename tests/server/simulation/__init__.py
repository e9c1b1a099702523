"""Tests of a world without sockets."""
