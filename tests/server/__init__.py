"""The server's sockets, sessions and timers, on a clock that stands still and transports in memory."""
