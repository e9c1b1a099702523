"""Tests of what a model answers."""
