"""Views of minds: what they show is what the vault says."""
