"""What a model is given to read: a template of the vault, filled with who the agent is, what it knows and sees."""
