"""Simulation folders: viewed and compared."""
