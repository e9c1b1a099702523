"""Tests of whom an agent attends to."""
