"""Tests of what researchers take out of a world."""
