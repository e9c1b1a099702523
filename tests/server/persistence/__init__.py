"""Tests of what is saved and taken in."""
