"""Tests of what measures: a figure is only as good as the counting behind it."""
