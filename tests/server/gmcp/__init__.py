"""Tests of what clients are told besides text."""
