"""Simulation: a world with a virtual clock, recorded and replayed byte for byte."""
