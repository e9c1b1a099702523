"""What a model answers: the one command in it, found while it is still being written."""
