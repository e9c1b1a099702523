"""What an agent takes notice of, what is worth a thought, and whose turn it is to speak."""
