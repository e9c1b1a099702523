"""Typed settings, with their defaults, units and ranges."""
