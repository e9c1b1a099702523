"""Tests of accounts: names, passwords, logins."""
