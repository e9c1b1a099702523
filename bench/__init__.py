"""Measurements, one command a question; results are kept in RESULTS.md."""
