"""The parts of a mind: each tells something in the prompt, and takes in what the agent perceives and does."""
