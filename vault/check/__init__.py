"""Vault check: every fault with file and line, and fixes that lose nothing."""
