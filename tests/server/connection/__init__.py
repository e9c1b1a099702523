"""Tests of what every door shares."""
