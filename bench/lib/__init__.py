"""The common parts of several benches."""
