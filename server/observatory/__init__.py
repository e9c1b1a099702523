"""The observatory: what is seen of the world and its minds from outside, as plain dictionaries, texts and a page."""
