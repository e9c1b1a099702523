"""How well a model plays the agents: situations with strict checks, a visitor's talk through the server, a day."""
