"""Rendering for one player: wrapping, colour, and whole lines for screen readers."""
