"""Tests of what one player sees."""
