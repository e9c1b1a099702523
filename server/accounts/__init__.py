"""Accounts: names, passwords, roles and bans, and the login."""
