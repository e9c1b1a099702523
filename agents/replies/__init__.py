"""The reply of a model: the one command in it, found while it is still being written."""
