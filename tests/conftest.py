"""What every test has in common: Hypothesis repeats itself and sets no deadline."""

from hypothesis import settings

# The same examples on every run, and no failure because a machine was busy for a moment.
settings.register_profile("fallwater", derandomize=True, deadline=None)
settings.load_profile("fallwater")
