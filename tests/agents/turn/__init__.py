"""Tests of the parts of a mind."""
