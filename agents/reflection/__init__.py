"""Reflection on an agent's past: facts from speech, opinions, and insights about people."""
