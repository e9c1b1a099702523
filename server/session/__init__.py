"""A player at a connection: the session, the character it plays, and the registry of all."""
