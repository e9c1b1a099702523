"""The situations that agents are tried in, by what they are about."""
