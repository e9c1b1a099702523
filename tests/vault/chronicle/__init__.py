"""Tests of the event log and its index."""
