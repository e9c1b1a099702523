"""Metrics and top moments of a world, from archives, journals and chronicle."""
