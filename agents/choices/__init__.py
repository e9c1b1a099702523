"""What an agent can do here and now, and how a model is held to it."""
