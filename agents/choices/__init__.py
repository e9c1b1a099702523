"""The commands that an agent can type here and now, and the constraints that hold a model to them."""
