"""Tests of agents that go in circles."""
