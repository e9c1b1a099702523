"""A measure of how well a model plays agents: situations with strict checks, a dialogue through the server, a day."""
