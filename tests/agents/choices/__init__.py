"""Tests of what an agent can choose from."""
