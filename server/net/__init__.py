"""The listening sockets of a world, and the limits on connections."""
