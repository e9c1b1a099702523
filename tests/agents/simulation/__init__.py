"""Tests of the parts of a simulation."""
