"""Tests of `fallwater doctor`."""
