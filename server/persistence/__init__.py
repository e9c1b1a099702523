"""Persistence: autosave, and hot reload of edited notes."""
