"""Vaults of an older layout, taken over without touching them."""
