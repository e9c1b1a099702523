"""Tests of commands of admins."""
