"""A turn of an agent: what it says and does at a moment."""
