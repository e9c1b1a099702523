"""Tests of reflection, bonds and facts from speech."""
