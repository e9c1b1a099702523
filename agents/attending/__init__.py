"""Attention: the events that an agent notices, the ones worth a thought, and the turns in a conversation."""
