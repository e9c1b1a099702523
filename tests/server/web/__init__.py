"""The door for browsers, without a socket."""
