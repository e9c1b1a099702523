"""Tests of the door: names, passwords, guests."""
