"""Tests of looking at simulations."""
