"""`fallwater doctor`: checks a machine and a vault, and names problems with their remedies."""
