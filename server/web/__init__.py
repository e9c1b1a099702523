"""The door for browsers: a page, its WebSocket, and a backlog that survives lost connections."""
