"""Tests of agents' own commands."""
