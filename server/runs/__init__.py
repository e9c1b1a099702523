"""Simulation folders: opened and compared."""
