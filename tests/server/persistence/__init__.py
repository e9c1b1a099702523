"""Tests of what is saved and reloaded."""
