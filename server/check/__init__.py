"""`fallwater doctor`: checks a machine and a vault, and says what is wrong and what to do about it."""
