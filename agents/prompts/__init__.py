"""Prompts: templates of the vault, filled with the agent's profile, knowledge and perception."""
