"""Tests of listening and callers."""
