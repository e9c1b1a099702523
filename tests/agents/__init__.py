"""Tests of agents: what they remember, think and choose, with scripted models."""
