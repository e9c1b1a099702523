"""Experiments: a plan as a table of runs, executors, and a report."""
