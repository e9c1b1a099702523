"""Tests of the chronicle as the server keeps and shows it."""
