"""Tests of commands about agents."""
