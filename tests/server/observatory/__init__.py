"""The observatory: its views, its scopes and its page, without a socket."""
