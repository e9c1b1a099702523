"""The observatory: views of the world and its minds, as dictionaries, texts and a page."""
