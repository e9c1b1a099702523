"""Metrics of a world, from archives, journals and chronicle."""
