"""Tests of the bench of talk."""
