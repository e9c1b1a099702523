"""Many clients at real sockets, and the servers that are measured with them."""
