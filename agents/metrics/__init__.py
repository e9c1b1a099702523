"""Figures of a world, from its archives, journals and chronicle: how valid, lively and costly its agents are."""
