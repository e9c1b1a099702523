"""Vaults of an older layout, imported without touching them."""
