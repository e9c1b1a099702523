"""Tests of the chronicle: what is worth telling."""
