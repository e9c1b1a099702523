"""Experiments: a plan as a table of runs, runs wherever there is room, and a report of what came of them."""
