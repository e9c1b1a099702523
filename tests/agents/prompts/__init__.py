"""Tests of what an agent is asked."""
