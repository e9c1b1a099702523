"""What an agent makes of what it lived through: facts from speech, opinions, and what it thinks of people."""
